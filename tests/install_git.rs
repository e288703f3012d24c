//! `guard install git` and `guard uninstall git`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::system::{self, HAS_MODES};
use crate::common::{self, HOOKS, Output, Repo};

/// Installed only on demand.
const OPT_IN: &str = "reference-transaction";

fn repo() -> Repo {
    let repo = Repo::new();
    repo.govern(&[("granted.txt", "Add/Modify", "the work")]);
    repo
}

fn hook(repo: &Repo, name: &str) -> PathBuf {
    repo.path(".git/hooks").join(name)
}

fn mode(repo: &Repo, name: &str) -> u32 {
    system::mode(hook(repo, name)) & 0o7777
}

/// Runs git, whose hooks find guard.
fn git(repo: &Repo, line: &str) -> Output {
    common::run(repo.with_guard_on_path("git").args(line.split(' ')))
}

/// Asserts that installed hooks refuse a stray file with and without `--no-verify`, and accept a granted one.
#[track_caller]
fn works(repo: &Repo) {
    repo.stage("stray.txt", "stray\n");
    for commit in ["commit -m Change", "commit -m Change --no-verify"] {
        git(repo, commit).exits(1).says("out-of-scope");
    }
    repo.git(&["rm", "--quiet", "--force", "stray.txt"]);
    repo.stage("granted.txt", "granted\n");
    git(repo, "commit -m Change").exits(0);
}

#[test]
fn the_hooks_are_installed_and_work() {
    let repo = repo();
    let before = repo.digest_tree();
    let plan = repo.json(&["install", "git", "--dry-run"]);
    assert_eq!(plan["version"], 1);
    assert_eq!(plan["hooks"][0]["hook"], "pre-commit");
    assert_eq!(plan["hooks"][0]["action"], "write");
    assert_eq!(repo.digest_tree(), before);
    let told = repo.guard(&["install", "git"]).exits(0);
    assert_eq!(told.stdout.lines().count(), HOOKS.len());
    for name in HOOKS {
        let shipped = fs::read(Path::new(common::SOURCE).join("hooks").join(name)).unwrap();
        assert_eq!(fs::read(hook(&repo, name)).unwrap(), shipped);
        assert!(!HAS_MODES || mode(&repo, name) == 0o755);
    }
    works(&repo);
    let before = repo.digest_tree();
    let told = repo.guard(&["install", "git"]).exits(0);
    assert_eq!(told.stdout.matches(": is installed (").count(), HOOKS.len());
    assert_eq!(repo.digest_tree(), before);
}

#[test]
fn uninstall_restores_the_previous_files() {
    let repo = repo();
    repo.install_hook_script("pre-commit", "#!/bin/bash\nexec true\n");
    repo.write(".git/hooks/post-merge", "#!/bin/sh\n");
    let before = repo.digest_tree();
    repo.guard(&["install", "git"]).exits(1);
    let installed = repo.digest_tree();
    assert_ne!(installed, before);
    repo.tells("uninstall git --dry-run", 0, "would be removed");
    assert_eq!(repo.digest_tree(), installed);
    repo.guard(&["uninstall", "git"]).exits(0);
    assert_eq!(repo.digest_tree(), before);
    repo.guard(&["uninstall", "git"]).exits(0);
    assert_eq!(repo.digest_tree(), before);
}

/// Adds the lines that `guard install git` prints for a hook behind the first line of its script.
fn add_lines(repo: &Repo, name: &str) {
    let json = repo.json(&["install", "git", "--dry-run"]);
    let steps = json["hooks"].as_array().unwrap();
    let step = steps.iter().find(|step| step["hook"] == name).unwrap();
    let help = step["help"].as_array().unwrap().iter().skip(1);
    let lines: Vec<&str> = help.map(|line| line.as_str().unwrap()).collect();
    let script = fs::read_to_string(hook(repo, name)).unwrap();
    let script = script.replacen('\n', &format!("\n{}\n", lines.join("\n")), 1);
    fs::write(hook(repo, name), script).unwrap();
}

#[test]
fn an_existing_hook_runs_after_the_lines_that_guard_prints() {
    let repo = repo();
    let own = "#!/usr/bin/env bash\nset -euo pipefail\ntouch ran\nexit 0\n";
    repo.install_hook_script("pre-commit", own);
    repo.install_hook_script("prepare-commit-msg", "#!/bin/sh\nexec true\n");
    repo.guard(&["install", "git"])
        .exits(1)
        .says("pre-commit: left alone: does not call guard")
        .says("    guard hook pre-commit \"$@\" || exit $?\n");
    assert_eq!(fs::read_to_string(hook(&repo, "pre-commit")).unwrap(), own);
    for name in ["pre-commit", "prepare-commit-msg"] {
        add_lines(&repo, name);
    }
    repo.stage("stray.txt", "stray\n");
    git(&repo, "commit -m Change").exits(1);
    assert!(!repo.path("ran").exists());
    works(&repo);
    assert!(repo.path("ran").exists());
    repo.guard(&["install", "git"])
        .exits(0)
        .says("pre-commit: calls guard");
}

#[test]
fn existing_hook_is_left_alone_with_advice() {
    let repo = repo();
    let python = "#!/usr/bin/env python3\nprint('x')\n";
    repo.install_hook_script("pre-commit", python);
    repo.install_hook_script("commit-msg", "\x7fELF\0");
    system::symlink("../../elsewhere", hook(&repo, "pre-merge-commit")).unwrap();
    repo.guard(&["install", "git"])
        .exits(1)
        .says("pre-commit: left alone: does not call guard")
        .says("guard hook pre-commit")
        .says("commit-msg: left alone: does not call guard")
        .says("it is a symbolic link");
    assert_eq!(repo.text(".git/hooks/pre-commit"), python);
    assert!(hook(&repo, "pre-merge-commit").is_symlink());
    assert!(!repo.path("elsewhere").exists());
    // The other hooks are installed anyway.
    assert!(hook(&repo, "prepare-commit-msg").exists());
}

/// Its owner has switched it off.
#[test]
#[cfg_attr(not(unix), ignore = "needs an executable bit, which Windows lacks")]
fn hook_that_is_not_executable_is_left_alone_with_advice() {
    let repo = repo();
    repo.install_hook_script("post-commit", "#!/bin/sh\nmake\n");
    system::set_mode(hook(&repo, "post-commit"), 0o644);
    repo.guard(&["install", "git"])
        .exits(1)
        .says("post-commit: left alone: is not executable, so git ignores it")
        .says("make it executable: chmod +x ");
}

#[test]
fn the_hook_of_reference_transactions_is_installed_on_demand_only() {
    let repo = repo();
    let told = repo.guard(&["install", "git"]).exits(0);
    assert!(!told.text().contains(OPT_IN), "{}", told.text());
    assert!(!hook(&repo, OPT_IN).exists());
    let install = ["install", "git", "--with", OPT_IN];
    repo.guard(&install).exits(0).says(OPT_IN);
    // Once it is installed, guard maintains it without the option.
    repo.tells("install git", 0, "reference-transaction: is installed");

    repo.stage("stray.txt", "stray\n");
    let tree = repo.git(&["write-tree"]);
    let made = repo.git(&["commit-tree", &tree, "-p", "HEAD", "-m", "By hand"]);
    let moved = git(&repo, &format!("update-ref refs/heads/188-work {made}"));
    assert_ne!(moved.code, 0);
    moved.says("out-of-scope");

    repo.guard(&["uninstall", "git"]).exits(0);
    assert!(!hook(&repo, OPT_IN).exists());
}

#[test]
fn push_is_refused_and_an_existing_hook_still_reads_its_input() {
    let repo = repo();
    let server = Repo::init(&["--bare"]);
    let url = server.root.to_str().unwrap();
    repo.git(&["remote", "add", "origin", url]);
    repo.git(&["push", "--quiet", "origin", "main"]);
    repo.git(&["remote", "set-head", "origin", "main"]);
    let own = "#!/bin/sh\nset -eu\ncat >../seen\n";
    repo.install_hook_script("pre-push", own);
    add_lines(&repo, "pre-push");
    repo.stage("stray.txt", "stray\n");
    repo.commit("Stray");
    git(&repo, "push origin 188-work main:other")
        .exits(1)
        .says("out-of-scope");
    assert!(!repo.path("../seen").exists());
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    git(&repo, "push origin main:one main:other").exits(0);
    assert_eq!(repo.text("../seen").lines().count(), 2);
    // With nothing to push, there is no input.
    git(&repo, "push origin main").exits(0);
    assert_eq!(repo.text("../seen"), "");
}

#[test]
fn hooks_path_in_the_work_tree_is_respected() {
    for configured in [".githooks", "tools/../.githooks"] {
        let repo = repo();
        repo.write("tools/x", "");
        repo.write(".githooks/README", "hooks\n");
        repo.git(&["config", "core.hooksPath", configured]);
        repo.guard(&["-C", "tools", "install", "git"]).exits(0);
        assert!(repo.path(".githooks/pre-commit").exists());
        assert!(!hook(&repo, "pre-commit").exists());
        works(&repo);
    }
}

#[test]
fn hooks_of_other_repositories_are_not_touched() {
    let repo = repo();
    let shared = repo.path("../shared");
    fs::create_dir(&shared).unwrap();
    system::symlink(&shared, repo.path("linked")).unwrap();
    for configured in ["../shared", "nowhere/../../new", "linked", "~/hooks"] {
        repo.git(&["config", "--global", "core.hooksPath", configured]);
        repo.tells("install git", 2, "outside this repository")
            .says("git config --local core.hooksPath .git/hooks");
        assert_eq!(fs::read_dir(&shared).unwrap().count(), 0);
        assert!(!repo.path("../new").exists());
    }
}

#[test]
fn agent_may_plan_the_installation_but_not_install() {
    let repo = repo();
    let run = |variable, arguments: &[&str]| repo.guard_with(&[(variable, "1")], arguments);
    for what in ["git", "claude"] {
        for verb in ["install", "uninstall"] {
            run("CLAUDECODE", &[verb, what])
                .exits(2)
                .says("only a person can change the hooks of guard")
                .says("CLAUDECODE");
            run("CLAUDECODE", &[verb, what, "--dry-run"]).exits(0);
        }
    }
    assert!(!hook(&repo, "pre-commit").exists());
    // CI sets up its own clone.
    run("CI", &["install", "git"]).exits(0);
    assert!(hook(&repo, "pre-commit").exists());
}
