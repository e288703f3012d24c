//! Applies approvals to a range. The approved steps of a path split its change; each segment before, between and after
//! them must pass the same rules on its own. Then the errors of the whole change are cleared.

use std::collections::{HashMap, HashSet};

use gix::bstr::BString;

use super::{CommitApproval, CommitApprovals, StatePair};
use crate::change::{Change, State};
use crate::error::Result;
use crate::finding::Finding;
use crate::judge::measured_changes::{Judge, made_files, rename_targets};
use crate::judge::merge_commits::MergedContents;
use crate::path::escaped;
use crate::rules::{self, MeasuredChange, MergeBase};

/// A range judged without its approvals.
pub(in crate::judge) struct WholeRange<'a> {
    pub(in crate::judge) judge: &'a Judge<'a>,
    pub(in crate::judge) changes: &'a [MeasuredChange],
    pub(in crate::judge) merge_base: &'a MergeBase,
}

/// The approvals of a path that count, each with its step, in commit order.
type ApprovedSteps<'a> = Vec<(&'a CommitApproval, StatePair)>;

impl WholeRange<'_> {
    /// Clears the errors that no unapproved segment has, and explains why the others remain. Returns the approved
    /// paths.
    ///
    /// # Errors
    /// An object cannot be read.
    pub(in crate::judge) fn clear(
        &self,
        commit_approvals: &CommitApprovals,
        findings: &mut [Finding],
    ) -> Result<HashSet<BString>> {
        let mut by_path: HashMap<&BString, ApprovedSteps<'_>> = HashMap::new();
        for one in &commit_approvals.all {
            if let Ok(step) = one.verdict {
                let steps = by_path.entry(&one.approval.path).or_default();
                // Two branches may make the same step, each with its own approval.
                if steps.last().is_none_or(|&(_, last)| last != step) {
                    steps.push((one, step));
                }
            }
        }
        let (mut approved, mut rests) = (HashSet::new(), HashMap::new());
        for (at, changed) in self.changes.iter().enumerate() {
            let path = &changed.change.path;
            if let Some(steps) = by_path.get(path) {
                if let Some(rest) = self.uncovered(at, steps)? {
                    rests.insert(path, rest);
                } else {
                    approved.insert(path.clone());
                }
            }
        }
        for (changed, finding) in self.own(findings) {
            let change = &changed.change;
            let Some(steps) = by_path.get(&change.path) else {
                continue;
            };
            let Some((last, _)) = steps.last() else {
                continue;
            };
            // A loss in a rename needs approval of both paths.
            let lost_at = rules::lost_at(finding, change);
            let lost_at = lost_at
                .filter(|&from| !approved.contains(from))
                .map(ToOwned::to_owned);
            if lost_at.is_none() && approved.contains(&change.path) {
                let approvals: Vec<_> = steps.iter().map(|(one, _)| &one.approval).collect();
                rules::clear(finding, &approvals);
                finding.details.insert("approval", last.facts(None));
                continue;
            }
            tell_rest(finding, last, rests.get(&change.path));
            if let Some(from) = lost_at {
                finding.help_first(rules::both_ends(from.as_ref()));
            }
        }
        Ok(approved)
    }

    /// The findings that an approval can clear, each with the change that it is about.
    fn own<'f>(
        &self,
        findings: &'f mut [Finding],
    ) -> impl Iterator<Item = (&MeasuredChange, &'f mut Finding)> {
        findings.iter_mut().filter_map(|finding| {
            let mut changes = self.changes.iter();
            let own = changes.find(|one| finding.path.as_ref() == Some(&one.change.path));
            own.filter(|_| rules::can_be_cleared(finding))
                .map(|own| (own, finding))
        })
    }

    /// The first error of a part of the change at this position that the steps do not cover. They follow each other from
    /// one end of the change to the other; what lies between them must pass the rules on its own.
    fn uncovered(&self, at: usize, steps: &ApprovedSteps<'_>) -> Result<Option<Finding>> {
        let change = &self.changes[at].change;
        let mut from = change.old;
        let end = (change.new, change.new);
        for (to, next) in steps.iter().map(|&(_, step)| step).chain([end]) {
            if from != to
                && let Some(error) = self.error_of(at, from, to)?
            {
                return Ok(Some(error));
            }
            from = next;
        }
        Ok(None)
    }

    /// The first error of the change at this position if this segment were the whole range.
    fn error_of(
        &self,
        at: usize,
        old: Option<State>,
        new: Option<State>,
    ) -> Result<Option<Finding>> {
        let change = Change::new(self.changes[at].path(), old, new);
        let (objects, policy) = (self.judge.objects, self.judge.policy);
        let alone = self
            .judge
            .measure(vec![change], &MergedContents::default())?;
        let Some(mut measured) = alone.into_iter().next() else {
            return Ok(None);
        };
        let mut all = self.changes.to_vec();
        // A file that a Rename row lets go continues in another file of the range.
        let changes = all.iter().map(|measured| &measured.change);
        let made = made_files(policy, changes);
        measured.new_ends = rename_targets(objects, policy, &made, &measured.change)?;
        let path = measured.change.path.clone();
        all[at] = measured;
        let findings = self.judge.check(&all, self.merge_base, &[])?;
        let is_own = |one: &Finding| one.path.as_ref() == Some(&path) && rules::can_be_cleared(one);
        Ok(findings.into_iter().find(is_own))
    }
}

/// Says which part of the change is not approved.
fn tell_rest(finding: &mut Finding, last: &CommitApproval, rest: Option<&Finding>) {
    let (who, commit) = (escaped(&last.approval.who), last.commit.to_hex_with_len(12));
    let rest = rest
        .filter(|rest| rest.message != finding.message)
        .map_or(String::new(), |rest| format!(": {}", rest.message));
    let why_not = format!("does not cover the other changes{rest}");
    let line = format!("the approval by {who} in commit {commit} {why_not}");
    finding.help_first(line);
    finding
        .details
        .insert("approval", last.facts(Some(why_not)));
}
