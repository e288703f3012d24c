//! Recognises the exact revert of one recent commit: the same paths, each back in the state before it.

use gix::ObjectId;

use super::facts::JudgementFacts;
use crate::change::Change;
use crate::error::Result;
use crate::finding::{Finding, Rule};
use crate::git::{Objects, Tree, changes_between};
use crate::policy::{Policy, Stage};
use crate::rules::MeasuredChange;
use crate::scope::settings::Settings;

/// How many commits back the first parents are followed.
const RECENT: usize = 500;

/// The reverted commit, as notes say it.
pub(super) fn note(commit: ObjectId) -> String {
    format!("exact revert of {}", commit.to_hex_with_len(12))
}

/// Whether this finding is about a loss that the history already holds, or about the scope.
pub(super) fn may_be_excused(finding: &Finding) -> bool {
    is_loss(finding) || is_scope(finding)
}

fn is_loss(finding: &Finding) -> bool {
    finding.rule == Rule::DestructiveChange
}

fn is_scope(finding: &Finding) -> bool {
    matches!(
        finding.rule,
        Rule::OutOfScope | Rule::ActionNotGranted | Rule::SubmoduleChanged
    )
}

/// Drops the findings that do not apply to an exact revert. The scope does not apply without a design, or if the
/// reverted commit `is_own`: made for this work. A governing design stays protected. Returns whether any was dropped.
pub(super) fn excuse(policy: &Policy, is_own: bool, findings: &mut Vec<Finding>) -> bool {
    let count = findings.len();
    let is_unscoped = is_own || !policy.has_own_design();
    findings.retain(|finding| {
        let path = finding.path.as_ref();
        let is_governing = path.is_some_and(|path| policy.governing(path.as_ref()).is_some());
        let is_excused = is_loss(finding) && !is_governing || is_scope(finding) && is_unscoped;
        !is_excused
    });
    findings.len() < count
}

/// Drops the findings that an exact revert excuses, and notes the reverted commit in the policy.
///
/// # Errors
/// As for [`reverted_above`].
pub(super) fn excuse_revert(
    facts: &JudgementFacts<'_>,
    policy: &mut Policy,
    changes: &[MeasuredChange],
    findings: &mut Vec<Finding>,
) -> Result<()> {
    let reverted = match policy.reverts {
        Some(commit) => Some((commit, false)),
        // In a merge, the changes are not the whole commit.
        None if !facts.merged.is_merge && findings.iter().any(may_be_excused) => {
            let changes = changes.iter().map(|one| &one.change);
            reverted_above(facts, &policy.settings, changes)?
        }
        None => None,
    };
    if let Some((commit, is_own)) = reverted
        && (excuse(policy, is_own, findings) || policy.reverts.is_some())
    {
        policy.reverts = Some(commit);
        policy.notes.push(note(commit));
    }
    Ok(())
}

/// As [`reverted`], for changes to what is committed or not committed yet, and whether the reverted commit was made for
/// the work on this branch: the merge base of the branch with its target is known and does not contain the commit. A
/// forced push can undo commits by removing them, which is no revert; and undoing a merge of the target branch undoes
/// the work of others.
///
/// # Errors
/// The configured target does not exist, or a commit or tree is damaged.
pub(super) fn reverted_above<'c>(
    facts: &JudgementFacts<'_>,
    settings: &Settings,
    changes: impl ExactSizeIterator<Item = &'c Change> + Clone,
) -> Result<Option<(ObjectId, bool)>> {
    let repo = facts.repo;
    let Some(base) = facts.base.commit() else {
        return Ok(None);
    };
    if let Some(head) = facts.head
        && repo.merge_base(base, head)? != Some(base)
    {
        return Ok(None);
    }
    let Some(commit) = reverted(repo.objects(), base, changes)? else {
        return Ok(None);
    };
    // What a range reverts is older than the range.
    let merge_base = match facts.stage {
        Stage::Range => Some(base),
        _ => {
            let found = facts.base.merge_base(repo, settings.base.as_deref())?;
            found.map(|(id, _)| *id)
        }
    };
    let is_old = |commit| match merge_base {
        Some(merge_base) => Ok(repo.merge_base(commit, merge_base)? == Some(commit)),
        None => Ok(true),
    };
    let is_own = !is_old(commit)?;
    if is_own {
        for parent in repo.commit(commit)?.parents.into_iter().skip(1) {
            if is_old(parent)? {
                return Ok(None);
            }
        }
    }
    Ok(Some((commit, is_own)))
}

/// The most recent commit among `head` and its first parents that these changes undo, all of it and nothing else. A merge
/// counts as the change to its first parent. The root commit counts as none: guard itself may be part of it.
///
/// # Errors
/// A tree is damaged.
pub(super) fn reverted<'c>(
    objects: &Objects,
    head: ObjectId,
    changes: impl ExactSizeIterator<Item = &'c Change> + Clone,
) -> Result<Option<ObjectId>> {
    let Some(probe) = changes.clone().next() else {
        return Ok(None);
    };
    // The walk reads neighbouring trees again and again.
    let objects = objects.remembering();
    let state = |tree: ObjectId| Tree::at(&objects, tree).get(probe.path.as_ref());
    // A commit that a shallow clone lacks ends the walk.
    let Ok(mut commit) = objects.recorded(head) else {
        return Ok(None);
    };
    let (mut id, mut now) = (head, state(commit.tree)?);
    for _ in 0..RECENT {
        let parent = commit.parents.first().copied();
        let Some((parent, before)) = parent.and_then(|id| Some((id, objects.recorded(id).ok()?)))
        else {
            return Ok(None);
        };
        let was = state(before.tree)?;
        if (now, was) == (probe.old, probe.new) {
            let undone = changes_between(&objects, commit.tree, before.tree)?;
            if is_same(&undone, changes.clone()) {
                return Ok(Some(id));
            }
        }
        (id, commit, now) = (parent, before, was);
    }
    Ok(None)
}

/// Whether two lists in path order hold the same changes.
fn is_same<'c>(one: &[Change], other: impl ExactSizeIterator<Item = &'c Change>) -> bool {
    let is_equal =
        |(a, b): (&Change, &Change)| a.path == b.path && (a.old, a.new) == (b.old, b.new);
    one.len() == other.len() && one.iter().zip(other).all(is_equal)
}
