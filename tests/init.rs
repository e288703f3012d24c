//! `guard init`: the first `guard.toml`.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::common::{self, GUARD, Repo};

/// The file that `guard init` wrote; asserts that `guard lint` and the hook accept the commit that adds it.
#[track_caller]
fn adopted(repo: &Repo) -> String {
    repo.install_hook("pre-commit");
    repo.install_hook("prepare-commit-msg");
    repo.guard(&["init"]).exits(0).says("wrote guard.toml");
    repo.git(&["add", "guard.toml"]);
    repo.guard(&["lint"]).exits(0);
    repo.try_git(&["commit", "-m", "Set guard up"]).exits(0);
    fs::read_to_string(repo.path("guard.toml")).unwrap()
}

#[test]
fn in_an_empty_repository() {
    let repo = Repo::new();
    let text = adopted(&repo);
    assert!(
        text.contains("path = \"docs/lld/active/LLD-{issue}.md\""),
        "{text}"
    );
    assert!(text.contains("base = \"main\""), "{text}");
}

#[test]
fn in_a_repository_with_designs_tests_and_ci() {
    let repo = Repo::new();
    repo.design("docs/plans/LLD-188.md", &[("src/a.rs", "Add", "x")]);
    repo.stage("pkg/tests/test_a.py", "x\n");
    repo.stage("Cargo.lock", "x\n");
    repo.stage(".github/workflows/ci.yml", "on: push\n");
    repo.commit("Start");
    repo.branch("feature/188-work");
    let text = adopted(&repo);
    for part in [
        "path = \"docs/plans/LLD-{issue}.md\"",
        "as in feature/188-work",
        "base = \"main\"",
        "pkg/tests/",
        "Cargo.lock",
        "/.github/workflows/",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // From the next commit on, the existing design applies.
    repo.stage("src/b.rs", "fn b() {}\n");
    repo.guard(&["lint"]).exits(1).says("docs/plans/LLD-188.md");
    repo.git(&["mv", "src/b.rs", "src/a.rs"]);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn the_default_branch_is_that_of_origin() {
    let origin = Repo::init(&["--initial-branch=next"]);
    origin.stage("a", "a\n");
    origin.commit("Start");
    let repo = Repo::new();
    repo.git(&["remote", "add", "origin", origin.root.to_str().unwrap()]);
    repo.git(&["fetch", "--quiet", "origin"]);
    repo.git(&["remote", "set-head", "origin", "next"]);
    repo.git(&["switch", "--quiet", "--create", "7-x", "origin/next"]);
    assert!(adopted(&repo).contains("base = \"next\""));
    repo.design("docs/lld/active/LLD-7.md", &[("b", "Add", "x")]);
    repo.commit("Add the design");
    repo.stage("b", "b\n");
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn uncommitted_designs_are_found_too() {
    let repo = Repo::new();
    repo.write("docs/design/LLD-5-tables.md", "# x\n");
    assert!(adopted(&repo).contains("path = \"docs/design/LLD-{issue}-*.md\""));
}

#[test]
fn nothing_is_overwritten() {
    for place in ["work tree", "index", "HEAD"] {
        let repo = Repo::new();
        repo.stage("guard.toml", "# mine\n");
        match place {
            "work tree" => {
                repo.git(&["rm", "--quiet", "--cached", "guard.toml"]);
            }
            "index" => fs::remove_file(repo.path("guard.toml")).unwrap(),
            _ => {
                repo.commit("Settings");
                repo.git(&["rm", "--quiet", "guard.toml"]);
            }
        }
        let before = repo.digest_tree();
        repo.guard(&["init"])
            .exits(2)
            .says(place)
            .says("guard.toml already exists in ");
        assert_eq!(repo.digest_tree(), before, "{place}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let repo = Repo::new();
    std::os::unix::fs::symlink("../elsewhere", repo.path("guard.toml")).unwrap();
    repo.guard(&["init"])
        .exits(2)
        .says("guard.toml already exists in ");
    assert!(!repo.path("../elsewhere").exists());
}

#[test]
fn a_dry_run_prints_the_file_and_writes_nothing() {
    let repo = Repo::new();
    let before = repo.digest_tree();
    let printed = repo.guard(&["init", "--dry-run"]).exits(0).stdout;
    assert_eq!(repo.digest_tree(), before);
    let json = repo.json(&["init", "--dry-run"]);
    assert_eq!(json["content"], printed);
    assert_eq!(json["written"], false);
    repo.guard(&["init"]).exits(0);
    assert_eq!(
        fs::read_to_string(repo.path("guard.toml")).unwrap(),
        printed
    );
}

#[test]
fn init_in_a_subdirectory_writes_to_the_root() {
    let repo = Repo::new();
    repo.write("src/x", "");
    let mut guard = repo.command(GUARD);
    guard.current_dir(repo.path("src"));
    common::run(guard.arg("init")).exits(0);
    assert!(repo.path("guard.toml").exists());
    assert!(!repo.path("src/guard.toml").exists());
}

#[test]
fn next_steps_are_listed_in_order() {
    let repo = Repo::new();
    repo.write(".pre-commit-config.yaml", "repos: []\n");
    let told = repo.guard(&["init"]).exits(0).stdout;
    let at = |part: &str| told.find(part).unwrap_or_else(|| panic!("{part}\n{told}"));
    assert!(at("git add guard.toml") < at("write the first design"));
    assert!(at("write the first design") < at("guard install git"));
    assert!(at("guard install git") < at("guard doctor"));
    assert!(told.contains(".pre-commit-config.yaml"));
}
