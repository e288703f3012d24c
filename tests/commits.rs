//! Every way to make a commit with real git and guard's hooks installed.

use crate::common::commits::{commit, install, passes, refused, repo, with_submodule};
use crate::common::{self, DESIGN, Repo, SETTINGS};

#[test]
fn a_plain_commit() {
    let repo = repo();
    repo.stage("src/new.rs", "new\n");
    repo.stage("src/old.rs", "changed\n");
    passes(&repo);
    repo.stage("src/other.rs", "changed\n");
    refused(&repo, "out-of-scope", "src/other.rs");
}

#[test]
fn commit_all_judges_unstaged_changes() {
    let repo = repo();
    repo.write("src/old.rs", "changed\n");
    commit(&repo, &["-a"]).exits(0);
    repo.write("src/other.rs", "changed\n");
    commit(&repo, &["-a"]).exits(1).says("src/other.rs");
    commit(&repo, &[])
        .exits(1)
        .says("no changes added to commit");
}

#[test]
fn commit_path_judges_only_that_path() {
    let repo = repo();
    repo.stage("src/other.rs", "changed\n");
    repo.stage("src/stray.rs", "stray\n");
    repo.write("src/old.rs", "changed\n");
    commit(&repo, &["--", "src/old.rs"]).exits(0);
    assert_eq!(
        repo.git(&["show", "--format=", "--name-only"]),
        "src/old.rs"
    );
    commit(&repo, &["--", "src/other.rs"])
        .exits(1)
        .says("src/other.rs");
}

#[test]
fn the_first_commit_of_a_repository() {
    let repo = Repo::new();
    install(&repo);
    repo.stage("src/main.rs", "x\n");
    // No design says what may change.
    commit(&repo, &[]).exits(1).says("no guard.toml");

    repo.git(&["rm", "--quiet", "--cached", "src/main.rs"]);
    repo.stage("guard.toml", SETTINGS);
    repo.design(DESIGN, &[("src/main.rs", "Add", "x")]);
    passes(&repo);
    repo.branch("188-work");
    repo.stage("src/main.rs", "x\n");
    passes(&repo);
}

#[test]
fn merge_hook_sees_changes_staged_by_an_earlier_hook() {
    let repo = repo();
    repo.install_hook_script(
        "pre-merge-commit",
        &format!(
            "#!/bin/sh\necho evil >src/smuggled.rs && git add src/smuggled.rs\nexec '{}' hook pre-merge-commit\n",
            common::GUARD
        ),
    );
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/theirs.rs", "theirs\n");
    repo.commit("Work of others");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.try_git(&["merge", "--no-ff", "-m", "Merge", "main"])
        .exits(1)
        .says("src/smuggled.rs is not in the design");
}

#[test]
fn inside_a_submodule() {
    let inner = repo();
    let outer = with_submodule(&inner);
    outer.commit("Add the library");
    let hooks = inner.path(".git/hooks").display().to_string();
    let there = |arguments: &[&str]| {
        let mut all = vec!["-C", "lib", "-c"];
        let option = format!("core.hooksPath={hooks}");
        all.push(&option);
        all.extend(arguments);
        outer.try_git(&all)
    };
    outer.write("lib/src/new.rs", "new\n");
    there(&["add", "."]).exits(0);
    there(&["commit", "-m", "Add it"]).exits(0);
    outer.write("lib/src/stray.rs", "stray\n");
    there(&["add", "."]).exits(0);
    there(&["commit", "-m", "Add it"])
        .exits(1)
        .says("src/stray.rs is not in the design");
}

#[test]
fn nothing_staged_is_accepted() {
    let repo = repo();
    let report = repo.json(&["lint"]);
    assert_eq!(report["verdict"], "accepted");
    assert_eq!(report["summary"]["changes"], 0);
    commit(&repo, &["--allow-empty"]).exits(0);
}
