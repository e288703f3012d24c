//! Designs that the branch itself has moved, as a framework's archive command does.
//!
//! One that the branch added governs it from where it is now. One that was there before governs as the merge base has
//! it, for commits as for ranges.

use gix::bstr::{BStr, BString, ByteSlice};

use super::Loader;
use super::select::{Choice, matching_among};
use super::work_of_branch::{Move, WorkOfBranch};
use write_guard_policy::error::Result;
use write_guard_policy::policy::FilledPattern;
use write_guard_policy::scope::done;

impl<'f> Loader<'f, '_> {
    /// What is committed on this branch: the range or, for a commit or a request, what came before it. `None` where
    /// nothing says where the branch began.
    pub(super) fn work_of_branch(&self) -> Result<Option<&WorkOfBranch<'f>>> {
        if let Some(known) = self.work.get() {
            return Ok(known.as_ref());
        }
        let work = WorkOfBranch::of(self.facts, &self.policy.settings)?;
        Ok(self.work.get_or_init(|| work).as_ref())
    }

    /// The design of these names that this branch has moved.
    pub(super) fn moved_by_names(&self, entries: &[FilledPattern]) -> Result<Vec<Choice>> {
        if entries.iter().all(|entry| entry.tries.is_empty()) {
            return Ok(Vec::new());
        }
        let Some(work) = self.work_of_branch()? else {
            return Ok(Vec::new());
        };
        let from: Vec<BString> = work.moves.iter().map(|one| one.from.clone()).collect();
        let named = self.named(entries, |pattern| Ok(matching_among(pattern, &from)))?;
        self.where_moved(named)
    }

    /// The designs that this branch has added and moved to no place for designs, by their first paths.
    pub(super) fn added_and_moved(&self) -> Result<Vec<BString>> {
        let mut own = self.own_moves()?;
        own.retain(|one| !self.is_design(&one.to));
        Ok(own.into_iter().map(|one| one.from.clone()).collect())
    }

    /// Follows designs that this branch added and then moved to where a design may be moved. Others stay as they are.
    pub(super) fn where_moved(&self, mut choices: Vec<Choice>) -> Result<Vec<Choice>> {
        for choice in &mut choices {
            if self.is_on_a_side(choice.path.as_ref())? {
                continue;
            }
            let own = self.own_moves()?;
            if let Some(one) = own.iter().find(|one| one.from == choice.path) {
                choice.path = one.to.clone();
            }
        }
        Ok(choices)
    }

    /// Whether the file at `path` is a design that this branch has added and moved there.
    pub(super) fn is_moved_there(&self, path: &BString) -> Result<bool> {
        Ok(self.own_moves()?.iter().any(|one| one.to == *path))
    }

    /// The moves of designs that this branch has added, to where they are and may be.
    fn own_moves(&self) -> Result<Vec<&Move>> {
        let mut own = Vec::new();
        if let Some(work) = self.work_of_branch()? {
            for one in &work.moves {
                let is_new = work.merge_base.get(one.from.as_ref())?.is_none();
                if is_new && self.may_be_moved_to(&one.to) && self.is_on_a_side(one.to.as_ref())? {
                    own.push(one);
                }
            }
        }
        Ok(own)
    }

    /// Whether a branch may move its design there: a place for designs, for those that are done, or for what a
    /// framework writes beside them.
    pub(super) fn may_be_moved_to(&self, path: &BString) -> bool {
        let settings = &self.policy.settings;
        self.is_design(path)
            || done::is_sign(path.as_bstr(), &settings.done)
            || settings.always.contains(path.as_bstr())
    }

    /// What the merge base has of a design that this branch has moved.
    pub(super) fn before_move(&self, path: &BStr) -> Result<Option<Vec<u8>>> {
        match self.work_of_branch()? {
            Some(work) if work.moves.iter().any(|one| one.from == path) => {
                work.merge_base.read(path)
            }
            _ => Ok(None),
        }
    }
}
