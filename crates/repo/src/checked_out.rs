//! Whether git sees files as they are in HEAD, as its index says.

use gix::bstr::BStr;
use gix::index::entry::{Flags, Stage, Stat, stat};
use gix::index::fs::Metadata;

use super::{Repository, failed};
use write_guard_policy::change::{Kind, State};
use write_guard_policy::error::Result;

/// The index, to compare files with.
pub struct CheckedOut<'a> {
    repo: &'a Repository,
    index: gix::index::File,
}

impl<'a> CheckedOut<'a> {
    /// Reads the index of a repository.
    ///
    /// # Errors
    /// It is damaged.
    pub fn of(repo: &'a Repository) -> Result<CheckedOut<'a>> {
        let place = repo.repo.index_path();
        let hash = repo.repo.object_hash();
        let index = gix::index::File::at_or_default(place, hash, true, Default::default());
        Ok(CheckedOut {
            repo,
            index: index.map_err(failed("the index cannot be read"))?,
        })
    }

    /// Whether git sees the file as it is in HEAD, although its bytes differ, as where line endings are converted; or
    /// a sparse checkout leaves it out; or a merge left it to be resolved.
    pub fn is_as_in(&self, path: &BStr, head: Option<State>) -> bool {
        let ours = self.index.entry_by_path_and_stage(path, Stage::Ours);
        if ours.is_some() && self.repo.repo.state().is_some() {
            return true;
        }
        let Some(head) = head else {
            return false;
        };
        let Some(entry) = self.index.entry_by_path(path) else {
            return false;
        };
        let is_head = entry.id == head.id && Kind::from_mode(entry.mode.bits()) == head.kind;
        if entry.stage() != Stage::Unconflicted || !is_head {
            return false;
        }
        let place = self.repo.work_tree_file(path).ok();
        let about = place.and_then(|place| Metadata::from_path_no_follow(&place).ok());
        let Some(about) = about else {
            return entry.flags.contains(Flags::SKIP_WORKTREE);
        };
        // With the recorded stat data, and older than the index, git last wrote it.
        let options = stat::Options {
            use_nsec: true,
            ..stat::Options::default()
        };
        Stat::from_fs(&about).is_ok_and(|now| {
            now.matches(&entry.stat, options) && !now.is_racy(self.index.timestamp(), options)
        })
    }
}
