//! guard in the settings that a team has already, with the real managers: `guard install` adds its part, which passes
//! alone; a commit out of scope is refused, one of the design accepted; and `guard uninstall` takes the part out byte for
//! byte.

use std::path::{Path, PathBuf};

use crate::common::frameworks::{frameworks, lefthook, npm_package};
use crate::common::pages::page;
use crate::common::{self, GUARD, Output, Repo};

const ROWS: &[(&str, &str, &str)] = &[("src/a.py", "Modify", "the work")];

/// A governed repository in which a team has settings of a manager.
fn team(file: &str, settings: &str) -> Repo {
    let repo = Repo::new();
    repo.stage("src/a.py", "a\n");
    repo.stage(file, settings);
    repo.govern(ROWS);
    repo
}

fn guard(repo: &Repo, arguments: &[&str]) -> Output {
    common::run(repo.with_guard_on_path(GUARD).args(arguments))
}

/// git that finds guard and these programs.
fn git(repo: &Repo, programs: &[PathBuf], arguments: &[&str]) -> Output {
    let mut git = repo.with_guard_on_path("git");
    let path = git.get_envs().find(|(name, _)| *name == "PATH");
    let path = path.and_then(|(_, value)| value).unwrap().to_owned();
    let path = std::env::join_paths(programs.iter().cloned().chain(std::env::split_paths(&path)));
    git.env("PATH", path.unwrap());
    common::run(git.args(arguments))
}

/// Installs guard's part, and shows that the hooks decide; `set_up` makes the manager write its hooks.
fn round_trip(name: &str, repo: &Repo, file: &str, programs: &[PathBuf], set_up: &dyn Fn(&Repo)) {
    let before = repo.text(file);
    guard(repo, &["install", name]).exits(0);
    assert_ne!(repo.text(file), before, "{name}");
    set_up(repo);
    git(repo, programs, &["add", "--all", "--", file]).exits(0);
    git(repo, programs, &["commit", "--quiet", "-m", "Let guard in"]).exits(0);
    repo.write("src/stray.py", "x\n");
    git(repo, programs, &["add", "src"]).exits(0);
    let refused = git(repo, programs, &["commit", "-m", "Stray"]);
    assert_ne!(refused.code, 0, "{name}");
    refused.says("src/stray.py");
    repo.git(&["reset", "--quiet", "--hard"]);
    repo.write("src/a.py", "a\nb\n");
    git(repo, programs, &["add", "src"]).exits(0);
    git(repo, programs, &["commit", "-m", "Work"]).exits(0);
    guard(repo, &["uninstall", name]).exits(0);
    assert_eq!(repo.text(file), before, "{name}");
}

fn directory(program: &Path) -> PathBuf {
    program.parent().unwrap().to_owned()
}

const LOCAL: &str = "repos:\n- repo: local\n  hooks:\n  - id: nothing\n    name: nothing\n    entry: git --version\n    language: system\n    always_run: true\n    pass_filenames: false\n";

#[test]
fn the_frameworks_take_guards_entry_beside_those_of_a_team() {
    let file = ".pre-commit-config.yaml";
    for (name, program) in frameworks() {
        let repo = team(file, LOCAL);
        // The shipped entry names a repository that does not exist yet, so a local one with its hook stands for it.
        let before = repo.text(file);
        guard(&repo, &["install", "pre-commit"]).exits(0);
        let written = repo.text(file);
        assert!(written.contains("- id: guard\n"), "{written}");
        guard(&repo, &["uninstall", "pre-commit"]).exits(0);
        assert_eq!(repo.text(file), before, "{name}");
        let entry = "- repo: local\n  hooks:\n  - {id: guard-pre-commit, name: guard, entry: guard hook framework, language: system, always_run: true, pass_filenames: false, stages: [pre-commit]}\n";
        repo.write(file, before.clone() + entry);
        common::run(
            repo.command(&program)
                .args(["install", "--hook-type", "pre-commit"]),
        )
        .exits(0);
        let programs = [directory(&program)];
        git(&repo, &programs, &["add", file]).exits(0);
        git(
            &repo,
            &programs,
            &["commit", "--quiet", "-m", "Let guard in"],
        )
        .exits(0);
        repo.stage("src/stray.py", "x\n");
        let refused = git(&repo, &programs, &["commit", "-m", "Stray"]);
        assert_ne!(refused.code, 0, "{name}");
        refused.says("src/stray.py");
        repo.git(&["reset", "--quiet", "--hard"]);
        repo.stage("src/a.py", "a\nb\n");
        git(&repo, &programs, &["commit", "-m", "Work"]).exits(0);
        guard(&repo, &["uninstall", "pre-commit"]).exits(0);
        assert_eq!(repo.text(file), before, "{name}");
    }
}

#[test]
fn lefthook_takes_guards_jobs_beside_those_of_a_team() {
    let Some(lefthook) = lefthook() else {
        return;
    };
    let file = "lefthook.yml";
    let repo = team(
        file,
        "pre-commit:\n  parallel: false\n  jobs:\n    - run: git --version\n",
    );
    let install = |repo: &Repo| {
        common::run(repo.command(&lefthook).arg("install")).exits(0);
    };
    round_trip("lefthook", &repo, file, &[directory(&lefthook)], &install);
}

#[test]
fn husky_takes_guards_lines_beside_those_of_a_team() {
    let file = ".husky/pre-commit";
    let repo = team(file, "git --version\n");
    repo.write(".git/info/exclude", "node_modules\n.husky/_\n");
    let Some(husky) = npm_package(&repo, "husky") else {
        return;
    };
    let set_up = |repo: &Repo| {
        common::run(repo.command("node").arg(husky.join("bin.js"))).exits(0);
    };
    round_trip("husky", &repo, file, &[], &set_up);
}

#[test]
fn simple_git_hooks_calls_guard_as_its_advice_says() {
    let manifest = "{\n  \"name\": \"a\",\n  \"simple-git-hooks\": {\n    \"pre-commit\": \"git --version\"\n  }\n}\n";
    let repo = team("package.json", manifest);
    repo.write(".git/info/exclude", "node_modules\n");
    let Some(package) = npm_package(&repo, "simple-git-hooks") else {
        return;
    };
    let set_up = || {
        common::run(repo.command("node").arg(package.join("cli.js"))).exits(0);
    };
    set_up();
    let before = repo.text(".git/hooks/pre-commit");
    let told = guard(&repo, &["install", "git"]);
    told.says("package.json").says("guard hook pre-commit");
    let readme = page("README.md");
    let (_, call) = readme.split_once("begin its `pre-commit` with `").unwrap();
    let (call, _) = call.split_once('`').unwrap();
    let call = format!("{call} git --version");
    repo.write("package.json", manifest.replace("git --version", &call));
    set_up();
    git(&repo, &[], &["add", "package.json"]).exits(0);
    git(&repo, &[], &["commit", "--quiet", "-m", "Let guard in"]).exits(0);
    repo.stage("src/stray.py", "x\n");
    let refused = git(&repo, &[], &["commit", "-m", "Stray"]);
    assert_ne!(refused.code, 0);
    refused.says("src/stray.py");
    repo.git(&["reset", "--quiet", "--hard"]);
    repo.stage("src/a.py", "a\nb\n");
    git(&repo, &[], &["commit", "-m", "Work"]).exits(0);
    // The line is a person's: guard says where it is.
    guard(&repo, &["uninstall", "git"])
        .exits(0)
        .says("pre-commit: calls guard through simple-git-hooks (package.json)");
    repo.write("package.json", manifest);
    set_up();
    git(&repo, &[], &["add", "package.json"]).exits(0);
    git(&repo, &[], &["commit", "--quiet", "-m", "Take guard out"]).exits(0);
    assert_eq!(repo.text(".git/hooks/pre-commit"), before);
    guard(&repo, &["uninstall", "git"]).exits(0);
}
