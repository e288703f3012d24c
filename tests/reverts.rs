//! Exact reverts of recent commits need neither an approval nor, on a branch without one, a design.

use crate::common::{Repo, findings, lines};

const FILE: &str = "src/app.py";

/// A repository on main with guard set up and no design in force, and a file that its last commit rewrote.
fn rewritten() -> Repo {
    let repo = Repo::new();
    repo.stage(
        "guard.toml",
        "[lld]\npath = \"docs/lld/LLD-{issue}.md\"\nbase = \"main\"\n",
    );
    repo.stage(FILE, lines(1..=300));
    repo.commit("Start");
    repo.stage(FILE, lines(1001..=1300));
    repo.commit("Rewrite");
    repo
}

#[test]
fn report_names_the_reverted_commit() {
    let repo = rewritten();
    let reverted = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["revert", "--no-commit", "HEAD"]);
    let report = repo.json(&["lint"]);
    assert_eq!(report["verdict"], "accepted");
    assert_eq!(report["source"]["reverts"], reverted.trim());
    repo.tells("lint", 0, &format!("exact revert of {}", &reverted[..12]));
}

#[test]
fn hooks_let_an_exact_revert_pass_and_each_commit_of_a_range_is_recognised() {
    let repo = rewritten();
    repo.install_hook("pre-commit");
    repo.install_hook("prepare-commit-msg");
    repo.branch("undo");
    repo.git(&["revert", "--no-commit", "HEAD"]);
    repo.try_git(&["commit", "--quiet", "-m", "Revert"])
        .exits(0)
        .says("exact revert of");
    let arguments = ["lint", "--range", "main..HEAD", "--each-commit"];
    let report = repo.json(&arguments);
    assert_eq!(report["verdict"], "accepted", "{report}");
    repo.guard(&["lint", "--commit", "HEAD"]).exits(0);
    // Another commit makes the range more than the revert, which stays one.
    repo.stage("src/more.py", lines(1..=5));
    repo.commit("More");
    repo.guard(&arguments).exits(2).says("no design");
}

#[test]
fn ordinary_changes_are_no_reverts() {
    let repo = rewritten();
    repo.stage(FILE, lines(1..=299));
    repo.guard(&["lint"]).exits(2);
    repo.stage(FILE, lines(1001..=1301));
    let report = repo.json(&["lint"]);
    assert!(report["source"]["reverts"].is_null());
}

#[test]
fn commits_of_main_stay_within_the_scope_of_a_design() {
    let repo = rewritten();
    repo.design("docs/lld/LLD-188.md", &[("src/other.py", "Add", "other")]);
    repo.commit("Design");
    repo.branch("188-work");
    repo.git(&["revert", "--no-commit", "HEAD~1"]);
    let report = repo.json(&["lint"]);
    assert_eq!(findings(&report), [("out-of-scope", FILE)]);
}

/// GitHub's button names the branch `revert-2-188-work`, so the design that goes with the work would judge its revert.
#[test]
fn design_that_the_reverted_commit_brought_does_not_judge_the_revert() {
    let repo = rewritten();
    let rows = [(FILE, "Modify", ""), ("src/new.py", "Add", "")];
    repo.design("docs/lld/LLD-188.md", &rows);
    repo.stage("src/new.py", lines(1..=200));
    repo.stage(FILE, lines(5001..=5200));
    repo.commit("Work (#2)");
    repo.branch("revert-2-188-work");
    repo.git(&["revert", "--no-commit", "HEAD"]);
    repo.tells("lint", 0, "exact revert of");
    repo.commit("Revert \"Work (#2)\"");
    repo.tells("lint --range main..HEAD", 0, "exact revert of");
    // Any more than the revert is work without a design.
    repo.stage("src/more.py", "x\n");
    repo.commit("More");
    let code = repo.guard(&["lint", "--range", "main..HEAD"]).code;
    assert_ne!(code, 0);
}

/// A merge of main holds the work of others; its revert is a change like any other.
#[test]
fn own_merge_of_main_is_not_own_work() {
    let repo = rewritten();
    repo.design("docs/lld/LLD-188.md", &[("src/", "Add/Modify", "all")]);
    repo.commit("Design");
    repo.branch("188-work");
    repo.stage("src/mine.py", "x\n");
    repo.commit("Begin");
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage(FILE, lines(2001..=2801));
    repo.commit("Theirs");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["merge", "--quiet", "--no-edit", "main"]);
    repo.git(&["revert", "--no-commit", "-m", "1", "HEAD"]);
    repo.tells("lint", 1, "destructive-change");
    repo.commit("Revert");
    repo.tells("lint --commit HEAD", 1, "destructive-change");
    repo.tells(
        "lint --range HEAD~3..HEAD --each-commit",
        1,
        "destructive-change",
    );
}

/// The revert of a revert makes a loss again that needed an approval; one that only ever undid an addition does not.
#[test]
fn what_a_revert_took_back_needs_an_approval_again() {
    let repo = rewritten();
    repo.branch("again");
    repo.git(&["revert", "--no-edit", "HEAD"]);
    repo.git(&["revert", "--no-commit", "HEAD"]);
    repo.guard(&["lint"]).exits(1).says("destructive-change");
    let repo = rewritten();
    repo.stage(FILE, lines(1001..=2000));
    repo.commit("Add");
    for _ in 0..3 {
        repo.git(&["revert", "--no-commit", "HEAD"]);
        assert_eq!(repo.json(&["lint"])["verdict"], "accepted");
        repo.commit("Revert");
    }
}

/// The file was made long in one commit and short again in two: the first of them is a revert, but both together are a
/// loss of their own.
#[test]
fn loss_that_came_in_several_steps_needs_an_approval_again() {
    let repo = rewritten();
    repo.branch("again");
    let (short, long, other) = (lines(2001..=2010), lines(5001..=5300), lines(3001..=3010));
    for content in [&short, &long, &short, &other, &long] {
        repo.stage(FILE, content);
        repo.commit("Step");
    }
    repo.git(&["revert", "--no-commit", "HEAD"]);
    repo.guard(&["lint"]).exits(1).says("destructive-change");
}
