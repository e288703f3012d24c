//! Changes with what the rules look at: renames explained, content measured, on as many cores as there are.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use gix::bstr::{BStr, BString};

use crate::change::{Change, Kind, State};
use crate::error::{Error, Result};
use crate::git::{Objects, Tree};
use crate::measure::{self, Conversion, RenameEnd};
use crate::policy::scope::Scope;
use crate::policy::settings::Settings;
use crate::policy::{Actions, GrantKind, Policy};
use crate::rules::{self, Subject};

/// Below this many changes a second thread costs more than it brings.
const WORTH_A_THREAD: usize = 64;
/// More threads than this wait for each other's objects.
const MAX_THREADS: usize = 8;
/// How many changes a thread takes at a time.
const BATCH: usize = 16;

/// All subjects in path order, and where renamed files came from.
pub(super) struct Subjects {
    pub(super) all: Vec<Subject>,
    /// The old state of the other end, by the new path of a rename.
    renamed_from: HashMap<BString, State>,
}

impl Subjects {
    /// What the new version is compared with: its own old state, or that of the path it was renamed from.
    pub(super) fn old_end(&self, change: &Change) -> Option<State> {
        old_end(&self.renamed_from, change)
    }

    /// A file that becomes a Git LFS pointer is kept whole where the attributes of `base` say that LFS has it.
    ///
    /// # Errors
    /// The attributes cannot be read.
    pub(super) fn excuse_lfs(&mut self, base: &Tree<'_>) -> Result<()> {
        for subject in &mut self.all {
            if subject.measured.conversion == Some(Conversion::LfsPointer)
                && base.is_kept_by_lfs(subject.path())?
            {
                subject.measured = subject.measured.without_loss();
            }
        }
        Ok(())
    }

    /// The two contents that are compared; a side without one is empty.
    pub(super) fn contents(
        &self,
        objects: &Objects,
        change: &Change,
    ) -> Result<(Vec<u8>, Vec<u8>)> {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        read(objects, self.old_end(change), &mut old)?;
        read(objects, change.new, &mut new)?;
        Ok((old, new))
    }
}

fn old_end(renamed_from: &HashMap<BString, State>, change: &Change) -> Option<State> {
    change
        .old
        .or_else(|| renamed_from.get(&change.path).copied())
}

/// Explains renames and measures every change.
///
/// # Errors
/// A blob is missing or damaged.
pub(super) fn gather(
    objects: &Objects,
    mut changes: Vec<Change>,
    policy: &Policy,
) -> Result<Subjects> {
    let renamed_from = explain_renames(objects, &mut changes, policy.scope.as_ref())?;
    let work = Work {
        changes: &changes,
        renamed_from: &renamed_from,
        settings: &policy.settings,
        next: AtomicUsize::new(0),
    };
    let threads = match changes.len() {
        0..WORTH_A_THREAD => 1,
        _ => std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(MAX_THREADS),
    };
    let mut measured = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let objects = objects.clone();
                scope.spawn(|| work.run(objects))
            })
            .collect();
        let mut all = work.run(objects.clone())?;
        for other in others {
            let part = other
                .join()
                .map_err(|_| Error::new("a thread that measures changes failed"))?;
            all.extend(part?);
        }
        Ok::<_, Error>(all)
    })?;
    measured.sort_unstable_by_key(|(at, _)| *at);
    Ok(Subjects {
        all: measured.into_iter().map(|(_, subject)| subject).collect(),
        renamed_from,
    })
}

/// Changes that threads take batches of.
struct Work<'a> {
    changes: &'a [Change],
    renamed_from: &'a HashMap<BString, State>,
    settings: &'a Settings,
    next: AtomicUsize,
}

impl Work<'_> {
    /// Measures batches until none is left; each result with its place.
    fn run(&self, objects: Objects) -> Result<Vec<(usize, Subject)>> {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let mut done = Vec::new();
        loop {
            let start = self.next.fetch_add(BATCH, Ordering::Relaxed);
            if start >= self.changes.len() {
                return Ok(done);
            }
            let end = (start + BATCH).min(self.changes.len());
            for at in start..end {
                done.push((
                    at,
                    self.measure(&objects, &self.changes[at], &mut old, &mut new)?,
                ));
            }
        }
    }

    fn measure(
        &self,
        objects: &Objects,
        change: &Change,
        old: &mut Vec<u8>,
        new: &mut Vec<u8>,
    ) -> Result<Subject> {
        let before = old_end(self.renamed_from, change);
        read(objects, before, old)?;
        read(objects, change.new, new)?;
        let side = |state: Option<State>, content| state.map(|state| (state.kind, content));
        let measured = measure::measure(
            side(before, old.as_slice()),
            side(change.new, new.as_slice()),
            &self.settings.thresholds,
        );
        let is_link = change.new.is_some_and(|state| state.kind == Kind::Symlink);
        let kept = is_link || rules::wants_content(change.path.as_ref());
        Ok(Subject {
            change: change.clone(),
            measured,
            content: kept.then(|| (old.clone(), new.clone())),
        })
    }
}

/// Reads a side's blob; a missing side and a submodule have none.
fn read(objects: &Objects, state: Option<State>, buffer: &mut Vec<u8>) -> Result<()> {
    buffer.clear();
    match state {
        Some(state) if state.kind != Kind::Submodule => objects.blob(state.id, buffer),
        _ => Ok(()),
    }
}

/// Tells both halves of each rename about the other; returns the old states by new path.
///
/// A Rename row pairs its two ends whatever they hold, so that a file cannot be replaced on the way; the others
/// are paired by their content.
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

/// Pairs deleted with added files as the Rename rows of `scope` do.
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
        let target = declared_target(scope, old_path.as_ref());
        let Some((new_path, &to)) = target.and_then(|path| added.get_key_value(&path)) else {
            continue;
        };
        if changes[to].renamed.is_none() {
            renamed_from.insert(new_path.clone(), old);
            changes[from].renamed = Some(new_path.clone());
            changes[to].renamed = Some(old_path);
        }
    }
}

/// Where a Rename row moves `path` to.
fn declared_target(scope: &Scope, path: &BStr) -> Option<BString> {
    scope.lookup(path).grants.into_iter().find_map(|grant| {
        let new = grant
            .renamed
            .as_ref()
            .filter(|_| grant.actions.contains(Actions::DELETE))?;
        match grant.kind {
            GrantKind::File => Some(new.clone()),
            GrantKind::Directory => {
                let rest = path.strip_prefix(grant.path.as_slice())?;
                Some([new.as_slice(), rest].concat().into())
            }
            GrantKind::Glob => None,
        }
    })
}
