//! Around a command that changes nothing, guard starts no git.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::common::agents::{Answered as _, claude};
use crate::common::{GUARD, Output, Repo, assert_says, run_with_input, skip, write_executable};

/// A repository of so many files, all of long ago: git reads a file of the second in which it wrote the index.
fn with_files(files: usize) -> Repo {
    let repo = Repo::nothing_in_memory().initialized(&[]);
    // As on Linux.
    for setting in ["core.ignoreCase", "core.precomposeUnicode"] {
        repo.git(&["config", setting, "false"]);
    }
    for number in 0..files {
        let (part, group) = (number / 200, number / 20 % 10);
        repo.write(
            format!("src/part_{part}/group_{group}/file_{number}.py"),
            format!("x = {number}\n"),
        );
    }
    repo.write(".gitignore", "target/\n");
    repo.write("target/out", "built\n");
    repo.git(&["add", "--all"]);
    repo.commit("Begin");
    repo.govern(&[("src/new.py", "Add", "the work")]);
    let then = SystemTime::now() - Duration::new(86_400, 5);
    for path in repo.git(&["ls-files"]).lines() {
        let file = File::options().append(true).open(repo.path(path));
        file.unwrap().set_modified(then).unwrap();
    }
    repo
}

/// What the hook answers with this `PATH`.
fn with_path(repo: &Repo, event: &str, path: &Path) -> Output {
    let mut payload = claude(repo, "Bash", &json!({"command": "true"}));
    payload["hook_event_name"] = event.into();
    let mut guard = repo.command(GUARD);
    guard.args(["hook", "claude"]).env("PATH", path);
    run_with_input(&mut guard, payload.to_string().as_bytes())
}

/// A directory with a git that runs the script `meanwhile` once, when git has looked at the files.
fn with_git_that_takes_long(repo: &Repo) -> std::path::PathBuf {
    let bin = repo.path("../bin");
    fs::create_dir_all(&bin).unwrap();
    let path = std::env::var("PATH").unwrap();
    let script = format!(
        "#!/bin/sh\nPATH='{path}'\ngit \"$@\"\ncode=$?\n\
         case \" $* \" in\n*' status '*)\n\
         if [ -f '{root}/../meanwhile' ]; then\n\
         mv '{root}/../meanwhile' '{root}/../done'\ncd '{root}' && sh ../done\nfi ;;\nesac\n\
         exit $code\n",
        root = repo.root.display(),
    );
    write_executable(&bin.join("git"), &script);
    bin
}

#[test]
fn around_a_command_that_changes_nothing_no_git_starts() {
    if cfg!(windows) {
        return skip("a file on Windows does not tell when it was changed");
    }
    let repo = with_files(2_000);
    let bin = with_git_that_takes_long(&repo);
    let nothing = repo.path("../nothing");
    fs::create_dir(&nothing).unwrap();
    for event in ["PreToolUse", "PostToolUse"] {
        with_path(&repo, event, &bin).exits(0);
    }
    for event in ["PreToolUse", "PostToolUse", "PreToolUse", "PostToolUse"] {
        let answer = with_path(&repo, event, &nothing);
        assert_eq!((answer.code, &*answer.stdout), (0, ""), "{answer:?}");
    }
    repo.write("src/part_0/group_0/file_0.py", "x = 1\n");
    let answer = with_path(&repo, "PreToolUse", &nothing);
    assert_says(&answer.denies(), &["git cannot be started"]);
}

#[test]
fn what_changes_while_git_looks_is_seen_the_next_time() {
    if cfg!(windows) {
        return skip("a file on Windows does not tell when it was changed");
    }
    let file = "src/part_0/group_0/file_0.py";
    let change = format!("echo 'x = 1' >{file}");
    for (before, meanwhile, found) in [
        ("", change.as_str(), file),
        ("", "echo >other.py", "other.py"),
        // git has read these rules, and guard then adds the file with others.
        (
            "*.o\n",
            "echo '*.a' >.gitignore; touch -d '2 days ago' .gitignore",
            "",
        ),
    ] {
        let repo = with_files(20);
        let bin = with_git_that_takes_long(&repo);
        let nothing = repo.path("../nothing");
        fs::create_dir(&nothing).unwrap();
        for event in ["PreToolUse", "PostToolUse"] {
            with_path(&repo, event, &bin).exits(0);
        }
        if !before.is_empty() {
            repo.write(".gitignore", before);
        }
        repo.write("../meanwhile", meanwhile);
        fs::remove_file(repo.path("target/out")).unwrap();
        fs::remove_dir(repo.path("target")).unwrap();
        with_path(&repo, "PreToolUse", &bin).exits(0);
        assert!(repo.path("../done").exists(), "{meanwhile}");
        let answer = with_path(&repo, "PreToolUse", &nothing);
        assert_says(&answer.denies(), &["git cannot be started"]);
        let answer = with_path(&repo, "PostToolUse", &bin);
        answer.exits(0).says(found);
    }
}
