//! Commits with guard's hooks that see less or more than what is staged; `hook_matrix` has every way to make one.

use crate::common::GUARD;
use crate::common::commits::{commit, repo, with_submodule};

#[test]
fn commit_path_judges_only_that_path() {
    let repo = repo();
    repo.stage("src/other.rs", "changed\n");
    repo.stage("src/stray.rs", "stray\n");
    repo.write("src/old.rs", "changed\n");
    commit(&repo, &["--", "src/old.rs"]).exits(0);
    let paths = repo.git(&["show", "--format=", "--name-only"]);
    assert_eq!(paths, "src/old.rs");
    let refused = commit(&repo, &["--", "src/other.rs"]).exits(1);
    refused.says("src/other.rs");
}

#[test]
fn merge_hook_sees_changes_staged_by_an_earlier_hook() {
    let repo = repo();
    let stage = "echo evil >src/smuggled.rs && git add src/smuggled.rs";
    let script = format!("#!/bin/sh\n{stage}\nexec '{GUARD}' hook pre-merge-commit\n");
    repo.install_hook_script("pre-merge-commit", &script);
    repo.on_main("src/theirs.rs", "theirs\n");
    let merge = ["merge", "--no-ff", "-m", "Merge", "main"];
    let refused = repo.try_git(&merge).exits(1);
    refused.says("src/smuggled.rs is not in the design");
}

#[test]
fn inside_a_submodule() {
    let inner = repo();
    let outer = with_submodule(&inner);
    outer.commit("Add the library");
    let hooks = inner.path(".git/hooks").display().to_string();
    outer.git(&["-C", "lib", "config", "core.hooksPath", &hooks]);
    for (file, code, said) in [
        ("new.rs", 0, ""),
        ("stray.rs", 1, "src/stray.rs is not in the design"),
    ] {
        outer.write(format!("lib/src/{file}"), "x\n");
        outer.git(&["-C", "lib", "add", "."]);
        let commit = outer.try_git(&["-C", "lib", "commit", "-m", "Add it"]);
        commit.exits(code).says(said);
    }
}
