//! Applies approvals to a range. Each approved step splits the range; the segments between are judged separately by
//! the same rules. An error of the range is cleared if every segment is free of it and adds no new error.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use gix::bstr::{BStr, BString};

use super::in_commits::{CommitApproval, CommitApprovals};
use super::validity::StatePair;
use crate::change::{Change, State};
use crate::error::Result;
use crate::finding::{Finding, Help, Rule};
use crate::judge::measured_changes::MeasuredChanges;
use crate::judge::merge_commits::MergedContents;
use crate::judge::rename_targets::RenameTargets;
use crate::judge::steps::Judge;
use crate::rules::{self, MergeBase};

/// The number of approvals that count per path in a range.
const MAX_STEPS: usize = 32;

/// A range judged without its approvals.
pub(in crate::judge) struct WholeRange<'a> {
    pub(in crate::judge) judge: &'a Judge<'a>,
    pub(in crate::judge) changes: &'a MeasuredChanges,
    pub(in crate::judge) merge_base: &'a MergeBase,
}

/// The valid approvals by path, each with its step.
type ByPath<'a> = HashMap<&'a BStr, Vec<(&'a CommitApproval, StatePair)>>;

/// The two ends of a change and the approved steps between them.
struct Route<'a> {
    ends: StatePair,
    steps: Vec<(&'a CommitApproval, StatePair)>,
}

impl Route<'_> {
    /// As [`chain`].
    fn chain(
        &self,
        passes: impl FnMut(Option<State>, Option<State>) -> Result<bool>,
    ) -> Result<Result<Vec<usize>, StatePair>> {
        let steps: Vec<StatePair> = self.steps.iter().map(|&(_, step)| step).collect();
        chain(self.ends, &steps, passes)
    }
}

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
        for statement in &commit_approvals.all {
            if let Ok(step) = statement.verdict {
                let path = statement.approval.path.as_ref();
                by_path.entry(path).or_default().push((statement, step));
            }
        }
        let mut approved = HashSet::new();
        if by_path.is_empty() {
            return Ok(approved);
        }
        for (at, changed) in self.changes.all.iter().enumerate() {
            let Some(statements) = by_path.get(changed.path()) else {
                continue;
            };
            if self.clear_path(at, statements, &by_path, findings)? {
                approved.insert(changed.change.path.clone());
            }
        }
        Ok(approved)
    }

    /// Whether the change at this position is approved, at least in part.
    fn clear_path(
        &self,
        at: usize,
        statements: &[(&CommitApproval, StatePair)],
        by_path: &ByPath<'_>,
        findings: &mut [Finding],
    ) -> Result<bool> {
        let change = &self.changes.all[at].change;
        let statements = &statements[..statements.len().min(MAX_STEPS)];
        let whole = Route {
            ends: (change.old, change.new),
            steps: statements.to_vec(),
        };
        let own = |finding: &Finding| {
            finding.path.as_ref() == Some(&change.path) && rules::can_be_cleared(finding)
        };
        // Each of these errors needs a chain of its own.
        let broken: HashSet<Rule> = findings
            .iter()
            .filter(|finding| own(finding))
            .map(|finding| finding.rule)
            .collect();
        let mut judged: HashMap<StatePair, Vec<Finding>> = HashMap::new();
        let mut is_approved = whole.chain(|_, _| Ok(false))?.is_ok();
        for finding in findings.iter_mut() {
            if !own(finding) {
                continue;
            }
            let rule = finding.rule;
            // A segment may lose a file through an error of another rule that the whole range does not have.
            let stops = |found: &Finding| found.rule == rule || !broken.contains(&found.rule);
            let lost_at = rules::lost_at(finding, change);
            let renamed = lost_at.map(|from| self.of_rename(change, from, statements, by_path));
            let way = renamed.as_ref().unwrap_or(&whole);
            let found = way.chain(|from, to| {
                let found = match judged.entry((from, to)) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(open) => open.insert(self.judge(at, from, to)?),
                };
                Ok(!found.iter().any(stops))
            })?;
            match found {
                Ok(used) => {
                    is_approved = true;
                    let used: Vec<_> = used.iter().map(|&at| way.steps[at].0).collect();
                    clear(finding, &used);
                }
                Err((from, to)) => {
                    let stays = judged
                        .get(&(from, to))
                        .and_then(|found| found.iter().find(|found| stops(found)));
                    let last = statements.last().map(|&(last, _)| last);
                    tell_rest(finding, last, stays);
                    if way.steps.len() < statements.len() {
                        finding
                            .help
                            .extend(lost_at.map(rules::both_ends).map(Help::from));
                    }
                }
            }
        }
        Ok(is_approved)
    }

    /// The route of a renamed file starts at its old path. An approved step at the new path continues it only if the
    /// same commit removes the old path with an approval; otherwise the step does not cover what was lost.
    fn of_rename<'a>(
        &self,
        change: &Change,
        from: &BStr,
        statements: &[(&'a CommitApproval, StatePair)],
        by_path: &ByPath<'_>,
    ) -> Route<'a> {
        let removals = by_path.get(from).map_or(&[][..], Vec::as_slice);
        let mut steps = Vec::new();
        for &(statement, (old, new)) in statements {
            let removed = removals
                .iter()
                .find(|(other, step)| other.commit == statement.commit && step.1.is_none());
            match (old, removed) {
                (Some(_), _) => steps.push((statement, (old, new))),
                (None, Some((_, (gone, _)))) => steps.push((statement, (*gone, new))),
                (None, None) => {}
            }
        }
        Route {
            ends: (self.changes.old_end(change), change.new),
            steps,
        }
    }

    /// The errors of the change at this position if this segment were the whole range.
    fn judge(&self, at: usize, old: Option<State>, new: Option<State>) -> Result<Vec<Finding>> {
        let change = Change {
            path: self.changes.all[at].change.path.clone(),
            old,
            new,
            renamed: None,
        };
        let Judge {
            objects, policy, ..
        } = *self.judge;
        let mut alone = self
            .judge
            .measure(vec![change], &MergedContents::default())?;
        let Some(mut measured) = alone.all.pop() else {
            return Ok(Vec::new());
        };
        let mut all = self.changes.all.clone();
        // A file that a Rename row lets go continues in another file of the range.
        let changes = all.iter().map(|measured| &measured.change);
        measured.new_ends = RenameTargets::new(policy, changes).of(objects, &measured.change)?;
        let path = measured.change.path.clone();
        all[at] = measured;
        let mut findings = self.judge.check(&all, self.merge_base, &[])?;
        findings.retain(|finding| {
            finding.path.as_ref() == Some(&path) && rules::can_be_cleared(finding)
        });
        Ok(findings)
    }
}

fn clear(finding: &mut Finding, used: &[&CommitApproval]) {
    let approvals: Vec<_> = used.iter().map(|statement| &statement.approval).collect();
    rules::clear(finding, &approvals);
    if let Some(last) = used.last() {
        finding.details.insert("approval", last.facts(None));
    }
}

/// Says which part of the change is not approved.
fn tell_rest(finding: &mut Finding, last: Option<&CommitApproval>, stays: Option<&Finding>) {
    let Some(last) = last else {
        return;
    };
    let (who, commit) = (
        crate::path::escaped(&last.approval.who),
        last.commit.to_hex_with_len(12),
    );
    let rest = stays
        .filter(|stays| stays.message != finding.message)
        .map_or(String::new(), |stays| format!(": {}", stays.message));
    let why_not = format!("does not cover the other changes{rest}");
    finding
        .help
        .push(format!("the approval by {who} in commit {commit} {why_not}").into());
    finding
        .details
        .insert("approval", last.facts(Some(why_not)));
}

/// Positions of steps that lead in order from one end to the other, where each segment between them is empty or
/// `passes`. Steps may be skipped, because two branches may approve in parallel. The error is a segment that did not
/// pass.
fn chain<T: Copy + PartialEq>(
    (start, end): (T, T),
    steps: &[(T, T)],
    mut passes: impl FnMut(T, T) -> Result<bool>,
) -> Result<Result<Vec<usize>, (T, T)>> {
    // The best way to each step: `None` if unreachable, otherwise the previous step, if any.
    let mut reached: Vec<Option<Option<usize>>> = Vec::with_capacity(steps.len());
    let mut stopped = (start, end);
    for at in 0..=steps.len() {
        let target = steps.get(at).map_or(end, |step| step.0);
        let mut found = None;
        for before in (0..at).rev().filter(|&before| reached[before].is_some()) {
            let from = steps[before].1;
            if from == target || passes(from, target)? {
                found = Some(Some(before));
                break;
            }
            if before + 1 == at {
                stopped = (from, target);
            }
        }
        if at == steps.len() {
            // A direct way without any step has no approval.
            return Ok(match found.flatten() {
                Some(last) => Ok(way_to(last, &reached)),
                None => Err(stopped),
            });
        }
        if found.is_none() {
            if start == target || passes(start, target)? {
                found = Some(None);
            } else if at == 0 {
                stopped = (start, target);
            }
        }
        reached.push(found);
    }
    Ok(Err(stopped))
}

fn way_to(mut last: usize, reached: &[Option<Option<usize>>]) -> Vec<usize> {
    let mut way = vec![last];
    while let Some(Some(before)) = reached[last] {
        way.push(before);
        last = before;
    }
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Contents are numbers; a segment passes where they differ by one at most.
    fn used(start: i32, end: i32, steps: &[(i32, i32)]) -> Result<Vec<usize>, (i32, i32)> {
        chain((start, end), steps, |from, to| Ok((from - to).abs() <= 1)).unwrap()
    }

    #[test]
    fn approved_steps_and_small_segments_cover_the_range() {
        assert_eq!(used(0, 9, &[(0, 9)]), Ok(vec![0]));
        assert_eq!(used(0, 9, &[(1, 8)]), Ok(vec![0]));
        assert_eq!(used(0, 9, &[(0, 5), (5, 9)]), Ok(vec![0, 1]));
        assert_eq!(used(0, 9, &[(1, 5), (6, 8)]), Ok(vec![0, 1]));
        // A step aside, and one that was taken back.
        assert_eq!(used(0, 9, &[(0, 9), (0, 5)]), Ok(vec![0]));
        assert_eq!(used(0, 9, &[(0, 5), (0, 9)]), Ok(vec![1]));
    }

    #[test]
    fn failing_segment_fails_the_range() {
        assert_eq!(used(0, 9, &[]), Err((0, 9)));
        assert_eq!(used(0, 1, &[]), Err((0, 1)), "there is no approval");
        assert_eq!(used(0, 9, &[(2, 9)]), Err((0, 2)));
        assert_eq!(used(0, 9, &[(0, 7)]), Err((7, 9)));
        assert_eq!(used(0, 9, &[(0, 5), (7, 9)]), Err((5, 7)));
        // Later steps do not lead to earlier ones.
        assert_eq!(used(0, 9, &[(5, 9), (0, 5)]), Err((5, 9)));
        // Many small segments without a step between them are one.
        assert_eq!(used(0, 9, &[(0, 3), (5, 9)]), Err((3, 5)));
    }
}
