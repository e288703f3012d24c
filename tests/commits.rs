//! Every way to make a commit with real git and guard's hooks installed.

use crate::common::commits::{commit, install, passes, refused, refused_by, repo, with_submodule};
use crate::common::{self, DESIGN, Repo, SETTINGS};
use serde_json::Value;

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
fn a_deletion_before_a_change() {
    let repo = Repo::new();
    for path in ["a", "b", "c", "d/e", "f"] {
        repo.stage(path, "x\n");
    }
    repo.commit("Begin");
    repo.govern(&[
        ("a", "Delete", "x"),
        ("d", "Delete", "x"),
        ("f", "Modify", "x"),
    ]);
    install(&repo);
    repo.git(&["rm", "--quiet", "a", "d/e"]);
    repo.stage("f", "y\n");
    // The row names the file d; the directory is something else.
    refused(&repo, "out-of-scope", "d/e");
    repo.git(&["reset", "--quiet", "--", "d/e"]);
    passes(&repo);
    repo.git(&["rm", "--quiet", "c"]);
    refused(&repo, "out-of-scope", "c");
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
fn an_amended_commit_is_judged_against_the_commit_that_it_amends() {
    let repo = repo();
    repo.stage("src/new.rs", "new\n");
    passes(&repo);
    repo.stage("src/new.rs", "newer\n");
    commit(&repo, &["--amend"]).exits(0);
    repo.stage("src/stray.rs", "stray\n");
    commit(&repo, &["--amend"]).exits(1).says("src/stray.rs");
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
fn an_unborn_branch_with_code_is_judged() {
    let repo = Repo::new();
    install(&repo);
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/188-work"]);
    repo.stage("guard.toml", SETTINGS);
    repo.design(DESIGN, &[("src/main.rs", "Add", "x")]);
    repo.stage("src/main.rs", "x\n");
    let report = repo.json(&["lint"]);
    assert_eq!(report["source"]["base"], Value::Null);
    refused_by(
        &repo,
        &[("scope-amended", DESIGN), ("policy-changed", "guard.toml")],
    );
}

#[test]
fn settings_passed_with_git_minus_c_count() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "--create", "elsewhere"]);
    repo.stage("src/new.rs", "new\n");
    commit(&repo, &[]).exits(1).says("contains no issue number");
    let choice = format!("branch.elsewhere.guardDesign={DESIGN}");
    repo.try_git(&["-c", &choice, "commit", "-m", "Add it"])
        .exits(0);
}

#[test]
fn clean_merge_has_no_changes_of_its_own() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/theirs.rs", "theirs\n");
    repo.stage("src/other.rs", "theirs\n");
    repo.commit("Work of others");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.stage("src/new.rs", "new\n");
    passes(&repo);
    // main's changes are out of this branch's scope, but the committer did not make them.
    repo.try_git(&["merge", "-m", "Merge", "main"]).exits(0);
    assert_eq!(repo.git(&["rev-list", "--count", "--merges", "HEAD"]), "1");

    // Changes that differ from all parents are the committer's.
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/theirs.rs", "theirs again\n");
    repo.commit("More work of others");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.try_git(&["merge", "--no-commit", "main"]).exits(0);
    repo.stage("src/smuggled.rs", "evil\n");
    refused(&repo, "out-of-scope", "src/smuggled.rs");
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
fn conflicted_merge_is_judged_by_changes_that_differ_from_both_sides() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "main"]);
    for path in ["src/old.rs", "src/other.rs", "src/theirs.rs"] {
        repo.stage(path, "theirs\n");
    }
    repo.commit("Work of others");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.stage("src/old.rs", "ours\n");
    passes(&repo);
    repo.try_git(&["merge", "main"]).exits(1);
    // While a path is unmerged, git cannot commit, so guard cannot judge.
    repo.guard(&["lint"])
        .exits(2)
        .says("unresolved conflicts in src/old.rs");
    repo.guard(&["hook", "pre-commit"]).exits(2);

    repo.stage("src/old.rs", "both\n");
    repo.stage("src/other.rs", "neither\n");
    refused(&repo, "out-of-scope", "src/other.rs");
    repo.stage("src/other.rs", "theirs\n");
    passes(&repo);
    assert_eq!(repo.git(&["rev-list", "--count", "--merges", "HEAD"]), "1");
}

#[test]
fn in_a_linked_worktree() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "main"]);
    repo.git(&["worktree", "add", "--quiet", "../linked", "188-work"]);
    let there = |arguments: &[&str]| {
        let mut all = vec!["-C", "../linked"];
        all.extend(arguments);
        repo.try_git(&all)
    };
    repo.write("../linked/src/new.rs", "new\n");
    there(&["add", "."]).exits(0);
    there(&["commit", "-m", "Add it"]).exits(0);
    repo.write("../linked/src/stray.rs", "stray\n");
    there(&["add", "."]).exits(0);
    there(&["commit", "-m", "Add it"])
        .exits(1)
        .says("src/stray.rs is not in the design");
    // The main work tree has its own index.
    assert_eq!(repo.json(&["lint"])["summary"]["changes"], 0);
    repo.guard(&["-C", "../linked", "lint"]).exits(1);
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
fn from_a_folder() {
    let repo = repo();
    repo.write("src/new.rs", "new\n");
    repo.write("src/stray.rs", "stray\n");
    repo.try_git(&["-C", "src", "add", "stray.rs"]).exits(0);
    repo.try_git(&["-C", "src", "commit", "-m", "Add it"])
        .exits(1)
        .says("src/stray.rs is not in the design");
    repo.git(&["reset", "--quiet"]);
    repo.try_git(&["-C", "src", "add", "new.rs"]).exits(0);
    repo.try_git(&["-C", "src", "commit", "-m", "Add it"])
        .exits(0);
}

#[test]
fn intent_to_add_is_not_a_change() {
    let repo = repo();
    repo.write("src/stray.rs", "stray\n");
    repo.git(&["add", "--intent-to-add", "src/stray.rs"]);
    repo.stage("src/new.rs", "new\n");
    assert_eq!(repo.json(&["lint"])["summary"]["changes"], 1);
    passes(&repo);
}

#[test]
fn nothing_staged_is_accepted() {
    let repo = repo();
    let report = repo.json(&["lint"]);
    assert_eq!(report["verdict"], "accepted");
    assert_eq!(report["summary"]["changes"], 0);
    commit(&repo, &["--allow-empty"]).exits(0);
}
