//! An editor saves a file while guard writes it, in both ways: it renames a new file over the old one, or empties the old
//! one and writes it. guard keeps what was saved, and refuses. strace stops guard at the critical moment.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fs::{self, File};
use std::io::{Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::files::Answer;
use crate::common::{self, GUARD, Repo, strace};

const OLD: &str = "mark\n";
const SAVED: &str = "mark\nsaved\n";

const WRITE: &[&str] = &["write", "dir/a", "--content-file", "content"];
const PATCH: &[&str] = &[
    "patch",
    "dir/a",
    "--search",
    "mark\n",
    "--replace",
    "mark\nmore\n",
];
const DELETE: &[&str] = &["delete", "dir/a"];
const MOVE: &[&str] = &["move", "dir/a", "dir/b"];

/// A repository with a file to change; `None` if strace cannot delay calls.
fn prepared() -> Option<Repo> {
    let repo = Repo::open_in_memory();
    if !strace::is_there(&repo) {
        return None;
    }
    repo.write("content", "new\n");
    repo.write("dir/a", OLD);
    Some(repo)
}

#[track_caller]
fn no_leftovers(repo: &Repo) {
    let names = fs::read_dir(repo.path("dir")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = names.filter(|name| name.starts_with(".guard-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A run of guard under strace, which waits before certain calls and does not go on while it is stopped itself.
struct Run {
    strace: Child,
}

impl Run {
    fn start(repo: &Repo, calls: &str, arguments: &[&str]) -> Run {
        let trace = format!("-etrace={calls}");
        let inject = format!("-einject={calls}:delay_enter=200ms");
        let mut command = repo.command("strace");
        command
            .args(["-f", "-qq", "-o", "/dev/null", &trace, &inject, GUARD])
            .args(arguments)
            .args(["--format", "json"]);
        let strace = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Run { strace }
    }

    /// Stops before the first of the calls once the condition holds; false if the machine was too slow for that.
    fn stop_when(&mut self, is_so: impl Fn() -> bool) -> bool {
        let mut before = None;
        while self.strace.try_wait().unwrap().is_none() {
            let call = self.call().filter(|_| is_so());
            if call.is_some() && call == before {
                self.signal("STOP");
                return self.call() == before;
            }
            before = call;
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    fn go_on(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let id = self.strace.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success());
    }

    /// The call before which guard's main thread stands, with its arguments; `None` while it runs.
    fn call(&self) -> Option<String> {
        let strace = self.strace.id();
        let children = fs::read_to_string(format!("/proc/{strace}/task/{strace}/children")).ok()?;
        let call = fs::read_to_string(format!("/proc/{}/syscall", children.trim())).ok()?;
        // Outside calls it is "running" or -1.
        call.starts_with(|first: char| first.is_ascii_digit())
            .then_some(call)
    }

    fn answer(self) -> Answer {
        self.go_on();
        Answer::of(&self.strace.wait_with_output().unwrap())
    }
}

/// A repository in which a run of guard stands before the first of the calls since the condition held, with what
/// `begin` returned before the run; `None` if strace cannot delay calls.
fn stopped<T>(
    calls: &str,
    arguments: &[&str],
    begin: impl Fn(&Repo) -> T,
    is_so: impl Fn(&Repo, &T) -> bool,
) -> Option<(Repo, T, Run)> {
    for _ in 0..20 {
        let repo = prepared()?;
        let begun = begin(&repo);
        let mut run = Run::start(&repo, calls, arguments);
        if run.stop_when(|| is_so(&repo, &begun)) {
            return Some((repo, begun, run));
        }
        run.go_on();
        run.strace.wait().unwrap();
    }
    panic!("{arguments:?} never stood before {calls}");
}

/// The editor saves right before guard replaces, removes or moves the file, after guard's last check.
#[test]
fn save_right_before_the_rename_is_kept_and_the_operation_refused() {
    let calls = "rename,renameat,renameat2,unlink,unlinkat";
    let is_started = |repo: &Repo, (): &()| {
        let log = fs::read_to_string(repo.path(".git/guard/log.jsonl")).unwrap_or_default();
        log.contains("\"event\":\"started\"")
    };
    for (arguments, in_place) in [(WRITE, false), (WRITE, true), (DELETE, false), (MOVE, true)] {
        let Some((repo, (), guard)) = stopped(calls, arguments, |_| (), is_started) else {
            return;
        };
        if !in_place {
            fs::remove_file(repo.path("dir/a")).unwrap();
        }
        repo.write("dir/a", SAVED);
        guard.answer().fails("stale");
        assert_eq!(repo.read("dir/a"), SAVED.as_bytes(), "{arguments:?}");
        assert!(!repo.path("dir/b").exists());
        no_leftovers(&repo);
    }
}

/// The editor has opened the file before guard replaces it, and writes to it afterwards.
#[test]
fn save_into_the_replaced_file_is_kept() {
    for arguments in [WRITE, DELETE] {
        let open = |repo: &Repo| {
            let open = File::options().write(true).open(repo.path("dir/a"));
            let open = open.unwrap();
            let inode = open.metadata().unwrap().ino();
            (open, inode)
        };
        let is_replaced = |repo: &Repo, (_, inode): &(File, u64)| {
            let there = repo.path("dir/a").metadata();
            there.map_or(0, |there| there.ino()) != *inode
        };
        let Some((repo, (mut open, _), guard)) = stopped("fsync", arguments, open, is_replaced)
        else {
            return;
        };
        open.set_len(0).unwrap();
        open.rewind().unwrap();
        open.write_all(SAVED.as_bytes()).unwrap();
        guard.answer().fails("stale");
        assert_eq!(repo.read("dir/a"), SAVED.as_bytes(), "{arguments:?}");
        no_leftovers(&repo);
    }
}

/// If the replaced file cannot be removed, guard keeps and names it.
#[test]
fn replaced_file_that_cannot_be_removed_is_named() {
    for (arguments, done) in [(WRITE, "is written"), (DELETE, "is done")] {
        let Some(repo) = prepared() else { return };
        let mut command = repo.command("strace");
        let inject = "-einject=unlink,unlinkat:error=EIO";
        command.args([
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-etrace=unlink,unlinkat",
            inject,
            GUARD,
        ]);
        let answer = common::files::answer_of(command.args(arguments), b"");
        answer.fails("io");
        assert!(answer.message().contains(done), "{answer:?}");
        let names = fs::read_dir(repo.path("dir")).unwrap();
        let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let left = names.find(|name| name.starts_with(".guard-")).unwrap();
        assert!(answer.message().contains(&left), "{answer:?}");
        assert_eq!(repo.read(&format!("dir/{left}")), OLD.as_bytes());
    }
}

/// A file system that can neither exchange two files nor rename without replacing.
#[test]
fn file_system_without_exchange_behaves_the_same() {
    for arguments in [WRITE, PATCH, MOVE, DELETE] {
        let Some(repo) = prepared() else { return };
        let mut command = repo.command("strace");
        let inject = "-einject=renameat2:error=EINVAL";
        command.args([
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-etrace=renameat2",
            inject,
            GUARD,
        ]);
        common::files::answer_of(command.args(arguments), b"").works();
        assert_eq!(
            repo.path("dir/a").exists(),
            ["write", "patch"].contains(&arguments[0])
        );
        no_leftovers(&repo);
    }
}
