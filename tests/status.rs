//! `guard status`: the branch, its designs and rows, what a commit now would say, and what waits for approval.

use serde_json::{Value, json};

use crate::common::{DESIGN, Repo, SETTINGS, has_keys, lines};

/// A branch with a design of these rows, and the known target branch `main`.
fn branch(rows: &[(&str, &str, &str)]) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", format!("{SETTINGS}base = \"main\"\n"));
    repo.stage("src/old.rs", lines(1..=200));
    repo.design(DESIGN, rows);
    repo.commit("Say what may change");
    repo.branch("188-work");
    repo
}

/// The paths of the open rows.
fn open_rows(status: &Value) -> Vec<&str> {
    let rows = status["rows"]["open_rows"].as_array().unwrap().iter();
    rows.map(|row| row["path"].as_str().unwrap()).collect()
}

#[test]
fn rows_are_done_once_their_file_is_committed_or_staged() {
    let repo = branch(&[
        ("src/committed.rs", "Add", "x"),
        ("src/staged.rs", "Add", "x"),
        ("src/dir/", "Add", "x"),
        ("src/edited.rs", "Add", "x"),
        ("src/old.rs", "Verify", "x"),
    ]);
    repo.stage("src/committed.rs", "x\n");
    repo.commit("Work");
    repo.stage("src/staged.rs", "x\n");
    repo.write("src/edited.rs", "x\n");
    let status = repo.json(&["status"]);
    assert_eq!(status["rows"]["done"], 2);
    assert_eq!(open_rows(&status), ["src/dir", "src/edited.rs"]);
    let row = json!({"path": "src/dir", "design": DESIGN, "line": 9});
    assert_eq!(status["rows"]["open_rows"][0], row);
    // Keys are added, never renamed.
    has_keys(
        &status,
        "version branch designs finished rows commit waiting scope_changes notes errors",
    );
    has_keys(&status["rows"], "done open open_rows");
    has_keys(&status["commit"], "verdict summary findings");
    assert_eq!(status["commit"]["verdict"], "accepted");
    assert_eq!(status["commit"]["summary"]["changes"], 1);
    repo.tells("status", 0, "branch   188-work\n")
        .says(&format!(
            "design   {DESIGN} (issue 188 in the branch name)\n"
        ))
        .says("rows     2 done, 2 open\n")
        .says(&format!("src/edited.rs ({DESIGN}:10)\n"))
        .says("commit   accepted: 1 change\n")
        .says("waiting  nothing\n");
}

#[test]
fn rows_are_unknown_where_the_target_branch_is() {
    let repo = Repo::new();
    repo.govern(&[("src/a.rs", "Add", "x")]);
    let status = repo.json(&["status"]);
    assert_eq!(status["rows"], Value::Null);
    has_keys(&status["errors"][0], "about kind message help commands");
    assert_eq!(status["errors"][0]["about"], "rows");
    repo.guard(&["status"]).exits(0).says("[lld] base");
}

#[test]
fn refused_change_is_shown_with_its_next_step() {
    let repo = branch(&[("utils/lld.rs", "Add", "x")]);
    repo.stage("core/lld.rs", "x\n");
    repo.tells("status", 0, "commit   refused: 1 change, 1 error\n")
        .says("error[out-of-scope]: core/lld.rs is not in the design\n")
        .says("  write utils/lld.rs instead, or add this row")
        .says("  | `core/lld.rs` | Add | … |\n");
    // As `guard lint` says.
    let (status, lint) = (repo.json(&["status"]), repo.json(&["lint"]));
    assert_eq!(status["commit"]["findings"], lint["findings"]);
    assert_eq!(status["commit"]["summary"], lint["summary"]);
    repo.git(&["rm", "--quiet", "--cached", "core/lld.rs"]);
    assert_eq!(repo.guard(&["status", "--quiet"]).exits(0).text(), "");
}

#[test]
fn change_that_waits_is_listed_as_approve_lists_it() {
    let repo = branch(&[("src/old.rs", "Modify", "x")]);
    repo.write("content", lines(500..=700));
    let write = ["write", "src/old.rs", "--content-file", "content"];
    repo.guard(&write).exits(1).says("waits for approval as");
    let held = repo.json(&["approve"])["held"].clone();
    assert_eq!(held.as_array().map(Vec::len), Some(1));
    assert_eq!(repo.json(&["status"])["waiting"], held);
    let line = repo.guard(&["approve"]).exits(0).stdout;
    let status = repo.guard(&["status"]).exits(0).stdout;
    assert!(status.contains(&format!("waiting  {line}")), "{status}");
}

#[test]
fn missing_design_is_explained() {
    let repo = branch(&[("src/a.rs", "Add", "x")]);
    repo.branch("other");
    let told = repo.guard(&["status"]).exits(0);
    told.says("design   no design applies: the branch name other contains no issue number\n")
        .says("  to write a design: guard scope new other\n")
        .says("commit   nothing is staged\n");
    repo.stage("src/a.rs", "x\n");
    repo.tells("status", 2, "commit   cannot be checked: no design applies");
    let status = repo.json(&["status"]);
    assert_eq!(status["commit"], Value::Null);
    assert_eq!(status["errors"][1]["about"], "commit");
}

#[test]
fn detached_head_and_a_missing_repository_are_told() {
    let repo = branch(&[("src/a.rs", "Add", "x")]);
    repo.git(&["switch", "--quiet", "--detach"]);
    repo.tells("status", 0, "branch   none, HEAD is detached\n")
        .says("design   no design applies: HEAD is detached");
    assert_eq!(repo.json(&["status"])["branch"], Value::Null);
    Repo::nothing().guard(&["status"]).exits(2);
}

#[test]
fn everything_fits_on_one_screen() {
    let names: Vec<String> = (0..30).map(|at| format!("src/row-{at}.rs")).collect();
    let rows: Vec<_> = names.iter().map(|name| (&**name, "Add", "x")).collect();
    let repo = branch(&rows);
    for at in 0..30 {
        repo.stage(format!("other/{at}.rs"), "x\n");
    }
    let told = repo.guard(&["status"]).exits(0).stdout;
    assert!(told.lines().count() <= 24, "{told}");
    for more in ["and 27 more\n", "src/row-2.rs", "other/10.rs"] {
        assert!(told.contains(more), "{told}");
    }
    assert_eq!(open_rows(&repo.json(&["status"])).len(), 30);
}

#[test]
fn notes_on_the_branch_and_on_the_commit_are_told_once() {
    // Only the commit reverts something.
    let repo = branch(&[("src/old.rs", "Modify", "x")]);
    repo.stage("src/old.rs", lines(1001..=1200));
    repo.commit("Rewrite");
    repo.git(&["revert", "--no-commit", "HEAD"]);
    let notes = |repo: &Repo, part: &str| {
        let status = repo.json(&["status"]);
        let notes = status["notes"].as_array().unwrap().iter();
        let told = notes.filter(|note| note.as_str().unwrap().contains(part));
        told.count()
    };
    assert_eq!(notes(&repo, "exact revert of"), 1);
    // Both know that the branch is older than the settings.
    let repo = Repo::new();
    repo.stage("src/a.rs", "a\n");
    let before = repo.commit("Before");
    repo.govern(&[("src/a.rs", "Modify", "x")]);
    repo.git(&["switch", "--quiet", "--create", "old", &before]);
    repo.stage("src/a.rs", "b\n");
    assert_eq!(notes(&repo, "this work began before guard.toml"), 1);
}
