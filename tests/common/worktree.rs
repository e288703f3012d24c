//! Compares the report on the work tree with the report after `git add --all`.

use serde_json::Value;

use super::{Output, Repo};

/// The report on the work tree; asserts that nothing was changed.
#[track_caller]
pub fn worktree(repo: &Repo) -> Value {
    let before = repo.digest_tree();
    let report = repo.json(&["lint", "--worktree"]);
    assert_eq!(repo.digest_tree(), before);
    assert_eq!(report["source"]["kind"], "worktree", "{report:#}");
    report
}

/// The report on the work tree; asserts that it equals the report of `guard lint` after `git add --all`.
#[track_caller]
pub fn same_as_added(repo: &Repo) -> Value {
    let mut report = worktree(repo);
    let text = repo.guard(&["lint", "--worktree"]);
    repo.git(&["add", "--all"]);
    let mut staged = repo.json(&["lint"]);
    let same = |output: Output| (output.code, output.stdout, output.stderr);
    assert_eq!(same(text), same(repo.guard(&["lint"])));
    // With everything in the index, the report on the work tree is still the same.
    let mut again = worktree(repo);
    for report in [&mut report, &mut staged, &mut again] {
        report["source"]["kind"].take();
    }
    assert_eq!(report, staged);
    assert_eq!(again, staged);
    report
}

/// Path and action of each change of a report.
pub fn changes(report: &Value) -> Vec<(&str, &str)> {
    let all = report["changes"].as_array().unwrap().iter();
    let words = all.map(|one| ["path", "action"].map(|key| one[key].as_str().unwrap()));
    words.map(<(_, _)>::from).collect()
}

/// Asserts that guard cannot judge the work tree, says so only on standard error, and changes nothing.
#[track_caller]
pub fn cannot(repo: &Repo) -> Output {
    let before = repo.digest_tree();
    let output = repo.guard(&["lint", "--worktree"]).exits(2);
    assert_eq!(output.stdout, "");
    assert_eq!(repo.digest_tree(), before);
    output
}
