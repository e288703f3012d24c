//! Losses that are none: lines that leave a large file for other files of the same change or of earlier commits of the
//! branch, such as when a module is split. They are kept if a row of the design grants those files and they have the same
//! extension.

use std::collections::{BTreeMap, HashSet};

use gix::bstr::{BStr, BString, ByteSlice};

use write_guard_policy::change::Change;
use write_guard_policy::error::Result;
use write_guard_policy::measure::{AddedLines, Class, Content, Measured, Unit, classify};
use write_guard_policy::policy::Policy;
use write_guard_policy::rules::MeasuredChange;
use write_guard_policy::scope::Actions;
use write_guard_policy::verdict::MovedTo;
use write_guard_repo::Objects;

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
    // The files that lose lines, by extension; those without one are left out. Code that is copied into a note or a log
    // no longer works, so only a file of the same kind keeps it.
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
    // Of a path that changes now, the present version counts, which may have lost the lines again.
    let paths: HashSet<&BStr> = changes.iter().map(MeasuredChange::path).collect();
    earlier.retain(|change| !paths.contains::<BStr>(change.path.as_ref()));
    for (wanted, losing) in losing_by_extension {
        let now = changes.iter().map(|one| (one.compared, &one.change));
        let before = earlier.iter().map(|change| (change.old, change));
        let candidates = now.chain(before).enumerate().filter(|(_, (_, change))| {
            extension(change.path.as_ref()) == Some(wanted.as_slice()) && is_granted(policy, change)
        });
        let candidates: Vec<_> = candidates.collect();
        // A file does not pay for itself.
        if candidates.iter().all(|(at, _)| losing[..] == [*at]) {
            continue;
        }
        let mut added = AddedLines::default();
        // The files that gain lines, each with the position of its change.
        let mut receivers: Vec<(usize, BString)> = Vec::new();
        for (at, (old, change)) in candidates {
            // Too many lines, or what is not text, gain nothing: the loss then counts as it is.
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
            for (file, moved) in added.take(&old, &new, own) {
                if let (Some((_, path)), Some(measured)) =
                    (receivers.get(file), &mut changed.measured)
                {
                    measured.lost = measured.lost.without(&moved);
                    measured.class = classify(&measured.lost, &policy.settings.thresholds);
                    let path = path.clone();
                    let lines = moved.lines;
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
    let Some(scope) = &policy.scope else {
        return false;
    };
    let Some(new) = change.new else {
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
