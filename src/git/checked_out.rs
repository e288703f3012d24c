//! What git's index says about files: whether git sees them as they are in HEAD, and what is staged.

use std::fs;
use std::path::PathBuf;

use gix::bstr::{BStr, BString};
use gix::index::entry::{Flags, Stage};

use super::work_tree::IndexTime;
use super::{Repository, failed};
use crate::change::{Kind, State};
use crate::error::Result;

/// The index, to compare files with.
pub struct CheckedOut {
    index: gix::index::File,
    time: IndexTime,
    root: PathBuf,
    is_merging: bool,
}

impl CheckedOut {
    /// Reads the index of a repository.
    ///
    /// # Errors
    /// It is damaged.
    pub fn of(repo: &Repository) -> Result<CheckedOut> {
        let time = IndexTime::of(&repo.repo.index_path());
        let index = repo.repo.open_index();
        let index = match index {
            Err(_) if !repo.repo.index_path().exists() => {
                let state = gix::index::State::new(repo.repo.object_hash());
                gix::index::File::from_state(state, repo.repo.index_path())
            }
            index => index.map_err(failed("the index cannot be read"))?,
        };
        let runs = [
            "MERGE_HEAD",
            "CHERRY_PICK_HEAD",
            "REVERT_HEAD",
            "rebase-merge",
            "rebase-apply",
        ];
        Ok(CheckedOut {
            index,
            time,
            root: repo.workdir()?.to_owned(),
            is_merging: runs.iter().any(|name| repo.git_dir().join(name).exists()),
        })
    }

    /// Reads the copy of an index.
    ///
    /// # Errors
    /// It is damaged.
    pub(super) fn of_copy(repo: &Repository, copy: PathBuf) -> Result<CheckedOut> {
        let options = gix::index::decode::Options::default();
        let index = gix::index::File::at(copy, repo.repo.object_hash(), true, options)
            .map_err(failed("the copy of the index cannot be read"))?;
        Ok(CheckedOut {
            index,
            time: IndexTime::never(),
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
        self.time.is_as_written(&entry.stat, &about)
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
