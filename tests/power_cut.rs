//! The power is cut while guard writes. After the restart, acknowledged writes are there, no file is torn, and the next
//! run works. Unlike `kill -9`, a power cut loses what the kernel had not written out.
//!
//! 2 cuts of each kind by default, 50 with `GUARD_LONG`. Needs root, ext4 and python3; a counted skip otherwise.
use std::fs::{self, File};
use std::time::Instant;

use crate::common::image::{Cut, Image};
use crate::common::log::is_whole_or_cut_short;
use crate::common::{self, GUARD, Repo, strace};
use serde_json::Value;
use write_guard::files::{Log, Record, verify};

/// Some file system blocks.
const LINES: usize = 1000;

fn cuts() -> usize {
    if strace::is_long() { 50 } else { 2 }
}

fn content(number: usize) -> String {
    format!("version {number}\n").repeat(LINES)
}

/// A repository on its own image, with everything so far on disk.
fn repository() -> Option<(Repo, Image)> {
    let repo = Repo::nothing();
    let image = Image::mount(&repo)?;
    let repo = repo.initialized(&[]);
    // Every version differs from HEAD in all lines.
    repo.stage(
        "guard.toml",
        "[lld]\nmissing = \"skip\"\n[rules]\ndestructive-change = \"off\"\n",
    );
    repo.commit("Begin");
    sync(&repo);
    Some((repo, image))
}

/// Syncs only this file system.
fn sync(repo: &Repo) {
    common::run(repo.command("sync").args(["--file-system", "."])).exits(0);
}

/// A write that guard acknowledged.
struct Acknowledged {
    number: usize,
    backup: String,
}

/// Writes one version; `None` if guard did not acknowledge it before the power cut. The kernel may report success for a
/// sync that runs during the cut, but a real program would not be there to see it.
fn put(repo: &Repo, number: usize) -> Option<Acknowledged> {
    write_outside(repo, number);
    let output = repo
        .command(GUARD)
        .args(["write", "dir/a", "--format", "json"])
        .stdin(proposed(repo))
        .output()
        .unwrap();
    let has_power = File::open(repo.path("guard.toml")).is_ok();
    if output.status.code() != Some(0) || !has_power {
        return None;
    }
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    Some(Acknowledged {
        number,
        backup: answer["backup"].as_str().unwrap().to_owned(),
    })
}

/// Next to the image, where nothing is lost.
fn write_outside(repo: &Repo, number: usize) {
    fs::write(repo.path("../content"), content(number)).unwrap();
}

/// The written content, as standard input.
fn proposed(repo: &Repo) -> File {
    File::open(repo.path("../content")).unwrap()
}

/// Checks the state after the restart, and that the interrupted write works now.
#[track_caller]
fn check(repo: &Repo, what: &str, acknowledged: &[Acknowledged]) {
    let last = acknowledged.last().map_or(0, |written| written.number);
    let now = fs::read_to_string(repo.path("dir/a")).unwrap_or_default();
    let whole = [last, last + 1]
        .into_iter()
        .find(|number| now == content(*number));
    let is_whole = whole.is_some() || (last == 0 && !repo.path("dir/a").exists());
    assert!(is_whole, "{what}: not version {last} or the next");
    let log = Log::new(&repo.path(".git"));
    let bytes = log.read().unwrap();
    assert!(is_whole_or_cut_short(&bytes), "{what}: the log is damaged");
    let done: Vec<Value> = bytes
        .split(|&byte| byte == b'\n')
        .filter_map(Record::parse)
        .filter(|record| record.facts["event"] == "done")
        .map(|record| record.facts["backup"].clone())
        .collect();
    for written in acknowledged {
        let is_on_record = done.iter().any(|backup| *backup == *written.backup);
        assert!(is_on_record, "{what}: version {}", written.number);
        if written.number > 1 {
            check_backup(repo, what, &written.backup, written.number - 1);
        }
    }
    let before = whole.filter(|number| *number > 0);
    // Another version than the one that is there: writing that again would change nothing.
    let number = whole.unwrap_or_default() + 1;
    let next = put(repo, number).unwrap_or_else(|| panic!("{what}: the next run"));
    if let Some(before) = before {
        check_backup(repo, what, &next.backup, before);
    }
    assert_eq!(verify(&log.read().unwrap()).fault, None, "{what}");
    repo.git(&["rev-list", "--objects", "--quiet", "refs/guard/snapshots"]);
}

#[track_caller]
fn check_backup(repo: &Repo, what: &str, backup: &str, number: usize) {
    let shown = repo.guard(&["snapshot", "show", backup, "dir/a"]);
    assert_eq!(shown.code, 0, "{what}: {shown:?}");
    let is_whole = shown.stdout == content(number);
    assert!(is_whole, "{what}: the snapshot of version {number}");
}

/// A kill right before a call, then a power cut before the kernel writes anything out.
#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs ext4 and strace, which only Linux has"
)]
fn power_cut_before_any_call_leaves_the_old_or_the_new_content() {
    let begun = Instant::now();
    let Some((repo, image)) = repository() else {
        return;
    };
    if !strace::is_there(&repo) {
        return;
    }
    put(&repo, 1).unwrap();
    let words = |before: Vec<String>| {
        let guard = ["write", "dir/a"].map(str::to_owned);
        [before, vec![GUARD.to_owned()], guard.to_vec()].concat()
    };
    write_outside(&repo, 2);
    let mut recorded = strace::command(&repo, &words(strace::recording()));
    let recorded = recorded.stdin(proposed(&repo)).output().unwrap();
    assert!(recorded.status.success(), "{recorded:?}");
    let counts = strace::recorded(&repo);
    drop(image);
    // The calls that make data durable, and those that must not precede them.
    let calls = "fsync fdatasync rename renameat linkat write mkdir fchmod".split(' ');
    let points =
        calls.flat_map(|call| (1..=counts.get(call).copied().unwrap_or(0)).map(move |k| (call, k)));
    let points: Vec<_> = points.collect();
    assert!(points.len() > 20, "{counts:?}");
    let mut tried = 0;
    for number in 0..cuts().min(points.len()) {
        let point = points[number * points.len() / cuts().min(points.len())];
        for cut in [Cut::JournalFlushed, Cut::NothingFlushed] {
            let Some((repo, image)) = repository() else {
                return;
            };
            let acknowledged = [put(&repo, 1).unwrap()];
            write_outside(&repo, 2);
            let words = words(strace::injecting(point, "signal=KILL"));
            let killed = strace::command(&repo, &words)
                .stdin(proposed(&repo))
                .output()
                .unwrap();
            assert_eq!(killed.status.code(), None, "{point:?}: {killed:?}");
            image.cut(cut, 0);
            image.restart();
            check(&repo, &format!("{cut:?} before {point:?}"), &acknowledged);
            tried += 1;
        }
    }
    println!("{tried} cuts before calls, in {:.0?}", begun.elapsed());
}
