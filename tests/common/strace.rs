//! strace: records the file system calls of a program, makes one of them fail, or kills the program before it.

use std::collections::BTreeMap;
use std::process::Command;

use super::{Repo, skip};

/// Calls that change, sync or open something.
const CHANGING: &str = "copy_file_range fchmod fchown fdatasync flock fsync ftruncate link linkat mkdir mkdirat openat \
    openat2 pwrite64 pwritev rename renameat renameat2 rmdir sendfile symlinkat unlink unlinkat utimensat write writev";

/// Calls that only read.
const LOOKING: &str = "close dup fcntl fstat fstatfs getcwd getdents64 ioctl lseek newfstatat pread64 read readlink \
    readlinkat readv statfs statx";

fn is_changing(call: &str) -> bool {
    CHANGING.split(' ').any(|changing| changing == call)
}

fn calls() -> impl Iterator<Item = &'static str> {
    CHANGING.split(' ').chain(LOOKING.split(' '))
}

/// A call: its name and its number among the calls of that name, from 1.
pub type Point = (&'static str, usize);

/// How often each call is made.
pub type Counts = BTreeMap<&'static str, usize>;

/// Whether strace is installed and may trace; a counted skip otherwise.
pub fn is_there(repo: &Repo) -> bool {
    let mut strace = repo.command("strace");
    let traced = strace.args(["-qq", "-o", "/dev/null", "true"]).status();
    let is_there = traced.is_ok_and(|status| status.success());
    if !is_there {
        skip("strace is missing or may not trace");
    }
    is_there
}

/// strace with the arguments that write every call to `../trace`; the program and its arguments follow.
pub fn recording() -> Vec<String> {
    let calls = calls().collect::<Vec<_>>().join(",");
    let strace = format!("strace -f -qq -o ../trace -etrace={calls}");
    strace.split(' ').map(str::to_owned).collect()
}

/// The calls that [`recording`] wrote.
#[track_caller]
pub fn recorded(repo: &Repo) -> Counts {
    let text = repo.read("../trace");
    let text = String::from_utf8_lossy(&text);
    let mut counts = Counts::new();
    for line in text.lines() {
        let call = line.split_once(' ').unwrap().1.trim_start();
        let name = call.split_once('(').map_or("", |(name, _)| name);
        if let Some(name) = calls().find(|known| *known == name) {
            *counts.entry(name).or_default() += 1;
        }
    }
    counts
}

/// strace with the arguments that inject `fault` at a point; the program and its arguments follow.
pub fn injecting((call, number): Point, fault: &str) -> Vec<String> {
    let inject = format!("-etrace={call} -einject={call}:{fault}:when={number}");
    let strace = format!("strace -f -qq -o /dev/null {inject}");
    strace.split(' ').map(str::to_owned).collect()
}

/// A command of a repository from its words.
pub fn command(repo: &Repo, words: &[String]) -> Command {
    let mut command = repo.command(&words[0]);
    command.args(&words[1..]);
    command
}

/// Whether to try everything.
pub fn is_long() -> bool {
    std::env::var_os("GUARD_LONG").is_some()
}

/// Every point with `GUARD_LONG`. Otherwise every `write`, so that no torn file is missed, one in twenty of `openat`, which
/// mostly reads, one in ten of each other changing call, including the last, and one of each reading call, because a
/// kill before a read leaves the same state as one before the next change. `salt` and the name of the call select them.
pub fn points(counts: &Counts, salt: usize) -> Vec<Point> {
    let mut all = Vec::new();
    for (at, (name, count)) in counts.iter().enumerate() {
        let step = match *name {
            "write" => 1,
            "openat" => 20,
            _ => 10,
        };
        let is_chosen = |number: &usize| match is_changing(name) {
            _ if is_long() => true,
            true => (number + at + salt).is_multiple_of(step) || number == count,
            false => *number == (7 * at + salt) % count + 1,
        };
        let numbers = (1..=*count).filter(is_chosen);
        all.extend(numbers.map(|number| (*name, number)));
    }
    all
}

/// The errors that this call can return: a general one and those that fit. None for `close`: the real call always
/// closes the file, but strace would leave it open and its lock held.
pub fn errors(call: &str) -> Vec<&'static str> {
    if call == "close" {
        return Vec::new();
    }
    let mut errors = vec!["EIO"];
    let mut slow = "open read write pread pwrite fsync fdatasync flock fcntl".split(' ');
    if slow.any(|slow| call.starts_with(slow)) {
        errors.push("EINTR");
    }
    if is_changing(call) {
        errors.push("ENOSPC");
    }
    if call.starts_with("link") || call.starts_with("rename") || call == "openat2" {
        errors.push("EXDEV");
    }
    if call.starts_with("open") || ["dup", "fcntl"].contains(&call) {
        errors.push("EMFILE");
    }
    errors
}
