//! Losses that are none. Lines that leave a large file for other files of the same change or of earlier commits of the
//! branch, such as when a module is split: they are kept if a row of the design grants those files and they have the same
//! extension. And the exact revert of one recent commit: the same paths, each back in the state before it.

use std::collections::{BTreeMap, HashSet};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::facts::JudgementFacts;
use write_guard_policy::change::{Change, State};
use write_guard_policy::error::Result;
use write_guard_policy::finding::{Finding, Rule};
use write_guard_policy::measure::{AddedLines, Class, Content, Measured, Unit, classify};
use write_guard_policy::policy::{Policy, Stage};
use write_guard_policy::rules::{self, MeasuredChange};
use write_guard_policy::scope::Actions;
use write_guard_policy::scope::settings::Settings;
use write_guard_policy::verdict::MovedTo;
use write_guard_repo::{Commit, Objects, Tree, changes_between};

/// What earlier commits of the branch changed, before the changes to judge.
pub(super) type EarlierChanges<'a> = dyn Fn() -> Result<Vec<Change>> + 'a;

/// Lowers the loss of each replaced file by the lines that other files gain.
///
/// # Errors
/// A blob is missing or damaged.
pub(super) fn credit(
    objects: &Objects,
    policy: &Policy,
    earlier: &EarlierChanges<'_>,
    changes: &mut [MeasuredChange],
) -> Result<()> {
    // The files that lose lines, by extension; those without one are left out.
    let mut losing_by_extension: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
    for (at, changed) in changes.iter().enumerate() {
        if changed.measured.as_ref().is_some_and(is_replaced)
            && let Some(extension) = extension(changed.path())
        {
            losing_by_extension
                .entry(extension.to_vec())
                .or_default()
                .push(at);
        }
    }
    if losing_by_extension.is_empty() {
        return Ok(());
    }
    let mut earlier = earlier()?;
    let paths: HashSet<&BStr> = changes.iter().map(MeasuredChange::path).collect();
    earlier.retain(|change| !paths.contains::<BStr>(change.path.as_ref()));
    for (wanted, losing) in losing_by_extension {
        let mut added = AddedLines::default();
        // The files that gain lines, each with the position of its change.
        let mut receivers: Vec<(usize, BString)> = Vec::new();
        let now = changes.iter().map(|one| (one.compared, &one.change));
        let before = earlier.iter().map(|change| (change.old, change));
        for (at, (old, change)) in now.chain(before).enumerate() {
            if extension(change.path.as_ref()) != Some(wanted.as_slice())
                || !is_granted(policy, change)
            {
                continue;
            }
            let content = objects.content(change.new)?;
            if Content::of(&content) == Content::Text
                && added.add(&objects.content(old)?, &content).is_some()
            {
                receivers.push((at, change.path.clone()));
            }
        }
        for at in losing {
            let changed = &mut changes[at];
            let (old, new) = objects.both(changed.compared, changed.change.new)?;
            let own = receivers.iter().position(|(change, _)| *change == at);
            for (file, lines) in added.take(&old, &new, own) {
                if let (Some((_, path)), Some(measured)) =
                    (receivers.get(file), &mut changed.measured)
                {
                    let lost = &mut measured.lost;
                    lost.lost = lost.lost.saturating_sub(lines);
                    measured.class = classify(lost, &policy.settings.thresholds);
                    let path = path.clone();
                    changed.moved_to.push(MovedTo { path, lines });
                }
            }
        }
    }
    Ok(())
}

pub(super) fn is_replaced(measured: &Measured) -> bool {
    measured.class == Class::Replace
        && measured.conversion.is_none()
        && measured.lost.unit == Unit::Lines
}

/// Whether a row lets the change put lines there. `always`, companions and the exemption of designs do not count.
fn is_granted(policy: &Policy, change: &Change) -> bool {
    let path: &BStr = change.path.as_ref();
    let (Some(scope), Some(new)) = (&policy.scope, change.new) else {
        return false;
    };
    let actions = scope.actions(path);
    let is_granted = match change.old {
        None => actions.contains(Actions::ADD),
        // Whether the file is new in this work decides `action-not-granted`.
        Some(_) => actions.contains(Actions::MODIFY) || actions.contains(Actions::MODIFY_NEW),
    };
    is_granted && new.kind.is_file() && !policy.is_exempt(path)
}

/// The extension of a file name; a name such as `.profile` has none.
pub(super) fn extension(path: &BStr) -> Option<&[u8]> {
    let name = path.rsplit(|&byte| byte == b'/').next()?;
    let dot = name.rfind_byte(b'.').filter(|&dot| dot > 0)?;
    let extension = &name[dot + 1..];
    (!extension.is_empty()).then_some(extension)
}

/// How many commits back the first parents are followed.
const RECENT: usize = 500;

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
        let state = |tree: ObjectId| Tree::at(&objects, tree).get(probe.path.as_ref());
        // A commit that a shallow clone lacks ends the walk.
        let Ok(mut commit) = Commit::read(&objects, head) else {
            return Ok(None);
        };
        let mut now = state(commit.tree)?;
        for _ in 0..RECENT {
            let parent = commit.parents.first().copied();
            let before = parent.and_then(|parent| Commit::read(&objects, parent).ok());
            let Some(before) = before else {
                return Ok(None);
            };
            let was = state(before.tree)?;
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
    /// governing design stays protected. Returns whether any was dropped.
    pub(super) fn excuse(&self, policy: &Policy, findings: &mut Vec<Finding>) -> bool {
        let count = findings.len();
        let is_scoped = !self.is_own && policy.has_own_design();
        let is_governing = |path: &BString| policy.governing(path.as_ref()).is_some();
        findings.retain(|finding| match finding.rule {
            Rule::DestructiveChange => finding.path.as_ref().is_some_and(is_governing),
            Rule::OutOfScope | Rule::ActionNotGranted | Rule::SubmoduleChanged => is_scoped,
            _ => true,
        });
        findings.len() < count
    }

    /// What notes say of it.
    pub(super) fn note(&self) -> String {
        format!("exact revert of {}", self.commit.to_hex_with_len(12))
    }
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
    if let Some(revert) = revert
        && (revert.excuse(policy, findings) || policy.reverts.is_some())
    {
        policy.reverts = Some(revert.commit);
        policy.notes.push(revert.note());
    }
    Ok(())
}

/// The change without the other end of a rename.
fn step(change: &Change) -> (&BString, Option<State>, Option<State>) {
    (&change.path, change.old, change.new)
}
