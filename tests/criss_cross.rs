//! Criss-cross merges have several merge bases. None of them hides a loss against another.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::common::commits::lint_pull_request;
use crate::common::{Output, Repo, lines, run};
use serde_json::Value;

/// What `main` fixed in `src/a.rs`.
const FIX: &str = "number 100, checked";

/// Runs git at a time of day.
fn git_at(repo: &Repo, hour: u32, arguments: &[&str]) {
    let date = format!("2026-01-02T{hour:02}:00:00Z");
    let mut git = repo.command("git");
    for who in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{who}_DATE"), &date);
    }
    run(git.args(arguments)).exits(0);
}

/// `main` fixes `src/a.rs` and `src/b.rs`. The branch merges the fixes but keeps the old `path`, and `main` merges the
/// branch's earlier commit. So the fix, made at `hour`, and the branch's commit, made at 3, are both merge bases.
fn reverted(hour: u32, path: &str) -> Repo {
    let repo = Repo::new();
    for name in ["src/a.rs", "src/b.rs"] {
        repo.stage(name, lines(1..=150));
    }
    repo.govern(&[("src/new.rs", "Add", "x")]);
    repo.stage("src/new.rs", "fn new() {}\n");
    git_at(&repo, 3, &["commit", "--quiet", "-m", "Work"]);
    repo.git(&["branch", "earlier"]);
    repo.git(&["switch", "--quiet", "main"]);
    for name in ["src/a.rs", "src/b.rs"] {
        repo.stage(name, lines(1..=150).replace("number 100", FIX));
    }
    git_at(&repo, hour, &["commit", "--quiet", "-m", "Fix"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    git_at(&repo, 6, &["merge", "--quiet", "--no-commit", "main"]);
    repo.git(&["checkout", "--quiet", "earlier", "--", path]);
    git_at(&repo, 6, &["commit", "--quiet", "--no-edit"]);
    repo.git(&["switch", "--quiet", "main"]);
    git_at(&repo, 7, &["merge", "--quiet", "--no-edit", "earlier"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    let bases = repo.git(&["merge-base", "--all", "main", "HEAD"]);
    assert_eq!(bases.lines().count(), 2, "a criss-cross");
    repo
}

/// Either merge base may be the newer one.
const HOURS: [u32; 2] = [2, 4];

fn refuses_the_revert(output: Output) {
    output
        .exits(1)
        .says("error[out-of-scope]: src/a.rs")
        .says("there are 2 merge bases");
}

#[track_caller]
fn changes(report: &Value, expected: &[&str]) {
    let changes = report["changes"].as_array().unwrap().iter();
    let paths: Vec<&str> = changes.map(|it| it["path"].as_str().unwrap()).collect();
    assert_eq!(paths, expected, "{report}");
}

#[test]
fn a_revert_of_a_fix_is_seen_from_every_merge_base() {
    for hour in HOURS {
        let repo = reverted(hour, "src/a.rs");
        refuses_the_revert(repo.guard(&["lint", "--range", "main..HEAD"]));
        let report = repo.json(&["lint", "--range", "main..HEAD"]);
        // Not src/b.rs: it differs from one merge base, but equals main's version.
        changes(&report, &["src/a.rs"]);
    }
}

#[test]
fn revert_of_a_fix_is_refused_in_ci_before_a_push_and_by_the_server() {
    let repo = reverted(HOURS[0], "src/a.rs");
    repo.push_to_server();
    repo.git(&["fetch", "--quiet", "origin"]);
    let [base, head] = ["main", "HEAD"].map(|name| repo.git(&["rev-parse", name]));
    refuses_the_revert(lint_pull_request(&repo, &base, &head));
    let push = ["push", "origin", "188-work"];
    repo.install_server_hook("update");
    refuses_the_revert(repo.try_git(&push));
    std::fs::remove_file(repo.path("../server/hooks/update")).unwrap();
    repo.install_hook("pre-push");
    refuses_the_revert(repo.try_git(&push));
}

#[test]
fn loss_is_measured_against_the_merge_base_that_loses_most() {
    for hour in HOURS {
        let repo = Repo::new();
        repo.stage("src/a.rs", lines(1..=150));
        repo.govern(&[("src/a.rs", "Modify", "x"), ("src/new.rs", "Add", "x")]);
        repo.stage("src/new.rs", "fn new() {}\n");
        git_at(&repo, 3, &["commit", "--quiet", "-m", "Work"]);
        repo.git(&["branch", "earlier"]);
        repo.git(&["switch", "--quiet", "main"]);
        repo.stage("src/a.rs", lines(1..=600));
        git_at(&repo, hour, &["commit", "--quiet", "-m", "Extend"]);
        repo.git(&["switch", "--quiet", "188-work"]);
        git_at(&repo, 6, &["merge", "--quiet", "--no-commit", "main"]);
        repo.stage("src/a.rs", format!("{}last\n", lines(1..=150)));
        git_at(&repo, 6, &["commit", "--quiet", "--no-edit"]);
        repo.git(&["switch", "--quiet", "main"]);
        git_at(&repo, 7, &["merge", "--quiet", "--no-edit", "earlier"]);
        repo.guard(&["lint", "--range", "main..188-work"])
            .exits(1)
            .says("error[destructive-change]: src/a.rs");
    }
}

#[test]
fn a_criss_cross_without_a_revert_is_accepted() {
    for hour in HOURS {
        // The new file is unchanged since the previous commit.
        let repo = reverted(hour, "src/new.rs");
        let report = repo.json(&["lint", "--range", "main..HEAD"]);
        assert_eq!(report["verdict"], "accepted", "{report}");
        changes(&report, &[]);
    }
}
