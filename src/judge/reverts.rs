//! The exact revert of one recent commit: the same paths, each back in the state before it.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::{BStr, BString};

use super::facts::JudgementFacts;
use write_guard_policy::change::{Change, State};
use write_guard_policy::error::Result;
use write_guard_policy::finding::{Finding, Rule};
use write_guard_policy::policy::{Policy, Stage};
use write_guard_policy::rules;
use write_guard_policy::scope::settings::Settings;
use write_guard_repo::{Commit, Objects, Tree, changes_between};

/// How many commits back the first parents are followed.
const RECENT: usize = 500;
/// How often a change may have been made and taken back.
const MOST_FLIPS: usize = 8;

/// An exact revert.
pub(super) struct Revert {
    /// The reverted commit.
    pub(crate) commit: ObjectId,
    /// Whether it was made for the work that reverts it.
    is_own: bool,
}

impl Revert {
    /// The most recent commit among `head` and its first parents that these changes undo, all of it and nothing else. A
    /// merge counts as the change to its first parent; an own merge of the work of others counts as none, and so does
    /// the root commit: guard itself may be part of it.
    ///
    /// # Errors
    /// A tree is damaged, or `is_own` fails.
    pub(super) fn find(
        objects: &Objects,
        head: ObjectId,
        changes: &[Change],
        is_own: impl Fn(ObjectId) -> Result<bool>,
    ) -> Result<Option<Revert>> {
        let Some(probe) = changes.first() else {
            return Ok(None);
        };
        // The walk reads neighbouring trees again and again.
        let objects = objects.remembering();
        let path: &BStr = probe.path.as_ref();
        // A commit that a shallow clone lacks ends the walk.
        let Ok(mut commit) = Commit::read(&objects, head) else {
            return Ok(None);
        };
        let mut now = Tree::at(&objects, commit.tree).get(path)?;
        for _ in 0..RECENT {
            let Some(before) = first_parent(&objects, &commit) else {
                return Ok(None);
            };
            let was = Tree::at(&objects, before.tree).get(path)?;
            if (now, was) == (probe.old, probe.new) {
                let undone = changes_between(&objects, commit.tree, before.tree)?;
                if undone.iter().map(step).eq(changes.iter().map(step)) {
                    let is_own_commit = is_own(commit.id)?;
                    for merged in commit.parents.iter().skip(1) {
                        if is_own_commit && !is_own(*merged)? {
                            return Ok(None);
                        }
                    }
                    return Ok(Some(Revert {
                        commit: commit.id,
                        is_own: is_own_commit,
                    }));
                }
            }
            (commit, now) = (before, was);
        }
        Ok(None)
    }

    /// The commit that the changes to judge revert. It is of the same work if the merge base of the branch with its
    /// target is known and does not contain it; what a range reverts is older than the range. A forced push can undo
    /// commits by removing them, which is no revert.
    ///
    /// # Errors
    /// The configured target does not exist, or a commit or tree is damaged.
    pub(super) fn of(facts: &JudgementFacts<'_>, settings: &Settings) -> Result<Option<Revert>> {
        let repo = facts.repo;
        let Some(base) = facts.base.commit else {
            return Ok(None);
        };
        if let Some(head) = facts.head
            && repo.merge_base(base, head)? != Some(base)
        {
            return Ok(None);
        }
        Revert::find(repo.objects(), base, &facts.changes, |commit| {
            let target = settings.base.as_deref();
            match facts.base.merge_base(repo, target)? {
                Some((first, _)) if facts.stage != Stage::Range => {
                    Ok(repo.merge_base(commit, *first)? != Some(commit))
                }
                _ => Ok(false),
            }
        })
    }

    /// Drops the findings that do not apply to an exact revert: those about a loss, which the history already holds, and
    /// those about the scope, which does not apply without a design or if the reverted commit is of the same work. A
    /// design that the reverted commit brought together with its work does not govern the revert: GitHub names the branch
    /// of a revert after the branch that it reverts. Any other governing design stays protected, and so does what the
    /// reverted commit had taken back. Returns whether any was dropped.
    ///
    /// # Errors
    /// A commit or tree is damaged.
    pub(super) fn excuse(
        &self,
        objects: &Objects,
        changes: &[Change],
        policy: &Policy,
        findings: &mut Vec<Finding>,
    ) -> Result<bool> {
        let objects = objects.remembering();
        let mut gone: HashSet<&BString> = HashSet::new();
        if changes
            .iter()
            .any(|change| !policy.is_exempt(change.path.as_ref()))
        {
            let deleted = changes.iter().filter(|change| change.new.is_none());
            gone.extend(deleted.map(|change| &change.path));
        }
        let mut own_designs = policy.own_designs();
        let is_scoped = !self.is_own && own_designs.any(|design| !gone.contains(&design.path));
        let mut kept = Vec::with_capacity(findings.len());
        for finding in findings.iter() {
            let applies = match finding.rule {
                Rule::DestructiveChange => finding.path.as_ref().is_some_and(|path| {
                    policy.governing(path.as_ref()).is_some() && !gone.contains(path)
                }),
                Rule::OutOfScope | Rule::ActionNotGranted | Rule::SubmoduleChanged => is_scoped,
                _ => true,
            };
            // Rules about the scope that another branch's design met say nothing about this one.
            let may_redo = self.is_own || finding.rule == Rule::DestructiveChange;
            let mut changes = changes.iter().filter(|_| !applies && may_redo);
            let change = changes.find(|change| finding.path.as_ref() == Some(&change.path));
            let redoes = match change {
                Some(change) => redoes(&objects, self.commit, change)?,
                None => false,
            };
            kept.push(applies || redoes);
        }
        let count = findings.len();
        let mut kept = kept.into_iter();
        findings.retain(|_| kept.next() == Some(true));
        Ok(findings.len() < count)
    }

    /// What notes say of it.
    pub(super) fn note(&self) -> String {
        format!("exact revert of {}", self.commit.to_hex_with_len(12))
    }
}

/// The first parent of a commit; `None` for a root commit, or where a shallow clone ends.
fn first_parent(objects: &Objects, commit: &Commit) -> Option<Commit> {
    Commit::read(objects, *commit.parents.first()?).ok()
}

/// Whether a change that undoes `reverted` makes again what that commit had taken back, and what needed an approval
/// then: an earlier commit went from the old to the new state, and was no revert itself.
///
/// # Errors
/// A commit or tree is damaged.
fn redoes(objects: &Objects, mut reverted: ObjectId, change: &Change) -> Result<bool> {
    if change.old.is_none() {
        return Ok(false);
    }
    let path: &BStr = change.path.as_ref();
    for _ in 0..MOST_FLIPS {
        let Some(mut commit) = first_parent(objects, &Commit::read(objects, reverted)?) else {
            return Ok(false);
        };
        // The nearest commit before which the path was as it is now.
        let mut left = RECENT;
        let before = loop {
            left -= 1;
            let Some(before) = first_parent(objects, &commit).filter(|_| left > 0) else {
                return Ok(false);
            };
            if Tree::at(objects, before.tree).get(path)? == change.old {
                break before;
            }
            commit = before;
        };
        let made = changes_between(objects, before.tree, commit.tree)?;
        let is_same_step = Tree::at(objects, commit.tree).get(path)? == change.new;
        match Revert::find(objects, before.id, &made, |_| Ok(false))? {
            Some(earlier) if is_same_step => reverted = earlier.commit,
            _ => return Ok(true),
        }
    }
    Ok(true)
}

/// Drops the findings that an exact revert excuses, and notes the reverted commit in the policy.
///
/// # Errors
/// As for [`Revert::of`].
pub(super) fn excuse_revert(
    facts: &JudgementFacts<'_>,
    policy: &mut Policy,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    let revert = match policy.reverts {
        Some(commit) => Some(Revert {
            commit,
            is_own: false,
        }),
        // In a merge, the changes are not the whole commit.
        None if !facts.merged.is_merge && findings.iter().any(rules::can_be_cleared) => {
            Revert::of(facts, &policy.settings)?
        }
        None => None,
    };
    if let Some(revert) = revert {
        let objects = facts.repo.objects();
        let changes = &facts.changes;
        if revert.excuse(objects, changes, policy, findings)? || policy.reverts.is_some() {
            policy.reverts = Some(revert.commit);
            policy.notes.push(revert.note());
        }
    }
    Ok(())
}

/// The change without the other end of a rename.
fn step(change: &Change) -> (&BString, Option<State>, Option<State>) {
    (&change.path, change.old, change.new)
}
