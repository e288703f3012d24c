//! Designs that the branch itself has moved, as a framework's archive command does: where each is now.

use gix::bstr::{BStr, BString, ByteSlice};

use super::select::{Choice, matching};
use super::work_of_branch::WorkOfBranch;
use super::{Loader, file_name, is_new_file, new_documents};
use write_guard_policy::error::Result;
use write_guard_policy::policy::{self, ChosenBy, FilledPattern};
use write_guard_policy::scope::done;
use write_guard_policy::scope::path_placeholders;

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

    /// The design of these names that this branch began with or added, where it is now.
    pub(super) fn moved_by_names(&self, entries: &[FilledPattern]) -> Result<Vec<Choice>> {
        let Some(work) = self.work_of_branch()? else {
            return Ok(Vec::new());
        };
        let patterns = entries.iter().flat_map(|entry| &entry.tries);
        let mut new = work.changes.iter().filter(|change| is_new_file(change));
        // Most branches need no look at their commits.
        if !new.any(|change| patterns.clone().any(|one| may_name(one, &change.path))) {
            return Ok(Vec::new());
        }
        for tree in work.trees() {
            let had = self.on_side(entries, tree)?;
            if !had.is_empty() {
                return self.where_moved(had);
            }
        }
        Ok(Vec::new())
    }

    /// Follows designs that this branch has moved to where they are now: a new Markdown file of the same
    /// name, where one may be moved to. Without such a file they stay as they are.
    pub(super) fn where_moved(&self, mut choices: Vec<Choice>) -> Result<Vec<Choice>> {
        for choice in &mut choices {
            let path: &BStr = choice.path.as_ref();
            if self.is_on_a_side(path)? {
                continue;
            }
            let Some(work) = self.work_of_branch()? else {
                continue;
            };
            // Where a queue has squashed the branch, only the trailer still knows the old place.
            let is_named = matches!(choice.by, ChosenBy::Trailer(_));
            if !is_named && !self.was_committed(path, work)? {
                continue;
            }
            let mut moved = new_documents(&work.changes, &choice.path);
            if let Some(to) = moved.find(|to| self.may_be_moved_to(to)) {
                choice.path = to.clone();
            }
        }
        Ok(choices)
    }

    /// Whether a branch may move its design there: a place for designs, for those that are done, or for what a framework
    /// writes beside them.
    fn may_be_moved_to(&self, path: &BString) -> bool {
        let settings = &self.policy.settings;
        self.is_design(path)
            || done::is_sign(path.as_bstr(), &settings.done)
            || settings.always.contains(path.as_bstr())
    }

    /// Whether the changes add the file at `path`, in a place that a design may be moved to: so a range adds a design that
    /// its own commits moved. A reviewer is told of it as of any new design.
    pub(super) fn is_added_among_moved(&self, path: &BString) -> bool {
        let mut new = self.facts.changes.iter().filter(|one| is_new_file(one));
        new.any(|change| change.path == *path) && self.may_be_moved_to(path)
    }

    /// Whether this branch had a file at `path`, or began with it.
    fn was_committed(&self, path: &BStr, work: &WorkOfBranch<'_>) -> Result<bool> {
        for tree in work.trees() {
            if tree.get(path)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where the designs are now that this branch has added and moved to no place for designs.
    pub(super) fn added_and_moved(&self, work: &WorkOfBranch<'_>) -> Result<Vec<BString>> {
        let patterns = self.policy.settings.lld_path.iter();
        let patterns: Vec<String> = patterns
            .map(|pattern| path_placeholders::for_any_name(pattern))
            .collect();
        let mut found = Vec::new();
        for change in work.changes.iter().filter(|change| is_new_file(change)) {
            let to = &change.path;
            if self.is_design(to) || !self.may_be_moved_to(to) {
                continue;
            }
            for pattern in patterns.iter().filter(|one| may_name(one, to)) {
                if self.has_lost(pattern, file_name(to), work)? {
                    found.push(to.clone());
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Whether a commit of this branch had a design of this pattern and file name that this branch did not begin with,
    /// and does not have any more.
    fn has_lost(&self, pattern: &str, name: &[u8], work: &WorkOfBranch<'_>) -> Result<bool> {
        for tree in &work.of_commits {
            for path in matching(pattern.into(), tree)? {
                if file_name(&path) == name
                    && work.merge_base.get(path.as_ref())?.is_none()
                    && !self.is_on_a_side(path.as_ref())?
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Whether the pattern may name a document that is moved to `path`: it keeps its file name.
fn may_name(pattern: &str, path: &BString) -> bool {
    let (_, last) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    policy::pattern_matches(last, file_name(path).as_bstr())
}
