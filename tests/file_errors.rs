//! System errors, met as the user 65534: they are typed, name a next step and leave the old content.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::files::{Answer, answer_of};
use crate::common::system;
use crate::common::{self, GUARD, Repo};

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
    // A child copies it, for the reason that `write_executable` gives.
    common::run(repo.command("cp").arg(GUARD).arg(&guard)).exits(0);
    let base = repo.root.parent().unwrap().to_owned();
    if give_away(&base).is_err() {
        common::skip("only root may act as another user");
        return None;
    }
    Some(Theirs { repo, guard })
}

fn give_away(path: &Path) -> std::io::Result<()> {
    system::give_to(path, NOBODY)?;
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path)? {
            give_away(&entry?.path())?;
        }
    }
    Ok(())
}

impl Theirs {
    #[track_caller]
    fn ask(&self, words: &str) -> Answer {
        let mut guard = self.repo.command(&self.guard);
        system::run_as(&mut guard, NOBODY).args(words.split(' '));
        answer_of(&mut guard, b"new\n")
    }

    /// The records of the log, read as its owner: git does not trust root with files of other users.
    fn records(&self) -> Vec<serde_json::Value> {
        let shown = self.ask("audit show");
        shown.json["records"].as_array().unwrap().clone()
    }

    /// Removes write permission from a directory tree.
    fn shut(&self, path: &str) {
        common::run(self.repo.command("chmod").args(["-R", "a-w", path])).exits(0);
    }
}

#[test]
#[cfg_attr(
    not(unix),
    ignore = "needs a process of another user, which Windows starts only with a password"
)]
fn a_directory_that_may_not_be_written_az_58_aw_22() {
    let Some(theirs) = theirs() else { return };
    common::run(theirs.repo.command("chmod").args(["a-w", "dir"])).exits(0);
    let changes = "write dir/a, write dir/new, write dir/sub/new, patch dir/a --search old --replace new, delete dir/a, \
        move dir/a b, move first dir/b";
    for words in changes.split(", ") {
        let answer = theirs.ask(words);
        assert_eq!(answer.fails("permission").code, 1, "{words}");
        let last = theirs.records().pop().unwrap();
        assert_eq!(last["event"], "failed", "{words}");
        assert_eq!(last["error"], "permission", "{words}");
    }
    assert_eq!(theirs.repo.read("dir/a"), b"old\n");
    assert!(theirs.repo.path("first").exists());
    assert_eq!(fs::read_dir(theirs.repo.path("dir")).unwrap().count(), 1);
}

#[test]
#[cfg_attr(
    not(unix),
    ignore = "needs a process of another user, which Windows starts only with a password"
)]
fn nothing_is_written_without_a_snapshot_and_a_log_record_ag_08() {
    for (directory, kind) in [(".git/objects", "backup"), (".git/guard", "record")] {
        let Some(theirs) = theirs() else { return };
        theirs.shut(directory);
        for words in ["write dir/a", "delete dir/a", "move dir/a b"] {
            assert_eq!(theirs.ask(words).fails(kind).code, 2);
        }
        assert_eq!(theirs.repo.read("dir/a"), b"old\n");
        assert!(!theirs.repo.path("b").exists());
    }
}
