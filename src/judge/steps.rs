//! The steps that every change goes through.

use super::measured_changes::{self, MeasuredChanges};
use super::merge_commits::{self, MergedContents};
use super::moved_lines::{self, EarlierChanges};
use super::tree_view::GitTree;
use crate::approve::Approval;
use crate::change::Change;
use crate::error::Result;
use crate::finding::Finding;
use crate::git::{Objects, Tree};
use crate::measure::Precision;
use crate::policy::Policy;
use crate::rules::{self, Case, MeasuredChange, MergeBase};
use crate::system;

/// The steps for all changes of a range, a commit or a segment.
pub(super) struct Judge<'a> {
    pub(super) objects: &'a Objects,
    pub(super) policy: &'a Policy,
    /// The tree judged against, if there is a repository: its attributes say which files Git LFS keeps.
    pub(super) base: Option<&'a Tree<'a>>,
    /// The resulting tree.
    pub(super) result: GitTree<'a>,
    pub(super) precision: Precision,
    pub(super) earlier: &'a EarlierChanges<'a>,
}

impl Judge<'_> {
    /// Pairs renames and measures what each change destroys.
    ///
    /// # Errors
    /// An object cannot be read.
    pub(super) fn measure(
        &self,
        changes: Vec<Change>,
        merged: &MergedContents,
    ) -> Result<MeasuredChanges> {
        let mut changes =
            measured_changes::gather(self.objects, changes, self.policy, self.precision)?;
        let settings = &self.policy.settings;
        merge_commits::measure_against_closest(self.objects, merged, settings, &mut changes)?;
        if let Some(base) = self.base {
            changes.excuse_lfs(base)?;
        }
        // The loss of a merge may be measured against another parent than the old versions.
        if !merged.is_merge {
            moved_lines::credit(self.objects, self.policy, self.earlier, &mut changes)?;
        }
        Ok(changes)
    }

    /// Runs the rules, with the approvals for exactly these changes.
    ///
    /// # Errors
    /// An object of the resulting tree cannot be read.
    pub(super) fn check(
        &self,
        changes: &[MeasuredChange],
        merge_base: &MergeBase,
        approvals: &[Approval],
    ) -> Result<Vec<Finding>> {
        let view = self.result.result_of(self.objects, changes);
        let findings = rules::check(&Case {
            platform: system::PLATFORM,
            policy: self.policy,
            changes,
            result: &view,
            merge_base,
            approvals,
        });
        view.finish()?;
        Ok(findings)
    }
}
