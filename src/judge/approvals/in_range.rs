//! Applies approvals to a range. The approved steps of a path split its change; the parts before, between and after them
//! must pass the same rules on their own. Then the errors of the whole change are cleared.

use std::collections::{HashMap, HashSet};

use gix::bstr::BString;

use super::{CommitApproval, CommitApprovals, StatePair};
use crate::change::Change;
use crate::error::Result;
use crate::finding::Finding;
use crate::judge::measured_changes::Judge;
use crate::judge::merge_commits::MergedContents;
use crate::path::escaped;
use crate::rules::{self, MeasuredChange};

impl CommitApprovals {
    /// Clears the errors that no unapproved part of a change has, and explains why the others remain. Returns the
    /// approved paths.
    ///
    /// # Errors
    /// An object cannot be read.
    pub(in crate::judge) fn clear(
        &self,
        judge: &Judge<'_>,
        changes: &[MeasuredChange],
        findings: &mut [Finding],
    ) -> Result<HashSet<BString>> {
        let mut by_path: HashMap<&BString, Vec<(&CommitApproval, StatePair)>> = HashMap::new();
        for one in &self.all {
            if let Ok(step) = one.verdict {
                let steps = by_path.entry(&one.approval.path).or_default();
                // Two branches may make the same step, each with its own approval.
                if steps.last().is_none_or(|&(_, last)| last != step) {
                    steps.push((one, step));
                }
            }
        }
        if by_path.is_empty() {
            return Ok(HashSet::new());
        }
        let (mut parts, mut covered) = (Vec::new(), HashSet::new());
        for Change { path, old, new, .. } in changes.iter().map(|one| &one.change) {
            let steps = by_path.get(path).into_iter().flatten();
            let mut from = *old;
            for (to, next) in steps.map(|(_, step)| *step).chain([(*new, *new)]) {
                if from != to {
                    parts.push(Change::new(path.clone(), from, to));
                }
                from = next;
            }
            // The other changes are judged beside it.
            if parts.last().is_none_or(|part| part.path != *path) {
                covered.insert(path);
                parts.push(Change::new(path.clone(), *old, *new));
            }
        }
        let parts = judge.measure(parts, &MergedContents::default())?;
        let mut rests: HashMap<BString, Finding> = HashMap::new();
        for rest in judge.check(&parts, &[])? {
            let path = rest.path.clone().filter(|path| !covered.contains(path));
            if let Some(path) = path.filter(|_| rules::can_be_cleared(&rest)) {
                rests.entry(path).or_insert(rest);
            }
        }
        let approved = by_path.keys().filter(|path| !rests.contains_key(**path));
        let approved: HashSet<BString> = approved.map(|path| (*path).clone()).collect();
        for finding in findings.iter_mut().filter(|one| rules::can_be_cleared(one)) {
            let mut changes = changes.iter().map(|one| &one.change);
            let Some(change) = changes.find(|one| finding.path.as_ref() == Some(&one.path)) else {
                continue;
            };
            let steps = by_path.get(&change.path);
            let Some((steps, (last, _))) = steps.and_then(|steps| Some((steps, steps.last()?)))
            else {
                continue;
            };
            // A loss in a rename needs approval of both paths.
            let lost_at = rules::lost_at(finding, change).map(ToOwned::to_owned);
            let lost_at = lost_at.filter(|from| !approved.contains(from));
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
}

/// Says which part of the change is not approved.
fn tell_rest(finding: &mut Finding, last: &CommitApproval, rest: Option<&Finding>) {
    let (who, commit) = (escaped(&last.approval.who), last.commit.to_hex_with_len(12));
    let rest = rest
        .filter(|rest| rest.message != finding.message)
        .map_or(String::new(), |rest| format!(": {}", rest.message));
    let why_not = format!("does not cover the other changes{rest}");
    finding.help_first(format!(
        "the approval by {who} in commit {commit} {why_not}"
    ));
    finding
        .details
        .insert("approval", last.facts(Some(why_not)));
}
