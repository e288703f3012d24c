//! What git's index says about files: whether git sees them as they are in HEAD, and what is staged.

use std::fs;
use std::path::PathBuf;

use gix::bstr::{BStr, BString};
use gix::index::entry::stat::Time;
use gix::index::entry::{Flags, Stage, Stat};

use super::{Repository, failed};
use crate::change::{Kind, State};
use crate::error::Result;
use crate::system;

/// The index, to compare files with.
pub struct CheckedOut {
    index: gix::index::File,
    /// When it was written; `None` if no entry is trusted.
    time: Option<Time>,
    root: PathBuf,
    is_merging: bool,
}

/// What git notes in the git directory while it combines commits.
const RUNS: [&str; 5] = [
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "rebase-merge",
    "rebase-apply",
];

impl CheckedOut {
    /// Reads the index of a repository.
    ///
    /// # Errors
    /// It is damaged.
    pub fn of(repo: &Repository) -> Result<CheckedOut> {
        let place = repo.repo.index_path();
        let time = place.metadata().and_then(|about| about.modified()).ok();
        Ok(CheckedOut {
            time: time.and_then(|time| Time::try_from(time).ok()),
            is_merging: RUNS.iter().any(|name| repo.git_dir().join(name).exists()),
            ..CheckedOut::of_copy(repo, place.exists().then_some(place))?
        })
    }

    /// Reads the copy of an index; `None` stands for no index.
    ///
    /// # Errors
    /// It is damaged.
    pub(super) fn of_copy(repo: &Repository, copy: Option<PathBuf>) -> Result<CheckedOut> {
        let hash = repo.repo.object_hash();
        let index = match copy {
            Some(copy) => gix::index::File::at(copy, hash, true, Default::default())
                .map_err(failed("the index cannot be read"))?,
            None => gix::index::File::from_state(gix::index::State::new(hash), PathBuf::new()),
        };
        Ok(CheckedOut {
            index,
            time: None,
            root: repo.workdir()?.to_owned(),
            is_merging: false,
        })
    }

    /// Whether git sees the file as it is in HEAD, although its bytes differ, as where line endings are converted; or
    /// a sparse checkout leaves it out; or a merge left it to be resolved.
    pub fn is_as_in(&self, path: &BStr, head: Option<State>) -> bool {
        if self.is_merging
            && self
                .index
                .entry_by_path_and_stage(path, Stage::Ours)
                .is_some()
        {
            return true;
        }
        let (Some(head), Some(entry)) = (head, self.index.entry_by_path(path)) else {
            return false;
        };
        let is_head = entry.id == head.id && Kind::from_mode(entry.mode.bits()) == head.kind;
        if entry.stage() != Stage::Unconflicted || !is_head {
            return false;
        }
        let place = gix::path::from_bstr(path)
            .ok()
            .map(|path| self.root.join(path));
        let Some(about) = place.and_then(|place| fs::symlink_metadata(place).ok()) else {
            return entry.flags.contains(Flags::SKIP_WORKTREE);
        };
        let about = cap_std::fs::Metadata::from_just_metadata(about);
        self.is_as_written(&entry.stat, &about)
    }

    /// Whether the file has the recorded stat data and is older than the index, so that git last wrote it.
    fn is_as_written(&self, recorded: &Stat, now: &cap_std::fs::Metadata) -> bool {
        let order = |time: &Time| (time.secs, time.nsecs);
        let is_older = |index: &Time| order(&recorded.mtime) < order(index);
        // Device numbers change when a disk is remounted; git ignores them too.
        let dev = recorded.dev;
        let now = system::stat(now).map(|now| Stat { dev, ..now });
        self.time.as_ref().is_some_and(is_older) && now == Some(*recorded)
    }

    /// What is staged.
    pub fn staged(&self) -> impl Iterator<Item = (BString, State)> + '_ {
        let entries = self.index.entries().iter();
        let staged = entries.filter(|entry| {
            entry.stage() == Stage::Unconflicted && !entry.flags.contains(Flags::INTENT_TO_ADD)
        });
        staged.map(|entry| {
            let kind = Kind::from_mode(entry.mode.bits());
            let state = State { kind, id: entry.id };
            (entry.path(&self.index).to_owned(), state)
        })
    }

    /// Whether both list the same.
    pub(super) fn is_same(&self, other: &CheckedOut) -> bool {
        let of = |one: &CheckedOut| -> Vec<_> {
            let entries = one.index.entries().iter();
            let facts = |entry: &gix::index::Entry| {
                let path = entry.path(&one.index).to_owned();
                (path, entry.stage_raw(), entry.mode, entry.id)
            };
            entries.map(facts).collect()
        };
        of(self) == of(other)
    }
}
