//! System errors, met as the user 65534: they are typed, name a next step and leave the old content.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::files::{Answer, answer_of};
use crate::common::{self, Repo};

const NOBODY: u32 = 65534;

/// A repository of the user 65534 with the file `a`, and guard where that user may run it.
struct Theirs {
    repo: Repo,
    guard: PathBuf,
}

/// Needs root; a counted skip otherwise.
fn theirs() -> Option<Theirs> {
    let repo = Repo::open();
    repo.write("dir/a", "old\n");
    // Objects and log are there already.
    repo.put("first", "x\n", &[]).works();
    let guard = repo.path("../guard");
    common::copy_guard(&guard);
    let base = repo.root.parent().unwrap().to_owned();
    if give_away(&base).is_err() {
        common::skip("only root may act as another user");
        return None;
    }
    Some(Theirs { repo, guard })
}

fn give_away(path: &Path) -> std::io::Result<()> {
    chown(path, Some(NOBODY), Some(NOBODY))?;
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path)? {
            give_away(&entry?.path())?;
        }
    }
    Ok(())
}

impl Theirs {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.repo.command(&self.guard);
        command.uid(NOBODY).gid(NOBODY).args(arguments);
        command
    }

    #[track_caller]
    fn ask(&self, arguments: &[&str], input: &str) -> Answer {
        answer_of(&mut self.command(arguments), input.as_bytes())
    }

    /// The records of the log, read as its owner: git does not trust root with files of other users.
    fn records(&self) -> Vec<serde_json::Value> {
        let shown = self.ask(&["audit", "show"], "");
        shown.json["records"].as_array().unwrap().clone()
    }

    fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.repo.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Removes write permission from a directory tree.
    fn shut(&self, path: &str) {
        common::run(self.repo.command("chmod").args(["-R", "a-w", path])).exits(0);
    }
}

#[test]
fn a_directory_that_may_not_be_written_az_58_aw_22() {
    let Some(theirs) = theirs() else { return };
    theirs.set_mode("dir", 0o555);
    for (arguments, input) in [
        (&["write", "dir/a"][..], "new\n"),
        (&["write", "dir/new"], "new\n"),
        (&["write", "dir/sub/new"], "new\n"),
        (
            &["patch", "dir/a", "--search", "old", "--replace", "new"],
            "",
        ),
        (&["delete", "dir/a"], ""),
        (&["move", "dir/a", "b"], ""),
        (&["move", "first", "dir/b"], ""),
    ] {
        let answer = theirs.ask(arguments, input);
        answer.fails("permission");
        assert_eq!(answer.code, 1, "{arguments:?}");
        let last = theirs.records().pop().unwrap();
        assert_eq!(last["event"], "failed", "{arguments:?}");
        assert_eq!(last["error"], "permission", "{arguments:?}");
    }
    assert_eq!(theirs.repo.read("dir/a"), b"old\n");
    assert!(theirs.repo.path("first").exists());
    assert_eq!(fs::read_dir(theirs.repo.path("dir")).unwrap().count(), 1);
}

#[test]
fn nothing_is_written_without_a_snapshot_and_a_log_record_ag_08() {
    for (directory, kind) in [(".git/objects", "backup"), (".git/guard", "record")] {
        let Some(theirs) = theirs() else { return };
        theirs.shut(directory);
        let answer = theirs.ask(&["write", "dir/a"], "new\n");
        answer.fails(kind);
        assert_eq!(answer.code, 2);
        theirs.ask(&["delete", "dir/a"], "").fails(kind);
        theirs.ask(&["move", "dir/a", "b"], "").fails(kind);
        assert_eq!(theirs.repo.read("dir/a"), b"old\n");
        assert!(!theirs.repo.path("b").exists());
    }
}
