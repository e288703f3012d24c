//! The designs that belong to a branch without a choice: those whose path has its name or issue, else those that it adds.

use std::collections::{BTreeSet, HashSet};

use gix::bstr::{BStr, BString, ByteSlice};

use super::Loader;
use super::documents::is_new_file;
use super::select::{Choice, matching};
use write_guard_policy::change::Change;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{escaped, escaped_list};
use write_guard_policy::policy::{self, ChosenBy, FilledPattern, Stage};
use write_guard_policy::scope::path_placeholders::PathNames;
use write_guard_repo::Tree;

impl Loader<'_, '_> {
    /// The design that `[lld] path` names: one document, or the documents of one directory. Where it leaves several or none,
    /// the one that this branch adds.
    pub(super) fn by_settings(&self) -> Result<Vec<Choice>> {
        let found = self.by_names();
        let is_clear = found.as_ref().is_ok_and(|found| !found.is_empty());
        if is_clear || !self.configured {
            return found;
        }
        match found {
            Ok(_) => self.only_added(self.added_designs()?),
            // A branch for a new plan beside older ones of the same name means the plan that it brings.
            Err(several) => {
                let candidates = self.named_by_settings();
                let mut added = self.added_designs()?;
                added.retain(|path| candidates.is_empty() || candidates.contains(path));
                match self.only_added(added) {
                    Ok(only) if !only.is_empty() => Ok(only),
                    _ => Err(several),
                }
            }
        }
    }

    /// The design that the names of the branch give.
    fn by_names(&self) -> Result<Vec<Choice>> {
        let names = self.names()?;
        let entries = policy::filled_patterns(&self.policy.settings, &names);
        let found = self.first_found(|side| self.on_side(&entries, side))?;
        if !found.is_empty() {
            return Ok(found);
        }
        self.moved_by_names(&entries)
    }

    /// The designs that this branch adds: those of its commits, also if they have moved, or, where they add none, those
    /// that a commit is about to add. Where the branch began is unknown, there are none of the former, and the latter
    /// would be forgotten at once.
    fn added_designs(&self) -> Result<Vec<BString>> {
        let Some(work) = self.work_of_branch()? else {
            return Ok(Vec::new());
        };
        let mut added = self.new_designs(&work.changes);
        if added.is_empty() {
            added = self.added_and_moved()?;
        }
        if added.is_empty() {
            added = self.new_designs(&self.facts.changes);
        }
        Ok(added)
    }

    /// The designs that changes add, without standing ones.
    pub(super) fn new_designs(&self, changes: &[Change]) -> Vec<BString> {
        let new = changes.iter().filter(|change| {
            let path: &BStr = change.path.as_ref();
            is_new_file(change)
                && policy::is_design(&self.policy.settings, path)
                && !policy::is_standing(&self.policy.settings, path)
        });
        new.map(|change| change.path.clone()).collect()
    }

    /// The only design among those that the branch adds; its documents may be several.
    fn only_added(&self, added: Vec<BString>) -> Result<Vec<Choice>> {
        let mut open = Vec::new();
        for path in added {
            if self.is_open(&path)? {
                open.push(path);
            }
        }
        self.refuse_several(&open)?;
        let is_found = open.len() > 1;
        let choices = open
            .into_iter()
            .map(|path| Choice::new(path, ChosenBy::AddedByBranch, is_found));
        self.where_moved(choices.collect())
    }

    /// Refuses to choose between different designs.
    fn refuse_several<'p>(
        &self,
        found: impl IntoIterator<Item = &'p BString> + Clone,
    ) -> Result<()> {
        let keys: HashSet<BString> = found
            .clone()
            .into_iter()
            .map(|path| policy::design_of(&self.policy.settings, path.as_ref()))
            .collect();
        if keys.len() <= 1 {
            return Ok(());
        }
        let all: Vec<&BString> = found.into_iter().collect();
        let error = Error::new(format!(
            "more than one design applies: {}",
            escaped_list(&all)
        ));
        Err(self.how_to_choose(error, all.first().copied()))
    }

    /// All documents that the names of the branch give, on either side.
    fn named_by_settings(&self) -> Vec<BString> {
        let names = self.names().unwrap_or_default();
        let entries = policy::filled_patterns(&self.policy.settings, &names);
        let patterns = entries.iter().flat_map(|entry| &entry.tries);
        let mut all = Vec::new();
        for pattern in patterns {
            for side in self.sides() {
                all.extend(matching(pattern.as_str().into(), side).unwrap_or_default());
            }
        }
        all
    }

    /// The design that one side has.
    fn on_side(&self, entries: &[FilledPattern], side: &Tree<'_>) -> Result<Vec<Choice>> {
        self.named(entries, |pattern| matching(pattern, side))
    }

    /// The design that these names give among the documents that `find` knows for a pattern.
    pub(super) fn named(
        &self,
        entries: &[FilledPattern],
        find: impl Fn(&BStr) -> Result<Vec<BString>>,
    ) -> Result<Vec<Choice>> {
        let mut found = BTreeSet::new();
        let mut by = None;
        for entry in entries {
            for pattern in &entry.tries {
                let mut paths = Vec::new();
                for path in find(pattern.as_str().into())? {
                    if self.is_design(&path) && self.is_open(&path)? {
                        paths.push(path);
                    }
                }
                // The more exact name of a branch wins over the shorter one of the same entry.
                if !paths.is_empty() {
                    by.get_or_insert(&entry.by);
                    found.extend(paths);
                    break;
                }
            }
        }
        self.refuse_several(&found)?;
        let Some(by) = by else {
            return Ok(Vec::new());
        };
        let is_found = found.len() > 1;
        let by = match (by, self.made_from()) {
            (ChosenBy::Issue(_) | ChosenBy::BranchName(_), Some(branch)) => {
                ChosenBy::MadeFrom(branch)
            }
            (by, _) => by.clone(),
        };
        Ok(found
            .into_iter()
            .map(|path| Choice::new(path, by.clone(), is_found))
            .collect())
    }

    /// The branch whose designs apply, if the work tree's own branch is another one that was made from it.
    fn made_from(&self) -> Option<BString> {
        let own = self.facts.repo.branch().ok()??.name;
        let applies = self.facts.branch.clone()?;
        let repo = self.facts.repo;
        (own != applies && repo.design_branch_of(own.as_ref()).as_ref() == Some(&applies))
            .then_some(applies)
    }

    /// What fills the placeholders of `[lld] path`.
    ///
    /// # Errors
    /// The branch name contains several issues, and guard does not guess.
    pub(super) fn names(&self) -> Result<PathNames> {
        let branch = self.facts.branch.clone().or_else(|| self.queued_branch());
        let settings = &self.policy.settings;
        let mut issues = match &branch {
            Some(branch) if policy::needs_issue(settings) => {
                policy::issues_of(settings, branch.as_ref())
            }
            _ => Vec::new(),
        };
        if let (Some(branch), true) = (&branch, issues.len() > 1) {
            let error = Error::new(format!(
                "the branch name {} contains several issues: {}",
                escaped(branch),
                issues.join(", ")
            ));
            return Err(self.how_to_choose(error, None));
        }
        Ok(PathNames {
            issue: issues.pop(),
            branch: branch.and_then(|branch| Some(branch.to_str().ok()?.to_owned())),
        })
    }

    /// The branch that a merge queue hides: the subject of its merge names it.
    fn queued_branch(&self) -> Option<BString> {
        let last = self.facts.commits.last()?;
        if self.facts.stage != Stage::Range || last.parents.len() < 2 {
            return None;
        }
        let subject = self.facts.repo.headline(last.id).ok()?.subject;
        let subject = subject.to_str().ok()?;
        let branch = match subject.strip_prefix("Merge pull request #") {
            Some(rest) => rest.split_once(" from ")?.1.split_once('/')?.1,
            None => subject.strip_prefix("Merge branch '")?.split_once('\'')?.0,
        };
        Some(branch.into())
    }
}
