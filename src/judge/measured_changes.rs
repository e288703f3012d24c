//! Pairs renames and measures content, on all available cores.

use std::collections::HashMap;

use gix::bstr::{BStr, BString, ByteSlice};

use super::rename_targets::RenameTargets;
use crate::change::{Change, Kind, State};
use crate::error::Result;
use crate::git::{Objects, Tree};
use crate::measure::{self, Conversion, Kept, LineDiff, Measured, Precision, RenameEnd};
use crate::policy::Policy;
use crate::rules::{self, MeasuredChange, RenameTarget};
use crate::scope::Actions;
use crate::scope::Scope;
use crate::threads;

/// The fewest changes that are worth a second thread.
const WORTH_A_THREAD: usize = 64;
/// The fewest changes that are worth asking for the number of cores, which reads several control group files.
const WORTH_ASKING: usize = 512;
/// The number of changes per batch.
const BATCH: usize = 4;
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
    let new_ends = RenameTargets::new(policy, changes.iter());
    let threads = match changes.len() {
        0..WORTH_A_THREAD => 1,
        WORTH_A_THREAD..WORTH_ASKING => 2,
        _ => threads::most(),
    };
    let work = |objects: &Objects, at: usize| {
        let change: &Change = &changes[at];
        let old = old_end(&renamed_from, change);
        let new_ends = new_ends.of(objects, change)?;
        measured(objects, policy, precision, change, old, new_ends)
    };
    let measured = threads::map(changes.len(), (threads, BATCH), objects, work)?;
    drop(new_ends);
    let mut excerpts = HashMap::new();
    let mut all = Vec::with_capacity(changes.len());
    for (change, done) in changes.into_iter().zip(measured) {
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
    }
    Ok(MeasuredChanges {
        all,
        excerpts,
        renamed_from,
    })
}

/// What is found of one change.
struct Found {
    measured: Option<Measured>,
    new_ends: Vec<RenameTarget>,
    content: Option<Box<(Vec<u8>, Vec<u8>)>>,
    excerpts: Option<Box<Excerpts>>,
}

fn measured(
    objects: &Objects,
    policy: &Policy,
    precision: Precision,
    change: &Change,
    old_state: Option<State>,
    new_ends: Vec<RenameTarget>,
) -> Result<Found> {
    let (old, new) = (objects.content(old_state)?, objects.content(change.new)?);
    // A governing design may not lose its text at any size.
    let precision = match policy.governing(change.path.as_ref()) {
        Some(_) => Precision::Exact,
        None => precision,
    };
    let (measured, diff) = measure::measure_with_diff(
        old_state.map(|state| (state.kind, old.as_slice())),
        change.new.map(|state| (state.kind, new.as_slice())),
        &policy.settings.thresholds,
        precision,
    );
    let destroys = measured.is_some_and(|measured| measured.destroys());
    let excerpts = destroys.then(|| Box::new(excerpts(change, &old, &new, diff.as_ref())));
    drop(diff);
    let is_link = change.new.is_some_and(|state| state.kind == Kind::Symlink);
    let is_wanted = is_link || rules::wants_content(change.path.as_ref());
    Ok(Found {
        measured,
        new_ends,
        content: is_wanted.then(|| Box::new((old, new))),
        excerpts,
    })
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
    let open = |is_deleted: bool| -> Vec<usize> {
        let is_open = |change: &Change| {
            change.renamed.is_none()
                && change.old.is_some() == is_deleted
                && change.new.is_none() == is_deleted
        };
        let all = 0..changes.len();
        all.filter(|&at| is_open(&changes[at])).collect()
    };
    let (deleted, added) = (open(true), open(false));
    if deleted.is_empty() || added.is_empty() {
        return Ok(renamed_from);
    }
    let end = |at: &usize| -> Option<RenameEnd<'_>> {
        let change = &changes[*at];
        let path: &BStr = change.path.as_ref();
        let state = change.old.or(change.new)?;
        let said = match change.new {
            None => Actions::DELETE,
            Some(_) => Actions::ADD,
        };
        Some(RenameEnd {
            path,
            kind: state.kind,
            id: state.id,
            has_row: scope.is_some_and(|scope| scope.says(path, said)),
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
        pair(changes, from, to, &mut renamed_from);
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
    let is_added = |change: &Change| change.old.is_none() && is_file(change.new);
    let all = changes.iter().enumerate();
    let added = all.filter(|(_, change)| is_added(change));
    let added: HashMap<BString, usize> = added.map(|(at, one)| (one.path.clone(), at)).collect();
    for from in 0..changes.len() {
        let change = &changes[from];
        if added.is_empty() || change.new.is_some() || !is_file(change.old) {
            continue;
        }
        let mut new_ends = scope.new_ends(change.path.as_ref());
        let to = new_ends.find_map(|path| added.get(&path).copied());
        drop(new_ends);
        if let Some(to) = to.filter(|&to| changes[to].renamed.is_none()) {
            pair(changes, from, to, renamed_from);
        }
    }
}

/// Tells both sides of a rename about the other.
fn pair(
    changes: &mut [Change],
    from: usize,
    to: usize,
    renamed_from: &mut HashMap<BString, State>,
) {
    let (old_path, new_path) = (changes[from].path.clone(), changes[to].path.clone());
    renamed_from.extend(changes[from].old.map(|old| (new_path.clone(), old)));
    changes[from].renamed = Some(new_path);
    changes[to].renamed = Some(old_path);
}
