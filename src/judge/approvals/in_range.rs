//! Applies approvals to a range. The approved steps of a path split its change; each segment before, between and after
//! them must pass the same rules on its own. Then the errors of the whole change are cleared.

use std::collections::{HashMap, HashSet};

use gix::bstr::{BStr, BString};

use super::{CommitApproval, CommitApprovals, StatePair};
use crate::change::{Change, State};
use crate::error::Result;
use crate::finding::{Finding, Level};
use crate::judge::measured_changes::{Judge, RenameTargets};
use crate::judge::merge_commits::MergedContents;
use crate::path::escaped;
use crate::rules::{self, MeasuredChange, MergeBase};

/// A range judged without its approvals.
pub(in crate::judge) struct WholeRange<'a> {
    pub(in crate::judge) judge: &'a Judge<'a>,
    pub(in crate::judge) changes: &'a [MeasuredChange],
    pub(in crate::judge) merge_base: &'a MergeBase,
}

/// An approval that counts, and its step.
type ApprovedStep<'a> = (&'a CommitApproval, StatePair);
/// Those of each path, in commit order.
type ByPath<'a> = HashMap<&'a BStr, Vec<ApprovedStep<'a>>>;

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
        let mut by_path: ByPath<'_> = HashMap::new();
        for one in &commit_approvals.all {
            if let Ok(step) = one.verdict {
                let steps = by_path.entry(one.approval.path.as_ref()).or_default();
                // Two branches may make the same step, each with its own approval.
                if steps.last().is_none_or(|&(_, last)| last != step) {
                    steps.push((one, step));
                }
            }
        }
        let mut approved = HashSet::new();
        for (at, changed) in self.changes.iter().enumerate() {
            if let Some(steps) = by_path.get(changed.path())
                && self.clear_path(at, steps, &by_path, findings)?
            {
                approved.insert(changed.change.path.clone());
            }
        }
        Ok(approved)
    }

    /// Whether the change at this position is approved.
    fn clear_path(
        &self,
        at: usize,
        steps: &[ApprovedStep<'_>],
        by_path: &ByPath<'_>,
        findings: &mut [Finding],
    ) -> Result<bool> {
        let change = &self.changes[at].change;
        let own = |finding: &Finding| {
            finding.path.as_ref() == Some(&change.path) && rules::can_be_cleared(finding)
        };
        let has_errors = findings.iter().any(own);
        let covered = self.covers(at, (change.old, change.new), steps, has_errors)?;
        for finding in findings.iter_mut().filter(|finding| own(finding)) {
            let lost_at = rules::lost_at(finding, change);
            let renamed = lost_at.map(|from| of_rename(steps, by_path.get(from)));
            let way = renamed.as_deref().unwrap_or(steps);
            let covered = match renamed {
                Some(_) => {
                    let ends = (self.changes[at].compared, change.new);
                    self.covers(at, ends, way, true)?
                }
                None => covered.clone(),
            };
            match (covered, way.last(), steps.last()) {
                (Ok(()), Some((last, _)), _) => {
                    let approvals: Vec<_> = way.iter().map(|(one, _)| &one.approval).collect();
                    rules::clear(finding, &approvals);
                    finding.details.insert("approval", last.facts(None));
                }
                (rest, _, Some((last, _))) => tell_rest(finding, last, rest.err().flatten()),
                _ => {}
            }
            if way.len() < steps.len()
                && finding.level == Level::Error
                && let Some(from) = lost_at
            {
                finding.help_first(rules::both_ends(from));
            }
        }
        Ok(covered.is_ok())
    }

    /// Whether the steps follow each other from one end to the other, but for segments that pass on their own; such
    /// segments count only if `may_differ`. The error is one that a segment has, if it was judged.
    fn covers(
        &self,
        at: usize,
        (start, end): StatePair,
        steps: &[ApprovedStep<'_>],
        may_differ: bool,
    ) -> Result<Result<(), Option<Finding>>> {
        if steps.is_empty() {
            return Ok(Err(None));
        }
        let mut from = start;
        for (to, next) in steps.iter().map(|&(_, step)| step).chain([(end, end)]) {
            if from != to {
                let error = match may_differ {
                    true => self.error_of(at, from, to)?,
                    false => return Ok(Err(None)),
                };
                if error.is_some() {
                    return Ok(Err(error));
                }
            }
            from = next;
        }
        Ok(Ok(()))
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
        measured.new_ends = RenameTargets::new(policy, changes).of(objects, &measured.change)?;
        let path = measured.change.path.clone();
        all[at] = measured;
        let findings = self.judge.check(&all, self.merge_base, &[])?;
        let is_own = |one: &Finding| one.path.as_ref() == Some(&path) && rules::can_be_cleared(one);
        Ok(findings.into_iter().find(is_own))
    }
}

/// The steps of a renamed file, from its old path. An approved step at the new path continues it only if the same
/// commit removes the old path with an approval; otherwise the step does not cover what was lost.
fn of_rename<'a>(
    steps: &[ApprovedStep<'a>],
    removals: Option<&Vec<ApprovedStep<'a>>>,
) -> Vec<ApprovedStep<'a>> {
    let removed = |commit| {
        let mut removals = removals.into_iter().flatten();
        let removal = removals.find(|(one, step)| one.commit == commit && step.1.is_none());
        removal.map(|&(_, (gone, _))| gone)
    };
    let continued = |&(one, (old, new)): &ApprovedStep<'a>| match old {
        Some(_) => Some((one, (old, new))),
        None => Some((one, (removed(one.commit)?, new))),
    };
    steps.iter().filter_map(continued).collect()
}

/// Says which part of the change is not approved.
fn tell_rest(finding: &mut Finding, last: &CommitApproval, rest: Option<Finding>) {
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
