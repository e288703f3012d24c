//! Paths that need no row and files that may lose their content: each exemption applies only as documented.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::os::unix::fs::symlink;

use crate::common::commits::{install, passes, refused, refused_by};
use crate::common::{self, DESIGN, Repo, lines};

fn link(repo: &Repo, target: &str, path: &str) {
    let _ = std::fs::remove_file(repo.path(path));
    symlink(target, repo.path(path)).unwrap();
    repo.git(&["add", "--force", path]);
}

/// A rename between two paths of `always` loses half of a file of 200 lines.
fn renamed_under_always(old: &str, new: &str) -> Repo {
    let repo = Repo::new();
    repo.stage(old, lines(1..=200));
    repo.commit("Begin");
    let settings = format!("{}[scope]\nalways = [\"gen/\"]\n", common::SETTINGS);
    repo.stage("guard.toml", settings);
    repo.design(DESIGN, &[("x.rs", "Add", "x")]);
    repo.commit("Say what may change");
    repo.branch("188-work");
    install(&repo);
    repo.git(&["mv", old, new]);
    repo.stage(new, lines(101..=200));
    repo
}

#[test]
fn content_is_exempt_only_by_both_names() {
    let repo = renamed_under_always("gen/x.py", "gen/Cargo.lock");
    refused(&repo, "destructive-change", "gen/Cargo.lock");
    let repo = renamed_under_always("gen/Cargo.lock", "gen/x.py");
    refused(&repo, "destructive-change", "gen/x.py");
    let repo = renamed_under_always("gen/yarn.lock", "gen/Cargo.lock");
    passes(&repo);
}

#[test]
fn link_is_not_a_companion_of_a_manifest() {
    let repo = Repo::new();
    repo.stage("Cargo.toml", "[package]\n");
    repo.stage("b/Cargo.lock", lines(1..=3));
    repo.commit("Begin");
    repo.govern(&[("Cargo.toml", "Modify", "x"), ("b/Cargo.toml", "Add", "x")]);
    install(&repo);
    link(&repo, "Cargo.toml", "Cargo.lock");
    refused(&repo, "out-of-scope", "Cargo.lock");
    repo.guard(&["lint"]).says("| `Cargo.lock` | Symlink |");
    repo.git(&["rm", "--quiet", "--force", "Cargo.lock"]);
    repo.stage("Cargo.lock", "lock\n");
    passes(&repo);
}

#[test]
fn link_at_the_path_of_a_design_needs_a_row() {
    let repo = common::commits::repo();
    let path = "docs/lld/active/LLD-7.md";
    link(&repo, "LLD-188.md", path);
    repo.guard(&["lint"])
        .exits(1)
        .says("exempt from the scope table only as a regular file");
    refused(&repo, "out-of-scope", path);
    // A regular file needs no row.
    std::fs::remove_file(repo.path(path)).unwrap();
    repo.design(path, &[("src/x.rs", "Add", "x")]);
    passes(&repo);
    // The file may not become a link either.
    link(&repo, "LLD-188.md", path);
    refused_by(
        &repo,
        &[("out-of-scope", path), ("destructive-change", path)],
    );
}

#[test]
fn link_at_a_design_path_is_deleted_without_a_row() {
    let repo = Repo::new();
    repo.stage("x", "x\n");
    std::fs::create_dir_all(repo.path("docs/lld/active")).unwrap();
    link(&repo, "LLD-188.md", "docs/lld/active/LLD-7.md");
    repo.commit("Begin");
    repo.govern(&[("x", "Modify", "x")]);
    install(&repo);
    repo.git(&["rm", "--quiet", "docs/lld/active/LLD-7.md"]);
    passes(&repo);
}

#[test]
fn link_at_the_path_of_guards_settings_needs_a_row() {
    let repo = common::commits::repo();
    std::fs::create_dir_all(repo.path(".guard")).unwrap();
    link(&repo, "../src/old.rs", ".guard/allowed_signers");
    refused(&repo, "out-of-scope", ".guard/allowed_signers");
}
