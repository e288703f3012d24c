//! `guard doctor`: each check detects its fault, and a correct set-up passes all checks.

#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::common::{self, DESIGN, GUARD, Output, Repo};
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
    guard.env("TMPDIR", temporary).arg("doctor");
    guard
}

fn doctor(repo: &Repo) -> Output {
    common::run(&mut command(repo))
}

/// The status and the text of a check.
#[track_caller]
fn check(repo: &Repo, name: &str) -> (String, String) {
    let output = common::run(command(repo).args(["--format", "json"]));
    let json: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(json["version"], 1);
    let checks = json["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["check"] == name);
    let found = found.unwrap_or_else(|| panic!("no check {name}:\n{json:#}"));
    let failed = checks.iter().any(|check| check["status"] == "fail");
    assert_eq!(output.code, i32::from(failed));
    let help = found["help"].as_array().unwrap().iter();
    let help: Vec<&str> = help.map(|line| line.as_str().unwrap()).collect();
    (
        found["status"].as_str().unwrap().to_owned(),
        format!(
            "{}\n{}",
            found["message"].as_str().unwrap(),
            help.join("\n")
        ),
    )
}

#[track_caller]
fn expect(repo: &Repo, name: &str, status: &str, part: &str) {
    let (found, text) = check(repo, name);
    assert_eq!(found, status, "{name}: {text}");
    assert!(text.contains(part), "{name}: {text}");
}

#[test]
fn correct_setup_passes_every_check_and_leaves_nothing_behind() {
    let repo = repo();
    let before = repo.digest_tree();
    let told = doctor(&repo).exits(0);
    for line in told.stdout.lines() {
        assert!(line.starts_with("ok "), "{}", told.stdout);
    }
    told.says("proof: the hook refused a commit out of scope")
        .says("proof-no-verify: the hook refused a commit out of scope with --no-verify");
    assert_eq!(repo.digest_tree(), before);
    assert_eq!(fs::read_dir(repo.path("../temporary")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(repo.home()).unwrap().count(), 0);
    let quiet = common::run(command(&repo).arg("--quiet")).exits(0);
    assert_eq!(quiet.stdout, "");
}

#[test]
fn no_repository() {
    let repo = repo();
    let mut guard = command(&repo);
    guard.current_dir(repo.home());
    common::run(&mut guard)
        .exits(1)
        .says("fail  repository:")
        .says("not in a git repository");
}

#[test]
fn settings_that_are_missing_uncommitted_or_broken() {
    let empty = Repo::new();
    expect(&empty, "settings", "fail", "guard init");
    empty.write("guard.toml", common::SETTINGS);
    expect(&empty, "settings", "fail", "git add guard.toml");
    let repo = repo();
    repo.stage("guard.toml", "[lld]\npaht = \"x\"\n");
    repo.commit("Break the settings");
    expect(&repo, "settings", "fail", "paht");
}

#[test]
fn designs_that_are_missing_or_unusable() {
    let repo = repo();
    expect(
        &repo,
        "design",
        "ok",
        "docs/lld/active/LLD-188.md (1 granted",
    );
    repo.branch("no-issue");
    expect(&repo, "design", "warn", "contains no issue number");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.stage(DESIGN, "# Nothing\n");
    repo.commit("Empty the design");
    expect(&repo, "design", "fail", "cannot be used");
    repo.stage(
        "guard.toml",
        format!("{}missing = \"skip\"\n", common::SETTINGS),
    );
    repo.git(&["rm", "--quiet", "--force", DESIGN]);
    repo.commit("Do without");
    expect(&repo, "design", "warn", "leaves out the scope rules");
}

#[test]
fn hooks_that_are_missing_changed_or_switched_off() {
    let repo = repo();
    let hook = |name: &str| repo.path(".git/hooks").join(name);
    fs::remove_file(hook("prepare-commit-msg")).unwrap();
    expect(&repo, "prepare-commit-msg", "warn", "--no-verify");
    fs::set_permissions(hook("pre-commit"), fs::Permissions::from_mode(0o644)).unwrap();
    expect(&repo, "pre-commit", "fail", "not executable");
    expect(&repo, "proof", "fail", "accepted a commit out of scope");
    fs::remove_file(hook("pre-commit")).unwrap();
    expect(&repo, "pre-commit", "fail", "guard install git");
    repo.install_hook_script(
        "pre-commit",
        "#!/bin/sh\n# guard hook, version 1: x\nexit 0\n",
    );
    expect(&repo, "pre-commit", "fail", "edited");
    repo.install_hook_script("pre-commit", "#!/bin/sh\nexit 0\n");
    expect(&repo, "pre-commit", "fail", "does not call guard");
    repo.install_hook_script("pre-commit", "#!/bin/sh\nguard hook pre-commit\n");
    expect(&repo, "pre-commit", "ok", "calls guard");
    expect(&repo, "proof", "warn", "did not try it");
}

#[test]
fn chained_hook_is_tried_without_running_the_other() {
    let repo = repo();
    fs::remove_file(repo.path(".git/hooks/pre-commit")).unwrap();
    let canary = repo.path("../canary");
    repo.install_hook_script(
        "pre-commit",
        &format!("#!/bin/sh\ntouch '{}'\n", canary.display()),
    );
    repo.guard(&["install", "git"]).exits(0);
    expect(&repo, "proof", "ok", "refused");
    assert!(!canary.exists());
}

#[test]
fn an_installed_reference_transaction_hook_is_checked() {
    let repo = repo();
    let without = doctor(&repo).exits(0);
    assert!(!without.text().contains("reference-transaction"));
    repo.guard(&["install", "git", "--with", "reference-transaction"])
        .exits(0);
    expect(&repo, "reference-transaction", "ok", "guard's own");
    expect(&repo, "proof-reference-transaction", "ok", "refused");
    let hook = repo.path(".git/hooks/reference-transaction");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o644)).unwrap();
    expect(&repo, "reference-transaction", "fail", "not executable");
    expect(
        &repo,
        "proof-reference-transaction",
        "fail",
        "accepted a commit out of scope",
    );
    repo.install_hook_script("reference-transaction", "#!/bin/sh\nexit 0\n");
    let foreign = doctor(&repo).exits(0);
    assert!(!foreign.text().contains("reference-transaction"));
    fs::remove_file(repo.path(".git/hooks/pre-push")).unwrap();
    expect(&repo, "pre-push", "warn", "a push");
}

#[test]
fn hooks_path_outside_the_repository_is_reported() {
    let repo = repo();
    repo.git(&["config", "core.hooksPath", "/dev/null"]);
    expect(
        &repo,
        "hooks-path",
        "warn",
        "git config --local core.hooksPath",
    );
    expect(&repo, "pre-commit", "fail", "missing");
    repo.git(&["config", "core.hooksPath", ".githooks"]);
    expect(&repo, "pre-commit", "fail", "missing");
    repo.guard(&["install", "git"]).exits(0);
    expect(&repo, "hooks-path", "ok", ".githooks (core.hooksPath)");
    expect(&repo, "proof", "ok", "refused");
}

#[test]
fn hooks_that_the_configuration_disables_are_reported() {
    let repo = repo();
    repo.git(&["config", "hook.linter.enabled", "false"]);
    repo.git(&["config", "hook.linter.command", "make lint"]);
    expect(&repo, "config-hooks", "ok", "disables no hook");
    for (key, name) in [
        ("hook.pre-commit.enabled", "pre-commit"),
        ("hook.my-guard.enabled", "my-guard"),
    ] {
        repo.git(&["config", key, "no"]);
        expect(&repo, "config-hooks", "fail", name);
        repo.git(&["config", "--unset", key]);
    }
    repo.git(&["config", "hook.linter.command", "guard hook pre-commit"]);
    expect(
        &repo,
        "config-hooks",
        "fail",
        "git config --unset-all hook.linter.enabled",
    );
}

#[test]
fn settings_of_pre_commit() {
    let repo = repo();
    repo.write(".pre-commit-config.yaml", "repos: [] # no guard\n");
    repo.write(".pre-commit-config.yaml", "# guard\nrepos: []\n");
    expect(&repo, "pre-commit-config", "ok", "directly");
    fs::remove_file(repo.path(".git/hooks/pre-commit")).unwrap();
    expect(&repo, "pre-commit-config", "warn", "does not name guard");
    let generated = "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n";
    repo.install_hook_script("pre-commit", generated);
    expect(&repo, "pre-commit", "fail", "entry: guard hook framework");
    repo.write(
        ".pre-commit-config.yaml",
        "repos:\n- repo: x\n  hooks:\n  - id: guard\n",
    );
    expect(&repo, "pre-commit-config", "ok", "names guard");
    expect(&repo, "pre-commit", "ok", "calls guard");
}

#[test]
fn files_hidden_by_index_flags_are_reported() {
    let repo = repo();
    repo.git(&["update-index", "--assume-unchanged", "guard.toml"]);
    expect(
        &repo,
        "index-flags",
        "warn",
        "--no-assume-unchanged -- guard.toml",
    );
    repo.git(&["update-index", "--no-assume-unchanged", "guard.toml"]);
    repo.git(&["update-index", "--skip-worktree", "guard.toml"]);
    expect(
        &repo,
        "index-flags",
        "warn",
        "--no-skip-worktree -- guard.toml",
    );
    // Sparse checkouts use this flag.
    repo.git(&["config", "core.sparseCheckout", "true"]);
    expect(&repo, "index-flags", "ok", "every file");
}

#[test]
fn replaced_objects_are_reported() {
    let repo = repo();
    let (one, two) = (repo.blob(b"one\n"), repo.blob(b"two\n"));
    repo.git(&["replace", &one.to_string(), &two.to_string()]);
    expect(
        &repo,
        "replace-refs",
        "warn",
        &format!("git replace -d {one}"),
    );
}

#[test]
fn attributes_that_hide_content() {
    let repo = repo();
    repo.stage(".gitattributes", "*.png binary\n");
    repo.commit("Say what is binary");
    expect(
        &repo,
        "attributes",
        "ok",
        "only committed attributes hide content: .gitattributes",
    );
    repo.write(".git/info/attributes", "*.py -diff\n");
    expect(&repo, "attributes", "warn", "`*.py -diff` in");
    fs::remove_file(repo.path(".git/info/attributes")).unwrap();
    repo.write("../attributes", "*.rs binary\n");
    repo.git(&["config", "core.attributesFile", "../attributes"]);
    expect(&repo, "attributes", "warn", "*.rs binary");
}

#[test]
fn which_guard_the_hooks_find() {
    let repo = repo();
    let other = repo.path("../other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("guard"), "#!/bin/sh\nexit 0\n").unwrap();
    fs::set_permissions(other.join("guard"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut path = other.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    common::run(command(&repo).env("PATH", path))
        .exits(1)
        .says("warn  program: the hooks find ")
        .says("fail  proof: the hook accepted a commit out of scope");

    let git = repo.path("../only-git");
    fs::create_dir(&git).unwrap();
    for program in ["git", "sh"] {
        let path = std::env::var_os("PATH").unwrap();
        let real = std::env::split_paths(&path)
            .map(|directory| directory.join(program))
            .find(|file| file.exists())
            .unwrap();
        std::os::unix::fs::symlink(real, git.join(program)).unwrap();
    }
    common::run(command(&repo).env("PATH", git))
        .exits(1)
        .says("fail  program: guard is not on PATH")
        .says("but not by guard's verdict: guard: not found on PATH");
}

#[test]
fn the_list_of_signers_is_checked() {
    let repo = repo();
    expect(&repo, "signers", "ok", "HEAD has no .guard/allowed_signers");
    let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
    for (list, part) in [
        (format!("# nobody\na@b {key}\n"), "list signers: 1"),
        ("# nobody\n\n".to_owned(), "list signers: 0"),
    ] {
        repo.stage(".guard/allowed_signers", &list);
        repo.commit("List signers");
        expect(&repo, "signers", "ok", part);
    }
}
