//! `guard write`, killed or failed at each of its calls to the file system: the old content or the new, a log that
//! verifies, a next run that works, and never a success that is none.
//!
//! Every fifth call by default, all with `GUARD_LONG`. strace injects; without it, or where tracing is not allowed,
//! the tests count as skipped.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use common::{GUARD, Repo};

/// Whatever touches files.
const CALLS: &[&str] = &[
    "openat",
    "openat2",
    "read",
    "write",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "mkdir",
    "mkdirat",
    "unlink",
    "unlinkat",
    "fchmod",
    "flock",
    "lseek",
    "statx",
    "newfstatat",
    "fcntl",
    "getdents64",
    "readlink",
    "readlinkat",
    "ftruncate",
];

const OLD: &str = "old\n";
const NEW: &str = "new content\n";

fn repo() -> Repo {
    let repo = Repo::open();
    repo.write("dir/a", OLD);
    // Log, lock and ref are there, as in daily use.
    repo.put("other", "x\n", &[]).works();
    repo
}

/// How often `guard write` makes each of the calls; `None` without strace.
fn counts(repo: &Repo) -> Option<BTreeMap<&'static str, usize>> {
    let trace = repo.path("../trace");
    let traced = repo
        .command("strace")
        .args(["-f", "-qq", "-o", trace.to_str().unwrap()])
        .arg(format!("-etrace={}", CALLS.join(",")))
        .args([GUARD, "edit", "--file", "dir/a", "--content", NEW])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !traced.is_ok_and(|status| status.success()) {
        common::skip("strace is missing or may not trace");
        return None;
    }
    let text = fs::read_to_string(trace).unwrap();
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let call = line.split_once(' ').unwrap().1.trim_start();
        if let Some(name) = CALLS.iter().find(|name| {
            call.strip_prefix(**name)
                .is_some_and(|rest| rest.starts_with('('))
        }) {
            *counts.entry(*name).or_default() += 1;
        }
    }
    assert!(counts["fsync"] > 5 && counts["openat"] > 10, "{counts:?}");
    Some(counts)
}

/// The calls to fail at: name and number.
fn points(counts: &BTreeMap<&'static str, usize>, offset: usize) -> Vec<(&'static str, usize)> {
    let all = counts
        .iter()
        .flat_map(|(name, count)| (1..=*count).map(|number| (*name, number)));
    let step = if std::env::var_os("GUARD_LONG").is_some() {
        1
    } else {
        5
    };
    all.skip(offset % step).step_by(step).collect()
}

/// What a run under strace left: its exit code (`None` when killed) and both streams.
fn inject(repo: &Repo, call: &str, fault: &str, number: usize) -> (Option<i32>, String) {
    let output = repo
        .command("strace")
        .args(["-f", "-qq", "-o", "/dev/null"])
        .arg(format!("-etrace={call}"))
        .arg(format!("-einject={call}:{fault}:when={number}"))
        .args([GUARD, "edit", "--file", "dir/a", "--content", NEW])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let code = match output.status.signal() {
        Some(_) => None,
        None => output.status.code(),
    };
    (code, String::from_utf8_lossy(&text).into_owned())
}

/// Checks what is there after a run, and that the next one works.
#[track_caller]
fn check(repo: &Repo, what: &str, code: Option<i32>, text: &str) {
    let content = String::from_utf8(repo.read("dir/a")).unwrap();
    assert!(content == OLD || content == NEW, "{what}: {content:?}");
    if code == Some(0) {
        assert_eq!(content, NEW, "{what}: reported as written\n{text}");
    } else if code.is_some() && content == NEW {
        let told = ["is written", "is done", "standard output"];
        assert!(
            told.iter().any(|part| text.contains(part)) || text.is_empty(),
            "{what}: written, but {text}"
        );
    }
    let report = repo.json(&["audit", "verify"]);
    let fault = &report["fault"]["kind"];
    assert!(fault.is_null() || fault == "torn", "{what}: {report}");
    repo.put("dir/a", OLD, &[]).works();
    let report = repo.json(&["audit", "verify"]);
    assert_eq!(report["verdict"], "sound", "{what}");
}

#[test]
fn killed_before_each_call() {
    let Some(counts) = counts(&repo()) else {
        return;
    };
    let points = points(&counts, 0);
    let repo = repo();
    let (mut old, mut new) = (0, 0);
    for (call, number) in &points {
        let (code, text) = inject(&repo, call, "signal=KILL", *number);
        match repo.read("dir/a") == OLD.as_bytes() {
            true => old += 1,
            false => new += 1,
        }
        check(&repo, &format!("killed at {call} {number}"), code, &text);
    }
    println!(
        "{} kills: {old} times the old content, {new} times the new",
        points.len()
    );
    assert!(old > 0, "no kill came before the end");
    repo.git(&["fsck", "--no-dangling"]);
}

#[test]
fn failed_at_each_call() {
    let Some(counts) = counts(&repo()) else {
        return;
    };
    let errors = ["EIO", "ENOSPC", "EXDEV", "EMFILE", "EINTR"];
    let is_long = std::env::var_os("GUARD_LONG").is_some();
    let repo = repo();
    let mut failed = 0;
    for (at, (call, number)) in points(&counts, 2).into_iter().enumerate() {
        for error in errors
            .iter()
            .enumerate()
            .filter(|(which, _)| is_long || *which == at % errors.len())
            .map(|(_, error)| error)
        {
            // strace counts every call, the loader's as well, which ends in a failure to start.
            let (code, text) = inject(&repo, call, &format!("error={error}"), number);
            failed += usize::from(code != Some(0));
            check(&repo, &format!("{error} at {call} {number}"), code, &text);
        }
    }
    println!("{failed} runs failed");
    assert!(failed > 0);
}
