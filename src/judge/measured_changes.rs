//! The steps that every change goes through: pair renames, measure content on all available cores with the same result
//! as on one, run the rules.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use gix::bstr::{BStr, BString};

use super::excuses::{self, EarlierChanges};
use super::merge_commits::{self, MergedContents};
use super::tree_view::GitTreeView;
use write_guard_policy::approve::Approval;
use write_guard_policy::change::{Change, Kind, State};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Finding;
use write_guard_policy::measure::{self, Conversion, Kept, Precision, RenameEnd};
use write_guard_policy::path::Platform;
use write_guard_policy::policy::Policy;
use write_guard_policy::rules::{self, Case, MeasuredChange, RenameTarget};
use write_guard_policy::scope::{Actions, Grant, Scope};
use write_guard_repo::{Objects, Tree};

/// More threads would only wait for each other.
const MOST_THREADS: usize = 8;
/// The number of changes or commits per batch; neighbours share most of their trees.
const BATCH: usize = 32;

/// The steps for all changes of a range, a commit or a segment.
pub(crate) struct Judge<'a> {
    pub(super) objects: &'a Objects,
    pub(super) policy: &'a Policy,
    /// The tree judged against, if there is a repository: its attributes say which files Git LFS keeps.
    pub(crate) base: Option<&'a Tree<'a>>,
    /// The resulting tree.
    pub(super) result: &'a Tree<'a>,
    pub(super) precision: Precision,
    pub(super) earlier: &'a EarlierChanges<'a>,
    pub(super) merge_base: &'a StatesBefore<'a>,
}

/// What the merge base holds at a path, as [`MergeBase`](rules::MergeBase) says.
pub(super) type StatesBefore<'a> = dyn Fn(&BStr) -> Result<Option<Option<State>>> + 'a;

impl Judge<'_> {
    /// Pairs renames and measures what each change destroys, in path order.
    ///
    /// # Errors
    /// An object cannot be read.
    pub(crate) fn measure(
        &self,
        changes: &[Change],
        merged: &MergedContents,
    ) -> Result<Vec<MeasuredChange>> {
        let mut changes = changes.to_vec();
        let objects = self.objects;
        let policy = self.policy;
        let precision = self.precision;
        let olds = explain_renames(objects, &mut changes, policy.scope.as_ref())?;
        let made = made_files(policy, changes.iter());
        let mut all = for_each(changes.len(), objects, |objects, at| {
            let change = &changes[at];
            let (old, new) = objects.both(olds[at], change.new)?;
            // A governing design may not lose its text at any size.
            let governs = policy.governing(change.path.as_ref()).is_some();
            let precision = if governs { Precision::Exact } else { precision };
            let measured = measure::measure_if(
                olds[at].map(|state| (state.kind, old.as_slice())),
                change.new.map(|state| (state.kind, new.as_slice())),
                &policy.settings.thresholds,
                precision,
            );
            let is_link = change.new.is_some_and(|state| state.kind == Kind::Symlink);
            let is_wanted = is_link || rules::wants_content_under(policy, change.path.as_ref());
            Ok(MeasuredChange {
                change: change.clone(),
                compared: olds[at],
                measured,
                new_ends: rename_targets(objects, policy, &made, change)?,
                moved_to: Vec::new(),
                // What is compared with is a commit's.
                is_committed: true,
                pays_for: None,
                content: is_wanted.then(|| Box::new((old, new))),
            })
        })?;
        merge_commits::measure_against_closest(objects, merged, &policy.settings, &mut all)?;
        // A file that becomes a Git LFS pointer loses nothing if the attributes of the base put it into LFS.
        for changed in &mut all {
            if let (Some(base), Some(measured)) = (self.base, changed.measured)
                && measured.conversion == Some(Conversion::LfsPointer)
                && base.is_kept_by_lfs(changed.path())?
            {
                changed.measured = Some(measured.without_loss());
            }
        }
        // The loss of a merge may be measured against another parent than the old versions.
        if !merged.is_merge {
            excuses::credit(objects, policy, self.earlier, &mut all)?;
        }
        Ok(all)
    }

    /// Runs the rules, with the approvals for exactly these changes.
    ///
    /// # Errors
    /// An object of the resulting tree cannot be read.
    pub(crate) fn check(
        &self,
        changes: &[MeasuredChange],
        approvals: &[Approval],
    ) -> Result<Vec<Finding>> {
        let view = GitTreeView::new(self.result, Some(changes));
        let findings = rules::check(&Case {
            platform: Platform::HOST,
            policy: self.policy,
            changes,
            result: &view,
            merge_base: &|path| view.failed.seen((self.merge_base)(path)).flatten(),
            submodules: write_guard_repo::submodules,
            approvals,
        });
        view.failed.finish()?;
        Ok(findings)
    }
}

/// Tells both sides of each rename about the other, and returns the old version to compare each change with.
///
/// A Rename row pairs its two paths whatever they contain, so that a rename cannot replace the content. Others are
/// paired by content unless their rows say Delete and Add.
fn explain_renames(
    objects: &Objects,
    changes: &mut [Change],
    scope: Option<&Scope>,
) -> Result<Vec<Option<State>>> {
    let mut olds: Vec<Option<State>> = changes.iter().map(|change| change.old).collect();
    if let Some(scope) = scope {
        pair_declared(scope, changes, &mut olds);
    }
    // The places of deleted and added files, and these files.
    let mut deleted = vec![];
    let mut added = vec![];
    let mut old_ends = vec![];
    let mut new_ends = vec![];
    for (at, change) in changes.iter().enumerate() {
        let (places, ends, state, said) = match (change.old, change.new) {
            _ if change.renamed.is_some() => continue,
            (Some(old), None) => (&mut deleted, &mut old_ends, old, Actions::DELETE),
            (None, Some(new)) => (&mut added, &mut new_ends, new, Actions::ADD),
            _ => continue,
        };
        let path: &BStr = change.path.as_ref();
        places.push(at);
        ends.push(RenameEnd {
            path,
            kind: state.kind,
            id: state.id,
            has_row: scope.is_some_and(|scope| scope.says(path, said)),
        });
    }
    if old_ends.is_empty() || new_ends.is_empty() {
        return Ok(olds);
    }
    let renames = measure::pair_renames(&old_ends, &new_ends, |id| {
        let mut blob = Vec::new();
        objects.blob(id, &mut blob).map(|()| blob)
    })?;
    for (from, to) in renames {
        pair(changes, deleted[from], added[to], &mut olds);
    }
    Ok(olds)
}

fn is_file(state: Option<State>) -> bool {
    state.is_some_and(|state| state.kind.is_file())
}

/// Pairs deleted with added files by the Rename rows of `scope`.
fn pair_declared(scope: &Scope, changes: &mut [Change], olds: &mut [Option<State>]) {
    let mut added: HashMap<BString, usize> = HashMap::new();
    for (at, change) in changes.iter().enumerate() {
        if change.old.is_none() && is_file(change.new) {
            added.insert(change.path.clone(), at);
        }
    }
    for from in 0..changes.len() {
        let change = &changes[from];
        if added.is_empty() || change.new.is_some() || !is_file(change.old) {
            continue;
        }
        let new_ends = scope.new_ends(change.path.as_ref());
        let to = new_ends.filter_map(|path| added.get(&path).copied()).next();
        if let Some(to) = to.filter(|&to| changes[to].renamed.is_none()) {
            pair(changes, from, to, olds);
        }
    }
}

/// Tells both sides of a rename about the other.
fn pair(changes: &mut [Change], from: usize, to: usize, olds: &mut [Option<State>]) {
    let old_path = changes[from].path.clone();
    let new_path = changes[to].path.clone();
    olds[to] = changes[from].old;
    changes[from].renamed = Some(new_path);
    changes[to].renamed = Some(old_path);
}

/// The added and modified files by path; empty if no row renames anything.
fn made_files<'a>(
    policy: &Policy,
    changes: impl Iterator<Item = &'a Change>,
) -> HashMap<&'a BStr, State> {
    let mut scopes = policy.scope.iter().chain([&policy.proposed]);
    let renames = scopes.any(|scope| scope.grants().iter().any(Grant::is_old_end));
    let changes = changes.filter(|_| renames);
    let made = changes.filter_map(|change| Some((change.path.as_ref(), change.new?)));
    made.collect()
}

/// The new paths of a deleted file among the made files, by all its Rename rows, and how much of it survives there.
///
/// # Errors
/// A blob is missing or damaged.
fn rename_targets(
    objects: &Objects,
    policy: &Policy,
    made: &HashMap<&BStr, State>,
    change: &Change,
) -> Result<Vec<RenameTarget>> {
    let Some(old) = change.old else {
        return Ok(Vec::new());
    };
    if change.new.is_some() || made.is_empty() {
        return Ok(Vec::new());
    }
    let scopes = policy.scope.iter().chain([&policy.proposed]);
    let mut paths: Vec<BString> = scopes
        .flat_map(|scope| scope.new_ends(change.path.as_ref()))
        .collect();
    paths.sort();
    paths.dedup();
    let mut ends = Vec::new();
    for path in paths {
        if let Some(&new) = made.get::<BStr>(path.as_ref()) {
            let exempt = &policy.settings.exempt;
            let kept = if old == new || old.id == new.id && old.kind.is_file() && new.kind.is_file()
            {
                Kept::WHOLE
            } else if !old.kind.is_file() || !new.kind.is_file() {
                Kept::NOTHING
            } else if exempt.contains(change.path.as_ref()) && exempt.contains(path.as_ref()) {
                // Such as lock files, which tools rewrite at any time.
                Kept::WHOLE
            } else {
                let (before, after) = objects.both(Some(old), Some(new))?;
                measure::kept(&before, &after, &policy.settings.thresholds)
            };
            ends.push(RenameTarget { path, kept });
        }
    }
    Ok(ends)
}

/// The results of `work` at the places `0..len`, in order. The threads take batches of places, each with its own handle
/// on the objects.
///
/// # Errors
/// The first error of a thread; the other threads then stop.
pub(super) fn for_each<T: Send>(
    len: usize,
    objects: &Objects,
    work: impl Fn(&Objects, usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    // The number of cores is asked for only if it matters: that reads several files.
    let threads = match len / BATCH {
        0 | 1 => 1,
        batches => std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(batches)
            .min(MOST_THREADS),
    };
    let next = AtomicUsize::new(0);
    let run = |handle: &Objects| -> Result<Vec<(usize, T)>> {
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            if start >= len {
                return Ok(done);
            }
            for at in start..(start + BATCH).min(len) {
                let one = work(handle, at);
                done.push((at, one.inspect_err(|_| next.store(len, Ordering::Relaxed))?));
            }
        }
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let run = &run;
                let objects = objects.clone();
                scope.spawn(move || run(&objects))
            })
            .collect();
        let mut done = run(objects)?;
        for other in others {
            let joined = other.join();
            done.extend(joined.map_err(|_| Error::new("a worker thread failed"))??);
        }
        Ok::<_, Error>(done)
    })?;
    done.sort_unstable_by_key(|&(at, _)| at);
    Ok(done.into_iter().map(|(_, one)| one).collect())
}
