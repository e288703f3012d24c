//! `guard trial`: the last changes of the target branch, each judged by the settings of today.

use serde_json::Value;

use crate::common::{DESIGN, Repo, has_keys, lines, system};

const SETTINGS: &str = "[lld]\npath = \"docs/lld/active/LLD-{issue}.md\"\nbase = \"main\"\n";

/// Merges a branch into main, and deletes it.
fn merge(repo: &Repo, branch: &str) -> String {
    repo.git(&["switch", "--quiet", "main"]);
    repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", branch]);
    repo.git(&["branch", "--quiet", "--delete", "--force", branch]);
    repo.git(&["rev-parse", "HEAD"])
}

/// A root commit, a plain commit, a merge, a commit that empties a large file, and the merge of a branch whose design
/// does not name one of its files; newest last.
fn history() -> (Repo, Vec<String>) {
    let repo = Repo::new();
    repo.stage("src/state.rs", lines(1..=200));
    let mut commits = vec![repo.commit("Begin")];
    repo.stage("src/a.rs", "fn a() {}\n");
    commits.push(repo.commit("Add a"));
    repo.branch("tidy");
    repo.stage("src/b.rs", "fn b() {}\n");
    repo.commit("Add b");
    commits.push(merge(&repo, "tidy"));
    repo.stage("src/state.rs", "// rewritten\n");
    commits.push(repo.commit("Rewrite the state"));
    repo.branch("188-work");
    repo.design(DESIGN, &[("src/b.rs", "Modify", "x")]);
    repo.commit("Add the design");
    repo.stage("src/b.rs", "fn b() -> u8 { 1 }\n");
    repo.stage("src/rogue.rs", "fn rogue() {}\n");
    repo.commit("Work");
    commits.push(merge(&repo, "188-work"));
    (repo, commits)
}

fn changes(report: &Value) -> &Vec<Value> {
    report["changes"].as_array().unwrap()
}

#[test]
fn each_change_of_the_branch_is_judged_against_its_first_parent() {
    let (repo, commits) = history();
    // Settings take effect before they are committed.
    repo.write("guard.toml", SETTINGS);
    let before = repo.digest_tree();
    let told = repo.guard(&["trial"]).exits(0);
    assert_eq!(repo.digest_tree(), before);
    let [.., rewrite, work] = &commits[..] else {
        unreachable!()
    };
    let expected = format!(
        "guard: 4 of the last 5 changes on main touch files that no design names: each needs a design, or `missing = \"skip\"`; 2 would have been refused for another reason\n\n\
         {}  Merge branch '188-work'\n    out-of-scope: src/rogue.rs\n\n\
         {}  Rewrite the state\n    destructive-change: src/state.rs\n\n\
         note: checked against guard.toml of the work tree\n\
         note: guard found no usable design for 4 changes; the scope rules did not count there\n\n\
         to see every finding: guard trial --output html=trial.html\n",
        &work[..12],
        &rewrite[..12]
    );
    assert_eq!(told.stdout, expected);
    let report = repo.json(&["trial"]);
    let ids: Vec<_> = changes(&report)
        .iter()
        .map(|change| &change["commit"])
        .collect();
    let newest_first: Vec<_> = commits.iter().rev().collect();
    assert_eq!(ids, newest_first);
    // Keys are added, never renamed.
    has_keys(
        &report,
        "version target settings missing changes summary notes",
    );
    let change = &changes(&report)[0];
    has_keys(
        change,
        "commit subject author verdict designs unscoped findings",
    );
    assert_eq!(change["verdict"], "refused");
    assert_eq!(change["designs"][0]["path"], DESIGN);
    assert_eq!(changes(&report)[1]["unscoped"], "no design");
    let summary = serde_json::json!({"changes": 5, "refused": 2, "warned": 0, "unscoped": 4, "needs_design": 4});
    assert_eq!(report["summary"], summary);
    repo.tells(
        "trial 1",
        0,
        "guard: the last change on main would have been refused",
    );
    repo.guard(&["trial", "0"]).exits(2);
    repo.write("guard.toml", "[lld]\nbase = \"nowhere\"\n");
    repo.tells("trial", 2, "has no such branch");
    Repo::new().tells("trial", 2, "there is no commit to check yet");
}

/// How many changes need a design of their own.
fn needing(repo: &Repo) -> Value {
    repo.json(&["trial"])["summary"]["needs_design"].clone()
}

#[test]
fn standing_design_of_init_is_enough_before_and_after_init() {
    let repo = Repo::new();
    repo.stage("Cargo.toml", "[package]\nversion = \"1.0.0\"\n");
    repo.stage("src/a.rs", "fn a() {}\n");
    repo.commit("Begin");
    repo.stage("Cargo.toml", "[package]\nversion = \"1.0.1\"\n");
    repo.commit("Release");
    repo.tells(
        "trial 1",
        0,
        "guard: the last change on main would have passed",
    )
    .says("note: the standing designs are enough for 1 change");
    repo.stage("Cargo.toml", "[package]\nversion = \"1.0.2\"\n");
    repo.stage("src/a.rs", "fn a() -> u8 { 1 }\n");
    repo.commit("Change the code and release");
    repo.tells(
        "trial 1",
        0,
        "guard: the last change on main touches files that no design names: it needs a design, or",
    );
    // The row lets changes modify the file, not delete or add it.
    repo.git(&["rm", "--quiet", "Cargo.toml"]);
    repo.commit("Remove the manifest");
    repo.stage("Cargo.toml", "[package]\n");
    repo.commit("Add a manifest");
    let told = repo.tells("trial", 0, "4 of the last 5 changes on main touch");
    let told = told.stdout.replace("what `guard init` would write", "");
    // As soon as `guard init` has written both files, and when they are committed.
    repo.guard(&["init"]).exits(0);
    let written = repo.guard(&["trial"]).exits(0).stdout;
    assert_eq!(written.replace("guard.toml of the work tree", ""), told);
    repo.git(&["add", "guard.toml", "docs"]);
    repo.commit("Set guard up");
    assert_eq!(needing(&repo), 4);
    repo.git(&["clone", "--quiet", "--bare", ".", "../bare"]);
    repo.tells(
        "-C ../bare trial",
        0,
        "4 of the last 6 changes on main touch",
    );
    // By settings without it, the release needs a design, and so does the commit that adds the document.
    repo.write("guard.toml", SETTINGS);
    assert_eq!(needing(&repo), 6);
}

#[test]
fn where_missing_is_skip_no_change_needs_a_design() {
    let (repo, _) = history();
    repo.write("guard.toml", format!("{SETTINGS}missing = \"skip\"\n"));
    repo.tells(
        "trial",
        0,
        "guard: 2 of the last 5 changes on main would have been refused",
    )
    .says("for 4 changes; the scope rules did not count there (`missing = \"skip\"`)");
    assert_eq!(needing(&repo), 0);
    std::fs::remove_file(repo.path("guard.toml")).unwrap();
    assert_eq!(needing(&repo), 4);
    repo.guard(&["init", "--observe"]).exits(0);
    repo.tells(
        "trial",
        0,
        "guard: 0 of the last 5 changes on main would have been refused",
    );
    assert_eq!(needing(&repo), 0);
}

#[test]
fn without_settings_those_of_init_apply_here_and_in_a_bare_repository() {
    let (repo, _) = history();
    let told = repo
        .guard(&["trial"])
        .exits(0)
        .says("what `guard init` would write");
    repo.git(&["clone", "--quiet", "--bare", ".", "../bare"]);
    let bare = repo.guard(&["-C", "../bare", "trial"]).exits(0);
    assert_eq!(bare.stdout, told.stdout);
    repo.stage(
        "guard.toml",
        format!("{SETTINGS}[rules]\nout-of-scope = \"warning\"\n"),
    );
    repo.commit("Set guard up");
    repo.git(&["push", "--quiet", "../bare", "main"]);
    repo.tells(
        "-C ../bare trial",
        0,
        "4 of the last 6 changes on main touch files that no design names",
    )
    .says("guard.toml of HEAD")
    .says("1 change would have passed with warnings");
}

/// A note about a change is nothing to look at.
#[test]
fn page_of_a_trial_has_the_changes_with_a_warning_or_an_error() {
    let (repo, commits) = history();
    repo.write("guard.toml", SETTINGS);
    let pages = |settings: &str| -> String {
        repo.write("guard.toml", format!("{SETTINGS}[rules]\n{settings}"));
        repo.guard(&["trial", "--output", "html=../trial.html"])
            .exits(0);
        repo.text("../trial.html")
    };
    for (settings, subjects) in [
        (
            "",
            &["Merge branch &#39;188-work&#39;", "Rewrite the state"][..],
        ),
        (
            "out-of-scope = \"warning\"\n",
            &["188-work", "Rewrite the state"],
        ),
        ("out-of-scope = \"note\"\n", &["Rewrite the state"]),
    ] {
        let page = pages(settings);
        assert_eq!(
            page.matches("<ul class=\"findings\">").count(),
            subjects.len()
        );
        for subject in subjects {
            assert!(page.contains(subject), "{subject} in {page}");
        }
        assert!(page.contains(&commits[3][..12]));
        assert!(!page.contains("Add a"), "{page}");
    }
    let quiet = "out-of-scope = \"off\"\ndestructive-change = \"off\"\n";
    assert!(pages(quiet).contains("Nothing to report."));
}

#[test]
fn shallow_clone_is_judged_as_far_as_it_reaches() {
    let (repo, commits) = history();
    let url = system::address(&repo.root);
    let clone = |depth: &str| {
        let to = format!("../depth-{depth}");
        repo.git(&["clone", "--quiet", "--depth", depth, &url, &to]);
        repo.guard(&["-C", &to, "trial"])
    };
    clone("3")
        .exits(0)
        .says("1 of the last 2 changes on origin/")
        .says(&format!("lacks commit {}", &commits[1][..12]))
        .says("git fetch --unshallow");
    clone("1").exits(2).says("too shallow").says("--unshallow");
    clone("9").exits(0).says("4 of the last 5 changes");
}

#[test]
fn unusable_design_leaves_out_the_scope_rules_and_says_why() {
    let (repo, _) = history();
    repo.write("guard.toml", SETTINGS);
    repo.branch("9-empty");
    repo.stage("docs/lld/active/LLD-9.md", "# Nothing yet\n");
    repo.stage("src/a.rs", "fn a() -> u8 { 1 }\n");
    repo.commit("Work");
    merge(&repo, "9-empty");
    let report = repo.json(&["trial"]);
    let newest = &changes(&report)[0];
    assert_eq!(newest["verdict"], "accepted");
    let why = newest["unscoped"].as_str().unwrap();
    assert!(why.contains("LLD-9.md"), "{why}");
}

#[test]
fn observing_settings_let_a_commit_pass_with_a_warning() {
    let repo = Repo::new();
    repo.stage("src/state.rs", lines(1..=200));
    repo.commit("Begin");
    repo.tells("init --observe", 0, "remove [rules] and `missing`");
    repo.git(&["add", "guard.toml", "docs"]);
    repo.design(DESIGN, &[("src/a.rs", "Add", "x")]);
    repo.commit("Set guard up");
    repo.install_hook("pre-commit");
    // A branch without a design, then one whose design does not name the file.
    for branch in ["main", "188-work"] {
        if branch != "main" {
            repo.branch(branch);
        }
        repo.stage("src/state.rs", lines(5000..=5200));
        repo.try_git(&["commit", "-m", "Rewrite"])
            .exits(0)
            .says("warning[destructive-change]");
        repo.git(&["reset", "--quiet", "--soft", "HEAD~"]);
    }
    repo.guard(&["lint"]).exits(0).says("warning[out-of-scope]");
    // What leaves the repository is refused all the same.
    let blob = repo.blob(b"../../outside");
    repo.stage_raw(&[(0o120000, blob, b"src/link")]);
    repo.tells("lint", 1, "error[outside-workspace]");
}
