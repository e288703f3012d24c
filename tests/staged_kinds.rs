//! Every kind of staged change, in every format of repository and index, committed with real git.

use crate::common::commits::{
    commit, error_findings, fill, install, passes, refused, refused_by, repo, with_submodule,
};
use crate::common::{DESIGN, Repo, lines};

#[test]
fn submodule_needs_a_submodule_row() {
    let inner = repo();
    let outer = with_submodule(&inner);
    outer.git(&["rm", "--quiet", "--cached", "lib", ".gitmodules"]);
    outer.govern(&[("lib", "Add", "x"), (".gitmodules", "Add", "x")]);
    install(&outer);
    outer.git(&["add", "lib", ".gitmodules"]);
    let report = outer.json(&["lint"]);
    assert!(error_findings(&report).contains(&("submodule-changed", "lib")));
    commit(&outer, &[])
        .exits(1)
        .says("| `lib` | Submodule |")
        .says("the submodule lib is added at");

    outer.design(
        DESIGN,
        &[("lib", "Submodule", "x"), (".gitmodules", "Add", "x")],
    );
    commit(&outer, &["--", DESIGN]).exits(0);
    passes(&outer);

    // Another URL is a change of the submodule.
    let other = "[submodule \"lib\"]\n\tpath = lib\n\turl = https://example.org/other\n\tbranch = 188-work\n";
    outer.stage(".gitmodules", other);
    passes(&outer);
    outer.design(DESIGN, &[(".gitmodules", "Modify", "x")]);
    commit(&outer, &["--", DESIGN]).exits(0);
    outer.stage(".gitmodules", other.replace("other", "evil"));
    refused(&outer, "submodule-changed", ".gitmodules");
}

#[test]
fn last_submodule_may_be_removed_with_an_empty_gitmodules() {
    let inner = repo();
    let outer = with_submodule(&inner);
    outer.govern(&[("lib", "Delete", "x"), (".gitmodules", "Modify", "x")]);
    install(&outer);
    outer.git(&["rm", "--quiet", "lib"]);
    assert_eq!(outer.git(&["show", ":.gitmodules"]), "");
    passes(&outer);
}

#[test]
fn submodule_with_ignore_all_is_seen() {
    let repo = repo();
    let commit = repo.git(&["rev-parse", "HEAD"]);
    repo.stage(
        "src/new.rs",
        "[submodule \"src/sub\"]\n\tpath = src/sub\n\turl = ./x\n\tignore = all\n",
    );
    repo.git(&["config", "diff.ignoreSubmodules", "all"]);
    repo.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{commit},src/sub"),
    ]);
    refused(&repo, "submodule-changed", "src/sub");
}

#[test]
fn an_executable_bit_is_a_modification() {
    let repo = repo();
    repo.git(&["update-index", "--chmod=+x", "src/other.rs"]);
    refused(&repo, "out-of-scope", "src/other.rs");
    repo.git(&["update-index", "--chmod=-x", "src/other.rs"]);
    repo.git(&["update-index", "--chmod=+x", "src/old.rs"]);
    assert_eq!(repo.json(&["lint"])["changes"][0]["action"], "modify");
    passes(&repo);
}

#[test]
fn symbolic_link_needs_a_symlink_row() {
    let repo = repo();
    let target = repo.blob(b"old.rs");
    repo.stage_raw(&[(0o120000, target, b"src/new.rs")]);
    refused(&repo, "action-not-granted", "src/new.rs");
    repo.design(DESIGN, &[("src/new.rs", "Symlink", "x")]);
    repo.git(&["reset", "--quiet", "--", "src/new.rs"]);
    passes(&repo);
    repo.stage_raw(&[(0o120000, target, b"src/new.rs")]);
    passes(&repo);
}

#[test]
fn file_replaced_by_a_link_is_a_destructive_change() {
    let repo = repo();
    let target = repo.blob(b"other.rs");
    repo.stage_raw(&[(0o120000, target, b"src/old.rs")]);
    let report = repo.json(&["lint"]);
    assert_eq!(report["changes"][0]["action"], "type-change");
    refused_by(
        &repo,
        &[
            ("action-not-granted", "src/old.rs"),
            ("destructive-change", "src/old.rs"),
        ],
    );
}

#[test]
fn a_rename_is_explained_and_its_loss_is_measured_across_it() {
    let repo = Repo::new();
    repo.stage("src/state.rs", lines(1..=200));
    repo.commit("Begin");
    repo.govern(&[("src/state.rs` -> `src/store.rs", "Rename", "x")]);
    install(&repo);
    repo.git(&["mv", "src/state.rs", "src/store.rs"]);
    // 110 of 200 lines stay.
    repo.stage("src/store.rs", lines(1..=110));
    let report = repo.json(&["lint"]);
    let new = &report["changes"][1];
    assert_eq!(new["path"], "src/store.rs");
    assert_eq!(new["from"], "src/state.rs");
    assert_eq!(new["original_lines"], 200);
    assert_eq!(new["lost_share"], 0.45);
    assert_eq!(error_findings(&report), []);
    passes(&repo);
}

#[test]
fn rename_without_row_names_the_old_path() {
    let repo = Repo::new();
    repo.stage("src/state.rs", lines(1..=200));
    repo.commit("Begin");
    repo.govern(&[("src/store.rs", "Add", "x")]);
    install(&repo);
    repo.git(&["mv", "src/state.rs", "src/store.rs"]);
    repo.guard(&["lint"])
        .exits(1)
        .says("src/state.rs (renamed to src/store.rs) is not in the design");
    refused(&repo, "out-of-scope", "src/state.rs");
}

#[test]
fn a_replacement_does_not_hide_behind_a_rename() {
    let repo = Repo::new();
    repo.stage("src/state.rs", lines(1..=200));
    repo.commit("Begin");
    repo.govern(&[("src/state.rs` -> `src/store.rs", "Rename", "x")]);
    install(&repo);
    repo.git(&["mv", "src/state.rs", "src/store.rs"]);
    // Half of the lines are gone; the rest is still similar enough to be the same file.
    repo.stage("src/store.rs", lines(101..=200));
    let report = repo.json(&["lint"]);
    assert_eq!(report["changes"][1]["class"], "REPLACE");
    refused(&repo, "destructive-change", "src/store.rs");
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
