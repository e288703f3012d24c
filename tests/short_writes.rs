//! A system that writes and reads a few bytes at a time, as with signals, pipes or a nearly full disk: everything is
//! written in the end. strace can only fake this, so a preloaded library really does it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::common::files::answer_of;
use crate::common::{self, GUARD, Repo, lines};
use write_guard::files::{Log, verify};

/// At most five bytes per call.
const SHORT: &str = r"
#include <sys/syscall.h>
#include <unistd.h>
static size_t few(size_t n) { return n < 5 ? n : 5; }
ssize_t write(int fd, const void *bytes, size_t n) { return syscall(SYS_write, fd, bytes, few(n)); }
ssize_t read(int fd, void *bytes, size_t n) { return syscall(SYS_read, fd, bytes, few(n)); }
";

/// The library; a counted skip without a C compiler.
fn library(repo: &Repo) -> Option<PathBuf> {
    let source = repo.path("../short.c");
    fs::write(&source, SHORT).unwrap();
    let library = repo.path("../short.so");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status();
    if !compiled.is_ok_and(|status| status.success()) {
        common::skip("there is no C compiler");
        return None;
    }
    Some(library)
}

#[test]
fn short_writes_are_completed() {
    let repo = Repo::open();
    let Some(library) = library(&repo) else {
        return;
    };
    let ask = |arguments: &[&str], input: &str| {
        let mut command = repo.command(GUARD);
        command.env("LD_PRELOAD", &library).args(arguments);
        answer_of(&mut command, input.as_bytes())
    };
    let content = lines(1..=60);
    ask(&["write", "dir/a"], &content).works();
    assert_eq!(repo.read("dir/a"), content.as_bytes());
    let patch = [
        "patch",
        "dir/a",
        "--search",
        "number 7\n",
        "--replace",
        "7\n",
    ];
    let backup = ask(&patch, "").works().json["backup"].clone();
    assert_eq!(
        repo.read("dir/a"),
        content.replace("number 7\n", "7\n").as_bytes()
    );
    let read = ask(&["read", "dir/a"], "");
    assert_eq!(
        read.works().json["content"],
        content.replace("number 7\n", "7\n")
    );
    ask(&["move", "dir/a", "b"], "").works();
    ask(&["delete", "b"], "").works();
    let held = repo.guard(&["snapshot", "show", backup.as_str().unwrap(), "dir/a"]);
    assert_eq!(held.exits(0).stdout, content);
    repo.git(&["fsck", "--strict", "--no-dangling"]);
    let log = Log::new(&repo.path(".git")).read().unwrap();
    let result = verify(&log);
    assert_eq!((result.fault, result.head.count), (None, 8));
    // The calls really were that short.
    let trace = repo.path("../trace");
    let mut command = repo.command("strace");
    command.arg("-o").arg(&trace).args(["-etrace=write", "-E"]);
    command.arg(format!("LD_PRELOAD={}", library.display()));
    let traced = command.args([GUARD, "write", "c", "--content-file", "guard.toml"]);
    if !traced.output().is_ok_and(|output| output.status.success()) {
        common::skip("strace is missing or may not trace");
        return;
    }
    let trace = fs::read_to_string(trace).unwrap();
    let writes: Vec<&str> = trace
        .lines()
        .filter(|line| line.contains("write("))
        .collect();
    assert!(writes.len() > 100, "{} writes", writes.len());
    let is_short = |line: &&str| {
        line.rsplit(' ')
            .next()
            .unwrap()
            .parse()
            .is_ok_and(|n: u8| n <= 5)
    };
    assert!(writes.iter().all(is_short), "{writes:?}");
}
