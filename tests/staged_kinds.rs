//! Every kind of staged change, in every format of repository and index, committed with real git.

use crate::common::commits::{error_findings, fill, install, passes, refused, repo};
use crate::common::{Repo, lines, system, write_executable};

/// A repository in which `src/state.rs` of 200 lines became `src/store.rs` with this content.
fn renamed(row: (&str, &str, &str), content: &str) -> Repo {
    let repo = Repo::new();
    repo.stage("src/state.rs", lines(1..=200));
    repo.commit("Begin");
    repo.govern(&[row]);
    install(&repo);
    repo.git(&["mv", "src/state.rs", "src/store.rs"]);
    repo.stage("src/store.rs", content);
    repo
}

#[test]
fn rename_without_row_names_the_old_path() {
    let repo = renamed(("src/store.rs", "Add", "x"), &lines(1..=200));
    repo.guard(&["lint"])
        .exits(1)
        .says("src/state.rs (renamed to src/store.rs) is not in the design");
    refused(&repo, "out-of-scope", "src/state.rs");
}

#[test]
fn a_replacement_does_not_hide_behind_a_rename() {
    // Half of the lines are gone; the rest is still similar enough to be the same file.
    let row = ("src/state.rs` -> `src/store.rs", "Rename", "x");
    let repo = renamed(row, &lines(101..=200));
    let report = repo.json(&["lint"]);
    let new = &report["changes"][1];
    assert_eq!(new["from"], "src/state.rs");
    assert_eq!(new["class"], "REPLACE");
    refused(&repo, "destructive-change", "src/store.rs");
}

/// Its content is not compared: there are no lines.
#[test]
fn a_rename_row_moves_a_link_and_a_script_that_are_the_same() {
    let row = ("src/state.rs` -> `src/store.rs", "Rename", "x");
    for is_link in [false, true] {
        let repo = Repo::new();
        let path = repo.path("src/state.rs");
        repo.write("src/a.rs", "x\n");
        if is_link {
            system::symlink("a.rs", path).unwrap();
        } else {
            write_executable(&path, "echo x\n");
        }
        repo.git(&["add", "src"]);
        repo.commit("Begin");
        repo.govern(&[row]);
        repo.git(&["mv", "src/state.rs", "src/store.rs"]);
        let report = repo.json(&["lint"]);
        assert_eq!(report["changes"][1]["from"], "src/state.rs", "{report}");
        assert_eq!(report["changes"][1]["class"], "MODIFY", "{report}");
    }
}

/// Judges the same two changes, one granted, in a repository of another format.
#[track_caller]
fn judges_as_ever(repo: &Repo) {
    repo.stage("src/new.rs", "new\n");
    repo.git(&["rm", "--quiet", "--cached", "src/other.rs"]);
    refused(repo, "out-of-scope", "src/other.rs");
    repo.git(&["reset", "--quiet", "--", "src/other.rs"]);
    passes(repo);
}

#[test]
fn every_format_of_repository_and_index_is_judged_alike() {
    let sha_256 = Repo::init(&["--object-format=sha256"]);
    fill(&sha_256);
    judges_as_ever(&sha_256);
    for arguments in [
        &["update-index", "--index-version", "4"][..],
        &["update-index", "--split-index"],
        &["sparse-checkout", "set", "--cone", "--sparse-index", "src"],
        &["config", "index.skipHash", "true"],
        &["init", "--quiet", "--separate-git-dir=../git"],
    ] {
        let repo = repo();
        repo.stage("docs/far/away/a", "a\n");
        repo.commit("Add more");
        repo.git(arguments);
        judges_as_ever(&repo);
    }
}

#[test]
fn replace_refs_and_attributes_hide_nothing() {
    let repo = repo();
    repo.stage("src/stray.rs", "stray\n");
    // With the replacement, git compares the index with itself and shows no staged change.
    let staged = repo.git(&["write-tree"]);
    let head = repo.git(&["rev-parse", "HEAD^{tree}"]);
    repo.git(&["replace", &head, &staged]);
    repo.write(".git/info/attributes", "* -diff\n");
    assert_eq!(repo.git(&["diff", "--cached", "--name-only"]), "");
    assert_eq!(
        error_findings(&repo.json(&["lint"])),
        [("out-of-scope", "src/stray.rs")]
    );
}
