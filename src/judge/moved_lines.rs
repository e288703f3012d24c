//! Lines that leave a large file for other files of the same change or of earlier commits of the branch, such as when a
//! module is split. They are kept if a row of the design grants those files and they have the same extension.

use std::collections::{BTreeMap, HashMap, HashSet};

use gix::bstr::{BStr, BString, ByteSlice};

use crate::change::{Change, Kind};
use crate::error::Result;
use crate::git::Objects;
use crate::measure::{self, AddedLines, Class, Content, Measured, Unit, classify};
use crate::policy::Policy;
use crate::rules::{MeasuredChange, MovedTo};
use crate::scope::{Actions, Grant, GrantKind};

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
    let mut losing: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for (at, changed) in changes.iter().enumerate() {
        if changed.measured.as_ref().is_some_and(is_replaced)
            && let Some(extension) = extension(changed.path())
        {
            losing.entry(extension).or_default().push(at);
        }
    }
    if losing.is_empty() {
        return Ok(());
    }
    let mut earlier = earlier()?;
    let now: HashSet<&BStr> = changes.iter().map(MeasuredChange::path).collect();
    earlier.retain(|change| !now.contains::<BStr>(change.path.as_ref()));
    let contents = |changed: &MeasuredChange| objects.both(changed.compared, changed.change.new);
    let mut credits = Vec::new();
    for (wanted, losing) in losing {
        let mut receivers = Receivers::default();
        for &at in &losing {
            let (old, new) = contents(&changes[at])?;
            receivers.lines.want(&old, &new);
        }
        receivers.fill(objects, policy, changes, &earlier, wanted)?;
        for at in losing {
            let (old, new) = contents(&changes[at])?;
            let own = receivers.numbers.get(&at).copied();
            let moved: Vec<MovedTo> = receivers
                .lines
                .take(&old, &new, own)
                .into_iter()
                .filter_map(|(file, lines)| {
                    let path = receivers.files.get(file)?.clone();
                    Some(MovedTo { path, lines })
                })
                .collect();
            if !moved.is_empty() {
                credits.push((at, moved));
            }
        }
    }
    for (at, moved) in credits {
        let changed = &mut changes[at];
        if let Some(measured) = &mut changed.measured {
            lower(measured, moved.iter().map(|to| to.lines).sum(), policy);
        }
        changed.moved_to = moved;
    }
    Ok(())
}

/// The same for a request, which changes one file: `others` gives the versions of a granted path at the merge base and
/// on disk, if they differ. If another of these files has lost its lines, too, the lines may be its own.
///
/// # Errors
/// Those of `others`.
pub(super) fn credit_request(
    policy: &Policy,
    path: &BStr,
    (old, new): (&[u8], &[u8]),
    measured: &mut Measured,
    mut others: impl FnMut(&BStr) -> Result<Option<(Vec<u8>, Vec<u8>)>>,
) -> Result<()> {
    let (Some(scope), Some(wanted)) = (&policy.scope, extension(path)) else {
        return Ok(());
    };
    if !is_replaced(measured) {
        return Ok(());
    }
    let mut lines = AddedLines::default();
    lines.want(old, new);
    let is_other = |grant: &&Grant| {
        let other: &BStr = grant.path.as_ref();
        grant.kind == GrantKind::File && other != path && extension(other) == Some(wanted)
    };
    for grant in scope.grants().iter().filter(is_other) {
        let other: &BStr = grant.path.as_ref();
        let Some((before, now)) = others(other)? else {
            continue;
        };
        let (before, now) = (before.as_slice(), now.as_slice());
        let thresholds = &policy.settings.thresholds;
        let sides = [before, now].map(|content| Some((Kind::File, content)));
        let is_gone = now.is_empty() && !before.is_empty();
        if is_gone || is_replaced(&measure::measure(sides[0], sides[1], thresholds)) {
            return Ok(());
        }
        let gains = [Actions::ADD, Actions::MODIFY];
        let may_gain = gains.iter().any(|action| grant.actions.contains(*action));
        let is_text = Content::of(now) == Content::Text;
        if may_gain && is_text && !policy.is_exempt(other) && lines.is_wanted(now) {
            lines.add(before, now);
        }
    }
    let moved = lines
        .take(old, new, None)
        .into_iter()
        .map(|(_, lines)| lines)
        .sum();
    lower(measured, moved, policy);
    Ok(())
}

fn lower(measured: &mut Measured, lines: usize, policy: &Policy) {
    let lost = &mut measured.lost;
    lost.lost = lost.lost.saturating_sub(lines);
    lost.gone = lost.gone.saturating_sub(lines);
    measured.class = classify(lost, &policy.settings.thresholds);
}

fn is_replaced(measured: &Measured) -> bool {
    measured.class == Class::Replace
        && measured.conversion.is_none()
        && measured.lost.unit == Unit::Lines
}

/// The files that may receive lines, all with one extension.
#[derive(Default)]
struct Receivers {
    lines: AddedLines,
    /// The path of each file.
    files: Vec<BString>,
    /// The number of each file by the position of its change.
    numbers: HashMap<usize, usize>,
}

impl Receivers {
    /// Adds the files that gain wanted lines.
    fn fill(
        &mut self,
        objects: &Objects,
        policy: &Policy,
        changes: &[MeasuredChange],
        earlier: &[Change],
        wanted: &[u8],
    ) -> Result<()> {
        let mut content = Vec::new();
        let now = changes.iter().map(|one| (one.compared, &one.change));
        let earlier = earlier.iter().map(|change| (change.old, change));
        for (at, (old, change)) in now.chain(earlier).enumerate() {
            if extension(change.path.as_ref()) != Some(wanted) || !is_granted(policy, change) {
                continue;
            }
            objects.content_into(change.new, &mut content)?;
            if Content::of(&content) != Content::Text || !self.lines.is_wanted(&content) {
                continue;
            }
            let old = objects.content(old)?;
            if let Some(number) = self.lines.add(&old, &content) {
                self.files.push(change.path.clone());
                self.numbers.insert(at, number);
            }
        }
        Ok(())
    }
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
fn extension(path: &BStr) -> Option<&[u8]> {
    let name = path.rsplit(|&byte| byte == b'/').next()?;
    let dot = name.rfind_byte(b'.').filter(|&dot| dot > 0)?;
    let extension = &name[dot + 1..];
    (!extension.is_empty()).then_some(extension)
}
