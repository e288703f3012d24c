//! guard next to tools that own the hook files: doctor, install and uninstall report them correctly.

#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::frameworks::{frameworks, lefthook};
use crate::common::{self, GUARD, Output, Repo};

/// The names of the hooks that doctor expects.
const HOOKS: [&str; 6] = [
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-push",
];

/// The end of lefthook's own hook file.
const GENERATED_BY_LEFTHOOK: &str = "#!/bin/sh\ncall_lefthook run \"pre-commit\" \"$@\"\n";

fn repo() -> Repo {
    let repo = Repo::new();
    repo.govern(&[("granted.txt", "Add/Modify", "the work")]);
    repo
}

/// A program that finds the built guard on `PATH`.
fn command(repo: &Repo, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut path = Path::new(GUARD).parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let mut command = repo.command(program);
    command.env("PATH", path);
    command
}

/// The lines of doctor's report on one check: `status name: message` and the help.
#[track_caller]
fn doctor(repo: &Repo, check: &str) -> String {
    let output = common::run(command(repo, GUARD).arg("doctor"));
    let mut lines = output.stdout.lines().peekable();
    let head = lines
        .by_ref()
        .find(|line| line.contains(&format!(" {check}: ")))
        .unwrap_or_else(|| panic!("no check {check}:\n{}", output.text()));
    let help = lines.take_while(|line| line.starts_with("      "));
    [head]
        .into_iter()
        .chain(help)
        .collect::<Vec<_>>()
        .join("\n")
}

#[track_caller]
fn says(text: &str, part: &str) {
    assert!(text.contains(part), "{part:?} is not in:\n{text}");
}

fn install(repo: &Repo) -> Output {
    repo.guard(&["install", "git"])
}

fn hook(repo: &Repo, name: &str) -> PathBuf {
    repo.path(".git/hooks").join(name)
}

fn switch_off(file: &Path) {
    fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
}

#[test]
fn lefthook_that_runs_guard_lint_calls_guard() {
    let repo = repo();
    repo.install_hook_script("pre-commit", GENERATED_BY_LEFTHOOK);
    repo.write(
        "lefthook.yml",
        "pre-push:\n  jobs:\n    - run: guard lint\npre-commit:\n  jobs:\n    - run: make\n",
    );
    says(&doctor(&repo, "pre-commit"), "does not call guard");
    for (file, content) in [
        (
            "lefthook.yml",
            "pre-commit:\n  jobs:\n    - name: scope\n      run: guard lint\n",
        ),
        (
            "lefthook.toml",
            "[[pre-commit.jobs]]\nrun = \"guard lint --staged\"\n",
        ),
        (
            "lefthook.json",
            "{\"pre-commit\": {\"commands\": {\"guard\": {\"run\": \"guard hook pre-commit\"}}}}",
        ),
    ] {
        fs::remove_file(repo.path("lefthook.yml")).ok();
        repo.write(file, content);
        let told = doctor(&repo, "pre-commit");
        says(&told, "ok ");
        says(&told, &format!("calls guard through lefthook ({file})"));
        fs::remove_file(repo.path(file)).unwrap();
    }
}

#[test]
fn husky_that_runs_guard_lint_calls_guard() {
    let repo = repo();
    repo.git(&["config", "core.hooksPath", ".husky/_"]);
    repo.write(
        ".husky/_/pre-commit",
        "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"",
    );
    repo.write(".husky/pre-commit", "npm test\n");
    says(&doctor(&repo, "pre-commit"), "does not call guard");
    repo.write(".husky/pre-commit", "guard lint\nnpm test\n");
    says(
        &doctor(&repo, "pre-commit"),
        "calls guard through husky (.husky/pre-commit)",
    );
    // A call inside a comment does not count.
    repo.write(".husky/pre-commit", "# guard lint\nnpm test\n");
    says(&doctor(&repo, "pre-commit"), "does not call guard");
}

/// The lines that install prints for a hook, without the first, ready to paste.
fn lines_to_add(repo: &Repo, name: &str) -> (String, Vec<String>) {
    let told = install(repo).exits(1).stdout;
    let own = told
        .lines()
        .skip_while(|line| !line.starts_with(&format!("{name}:")));
    let mut help = own.skip(1).take_while(|line| line.starts_with("    "));
    let how = help.next().unwrap().trim().to_owned();
    (how, help.map(|line| line[4..].to_owned()).collect())
}

#[test]
fn existing_lefthook_settings_stay_valid() {
    let repo = repo();
    repo.install_hook_script("pre-commit", GENERATED_BY_LEFTHOOK);
    let paste = |before: &str, after: &str, anchor: &str| {
        let old = format!("{before}{after}");
        repo.write("lefthook.yml", &old);
        let (how, lines) = lines_to_add(&repo, "pre-commit");
        says(&how, anchor);
        let new = format!("{before}{}\n{after}", lines.join("\n"));
        assert_eq!(new.matches("pre-commit:").count(), 1, "{new}");
        repo.write("lefthook.yml", &new);
        says(&doctor(&repo, "pre-commit"), "calls guard through lefthook");
        if let Some(program) = lefthook() {
            common::run(repo.command(&program).arg("validate")).exits(0);
            repo.stage("stray.txt", "stray\n");
            let mut run = command(&repo, &program);
            common::run(run.args(["run", "pre-commit"]))
                .exits(1)
                .says("out-of-scope");
            repo.git(&["rm", "--quiet", "--force", "stray.txt"]);
        }
    };
    paste(
        "pre-commit:\n  jobs:\n",
        "    - run: 'true'\npre-push:\n  jobs:\n    - run: 'true'\n",
        "right below `jobs:` of `pre-commit:`",
    );
    paste(
        "pre-commit:\n",
        "    commands:\n        test:\n            run: 'true'\n",
        "right below `pre-commit:`",
    );
    paste("pre-commit: # ours\n", "", "right below `pre-commit:`");
    repo.write("lefthook.yml", "pre-commit: {jobs: [{run: 'true'}]}\n");
    says(
        &doctor(&repo, "pre-commit"),
        "add this to its list `jobs`: {run: \"guard hook pre-commit {0}\"}",
    );
    repo.write("lefthook.yml", "pre-push:\n  jobs:\n    - run: 'true'\n");
    says(
        &doctor(&repo, "pre-commit"),
        "add this to lefthook.yml: `pre-commit: {jobs: [{run: \"guard hook pre-commit {0}\"}]}`",
    );
}

/// Settings with guard's hooks, called `id`, and one that must never run.
fn config(repo: &Repo, entries: &[(&str, &str)]) -> String {
    let mut config = format!(
        "repos:\n- repo: local\n  hooks:\n  - id: canary\n    name: canary\n    entry: touch {}\n    \
         language: system\n    always_run: true\n    pass_filenames: false\n",
        repo.path("../canary").display()
    );
    for (stage, entry) in entries {
        config.push_str(&format!(
            "  - id: scope-{stage}\n    name: scope\n    entry: {entry}\n    language: system\n    \
             always_run: true\n    pass_filenames: {}\n    stages: [{stage}]\n",
            *stage == "prepare-commit-msg"
        ));
    }
    config
}

#[test]
fn doctor_tries_the_frameworks_own_run_command() {
    for (name, program) in frameworks() {
        let repo = repo();
        for stage in ["pre-commit", "prepare-commit-msg"] {
            common::run(
                repo.command(&program)
                    .args(["install", "--hook-type", stage]),
            )
            .exits(0);
        }
        let write = |entries: &[(&str, &str)]| {
            repo.write(".pre-commit-config.yaml", config(&repo, entries));
        };
        write(&[
            ("pre-commit", "guard hook framework"),
            ("prepare-commit-msg", "guard hook prepare-commit-msg"),
        ]);
        let told = doctor(&repo, "proof");
        says(&told, "ok ");
        says(
            &told,
            &format!("`{name} run scope-pre-commit` refused a commit out of scope"),
        );
        let told = doctor(&repo, "proof-no-verify");
        says(&told, "ok ");
        says(
            &told,
            &format!(
                "`{name} run scope-prepare-commit-msg --hook-stage prepare-commit-msg` refused a commit out of scope"
            ),
        );
        // doctor detects a call whose failure is ignored.
        write(&[("pre-commit", "sh -c 'guard hook pre-commit || exit 0'")]);
        let told = doctor(&repo, "proof");
        says(&told, "fail ");
        says(&told, "accepted a commit out of scope");
        says(
            &told,
            "check the hook scope-pre-commit in .pre-commit-config.yaml",
        );
        assert!(!repo.path("../canary").exists(), "{name}");
    }
}

#[test]
fn advice_for_a_disabled_hook_enables_it() {
    let repo = repo();
    let file = hook(&repo, "pre-commit");
    let shown = file.display().to_string();
    for (content, advice) in [
        (
            "#!/bin/sh\nguard hook pre-commit\n",
            "make it executable: chmod +x ",
        ),
        ("#!/bin/sh\nmake\n", "or remove it (rm "),
    ] {
        fs::remove_file(&file).ok();
        repo.install_hook_script("pre-commit", content);
        switch_off(&file);
        for told in [doctor(&repo, "pre-commit"), install(&repo).exits(1).text()] {
            says(&told, "is not executable, so git ignores it");
            says(&told, advice);
            says(&told, &format!("chmod +x {shown}"));
        }
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        install(&repo).exits(0);
        let told = doctor(&repo, "pre-commit");
        says(&told, "ok ");
    }
    // guard's block in a disabled hook.
    switch_off(&file);
    says(
        &doctor(&repo, "pre-commit"),
        &format!("make it executable: chmod +x {shown}"),
    );
    // guard makes its own file executable again.
    fs::remove_file(&file).unwrap();
    install(&repo).exits(0);
    switch_off(&file);
    says(&doctor(&repo, "pre-commit"), "guard install git");
    install(&repo).exits(0).says("made executable again");
}

#[test]
fn uninstall_names_the_file_that_calls_guard() {
    let repo = repo();
    let file = hook(&repo, "pre-commit");
    let uninstall = || repo.guard(&["uninstall", "git"]).exits(1);
    repo.install_hook_script("pre-commit", "#!/bin/sh\nguard lint\n");
    uninstall().says(&format!(
        "remove the line that calls guard from {}",
        file.display()
    ));

    repo.install_hook_script("pre-commit", GENERATED_BY_LEFTHOOK);
    repo.write(
        "lefthook.yml",
        "pre-commit:\n  jobs:\n    - run: guard lint\n",
    );
    uninstall()
        .says("lefthook calls guard because of its settings")
        .says("remove the entry that calls guard from lefthook.yml");

    fs::remove_file(&file).unwrap();
    install(&repo).exits(0);
    let own = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{own}echo mine\n")).unwrap();
    uninstall().says(&format!("save your own lines, then: rm {}", file.display()));

    repo.install_hook_script("pre-commit", "#!/bin/sh\nmake\n");
    install(&repo).exits(0);
    let chained = fs::read_to_string(&file).unwrap();
    fs::write(&file, chained.replace("|| exit $?", "|| true")).unwrap();
    uninstall()
        .says("remove the lines from `# >>> guard` to `# <<< guard` from")
        .says(&file.display().to_string());
}

#[test]
fn uninstall_keeps_shared_hooks() {
    let repo = repo();
    install(&repo).exits(0);
    let shared = repo.path("../shared");
    fs::rename(repo.path(".git/hooks"), &shared).unwrap();
    repo.git(&["config", "core.hooksPath", "../shared"]);
    repo.guard(&["uninstall", "git"])
        .exits(2)
        .says("outside this repository")
        .says("remove by hand its files");
    for name in HOOKS {
        assert!(shared.join(name).exists(), "{name}");
    }
}
