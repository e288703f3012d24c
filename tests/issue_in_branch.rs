//! Which design the number in a branch name selects, and that the output says so.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::common::{Repo, SETTINGS};

fn design(issue: &str) -> String {
    format!("docs/lld/active/LLD-{issue}.md")
}

/// `main` with designs for some issues, each of which grants `src/new.rs`, which is staged.
fn repo(branch: &str, issues: &[&str]) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    for issue in issues {
        repo.design(&design(issue), &[("src/new.rs", "Add", "new")]);
    }
    repo.commit("Say what may change");
    repo.branch(branch);
    repo.stage("src/new.rs", "fn new() {}\n");
    repo
}

#[test]
fn standalone_number_selects_the_design_and_is_reported() {
    for branch in [
        "3-crash",
        "fix/3-crash",
        "fix-3",
        "fix/#3",
        "gh-3",
        "issue-3",
        "PROJ-3",
        "fix/PROJ-3-crash",
    ] {
        let repo = repo(branch, &["3", "8", "188"]);
        repo.guard(&["lint"]).exits(0).says(
            "1 change within design docs/lld/active/LLD-3.md, from issue 3 in the branch name",
        );
        let report = repo.json(&["lint"]);
        assert_eq!(
            report["designs"][0]["selected_by"], "issue 3 in the branch name",
            "{branch}"
        );
        repo.stage("src/stray.rs", "fn stray() {}\n");
        repo.guard(&["lint"])
            .exits(1)
            .says("(design docs/lld/active/LLD-3.md, from issue 3 in the branch name)");
    }
}

#[test]
fn digits_in_words_versions_and_dates_select_no_design() {
    for branch in [
        "fix/python3-crash",
        "s3-upload",
        "utf8-names",
        "v2",
        "release-1.2",
        "2026-11-22-x",
        "fix/3f2a9c8",
    ] {
        let repo = repo(branch, &["1", "2", "3", "8", "11", "22", "2026"]);
        repo.guard(&["lint"]).exits(2).says(&format!(
            "the branch name {branch} contains no issue number"
        ));
        repo.commit("New");
        repo.guard(&["lint", "--range", "main..HEAD"]).exits(2);
    }
}

#[test]
fn branch_name_with_two_issues_selects_no_design() {
    let repo = repo("188-part-2", &["2", "188"]);
    repo.guard(&["lint"])
        .exits(2)
        .says("the branch name 188-part-2 contains several issues: 188, 2")
        .says("guard use FILE");
    repo.guard(&["use", &design("188")]).exits(0);
    repo.guard(&["lint"])
        .exits(0)
        .says("LLD-188.md, from guard use");
    repo.guard(&["use", "--clear"]);
    // In a range, a trailer selects the design.
    repo.commit(&format!("New\n\nGuard-Design: {}", design("188")));
    repo.guard(&["lint", "--range", "main..HEAD"]).exits(0);

    // If `[lld] path` has no issue, numbers mean nothing.
    let repo = Repo::new();
    repo.stage("guard.toml", "[lld]\npath = \"docs/design.md\"\n");
    repo.design("docs/design.md", &[("src/new.rs", "Add", "new")]);
    repo.commit("Say what may change");
    repo.branch("188-part-2");
    repo.stage("src/new.rs", "fn new() {}\n");
    repo.guard(&["lint"]).exits(0).says("from guard.toml");
}
