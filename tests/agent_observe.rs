//! What commands of agents do is observed: each writing command of a long list is reported and taken back to the
//! byte, and everyday commands are neither denied nor reported.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::common::agents::{Answered, absolute, assert_says, claude, hook, write};
use crate::common::{GUARD, Output, Repo, SOURCE, lines, run, skip, write_executable};

/// What the design of the template lets a command write.
const ALLOWED: &[&str] = &["src/log.py", "src/state.py", "src/utils/lld.py", "docs/notes.md"];

/// A repository with a remote, other branches, a hook, and changes of a user that no commit has.
fn template() -> Repo {
    let repo = Repo::nothing_in_memory().initialized(&[]);
    repo.write(".git/info/exclude", "*.private\n");
    repo.stage("src/log.py", "import sys\n\nlevel = 1\nlevel = 1\n");
    repo.stage("src/state.py", lines(1..=200));
    repo.stage("src/other.py", "x = 1\n");
    repo.stage("src/big.py", lines(1..=300));
    repo.stage("lib/util.py", "a = 1\nx = 2\n");
    repo.stage("data/table.csv", "a,1\nb,2\nc,3\n");
    repo.stage("README.md", "# Title\n\nA line.\n");
    repo.stage("scripts/run.sh", "echo run\n");
    repo.stage("Makefile", "all:\n\t@mkdir -p target && echo x > target/out\n");
    repo.stage(".gitignore", "target/\nnode_modules/\n__pycache__/\n*.tmp\n");
    std::os::unix::fs::symlink("src/log.py", repo.path("link.py")).unwrap();
    repo.git(&["add", "link.py"]);
    repo.git(&["update-index", "--chmod=+x", "scripts/run.sh"]);
    repo.git(&["config", "user.name", "A"]);
    repo.git(&["config", "user.email", "a@example.com"]);
    repo.commit("Begin");
    repo.git(&["branch", "merged"]);
    repo.git(&["switch", "--quiet", "--create", "side"]);
    repo.stage("src/other.py", "evil = 1\n");
    repo.stage("side.py", "evil = 2\n");
    repo.commit("Work on the side");
    repo.git(&["switch", "--quiet", "main"]);
    repo.govern(&[
        ("src/log.py", "Modify", "logging"),
        ("src/state.py", "Modify", "the state"),
        ("src/utils/lld.py", "Add", "designs"),
        ("docs/notes.md", "Add", "notes"),
    ]);
    repo.git(&["tag", "v1"]);
    repo.stage("src/log.py", "import sys\n\nlevel = 1\nlevel = 2\n");
    repo.commit("Change the log");
    // Others went on, in the branch, in theirs and in main.
    repo.git(&["init", "--quiet", "--bare", "../origin.git"]);
    repo.git(&["remote", "add", "origin", "../origin.git"]);
    repo.git(&["push", "--quiet", "origin", "main", "188-work", "main:theirs"]);
    repo.git(&["switch", "--quiet", "--detach"]);
    repo.stage("src/theirs.py", "theirs = 1\n");
    repo.commit("Work of others");
    repo.git(&["push", "--quiet", "origin", "HEAD:188-work"]);
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/main.py", "main = 1\n");
    repo.commit("Work in main");
    repo.git(&["push", "--quiet", "origin", "main"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["update-ref", "refs/remotes/origin/188-work", "HEAD"]);
    repo.git(&["branch", "--quiet", "--set-upstream-to=origin/188-work"]);
    fs::create_dir_all(repo.path(".git/hooks")).unwrap();
    write_executable(&repo.path(".git/hooks/pre-commit"), "#!/bin/sh\nexit 0\n");
    fs::set_permissions(repo.path("scripts/run.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    repo.write("README.md", "# Title\n\nA line of the user.\n");
    repo.write("notes.txt", "notes of the user\n");
    repo
}

fn copy_of(template: &Repo) -> Repo {
    let repo = Repo::nothing_in_memory();
    let base = template.path("..");
    run(Command::new("cp").arg("-a").arg(base.join(".")).arg(repo.path(".."))).exits(0);
    repo
}

fn bash(repo: &Repo, event: &str, command: &str) -> Output {
    let mut payload = claude(repo, "Bash", &json!({"command": command}));
    payload["hook_event_name"] = event.into();
    hook(repo, "claude", payload.to_string())
}

/// Runs a command between the hooks. The answer is the report.
fn observed(repo: &Repo, command: &str) -> Option<String> {
    let before = bash(repo, "PreToolUse", command);
    assert_eq!((before.code, before.text().as_str()), (0, ""), "{command}: {before:?}");
    shell(repo, command);
    reported(&bash(repo, "PostToolUse", command))
}

fn shell(repo: &Repo, command: &str) {
    let mut shell = repo.with_guard_on_path("bash");
    shell.arg("-c").arg(command);
    let temporary = repo.path("../temporary");
    fs::create_dir_all(&temporary).unwrap();
    run(shell.env("TMPDIR", temporary));
}

fn reported(after: &Output) -> Option<String> {
    assert_eq!(after.code, 0, "{after:?}");
    if after.stdout.is_empty() {
        return None;
    }
    let answer: Value = serde_json::from_str(&after.stdout).unwrap();
    assert_eq!(answer["decision"], "block", "{answer}");
    Some(answer["reason"].as_str().unwrap().to_owned())
}

/// Everything that a command may change: files that are not ignored, with their mode, and what git knows.
fn state(repo: &Repo) -> BTreeMap<String, String> {
    let mut state = BTreeMap::new();
    let mut open = vec![repo.root.clone()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&repo.root).unwrap().to_str().unwrap().to_owned();
            let end = name.rsplit('/').next().unwrap();
            let is_ignored = ["target", "node_modules", "__pycache__", ".git"].contains(&end)
                || end.ends_with(".tmp");
            let about = path.symlink_metadata().unwrap();
            if is_ignored {
                continue;
            } else if about.is_dir() {
                open.push(path);
            } else if about.is_symlink() {
                state.insert(name, format!("-> {:?}", fs::read_link(&path).unwrap()));
            } else {
                let is_executable = about.permissions().mode() & 0o100 != 0;
                let content = fs::read(&path).unwrap();
                state.insert(name, format!("{is_executable} {content:?}"));
            }
        }
    }
    for file in ["config", "info/exclude", "info/attributes", "HEAD"] {
        let content = fs::read_to_string(repo.path(".git").join(file));
        state.insert(format!(".git/{file}"), format!("{:?}", content.ok()));
    }
    let global = fs::read_to_string(repo.home().join(".gitconfig")).ok();
    state.insert("../home/.gitconfig".to_owned(), format!("{global:?}"));
    for entry in fs::read_dir(repo.path(".git/hooks")).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = format!(".git/hooks/{}", path.file_name().unwrap().to_str().unwrap());
        let mode = fs::metadata(&path).map_or(0, |about| about.permissions().mode() & 0o100);
        state.insert(name, format!("{mode} {:?}", fs::read(&path)));
    }
    let refs = repo.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
    for line in refs.lines() {
        let (name, id) = line.split_once(' ').unwrap();
        if !name.starts_with("refs/guard/") && !name.starts_with("refs/remotes/") {
            state.insert(name.to_owned(), id.to_owned());
        }
    }
    state.insert("the index".to_owned(), repo.try_git(&["ls-files", "--stage"]).stdout);
    state
}

/// The commands of a list, with whether what they do can be taken back; without `GUARD_LONG` only some of them.
fn commands(file: &str, sample: usize) -> Vec<(String, bool)> {
    let text = fs::read_to_string(Path::new(SOURCE).join("tests/data").join(file)).unwrap();
    let mut is_restored = true;
    let mut all = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("# ") {
            Some(title) => is_restored = !title.contains("not restored"),
            None => all.push((line.to_owned(), is_restored)),
        }
    }
    if std::env::var_os("GUARD_LONG").is_some() {
        return all;
    }
    let step = all.len().div_ceil(sample);
    all.into_iter().step_by(step).collect()
}

/// Runs `check` on a copy of the template for each command, and collects what is wrong.
fn with_each(commands: &[(String, bool)], check: impl Fn(&Repo, &str, bool) -> Option<String> + Sync) {
    let (template, next) = (template(), AtomicUsize::new(0));
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((command, is_restored)) =
                    commands.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let repo = copy_of(&template);
                    if let Some(why) = check(&repo, command, *is_restored) {
                        wrong.lock().unwrap().push(format!("{command}\n    {why}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), commands.len(), wrong.join("\n"));
}

#[test]
fn what_a_command_writes_outside_the_design_is_reported_and_taken_back() {
    with_each(&commands("commands.txt", 60), |repo, command, is_restored| {
        let before = state(repo);
        let report = observed(repo, command);
        let after = state(repo);
        if before == after {
            skip(&format!("it does nothing here: {command}"));
            return None;
        }
        let Some(report) = report else {
            return Some("is not reported".to_owned());
        };
        let names = before.keys().chain(after.keys());
        let changed: Vec<&String> = names
            .filter(|name| before.get(*name) != after.get(*name))
            .filter(|name| !name.starts_with(".git/") && !name.contains("refs/") && !name.contains("the index"))
            .filter(|name| !ALLOWED.contains(&name.as_str()) || !after.contains_key(*name))
            .collect();
        // A path that is as in HEAD is no change to report.
        let is_as_in_head = |name: &str| {
            let head = repo.try_git(&["show", &format!("HEAD:{name}")]);
            head.code == 0 && fs::read(repo.path(name)).is_ok_and(|there| there == head.stdout.as_bytes())
        };
        let changed: Vec<&String> = changed.into_iter().filter(|name| !is_as_in_head(name)).collect();
        let is_listed = !report.contains(" more\n") && !report.contains("could not judge");
        if is_listed && is_restored {
            let is_told = |name: &&&String| !report.contains(name.trim_start_matches("../home/"));
            if let Some(name) = changed.iter().find(is_told) {
                return Some(format!("{name} is missing: {report}"));
            }
        }
        let (_, rest) = report.split_once("guard snapshot restore ").unwrap();
        let name = rest.lines().next().unwrap();
        let taken = run(repo.command(GUARD).args(["snapshot", "restore", name]));
        if taken.code != 0 {
            return Some(format!("is not taken back: {}", taken.text()));
        }
        let restored = state(repo);
        if is_restored && restored != before {
            let names = before.keys().chain(restored.keys());
            let wrong = names.filter(|name| before.get(*name) != restored.get(*name));
            let wrong: Vec<String> = wrong
                .map(|name| format!("{name}: {:?} is {:?}", before.get(name), restored.get(name)))
                .collect();
            return Some(format!("is not taken back whole: {wrong:?}\n{report}"));
        }
        None
    });
}

#[test]
fn everyday_commands_are_neither_denied_nor_reported() {
    with_each(&commands("everyday_commands.txt", 40), |repo, command, _| {
        let before = bash(repo, "PreToolUse", command);
        if (before.code, before.text().as_str()) != (0, "") {
            return Some(format!("is denied: {}", before.text()));
        }
        shell(repo, command);
        reported(&bash(repo, "PostToolUse", command))
    });
}
