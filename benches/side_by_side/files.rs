//! The file operations: a read, a write with its snapshot, and the memory of judging a large file.

use std::fs;
use std::path::Path;

use gix::bstr::BStr;
use serde_json::json;
use write_guard::approvals::{Answer, Question};
use write_guard::files::{Gate, Operation};
use write_guard::judge::Options;
use write_guard_repo::Repository;

use super::common::log::grow;
use super::common::{self, Repo};
use super::{GUARD, Memory, Scale, median, text, timed, tracked, typical};

/// Prints a line for each case, with what it should be at most.
pub(super) fn measure(scale: &Scale, memory: &Memory) {
    read(scale);
    let repo = many_files(scale);
    write(&repo, scale, 300, "50");
    write(&repo, scale, 60, "25");
    log(scale);
    hook(scale);
    large(scale, memory);
}

fn read(scale: &Scale) {
    let repo = Repo::open();
    let lines = scale.of(40_000);
    repo.write("big.txt", text(0, lines));
    let size = fs::metadata(repo.path("big.txt")).unwrap().len();
    let milliseconds = typical(&repo, &["read", "big.txt"], 0, scale.pairs(60));
    println!("read of {size} bytes: {milliseconds:.2} ms (aim: below 10 ms)");
}

/// A repository with many files, in which everything passes.
fn many_files(scale: &Scale) -> Repo {
    let repo = tracked(scale.of(50_000), 1);
    repo.stage("guard.toml", "[lld]\nmissing = \"skip\"\n");
    repo.commit("Let everything pass");
    repo
}

/// A write among many files, compared with what git does to store the same: a blob, a commit, a ref.
fn write(repo: &Repo, scale: &Scale, lines: usize, aim: &str) {
    let files = scale.of(50_000);
    let path = super::name(0);
    repo.write(&path, text(0, lines));
    for version in ["even.txt", "odd.txt"] {
        repo.write(version, text(0, lines).replacen("value_0_7 ", version, 1));
    }
    let git = |sync: &str| {
        format!(
            "git {sync} hash-object -w --stdin < {path} > /dev/null && \
             git {sync} update-ref refs/bench $(git {sync} commit-tree HEAD^{{tree}} -m Backup)"
        )
    };
    for (what, sync) in [
        ("as it is", ""),
        ("with every file synced, as guard does", "-c core.fsync=all"),
    ] {
        let script = git(sync);
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for pair in 0..scale.pairs(40) {
            let content = ["even.txt", "odd.txt"][pair % 2];
            let guard = timed(repo, &GUARD, &["write", &path, "--content-file", content]);
            assert_eq!(guard.code, 0, "a refused write is not timed");
            let git = timed(repo, "sh", &["-c", &script]);
            assert_eq!(git.code, 0, "{script}");
            ours.push(guard.milliseconds);
            theirs.push(git.milliseconds);
            ratios.push(guard.milliseconds / git.milliseconds);
        }
        println!(
            "write of {lines} lines with snapshot among {files} files: {:.2} ms (aim: below {aim} ms); \
             git hash-object, commit-tree and update-ref {what}: {:.2} ms, ratio {:.2}",
            median(ours),
            median(theirs),
            median(ratios)
        );
    }
}

/// A write below logs of several lengths, while an approval waits for its commit.
fn log(scale: &Scale) {
    let repo = Repo::open();
    repo.stage("large.py", text(0, 200));
    repo.commit("Large");
    approve(&repo);
    for version in ["even.txt", "odd.txt"] {
        repo.write(version, version);
    }
    repo.put("a", "1\n", &[]).works();
    let mut shortest = None;
    for records in [100, 20_000, 200_000] {
        let records = scale.of(records).max(10);
        grow(&repo, records);
        let mut times = Vec::new();
        for run in 0..scale.pairs(40) {
            let content = ["even.txt", "odd.txt"][run % 2];
            let guard = timed(&repo, &GUARD, &["write", "a", "--content-file", content]);
            assert_eq!(guard.code, 0, "a refused write is not timed");
            times.push(guard.milliseconds);
        }
        let time = median(times);
        let ratio = time / *shortest.get_or_insert(time);
        println!(
            "write with {records} records in the log: {time:.2} ms, ratio {ratio:.2} (aim: below 1.2)"
        );
    }
}

/// Replaces a large file, as a person who approves that.
fn approve(repo: &Repo) {
    let opened = Repository::open(&repo.root).unwrap();
    let gate = Gate::open(&opened, &Options::default()).unwrap();
    let operation = Operation::replace(b"x = 1\n".to_vec());
    let mut ask = |_: &Question| Answer::Approve("agreed".to_owned());
    gate.perform(BStr::new("large.py"), &operation, None, Some(&mut ask))
        .unwrap();
}

/// What a coding agent waits for before each tool, beside the fastest thing that git does. A write that changes a file
/// needs a snapshot first, so it is beside what git does to store that.
fn hook(scale: &Scale) {
    let files = scale.of(50_000);
    let repo = tracked(files, 1);
    repo.stage("guard.toml", "[lld]\nmissing = \"skip\"\n");
    repo.commit("Let everything pass");
    let name = super::name(0);
    let path = repo.path(&name);
    let write = |path: &Path| json!({"file_path": path, "content": "value = 1\n"});
    let looks = "git rev-parse HEAD > /dev/null";
    let stores = format!(
        "git -c core.fsync=all hash-object -w --stdin < {name} > /dev/null && \
         git -c core.fsync=all update-ref refs/bench $(git -c core.fsync=all commit-tree HEAD^{{tree}} -m Backup)"
    );
    for (what, tool, input, git) in [
        ("Read", "Read", json!({"file_path": path}), looks),
        (
            "Write of a new file",
            "Write",
            write(&repo.path("new.txt")),
            looks,
        ),
        (
            "Write of a file with contents",
            "Write",
            write(&path),
            &stores,
        ),
    ] {
        let payload = json!({
            "session_id": "1", "cwd": repo.root, "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
        });
        repo.write("../payload.json", payload.to_string());
        let script = format!("{} hook claude < ../payload.json", *GUARD);
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..scale.pairs(100) {
            let guard = timed(&repo, "sh", &["-c", &script]);
            assert_eq!(guard.code, 0, "a denied call is not timed");
            let git = timed(&repo, "sh", &["-c", git]);
            ours.push(guard.milliseconds);
            theirs.push(git.milliseconds);
            ratios.push(guard.milliseconds / git.milliseconds);
        }
        let (git, aim) = if git == looks {
            ("git rev-parse HEAD", "3")
        } else {
            ("git hash-object, commit-tree and update-ref, synced", "1.5")
        };
        println!(
            "hook before {what} among {files} files: {:.2} ms; {git}: {:.2} ms, ratio {:.2} (aim: below {aim})",
            median(ours),
            median(theirs),
            median(ratios)
        );
    }
}

/// 15 MB in which every second line is another one, by the memory beyond both versions (AZ-65).
fn large(scale: &Scale, memory: &Memory) {
    let lines = scale.of(546_000);
    let old = text(0, lines);
    let new: String = old
        .lines()
        .enumerate()
        .map(|(line, old)| match line % 2 {
            0 => format!("{old}\n"),
            _ => format!("rewritten_{line} = {line}\n"),
        })
        .collect();
    let versions = (old.len() + new.len()) as u64 / 1024;
    let size = old.len();
    let repo = Repo::new();
    repo.stage("src/big.txt", &old);
    repo.commit("Large");
    repo.stage("guard.toml", common::SETTINGS);
    repo.design(common::DESIGN, &[("src/big.txt", "Modify", "large")]);
    repo.commit("Say what may change");
    repo.branch("188-work");
    repo.write("new.txt", &new);
    let tell = |what: &str, arguments: &[&str]| {
        let run = timed(&repo, &GUARD, arguments);
        assert_eq!(run.code, 1, "{what}: half of it is lost");
        let peak = memory.peak(&repo, &GUARD, arguments);
        let beyond = peak.parse::<u64>().map_or_else(
            |_| "not measured".to_owned(),
            |peak| format!("{} MiB", peak.saturating_sub(versions) / 1024),
        );
        println!(
            "{what} of a file of {size} bytes: {:.0} ms, {beyond} beyond its two versions (aim: below 50 MiB)",
            run.milliseconds
        );
    };
    let content = ["--content-file", "new.txt"];
    tell("check", &[&["check", "src/big.txt"], &content[..]].concat());
    tell(
        "write (held)",
        &[&["write", "src/big.txt", "--auto"], &content[..]].concat(),
    );
    repo.stage("src/big.txt", &new);
    tell("lint", &["lint", "--quiet"]);
}
