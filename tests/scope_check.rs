//! `guard scope check` lints design documents.

use crate::common::{DESIGN, Repo, SETTINGS};
use serde_json::Value;

/// The problems of a run as rule, level, path and line.
fn problems(repo: &Repo, arguments: &[&str]) -> Vec<String> {
    let mut all = vec!["scope", "check"];
    all.extend(arguments);
    let json = repo.json(&all);
    let list = json["problems"].as_array().unwrap().iter();
    list.map(|problem| {
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        format!(
            "{} {} {}:{}",
            text(&problem["level"]),
            text(&problem["rule"]),
            text(&problem["path"]),
            problem["design"]["line"]
        )
    })
    .collect()
}

/// A repository in which the branch `188-work` starts at `origin/HEAD`; the design is committed on the branch.
fn begun(files: &[&str], rows: &[(&str, &str, &str)]) -> Repo {
    let repo = Repo::new();
    for file in files {
        repo.stage(file, "content\n");
    }
    begin(&repo, rows);
    repo
}

/// Commits a design and records the merge base.
fn begin(repo: &Repo, rows: &[(&str, &str, &str)]) {
    repo.govern(rows);
    let base = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["update-ref", "refs/remotes/origin/main", &base]);
    repo.git(&[
        "symbolic-ref",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
    ]);
}

#[test]
fn az_27_rows_that_fit_the_files_have_no_faults() {
    let repo = begun(
        &["src/a.py", "src/old.py"],
        &[
            ("src/a.py", "Modify", ""),
            ("src/b.py", "Add", ""),
            ("src/old.py", "Delete", ""),
        ],
    );
    assert_eq!(problems(&repo, &[]), [""; 0]);
    repo.tells("scope check", 0, "guard: nothing to correct in 1 design");
}

#[test]
fn az_28_a_file_to_modify_must_exist() {
    let repo = begun(
        &["src/workflow/runner.py"],
        &[("src/workflows/runner.py", "Modify", "")],
    );
    assert_eq!(
        problems(&repo, &[]),
        ["error design-modify-missing src/workflows/runner.py:7"]
    );
    repo.guard(&["scope", "check"])
        .exits(1)
        .says("the file to modify does not exist: src/workflows/runner.py")
        .says("docs/lld/active/LLD-188.md:7:3")
        .says("guard: 1 error in 1 design");
}

#[test]
fn az_30_a_file_to_add_needs_no_directory_and_none_is_made() {
    let repo = begun(&[], &[("src/new/deep/a.py", "Add", "")]);
    let before = repo.digest_tree();
    repo.guard(&["scope", "check"]).exits(0);
    assert_eq!(repo.digest_tree(), before);
    assert!(!repo.path("src").exists());
}

#[test]
fn az_31_all_faults_are_reported_together() {
    let repo = begun(
        &["src/there.py"],
        &[
            ("src/no.py", "Modify", ""),
            ("src/none.py", "Delete", ""),
            ("src/there.py", "Add", ""),
            ("../out.py", "Modify", ""),
            ("src/new.py", "Tweak", ""),
            ("src/ok.py", "Add", ""),
            ("src/ok.py", "Add", ""),
            ("**", "Modify", ""),
            ("path/to/file.py", "Add", ""),
        ],
    );
    let mut found = problems(&repo, &[]);
    found.sort();
    assert_eq!(
        found,
        [
            "error design-add-exists src/there.py:9",
            &format!("error design-bad-row {DESIGN}:11"),
            "error design-modify-missing src/no.py:7",
            "error design-modify-missing src/none.py:8",
            &format!("error design-outside {DESIGN}:10"),
            &format!("error design-placeholder {DESIGN}:15"),
            &format!("error design-too-wide {DESIGN}:14"),
            &format!("warning design-duplicate {DESIGN}:13"),
        ]
    );
    repo.tells("scope check", 1, "guard: 7 errors, 1 warning in 1 design");
}

#[test]
fn az_32_no_document_has_no_faults() {
    let repo = begun(&[], &[("a.py", "Add", ""), ("a.py", "Add", "")]);
    repo.tells("scope check --staged", 0, "nothing to correct in 0 designs");
    // A warning alone does not fail.
    repo.tells("scope check", 0, "design-duplicate");
}

#[test]
fn changes_made_by_the_branch_are_not_faults() {
    let repo = begun(
        &["old.py", "moved.py"],
        &[
            ("new.py", "Add", ""),
            ("old.py", "Delete", ""),
            ("moved.py` -> `there.py", "Rename", ""),
            ("there.py", "Modify", ""),
        ],
    );
    repo.stage("new.py", "new\n");
    repo.git(&["rm", "--quiet", "old.py"]);
    repo.git(&["mv", "moved.py", "there.py"]);
    repo.commit("Do the work");
    // The Rename row already names the new path.
    assert_eq!(
        problems(&repo, &[]),
        [format!("warning design-duplicate {DESIGN}:10")]
    );
}

#[test]
fn without_a_merge_base_a_committed_add_row_is_a_warning_and_a_new_one_an_error() {
    let repo = Repo::new();
    repo.govern(&[("a.py", "Add", "")]);
    repo.stage("a.py", "a\n");
    repo.stage("b.py", "b\n");
    repo.commit("Add files");
    assert_eq!(problems(&repo, &[]), ["warning design-add-exists a.py:7"]);
    repo.design(DESIGN, &[("a.py", "Add", ""), ("b.py", "Add", "")]);
    assert_eq!(
        problems(&repo, &[]),
        [
            "error design-add-exists b.py:8",
            "warning design-add-exists a.py:7"
        ]
    );
}

#[test]
fn directory_and_glob_rows_are_checked_against_matching_files() {
    let repo = begun(
        &["src/a.py", "docs/x.md"],
        &[
            ("src/*.py", "Modify", ""),
            ("src/*.rs", "Modify", ""),
            ("docs/", "Modify", ""),
            ("lib/", "Modify", ""),
            ("docs/", "Add", "more in a directory that exists"),
            ("docs", "Delete", "not a file"),
            ("src/a.py/", "Modify", "not a directory"),
        ],
    );
    let mut found = problems(&repo, &[]);
    found.retain(|line| line.contains("missing"));
    assert_eq!(
        found,
        [
            "error design-modify-missing docs:12",
            "error design-modify-missing lib:10",
            "error design-modify-missing src/*.rs:8",
            "error design-modify-missing src/a.py:13",
        ]
    );
    let json = repo.json(&["scope", "check"]);
    let exists: Vec<_> = json["grants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|grant| grant["exists"].as_bool().unwrap())
        .collect();
    assert_eq!(exists, [true, false, true, false, true, true, true]);
}

#[test]
fn a_document_that_is_named_or_not_committed_yet_is_read_from_disk() {
    let repo = Repo::new();
    repo.write("guard.toml", SETTINGS);
    repo.stage("x.py", "x\n");
    repo.commit("Begin");
    repo.branch("188-work");
    repo.design(DESIGN, &[("y.py", "Modify", "")]);
    repo.design("notes/plan.md", &[("a.py", "Modify", "")]);
    repo.git(&["rm", "--quiet", "--cached", "-r", "docs", "notes"]);
    assert_eq!(problems(&repo, &[]), ["error design-modify-missing y.py:7"]);
    let json = repo.json(&["scope", "check", "notes/plan.md"]);
    assert_eq!(json["designs"][0]["from"], "work tree");
    assert_eq!(json["grants"][0]["path"], "a.py");
    assert_eq!(json["problems"][0]["rule"], "design-modify-missing");
}

#[test]
fn unreadable_document_exits_with_2_alone_and_is_a_fault_among_others() {
    let repo = begun(&[], &[("a.py", "Add", "")]);
    for (file, why) in [
        ("none.md", "there is no design at none.md"),
        ("docs", "docs is not a regular file"),
        ("../../etc/passwd", ""),
    ] {
        repo.guard(&["scope", "check", file]).exits(2).says(why);
    }
    repo.guard(&["scope", "check", DESIGN, "none.md"])
        .exits(1)
        .says("there is no design at none.md");
    repo.branch("no-issue");
    repo.tells("scope check", 2, "contains no issue number");
}

#[test]
fn all_judges_the_form_of_finished_designs_but_not_their_rows() {
    let repo = Repo::new();
    let finished = "docs/lld/active/LLD-1.md";
    repo.stage("done.py", "done\n");
    repo.design(
        finished,
        &[("done.py", "Add", ""), ("gone.py", "Delete", "")],
    );
    repo.commit("Finish issue 1");
    begin(&repo, &[("done.py", "Add", ""), ("b.py", "Add", "")]);
    assert_eq!(
        problems(&repo, &["--all"]),
        ["error design-add-exists done.py:7"]
    );
    repo.design(finished, &[("done.py", "Tweak", "")]);
    repo.tells("scope check --all", 1, "design-bad-row");
    repo.git(&["rm", "-r", "--quiet", "--force", "docs"]);
    repo.git(&["switch", "--quiet", "--detach"]);
    repo.commit("Remove the designs");
    repo.tells("scope check --all", 2, "[lld]");
}

#[test]
fn staged_version_counts_with_staged() {
    let repo = begun(&[], &[("a.py", "Add", "")]);
    // The index has a fault that the file on disk lacks, and vice versa.
    repo.design(DESIGN, &[("a.py", "Add", ""), ("b.py", "Modify", "")]);
    let good = std::fs::read_to_string(repo.path(DESIGN))
        .unwrap()
        .replace("Modify", "Add");
    repo.write(DESIGN, &good);
    assert_eq!(
        problems(&repo, &["--staged", DESIGN]),
        ["error design-modify-missing b.py:8"]
    );
    assert_eq!(problems(&repo, &["--staged"]).len(), 1);
    assert_eq!(problems(&repo, &[DESIGN]), [""; 0]);

    repo.stage(DESIGN, &good);
    repo.write(DESIGN, good.replace("| Add |", "| Tweak |"));
    assert_eq!(problems(&repo, &["--staged", DESIGN]), [""; 0]);
    repo.guard(&["scope", "check", DESIGN]).exits(1);

    // A file that only the disk has is not part of the commit.
    let with_row = good.replace("b.py` | Add", "c.py` | Modify");
    repo.stage(DESIGN, with_row);
    repo.write("c.py", "c\n");
    assert_eq!(
        problems(&repo, &["--staged", DESIGN]),
        ["error design-modify-missing c.py:8"]
    );
    assert_eq!(problems(&repo, &[DESIGN]), [""; 0]);
}

#[test]
fn staged_skips_files_that_are_not_designs() {
    let repo = Repo::new();
    repo.stage("README.md", "# Read me\n");
    let staged = ["scope", "check", "--staged", "README.md", DESIGN];
    repo.guard(&staged[..4]).exits(2).says("guard init");
    // The commit that sets guard up is judged by the settings that it brings.
    repo.stage("guard.toml", SETTINGS);
    repo.design(DESIGN, &[("a.py", "Tweak", "")]);
    repo.guard(&staged).exits(1).says("design-bad-row");
    repo.guard(&staged[..4]).exits(0).says("in 0 designs");
    repo.tells("scope check README.md", 1, "design-no-table");
    // A link is no design.
    repo.git(&["rm", "--quiet", "--cached", DESIGN]);
    let blob = repo.blob(b"../../../other.md");
    repo.stage_raw(&[(0o120000, blob, DESIGN.as_bytes())]);
    repo.guard(&["scope", "check", "--staged", DESIGN])
        .exits(2)
        .says("is not a regular file");
}
