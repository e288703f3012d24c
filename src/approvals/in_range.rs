//! Applies approvals to a range. The approved steps of a path split its change; the parts before, between and after them
//! must pass the same rules on their own. Then the errors of the whole change are cleared.

use std::collections::{HashMap, HashSet};

use gix::bstr::BString;

use super::commits::{CommitApprovals, facts_of, named};
use crate::judge::Judge;
use crate::judge::MergedContents;
use write_guard_policy::change::Change;
use write_guard_policy::error::Result;
use write_guard_policy::finding::Finding;
use write_guard_policy::rules::{self, MeasuredChange};
use write_guard_policy::verdict::ReviewApproval;

/// The approved steps of each path, in commit order.
type StepsByPath<'a> = HashMap<&'a BString, Vec<&'a ReviewApproval>>;

impl CommitApprovals {
    /// Clears the errors that no unapproved part of a change has, and explains why the others remain. Returns the
    /// approved paths.
    ///
    /// # Errors
    /// An object cannot be read.
    pub fn clear(
        &self,
        judge: &Judge<'_>,
        changes: &[MeasuredChange],
        findings: &mut [Finding],
    ) -> Result<HashSet<BString>> {
        let mut by_path = StepsByPath::new();
        for one in self.all.iter().filter(|one| one.verdict.is_ok()) {
            let steps = by_path.entry(&one.approval.path).or_default();
            // Two branches may make the same step, each with its own approval.
            if steps.last().is_none_or(|last| last.verdict != one.verdict) {
                steps.push(one);
            }
        }
        if by_path.is_empty() {
            return Ok(HashSet::new());
        }
        let (parts, covered) = unapproved_parts(changes, &by_path);
        let parts = judge.measure(&parts, &MergedContents::default())?;
        let mut rests: HashMap<BString, String> = HashMap::new();
        let findings_of_parts = judge.check(&parts, &[])?.into_iter();
        for rest in findings_of_parts.filter(rules::can_be_cleared) {
            if let Some(path) = rest.path.filter(|path| !covered.contains(path)) {
                rests.entry(path).or_insert(rest.message);
            }
        }
        let approved = by_path.keys().filter(|path| !rests.contains_key(**path));
        let approved: HashSet<BString> = approved.map(|path| (*path).clone()).collect();
        for finding in findings.iter_mut().filter(|one| rules::can_be_cleared(one)) {
            let mut changes = changes.iter().map(|one| &one.change);
            let Some(change) = changes.find(|one| finding.path.as_ref() == Some(&one.path)) else {
                continue;
            };
            let steps = by_path.get(&change.path).map_or(&[][..], Vec::as_slice);
            let Some(last) = steps.last() else {
                continue;
            };
            // A loss in a rename needs approval of both paths.
            let lost_at = rules::lost_at(finding, change).map(ToOwned::to_owned);
            let lost_at = lost_at.filter(|from| !approved.contains(from));
            if lost_at.is_none() && approved.contains(&change.path) {
                let approvals: Vec<_> = steps.iter().map(|one| &one.approval).collect();
                rules::clear(finding, &approvals);
                finding.details.insert("approval", facts_of(last, None));
                continue;
            }
            let why_not = match rests.get(&change.path) {
                Some(rest) if *rest != finding.message => {
                    format!("does not cover the other changes: {rest}")
                }
                _ => "does not cover the other changes".to_owned(),
            };
            finding.help_first(format!("{} {why_not}", named(last)));
            let facts = facts_of(last, Some(why_not));
            finding.details.insert("approval", facts);
            if let Some(from) = lost_at {
                finding.help_first(rules::both_ends(from.as_ref()));
            }
        }
        Ok(approved)
    }
}

/// The parts of the changes that no step approves, and the paths that have no such part. Their whole changes are among
/// the parts: the other changes are judged beside them.
fn unapproved_parts<'a>(
    changes: &'a [MeasuredChange],
    by_path: &StepsByPath<'_>,
) -> (Vec<Change>, HashSet<&'a BString>) {
    let mut parts = Vec::new();
    let mut covered = HashSet::new();
    for Change { path, old, new, .. } in changes.iter().map(|one| &one.change) {
        let steps = by_path.get(path).into_iter().flatten();
        let steps = steps.flat_map(|one| one.verdict.clone());
        let mut from = *old;
        for (to, next) in steps.chain([(*new, *new)]) {
            if from != to {
                parts.push(Change::new(path.clone(), from, to));
            }
            from = next;
        }
        if parts.last().is_none_or(|part| part.path != *path) {
            covered.insert(path);
            parts.push(Change::new(path.clone(), *old, *new));
        }
    }
    (parts, covered)
}
