//! guard at a commit as its users run it: under pre-commit and prek, and installed by cargo.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::frameworks::{frameworks, local_config};
use crate::common::{self, DESIGN, GUARD, Output, Repo, SOURCE};

const MANIFEST: &str = include_str!("../.pre-commit-hooks.yaml");
const ROWS: &[(&str, &str, &str)] = &[
    ("src/utils/lld.rs", "Add", "path enforcement"),
    ("src/stale.rs", "Delete", "unused since the last release"),
];

/// A governed repository with `config` as the framework's settings and its hooks installed.
fn framework_repo(program: &Path, config: &str) -> Repo {
    let repo = base_repo();
    repo.stage(".pre-commit-config.yaml", config);
    repo.govern(ROWS);
    for hook in ["pre-commit", "pre-merge-commit", "pre-push"] {
        common::run(repo.command(program).args(["install", "--hook-type", hook])).exits(0);
    }
    repo
}

fn base_repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/kept.rs", "fn kept() {}\n");
    repo.stage("src/stale.rs", "fn stale() {}\n");
    repo
}

fn commit(repo: &Repo) -> Output {
    repo.try_git(&["commit", "--message", "Change"])
}

/// git that finds the built guard on `PATH`.
fn with_guard(repo: &Repo, arguments: &[&str]) -> Output {
    common::run(repo.with_guard_on_path("git").args(arguments))
}

#[test]
fn commits_are_judged_under_a_framework() {
    for (name, program) in frameworks() {
        let repo = framework_repo(&program, &local_config());
        let before = repo.git(&["rev-parse", "HEAD"]);
        repo.stage("src/core/lld.rs", "fn enforce() {}\n");
        let refused = commit(&repo).exits(1).says("out-of-scope");
        refused.says("src/core/lld.rs").says("src/utils/lld.rs");
        assert_eq!(repo.git(&["rev-parse", "HEAD"]), before, "{name}");

        // The framework finds no files in a commit that only deletes.
        repo.git(&["reset", "--quiet", "--hard"]);
        repo.git(&["rm", "--quiet", "src/kept.rs"]);
        commit(&repo).exits(1).says("src/kept.rs");
        repo.git(&["reset", "--quiet", "--hard"]);
        repo.git(&["rm", "--quiet", "src/stale.rs"]);
        repo.stage("src/utils/lld.rs", "fn enforce() {}\n");
        commit(&repo).exits(0);
        assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "Change", "{name}");

        repo.branch("199-no-such-design");
        repo.stage("src/utils/lld.rs", "fn enforced() {}\n");
        commit(&repo).exits(1).says("exit code: 2");
    }
}

#[test]
fn all_files_run_in_ci_needs_a_range() {
    for (name, program) in frameworks() {
        let repo = framework_repo(&program, &local_config());
        repo.stage("src/core/lld.rs", "fn enforce() {}\n");
        repo.commit("Outside");
        let run = |arguments: &[&str], in_ci: bool| {
            let mut run = repo.command(&program);
            run.envs(in_ci.then_some(("GITHUB_ACTIONS", "true")));
            common::run(run.arg("run").args(arguments))
        };
        run(&["--all-files"], true)
            .exits(1)
            .says("exit code: 2")
            .says("nothing is staged, so guard checked nothing in this CI job")
            .says("guard lint --ci")
            .says("--from-ref BASE --to-ref HEAD");
        for in_ci in [true, false] {
            let range = run(&["--from-ref", "main", "--to-ref", "HEAD"], in_ci);
            range.exits(1).says("src/core/lld.rs");
        }
        let empty = run(&["--from-ref", "main", "--to-ref", "main"], false);
        empty.exits(1).says("exit code: 2");
        run(&["--all-files", "--verbose"], false)
            .exits(0)
            .says("nothing is staged, so guard checked nothing")
            .says("guard lint --ci");
        // Staged changes are judged in CI as elsewhere; so is an empty commit made by a job.
        let mut git = repo.command("git");
        git.args(["commit", "--allow-empty", "--message", "Empty"]);
        common::run(git.env("GITHUB_ACTIONS", "true")).exits(0);
        repo.stage("src/utils/lld.rs", "fn enforce() {}\n");
        run(&["--all-files"], true).exits(0);
        assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "Empty", "{name}");
    }
}

#[test]
fn hooks_judge_what_is_staged_whatever_the_environment_says() {
    let repo = base_repo();
    repo.govern(ROWS);
    for hook in ["pre-commit", "framework"] {
        let job = repo.guard_with(&[("GITLAB_CI", "true")], &["hook", hook]);
        job.exits(2).says("guard lint --ci");
    }
    // Variables of the framework do not turn the judgement of a commit into that of an empty range.
    let hook = format!("#!/bin/sh\nexec '{GUARD}' hook framework\n");
    repo.install_hook_script("pre-commit", &hook);
    repo.stage("src/core/lld.rs", "fn enforce() {}\n");
    let mut git = repo.command("git");
    git.args(["commit", "--message", "Change"]);
    for name in ["PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF"] {
        git.env(name, "HEAD");
    }
    common::run(&mut git).exits(1).says("src/core/lld.rs");
}

#[test]
fn the_pre_push_stage_judges_the_range_that_is_pushed() {
    for (name, program) in frameworks() {
        let repo = framework_repo(&program, &local_config());
        repo.add_server();
        repo.git(&["push", "--quiet", "--no-verify", "origin", "main"]);
        repo.git(&["remote", "set-head", "origin", "main"]);
        let push = || repo.try_git(&["push", "origin", "188-work"]);
        repo.stage("src/utils/lld.rs", "fn enforce() {}\n");
        repo.commit("Inside");
        push().exits(0);
        repo.stage("src/core/lld.rs", "fn enforce() {}\n");
        repo.commit("Outside");
        push().exits(1).says("out-of-scope").says("src/core/lld.rs");
        let refs = repo.git(&["ls-remote", "origin"]);
        assert!(refs.contains("188-work"), "{name}");
    }
}

#[test]
fn the_shipped_manifest_is_valid_and_finds_guard_on_the_path() {
    for (_, program) in frameworks() {
        let shipped = Repo::new();
        shipped.stage(".pre-commit-hooks.yaml", MANIFEST);
        let revision = shipped.commit("Ship the hooks");
        let mut validate = shipped.command(&program);
        validate.args(["validate-manifest", ".pre-commit-hooks.yaml"]);
        common::run(&mut validate).exits(0);

        let config = format!(
            "repos:\n- repo: {}\n  rev: {revision}\n  hooks:\n  - id: guard-system\n",
            shipped.root.display()
        );
        let repo = framework_repo(&program, &config);
        repo.git(&["rm", "--quiet", "src/kept.rs"]);
        let refused = with_guard(&repo, &["commit", "--message", "Change"]).exits(1);
        refused.says("out-of-scope").says("src/kept.rs");
    }
}

/// The hooks of the manifest: the lines of each, without its comment.
fn shipped_hooks() -> Vec<Vec<&'static str>> {
    let mut hooks: Vec<Vec<&str>> = Vec::new();
    for line in MANIFEST.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with("- id: ") {
            hooks.push(Vec::new());
        }
        hooks.last_mut().unwrap().push(line);
    }
    hooks
}

#[test]
fn each_hook_exists_as_wheel_from_source_and_from_the_path() {
    let hooks = shipped_hooks();
    assert_eq!(hooks.len(), 12);
    for variants in hooks.chunks(3) {
        let [wheel, rust, system] = variants else {
            panic!("{variants:?}");
        };
        assert!(wheel.contains(&"  language: python"), "{wheel:?}");
        for (variant, language) in [(rust, "rust"), (system, "system")] {
            assert_eq!(variant[0], format!("{}-{language}", wheel[0]));
            let differ: Vec<_> = wheel.iter().zip(variant).filter(|(a, b)| a != b).collect();
            // The id, the name and the language.
            assert_eq!(differ.len(), 3, "{differ:?}");
            let own = format!("  language: {language}");
            assert!(variant.contains(&own.as_str()), "{variant:?}");
        }
    }
}

/// The shipped hook `guard-design-system` as a local one, with the built binary in place of the name.
fn design_config() -> String {
    let hooks = shipped_hooks();
    let mut hooks = hooks.iter().map(|hook| hook.join("\n  "));
    let hook = hooks.find(|hook| hook.contains("id: guard-design-system"));
    let hook = hook
        .unwrap()
        .replace("entry: guard ", &format!("entry: {GUARD} "));
    format!("repos:\n- repo: local\n  hooks:\n  {hook}\n")
}

#[test]
fn the_design_hook_refuses_faulty_designs_and_ignores_other_files() {
    for (name, program) in frameworks() {
        let repo = framework_repo(&program, &design_config());
        let rows = [("src/utils/lld.rs", "Tweak", "")];
        repo.design(DESIGN, &rows);
        let faulty = std::fs::read_to_string(repo.path(DESIGN)).unwrap();
        let good = faulty.replace("Tweak", "Add");
        repo.write(DESIGN, &good);
        let refused = commit(&repo).exits(1);
        refused.says("design-bad-row").says("LLD-188.md:7:");
        repo.stage(DESIGN, &good);
        repo.write(DESIGN, &faulty);
        commit(&repo).exits(0);
        assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "Change", "{name}");

        // Other files.
        repo.git(&["checkout", "--quiet", "--", DESIGN]);
        repo.stage("README.md", "# Read me\n\n## Files Changed\n\nNone.\n");
        commit(&repo).exits(0).says("Passed");
        repo.stage("src/kept.rs", "fn kept() { }\n");
        commit(&repo).exits(0).says("Skipped");

        let mut manual = repo.command(&program);
        manual.args(["run", "--all-files", "--hook-stage", "manual"]);
        common::run(&mut manual).exits(0).says("Passed");
    }
}

/// A command that may build: it gets the caller's toolchain and cargo's package cache. A package that names its own
/// toolchain must not make rustup fetch or update one.
fn building(repo: &Repo, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = repo.command(program);
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    for (variable, default) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        let value = std::env::var_os(variable).unwrap_or_else(|| home.join(default).into());
        command.env(variable, value);
    }
    command.env("RUSTUP_AUTO_INSTALL", "0");
    // Frameworks share the build.
    command.env("CARGO_TARGET_DIR", Path::new(SOURCE).join("target/install"));
    let toolchain = std::env::var_os("RUSTUP_TOOLCHAIN");
    command.envs(toolchain.map(|toolchain| ("RUSTUP_TOOLCHAIN", toolchain)));
    command
}

/// `try-repo` of this repository, which must be a clone.
#[test]
fn the_frameworks_build_guard_from_its_sources() {
    if std::env::var_os("GUARD_LONG").is_none() {
        common::skip("builds guard anew; .ci/long runs it");
        return;
    }
    if !Path::new(SOURCE).join(".git").exists() {
        common::skip("try-repo needs a clone of guard's repository");
        return;
    }
    for (_, program) in frameworks() {
        let repo = base_repo();
        repo.govern(ROWS);
        let refused = |id: &str| {
            let mut command = building(&repo, &program);
            common::run(command.args(["try-repo", SOURCE, id, "--verbose"])).exits(1)
        };
        repo.stage("src/core/lld.rs", "fn enforce() {}\n");
        refused("guard-rust").says("src/utils/lld.rs");
        repo.design(DESIGN, &[("src/none.rs", "Modify", "")]);
        refused("guard-design-rust").says("design-modify-missing");
    }
}
