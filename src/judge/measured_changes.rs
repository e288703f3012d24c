//! Pairs renames and measures content, on all available cores.

use std::collections::HashMap;

use gix::bstr::{BStr, BString, ByteSlice};

use super::rename_targets::RenameTargets;
use crate::change::{Change, Kind, State};
use crate::error::Result;
use crate::git::{Objects, Tree};
use crate::measure::{self, Conversion, Kept, LineDiff, Measured, Precision, RenameEnd};
use crate::policy::scope::Scope;
use crate::policy::{Actions, Policy};
use crate::rules::{self, MeasuredChange, RenameTarget};
use crate::threads::{self, Batches};

/// The fewest changes that are worth a second thread.
const WORTH_A_THREAD: usize = 64;
/// The fewest changes that are worth asking for the number of cores, which reads several control group files.
const WORTH_ASKING: usize = 512;
/// The number of changes per batch.
const BATCH: usize = 4;
/// After how many changes the memory of their changes is given back.
const GIVEN_BACK: usize = 1 << 16;
/// Lines of a preview: about a screenful with the finding.
const PREVIEW_LINES: usize = 20;
/// Lines of lost content to show.
const LOST_LINES: usize = 10;

/// All changes in path order, and where renamed files came from.
pub(super) struct MeasuredChanges {
    pub(super) all: Vec<MeasuredChange>,
    /// Excerpts of destructive changes, by path.
    excerpts: HashMap<BString, Excerpts>,
    /// The old state of the renamed file, by its new path.
    renamed_from: HashMap<BString, State>,
}

/// What to show of a destructive change.
#[derive(Clone)]
pub(super) struct Excerpts {
    /// The unified diff.
    pub(super) preview: String,
    /// The lines that would be lost.
    pub(super) deleted: String,
}

impl MeasuredChanges {
    /// The excerpts of a change. They are prepared if the first measurement found a loss; a merge may turn out
    /// destructive later.
    ///
    /// # Errors
    /// A blob cannot be read.
    pub(super) fn excerpts(&self, objects: &Objects, change: &Change) -> Result<Excerpts> {
        if let Some(excerpts) = self.excerpts.get(&change.path) {
            return Ok(excerpts.clone());
        }
        let (old, new) = self.contents(objects, change)?;
        Ok(excerpts(change, &old, &new, None))
    }

    /// The old state to compare with: that of the path, or of the path it was renamed from.
    pub(super) fn old_end(&self, change: &Change) -> Option<State> {
        old_end(&self.renamed_from, change)
    }

    /// The two contents to compare; a missing side is empty.
    ///
    /// # Errors
    /// A blob cannot be read.
    pub(super) fn contents(
        &self,
        objects: &Objects,
        change: &Change,
    ) -> Result<(Vec<u8>, Vec<u8>)> {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        objects.content_into(self.old_end(change), &mut old)?;
        objects.content_into(change.new, &mut new)?;
        Ok((old, new))
    }

    /// A file that becomes a Git LFS pointer loses nothing if the attributes of `base` put it into LFS.
    ///
    /// # Errors
    /// The attributes cannot be read.
    pub(super) fn excuse_lfs(&mut self, base: &Tree<'_>) -> Result<()> {
        for changed in &mut self.all {
            if let Some(measured) = changed.measured
                && measured.conversion == Some(Conversion::LfsPointer)
                && base.is_kept_by_lfs(changed.path())?
            {
                changed.measured = Some(measured.without_loss());
            }
            for end in &mut changed.new_ends {
                if end.kept.conversion == Some(Conversion::LfsPointer)
                    && base.is_kept_by_lfs(end.path.as_ref())?
                {
                    end.kept = Kept::WHOLE;
                }
            }
        }
        Ok(())
    }
}

fn old_end(renamed_from: &HashMap<BString, State>, change: &Change) -> Option<State> {
    change
        .old
        .or_else(|| renamed_from.get(&change.path).copied())
}

/// Pairs renames and measures every change.
///
/// # Errors
/// A blob is missing or damaged.
pub(super) fn gather(
    objects: &Objects,
    mut changes: Vec<Change>,
    policy: &Policy,
    precision: Precision,
) -> Result<MeasuredChanges> {
    let renamed_from = explain_renames(objects, &mut changes, policy.scope.as_ref())?;
    let work = MeasureQueue {
        changes: &changes,
        renamed_from: &renamed_from,
        new_ends: RenameTargets::new(policy, changes.iter()),
        policy,
        precision,
        batches: Batches::new(changes.len(), BATCH),
    };
    let threads = match changes.len() {
        0..WORTH_A_THREAD => 1,
        WORTH_A_THREAD..WORTH_ASKING => 2,
        _ => threads::most(),
    };
    let parts = threads::share(threads, objects, |objects| work.run(objects))?;
    let mut measured = parts
        .into_iter()
        .reduce(|mut all, part| {
            all.extend(part);
            all
        })
        .unwrap_or_default();
    measured.sort_unstable_by_key(|done| done.at);
    let mut excerpts = HashMap::new();
    let mut all = Vec::with_capacity(changes.len());
    // From the end, so that a million changes are held once: memory is returned as they are taken.
    while let (Some(change), Some(done)) = (changes.pop(), measured.pop()) {
        if let Some(shown) = done.excerpts {
            excerpts.insert(change.path.clone(), *shown);
        }
        all.push(MeasuredChange {
            change,
            measured: done.measured,
            new_ends: done.new_ends,
            moved_to: Vec::new(),
            content: done.content,
        });
        if all.len().is_multiple_of(GIVEN_BACK) {
            changes.shrink_to_fit();
            measured.shrink_to_fit();
        }
    }
    all.reverse();
    Ok(MeasuredChanges {
        all,
        excerpts,
        renamed_from,
    })
}

/// Changes that threads take in batches.
struct MeasureQueue<'a> {
    changes: &'a [Change],
    renamed_from: &'a HashMap<BString, State>,
    new_ends: RenameTargets<'a>,
    policy: &'a Policy,
    precision: Precision,
    batches: Batches,
}

impl MeasureQueue<'_> {
    /// Measures batches until none is left.
    fn run(&self, objects: &Objects) -> Result<Vec<MeasuredAt>> {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        // One thread may get nearly all batches.
        let mut done = Vec::with_capacity(self.changes.len());
        while let Some(batch) = self.batches.take() {
            for at in batch {
                done.push(self.measure(objects, at, &mut old, &mut new)?);
            }
        }
        Ok(done)
    }

    fn measure(
        &self,
        objects: &Objects,
        at: usize,
        old: &mut Vec<u8>,
        new: &mut Vec<u8>,
    ) -> Result<MeasuredAt> {
        let change = &self.changes[at];
        let before = old_end(self.renamed_from, change);
        objects.content_into(before, old)?;
        objects.content_into(change.new, new)?;
        let side = |state: Option<State>, content| state.map(|state| (state.kind, content));
        // A governing design may not lose its text at any size.
        let precision = match self.policy.governing(change.path.as_ref()) {
            Some(_) => Precision::Exact,
            None => self.precision,
        };
        let (measured, diff) = measure::measure_with_diff(
            side(before, old.as_slice()),
            side(change.new, new.as_slice()),
            &self.policy.settings.thresholds,
            precision,
        );
        let is_link = change.new.is_some_and(|state| state.kind == Kind::Symlink);
        let kept = is_link || rules::wants_content(change.path.as_ref());
        Ok(MeasuredAt {
            at,
            measured,
            new_ends: self.new_ends.of(objects, change)?,
            content: kept.then(|| Box::new((old.clone(), new.clone()))),
            excerpts: measured
                .is_some_and(|measured| measured.destroys())
                .then(|| Box::new(excerpts(change, old, new, diff.as_ref()))),
        })
    }
}

/// The result for the change at one position.
struct MeasuredAt {
    at: usize,
    measured: Option<Measured>,
    new_ends: Vec<RenameTarget>,
    content: Option<Box<(Vec<u8>, Vec<u8>)>>,
    excerpts: Option<Box<Excerpts>>,
}

fn excerpts(change: &Change, old: &[u8], new: &[u8], diff: Option<&LineDiff>) -> Excerpts {
    let from = change.renamed.as_ref().unwrap_or(&change.path);
    let (from, to) = (from.to_str_lossy(), change.path.to_str_lossy());
    Excerpts {
        preview: measure::unified_preview(old, new, &from, &to, PREVIEW_LINES),
        deleted: match diff {
            Some(_) => measure::removed_lines(old, diff, LOST_LINES),
            None => measure::deleted_content(old, new, LOST_LINES),
        },
    }
}

/// Tells both sides of each rename about the other, and returns the old states by new path.
///
/// A Rename row pairs its two paths whatever they contain, so that a rename cannot replace the content. Others are
/// paired by content unless their rows say Delete and Add.
fn explain_renames(
    objects: &Objects,
    changes: &mut [Change],
    scope: Option<&Scope>,
) -> Result<HashMap<BString, State>> {
    let mut renamed_from = HashMap::new();
    if let Some(scope) = scope {
        pair_declared(scope, changes, &mut renamed_from);
    }
    let half = |state: Option<State>, other: Option<State>| state.filter(|_| other.is_none());
    let at = |wanted: fn(&Change) -> Option<State>| -> Vec<usize> {
        (0..changes.len())
            .filter(|&at| wanted(&changes[at]).is_some())
            .collect()
    };
    let deleted = at(|change| {
        if change.new.is_none() && change.renamed.is_none() {
            change.old
        } else {
            None
        }
    });
    let added = at(|change| {
        if change.old.is_none() && change.renamed.is_none() {
            change.new
        } else {
            None
        }
    });
    if deleted.is_empty() || added.is_empty() {
        return Ok(renamed_from);
    }
    let end = |at: &usize| -> Option<RenameEnd<'_>> {
        let change = &changes[*at];
        let state = half(change.old, change.new).or_else(|| half(change.new, change.old))?;
        Some(RenameEnd {
            path: <BString as AsRef<BStr>>::as_ref(&change.path),
            kind: state.kind,
            id: state.id,
            has_row: scope.is_some_and(|scope| {
                let said = if change.new.is_none() {
                    Actions::DELETE
                } else {
                    Actions::ADD
                };
                scope.says(change.path.as_ref(), said)
            }),
        })
    };
    let from: Vec<_> = deleted.iter().filter_map(end).collect();
    let to: Vec<_> = added.iter().filter_map(end).collect();
    let pairing = measure::pair_renames(&from, &to, |id| {
        let mut blob = Vec::new();
        objects.blob(id, &mut blob).map(|()| blob)
    })?;
    for rename in pairing.renames {
        let (from, to) = (deleted[rename.from], added[rename.to]);
        let (old_path, new_path) = (changes[from].path.clone(), changes[to].path.clone());
        if let Some(state) = changes[from].old {
            renamed_from.insert(new_path.clone(), state);
        }
        changes[from].renamed = Some(new_path);
        changes[to].renamed = Some(old_path);
    }
    Ok(renamed_from)
}

/// Pairs deleted with added files by the Rename rows of `scope`.
fn pair_declared(
    scope: &Scope,
    changes: &mut [Change],
    renamed_from: &mut HashMap<BString, State>,
) {
    let is_file = |state: Option<State>| state.is_some_and(|state| state.kind.is_file());
    let added: HashMap<BString, usize> = changes
        .iter()
        .enumerate()
        .filter(|(_, change)| change.old.is_none() && is_file(change.new))
        .map(|(at, change)| (change.path.clone(), at))
        .collect();
    if added.is_empty() {
        return;
    }
    for from in 0..changes.len() {
        let old_path = changes[from].path.clone();
        let old = changes[from].old.filter(|state| state.kind.is_file());
        let (Some(old), None) = (old, changes[from].new) else {
            continue;
        };
        let found = scope
            .new_ends(old_path.as_ref())
            .find_map(|path| added.get_key_value(&path));
        let Some((new_path, &to)) = found else {
            continue;
        };
        if changes[to].renamed.is_none() {
            renamed_from.insert(new_path.clone(), old);
            changes[from].renamed = Some(new_path.clone());
            changes[to].renamed = Some(old_path);
        }
    }
}
