//! An editor saves files while guard writes them, in both ways: it renames a new file over the old one, or empties the
//! old one and writes it. guard refuses no write because of it, and no save is lost.
//!
//! By default 25 writes run during saves at random times, with `GUARD_LONG` 500. The other tests use strace to stop
//! guard at the critical moment.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::common::files::Answer;
use crate::common::{self, GUARD, Repo, strace};
use rustix::fs::{CWD, RenameFlags, renameat_with};

fn writes() -> usize {
    if strace::is_long() { 500 } else { 25 }
}

fn saved(number: usize) -> String {
    format!("mark\nsave {number}\n")
}

/// The numbers of the saves in a text.
fn numbers(text: &str) -> impl Iterator<Item = usize> {
    text.lines()
        .filter_map(|line| line.strip_prefix("save ")?.parse().ok())
}

/// How an editor saves.
#[derive(Debug, Clone, Copy)]
enum Way {
    Rename,
    InPlace,
}

impl Way {
    /// Saves, and returns the previous content as far as the editor can see it.
    fn save(self, file: &Path, content: &str) -> String {
        match self {
            Way::Rename => {
                let new = file.with_extension("swp");
                fs::write(&new, content).unwrap();
                // Like a rename over it, but returns the previous content.
                renameat_with(CWD, &new, CWD, file, RenameFlags::EXCHANGE).unwrap();
                let old = fs::read_to_string(&new).unwrap();
                fs::remove_file(new).unwrap();
                old
            }
            Way::InPlace => {
                let old = fs::read_to_string(file).unwrap();
                fs::write(file, content).unwrap();
                old
            }
        }
    }
}

/// Saves until the end, about once per three runs of guard. Returns the number of saves and which saves the editor
/// itself replaced.
fn edit(file: &Path, guard_takes: &AtomicU64, is_over: &AtomicBool) -> (usize, BTreeSet<usize>) {
    let random = RandomState::new();
    let (mut count, mut replaced) = (0, BTreeSet::new());
    while !is_over.load(Ordering::Relaxed) {
        count += 1;
        let chance = random.hash_one(count);
        let way = if chance % 2 == 0 {
            Way::Rename
        } else {
            Way::InPlace
        };
        let longest = 6 * guard_takes.load(Ordering::Relaxed) + 1;
        std::thread::sleep(Duration::from_micros(chance / 2 % longest));
        replaced.extend(numbers(&way.save(file, &saved(count))));
    }
    (count, replaced)
}

#[test]
fn random_saves_by_an_editor_are_neither_refused_nor_lost() {
    // A disk is slower than memory, which leaves more time for a save.
    let repo = if strace::is_long() {
        Repo::open()
    } else {
        Repo::open_in_memory()
    };
    repo.write("dir/a", saved(0));
    let (file, is_over) = (repo.path("dir/a"), AtomicBool::new(false));
    let guard_takes = AtomicU64::new(50_000);
    let patch = ["patch", "dir/a", "--search", "mark\n", "--replace"];
    let (count, replaced) = std::thread::scope(|scope| {
        let editor = scope.spawn(|| edit(&file, &guard_takes, &is_over));
        let answers: Vec<Answer> = (0..writes())
            .map(|number| {
                let begun = Instant::now();
                let answer = match number % 2 {
                    0 => repo.put("dir/a", format!("mark\nguard {number}\n"), &[]),
                    _ => repo.ask(&[&patch[..], &["mark\npatched\n"]].concat()),
                };
                let took = u64::try_from(begun.elapsed().as_micros()).unwrap();
                guard_takes.store(took, Ordering::Relaxed);
                answer
            })
            .collect();
        is_over.store(true, Ordering::Relaxed);
        let edited = editor.join().unwrap();
        for answer in answers {
            answer.works();
        }
        edited
    });
    let in_snapshots: BTreeSet<usize> = contents_of_snapshots(&repo)
        .iter()
        .flat_map(|content| numbers(content).collect::<Vec<_>>())
        .collect();
    let there: BTreeSet<usize> = numbers(&fs::read_to_string(&file).unwrap()).collect();
    let kept = |save: &usize| {
        [&in_snapshots, &there, &replaced]
            .iter()
            .any(|set| set.contains(save))
    };
    let lost: Vec<usize> = (0..=count).filter(|save| !kept(save)).collect();
    let again = repo
        .records()
        .iter()
        .filter(|record| record["event"] == "failed")
        .count();
    println!(
        "{} writes during {count} saves, of which {} are in snapshots; {again} retries; lost: {lost:?}",
        writes(),
        in_snapshots.len()
    );
    assert!(lost.is_empty());
    assert!(in_snapshots.len() > 1);
    no_leftovers(&repo);
    assert_eq!(repo.json(&["audit", "verify"])["verdict"], "sound");
}

/// The content of `dir/a` in every snapshot.
fn contents_of_snapshots(repo: &Repo) -> Vec<String> {
    let list = repo.json(&["snapshot", "list"]);
    let ids = list["snapshots"].as_array().unwrap();
    ids.iter()
        .map(|snapshot| {
            let id = snapshot["id"].as_str().unwrap();
            repo.guard(&["snapshot", "show", id, "dir/a"]).stdout
        })
        .collect()
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

/// The same right before the change itself: the operation is in the log.
fn stopped_before_change(arguments: &[&str]) -> Option<(Repo, Run)> {
    let (repo, (), run) = stopped(
        "rename,renameat,renameat2,unlink,unlinkat",
        arguments,
        |_| (),
        |repo, ()| {
            let log = fs::read_to_string(repo.path(".git/guard/log.jsonl")).unwrap_or_default();
            log.contains("\"event\":\"started\"")
        },
    )?;
    Some((repo, run))
}

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
    repo.write("dir/a", saved(0));
    Some(repo)
}

/// The editor saves right before guard replaces, removes or moves the file, after guard's last check.
#[test]
fn save_right_before_the_rename_is_kept_and_the_operation_retried() {
    let run = |arguments: &'static [&'static str], way: Way| {
        let Some((repo, guard)) = stopped_before_change(arguments) else {
            return;
        };
        way.save(&repo.path("dir/a"), &saved(1));
        guard.answer().works();
        let there = |path: &str| fs::read_to_string(repo.path(path)).ok();
        let expected = match arguments[0] {
            "write" => [Some("new\n".into()), None],
            "patch" => [Some("mark\nmore\nsave 1\n".into()), None],
            "delete" => [None, None],
            _ => [None, Some(saved(1))],
        };
        assert_eq!(
            [there("dir/a"), there("dir/b")],
            expected,
            "{arguments:?} {way:?}"
        );
        assert_eq!(
            contents_of_snapshots(&repo)[0],
            saved(1),
            "{arguments:?} {way:?}"
        );
        no_leftovers(&repo);
    };
    std::thread::scope(|scope| {
        for arguments in [WRITE, PATCH, DELETE, MOVE] {
            for way in [Way::Rename, Way::InPlace] {
                scope.spawn(move || run(arguments, way));
            }
        }
    });
}

#[test]
fn save_right_before_the_rename_makes_expect_stale() {
    let Some(repo) = prepared() else { return };
    let seen = repo.git(&["hash-object", "dir/a"]);
    let arguments = [WRITE, &["--expect", seen.trim()]].concat();
    let Some((repo, guard)) = stopped_before_change(&arguments) else {
        return;
    };
    Way::Rename.save(&repo.path("dir/a"), &saved(1));
    guard.answer().fails("stale");
    assert_eq!(repo.read("dir/a"), saved(1).as_bytes());
    no_leftovers(&repo);
}

/// guard does not overwrite a file that appears while it creates one.
#[test]
fn a_file_that_an_editor_creates_at_the_same_time_is_kept() {
    let arguments = ["write", "dir/new", "--content-file", "content"];
    let Some((repo, guard)) = stopped_before_change(&arguments) else {
        return;
    };
    repo.write("dir/new", saved(1));
    let answer = guard.answer();
    let backup = answer.works().json["backup"].as_str().unwrap();
    let kept = repo.guard(&["snapshot", "show", backup, "dir/new"]);
    assert_eq!(kept.exits(0).stdout, saved(1));
    assert_eq!(repo.read("dir/new"), b"new\n");
    no_leftovers(&repo);
}

/// The editor has opened the file before guard replaces it, and writes to it afterwards.
#[test]
fn save_into_the_replaced_file_is_kept() {
    for arguments in [WRITE, DELETE] {
        let open = |repo: &Repo| {
            let open = File::options()
                .write(true)
                .open(repo.path("dir/a"))
                .unwrap();
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
        open.write_all(saved(1).as_bytes()).unwrap();
        guard.answer().works();
        assert_eq!(contents_of_snapshots(&repo)[0], saved(1), "{arguments:?}");
        no_leftovers(&repo);
    }
}

/// guard does not treat a file as empty while an editor is about to write it: it waits for 300 ms.
#[test]
fn guard_waits_for_a_file_that_an_editor_just_emptied() {
    loop {
        let repo = Repo::open_in_memory();
        repo.write("dir/a", saved(0));
        let mut open = File::options()
            .write(true)
            .open(repo.path("dir/a"))
            .unwrap();
        let emptied = Instant::now();
        open.set_len(0).unwrap();
        let mut command = repo.command(GUARD);
        let guard = command
            .args(PATCH)
            .args(["--format", "json"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(100));
        open.write_all(saved(1).as_bytes()).unwrap();
        let took = emptied.elapsed();
        let output = guard.wait_with_output().unwrap();
        // An editor that takes longer proves nothing.
        if took < Duration::from_millis(300) {
            Answer::of(&output).works();
            assert_eq!(repo.read("dir/a"), b"mark\nmore\nsave 1\n");
            break;
        }
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
        assert_eq!(repo.read(&format!("dir/{left}")), saved(0).as_bytes());
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
