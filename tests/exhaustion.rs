//! A resource runs out at any point: disk space, inodes, file handles, the file size limit, or write permission. guard
//! reports a typed error, keeps the old content whole, and works again once the resource is back.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::common::files::{Answer, answer_of};
use crate::common::log::is_whole_or_cut_short;
use crate::common::{self, GUARD, Repo};
use write_guard::files::Log;

const OLD: &str = "old\n";
const VERBS: [&[&str]; 4] = [
    &["write", "dir/a", "--content-file", "content"],
    &["patch", "dir/a", "--search", "old", "--replace", "new"],
    &["delete", "dir/a"],
    &["move", "dir/a", "dir/b"],
];

/// A repository on its own file system in memory. Unmounted on drop, before the directory is deleted.
struct Small {
    _mount: Unmount,
    repo: Repo,
}

struct Unmount(PathBuf);

impl Drop for Unmount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

impl Small {
    /// A counted skip if mounting is not allowed.
    fn with(options: &str) -> Option<Small> {
        let repo = Repo::nothing();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]);
        if common::run(mount.arg(&repo.root)).code != 0 {
            common::skip("mounting is not allowed");
            return None;
        }
        let unmount = Unmount(repo.root.clone());
        let repo = repo.initialized(&[]).opened("");
        fs::write(repo.path("content"), "x".repeat(5000)).unwrap();
        repo.write("dir/a", OLD);
        repo.put("dir/other", "x\n", &[]).works();
        Some(Small {
            _mount: unmount,
            repo,
        })
    }

    /// Tries each verb: it fails with one of these kinds and leaves the old state, or succeeds completely.
    #[track_caller]
    fn try_verbs(&self, kinds: &[&str], seen: &mut BTreeMap<String, usize>) -> bool {
        let mut all_worked = true;
        for arguments in VERBS {
            self.repo.write("dir/a", OLD);
            let _ = fs::remove_file(self.repo.path("dir/b"));
            let answer = self.repo.ask(arguments);
            if answer.code == 0 {
                assert_ne!(self.there(), Some(OLD.to_owned()), "{answer:?}");
            } else {
                all_worked = false;
                self.check_failure(&answer, kinds, seen);
            }
            let bytes = Log::new(&self.repo.path(".git")).read().unwrap();
            assert!(
                is_whole_or_cut_short(&bytes),
                "the log is damaged after {answer:?}"
            );
        }
        all_worked
    }

    #[track_caller]
    fn check_failure(&self, answer: &Answer, kinds: &[&str], seen: &mut BTreeMap<String, usize>) {
        let kind = answer.json["error"]["kind"].as_str().unwrap_or_default();
        answer.fails(kind);
        assert!(kinds.contains(&kind), "{answer:?}");
        *seen.entry(kind.to_owned()).or_default() += 1;
        let mut told = ["is written", "is done"].iter();
        let is_told = told.any(|part| answer.message().contains(part));
        let is_old = self.there() == Some(OLD.to_owned());
        assert!(is_told || is_old, "{answer:?}");
    }

    fn there(&self) -> Option<String> {
        fs::read_to_string(self.repo.path("dir/a")).ok()
    }
}

/// First full, then with one more piece of space, two more, three more, …
#[track_caller]
fn more_and_more_room(options: &str, piece: &[u8]) {
    let Some(small) = Small::with(options) else {
        return;
    };
    let filler = |number: usize| small.repo.path("filler").join(number.to_string());
    fs::create_dir(small.repo.path("filler")).unwrap();
    let mut count = 0;
    while fs::write(filler(count), piece).is_ok() {
        count += 1;
    }
    // A piece that did not fit may have left an empty file.
    let _ = fs::remove_file(filler(count));
    let (mut seen, mut freed, mut rounds) = (BTreeMap::new(), 0, 0);
    while !small.try_verbs(&["backup", "record", "io"], &mut seen) {
        rounds += 1;
        for _ in 0..rounds {
            assert!(freed < count, "{count} pieces do not suffice: {seen:?}");
            fs::remove_file(filler(freed)).unwrap();
            freed += 1;
        }
    }
    println!("{options}: {seen:?}; all verbs worked with {freed} of {count} pieces freed");
    assert!(rounds > 0 && seen.contains_key("backup"), "{seen:?}");
    let report = small.repo.json(&["audit", "verify"]);
    assert_eq!(report["verdict"], "sound", "{report}");
    small.repo.git(&["fsck", "--no-dangling"]);
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs a tmpfs, which only Linux has"
)]
fn the_disk_is_full_aw_25() {
    more_and_more_room("size=600k", &[b'x'; 4096]);
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs a tmpfs, which only Linux has"
)]
fn running_out_of_inodes_is_handled() {
    more_and_more_room("size=4m,nr_inodes=400", b"");
}

/// A write that the system really cuts short, with the signal ignored and not ignored.
#[test]
#[cfg_attr(
    not(unix),
    ignore = "needs a limit on the size of files, which Windows lacks"
)]
fn file_size_limit_is_handled() {
    let repo = Repo::open();
    fs::write(repo.path("content"), "x".repeat(200_000)).unwrap();
    repo.write("dir/a", OLD);
    for limit in ["trap '' XFSZ; ulimit -f 64", "ulimit -f 64"] {
        let script = format!("{limit}; exec \"$@\"");
        let mut shell = repo.command("sh");
        shell.args(["-c", &script, "sh", GUARD]).args(VERBS[0]);
        assert_eq!(answer_of(&mut shell, b"").fails("io").code, 2);
        assert_eq!(repo.read("dir/a"), OLD.as_bytes());
        assert_eq!(fs::read_dir(repo.path("dir")).unwrap().count(), 1);
    }
    repo.ask(VERBS[0]).works();
}
