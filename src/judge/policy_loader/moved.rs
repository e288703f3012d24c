//! Designs that the branch itself has moved, as a framework's archive command does.
//!
//! One that the branch added governs it from where it is now. One that was there before governs as the merge base has it,
//! for commits as for ranges.

use gix::bstr::{BStr, BString, ByteSlice};

use super::Loader;
use super::select::Choice;
use super::work_of_branch::WorkOfBranch;
use write_guard_policy::error::Result;
use write_guard_policy::policy::{self, FilledPattern};
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
        let Some(work) = self.work_of_branch()? else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for one in &work.moves {
            let from: &BStr = one.from.as_ref();
            let named = entries.iter().find(|entry| {
                let mut tries = entry.tries.iter();
                tries.any(|pattern| policy::pattern_matches(pattern, from))
            });
            if let Some(entry) = named
                && self.is_open(&one.from)?
            {
                found.push((one.from.clone(), entry.by.clone()));
            }
        }
        self.refuse_several(found.iter().map(|(from, _)| from))?;
        let is_found = found.len() > 1;
        let choices = found
            .into_iter()
            .map(|(from, by)| Choice::new(from, by, is_found));
        self.where_moved(choices.collect())
    }

    /// The designs that this branch has added and moved to no place for designs, by their first paths.
    pub(super) fn added_and_moved(&self, work: &WorkOfBranch<'_>) -> Result<Vec<BString>> {
        let mut found = Vec::new();
        for one in &work.moves {
            if !self.is_design(&one.to) && self.is_own_move(&one.from, &one.to)? {
                found.push(one.from.clone());
            }
        }
        Ok(found)
    }

    /// Follows designs that this branch added and then moved to where a design may be moved. Others stay as they are.
    pub(super) fn where_moved(&self, mut choices: Vec<Choice>) -> Result<Vec<Choice>> {
        for choice in &mut choices {
            if self.is_on_a_side(choice.path.as_ref())? {
                continue;
            }
            let Some(work) = self.work_of_branch()? else {
                continue;
            };
            for one in work.moves.iter().filter(|one| one.from == choice.path) {
                if self.is_own_move(&one.from, &one.to)? {
                    choice.path = one.to.clone();
                    break;
                }
            }
        }
        Ok(choices)
    }

    /// Whether the file at `path` is a design that this branch has added and moved there.
    pub(super) fn is_moved_there(&self, path: &BString) -> Result<bool> {
        if let Some(work) = self.work_of_branch()? {
            for one in work.moves.iter().filter(|one| one.to == *path) {
                if self.is_own_move(&one.from, &one.to)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a branch may move its design there: a place for designs, for those that are done, or for what a framework
    /// writes beside them.
    pub(super) fn may_be_moved_to(&self, path: &BString) -> bool {
        let settings = &self.policy.settings;
        self.is_design(path)
            || done::is_sign(path.as_bstr(), &settings.done)
            || settings.always.contains(path.as_bstr())
    }

    /// Whether it is a design of this branch alone that moved, to where it may be.
    fn is_own_move(&self, from: &BString, to: &BString) -> Result<bool> {
        let Some(work) = self.work_of_branch()? else {
            return Ok(false);
        };
        let is_new = work.merge_base.get(from.as_ref())?.is_none();
        Ok(is_new && self.may_be_moved_to(to) && self.is_on_a_side(to.as_ref())?)
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
