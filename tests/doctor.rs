//! `guard doctor`: each check detects its fault, and a correct set-up passes all checks.

use std::fs;
use std::process::Command;

use crate::common::system;
use crate::common::{self, GUARD, Repo, table};
use serde_json::Value;

/// A governed repository with guard's hooks installed.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.govern(&[("granted.txt", "Add/Modify", "the work")]);
    repo.guard(&["install", "git"]).exits(0);
    repo
}

/// guard with the built binary on `PATH` and its own directory for temporary files.
fn command(repo: &Repo) -> Command {
    let temporary = repo.path("../temporary");
    fs::create_dir_all(&temporary).unwrap();
    let mut guard = repo.with_guard_on_path(GUARD);
    system::set_temporary(&mut guard, temporary).arg("doctor");
    guard
}

/// Asserts the status of some checks, one per line, and a part of their text.
#[track_caller]
fn expect(repo: &Repo, expected: &str) {
    let output = common::run(command(repo).args(["--format", "json"]));
    let json: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(json["version"], 1);
    let checks = json["checks"].as_array().unwrap();
    let failed = checks.iter().any(|check| check["status"] == "fail");
    assert_eq!(output.code, i32::from(failed));
    for [name, status, part] in table(expected) {
        let found = checks.iter().find(|check| check["check"] == name);
        let found = found.unwrap_or_else(|| panic!("no check {name}:\n{json:#}"));
        assert_eq!(found["status"], status, "{found:#}");
        assert!(found.to_string().contains(part), "{part}: {found:#}");
    }
}

#[test]
fn correct_setup_passes_every_check_and_leaves_nothing_behind() {
    let repo = repo();
    let before = repo.digest_tree();
    let told = common::run(&mut command(&repo)).exits(0);
    let is_ok = |line: &str| line.starts_with("ok ");
    assert!(told.stdout.lines().all(is_ok), "{}", told.stdout);
    told.says("proof: the hook refused a commit out of scope")
        .says("proof-no-verify: the hook refused a commit out of scope with --no-verify");
    assert_eq!(repo.digest_tree(), before);
    for directory in [repo.path("../temporary"), repo.home()] {
        assert_eq!(fs::read_dir(directory).unwrap().count(), 0);
    }
    let quiet = common::run(command(&repo).arg("--quiet")).exits(0);
    assert_eq!(quiet.stdout, "");
}

#[test]
fn settings_that_are_missing_uncommitted_or_broken() {
    let empty = Repo::new();
    let mut guard = command(&empty);
    guard.current_dir(empty.home());
    let told = common::run(&mut guard).exits(1).says("fail  repository: ");
    told.says("not in a git repository");
    expect(&empty, "settings | fail | guard init");
    empty.write("guard.toml", common::SETTINGS);
    expect(&empty, "settings | fail | git add guard.toml");
    let repo = repo();
    repo.stage("guard.toml", "[lld]\npaht = \"x\"\n");
    repo.commit("Break the settings");
    expect(&repo, "settings | fail | paht");
}

#[test]
fn hooks_that_are_missing_changed_or_switched_off() {
    let repo = repo();
    let hook = |name: &str| repo.path(".git/hooks").join(name);
    for name in ["prepare-commit-msg", "pre-push"] {
        fs::remove_file(hook(name)).unwrap();
    }
    fs::remove_file(hook("pre-commit")).unwrap();
    expect(
        &repo,
        "prepare-commit-msg | warn | --no-verify
         pre-push | warn | a push
         pre-commit | fail | guard install git",
    );
    for (script, status, said) in [
        ("# guard hook, version 1: x\nexit 0", "fail", "edited"),
        ("exit 0", "fail", "does not call guard"),
        ("guard hook pre-commit", "ok", "calls guard"),
    ] {
        repo.install_hook_script("pre-commit", &format!("#!/bin/sh\n{script}\n"));
        expect(&repo, &format!("pre-commit | {status} | {said}"));
    }
    expect(&repo, "proof | warn | did not try it");
    repo.git(&["config", "core.hooksPath", "/dev/null"]);
    expect(
        &repo,
        "hooks-path | warn | git config --local core.hooksPath",
    );
    expect(&repo, "pre-commit | fail | missing");
}

#[test]
#[cfg_attr(not(unix), ignore = "needs an executable bit, which Windows lacks")]
fn hook_that_is_not_executable() {
    let repo = repo();
    system::set_mode(repo.path(".git/hooks/pre-commit"), 0o644);
    expect(
        &repo,
        "pre-commit | fail | not executable
         proof | fail | accepted a commit out of scope",
    );
}

#[test]
fn an_installed_reference_transaction_hook_is_checked() {
    let repo = repo();
    let name = "reference-transaction";
    repo.guard(&["install", "git", "--with", name]).exits(0);
    expect(&repo, "reference-transaction | ok | is installed");
    repo.install_hook_script(name, "#!/bin/sh\nexit 0\n");
    let foreign = common::run(&mut command(&repo)).exits(0);
    assert!(!foreign.text().contains(name));
}

#[test]
fn which_guard_the_hooks_find() {
    let repo = repo();
    let other = repo.path("../other");
    fs::create_dir(&other).unwrap();
    common::write_executable(&other.join("guard"), "#!/bin/sh\nexit 0\n");
    let path = system::path_beginning_with(&other);
    common::run(command(&repo).env("PATH", path))
        .exits(1)
        .says("fail  proof: the hook accepted a commit out of scope");
}

#[test]
#[cfg_attr(
    not(unix),
    ignore = "needs git and sh behind links, which Windows cannot start"
)]
fn guard_that_is_not_on_path() {
    let repo = repo();
    let path = std::env::var_os("PATH").unwrap();
    let only = repo.path("../only-git");
    fs::create_dir(&only).unwrap();
    for program in ["git", "sh"] {
        let mut real = std::env::split_paths(&path).map(|directory| directory.join(program));
        let real = real.find(|file| file.exists()).unwrap();
        system::symlink(real, only.join(program)).unwrap();
    }
    common::run(command(&repo).env("PATH", only))
        .exits(1)
        .says("but not by guard's verdict: guard: not found on PATH");
}
