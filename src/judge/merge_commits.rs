//! In a merge, only changes that differ from every parent belong to the committer.

use gix::ObjectId;
use gix::bstr::BString;
use std::collections::HashMap;

use write_guard_policy::change::{Change, Kind};
use write_guard_policy::error::Result;
use write_guard_policy::measure;
use write_guard_policy::rules::MeasuredChange;
use write_guard_policy::scope::settings::Settings;
use write_guard_repo::{
    Index, MergeResult, Objects, Parents, Repository, Tree, changes_between, is_in_any,
    merge_heads, merge_results, staged_changes,
};

/// Larger files are judged whole, because comparing them with every parent takes too long.
const MAX_SIZE: usize = 8 << 20;

/// The committer's own changes, in path order and with the first parent's old side, and what git merged.
pub(super) type OwnChanges = (Vec<Change>, MergedContents);

/// What a merge had before the committer changed it.
#[derive(Default)]
pub(crate) struct MergedContents {
    pub(super) is_merge: bool,
    /// What git made of each changed path; in a conflict there are several versions.
    by_path: HashMap<BString, Vec<(Kind, Vec<u8>)>>,
}

/// The own changes of the next commit.
///
/// # Errors
/// The index or an object cannot be read, or the parents cannot be merged.
pub(super) fn of_next_commit(
    repo: &Repository,
    parents: &Parents,
    index: &Index,
) -> Result<OwnChanges> {
    let head = repo.tree_of(parents.head)?;
    let changes = staged_changes(index, &head)?;
    own(repo.objects(), &parents.all(), changes)
}

/// The own changes of a commit.
///
/// # Errors
/// As for [`of_next_commit`].
pub(super) fn of_commit(
    objects: &Objects,
    parents: &[ObjectId],
    tree: &Tree<'_>,
) -> Result<OwnChanges> {
    let first = Tree::of_commit(objects, parents.first().copied())?;
    let changes = changes_between(objects, first.id(), tree.id())?;
    own(objects, parents, changes)
}

fn own(objects: &Objects, parents: &[ObjectId], changes: Vec<Change>) -> Result<OwnChanges> {
    let parents = match parents.len() {
        0 | 1 => parents.to_vec(),
        _ => merge_heads(objects, parents)?,
    };
    let mut merged = MergedContents {
        is_merge: parents.len() > 1,
        by_path: HashMap::new(),
    };
    if !merged.is_merge || changes.is_empty() {
        return Ok((changes, merged));
    }
    let mut own = Vec::new();
    let &[ours, theirs] = &parents[..] else {
        // Git merges several branches by another strategy: only whole versions are taken over.
        let trees = parents.iter().copied().map(Some);
        let trees = trees.map(|parent| Tree::of_commit(objects, parent));
        let trees: Vec<Tree<'_>> = trees.collect::<Result<_>>()?;
        for change in changes {
            if !is_in_any(&trees, change.path.as_ref(), change.new)? {
                own.push(change);
            }
        }
        return Ok((own, merged));
    };
    let results = merge_results(objects, [ours, theirs], &changes)?;
    for (change, result) in changes.into_iter().zip(results) {
        if !is_taken_over(objects, &change, &result)? {
            merged.by_path.insert(change.path.clone(), result.contents);
            own.push(change);
        }
    }
    Ok((own, merged))
}

/// Whether the new version is what git made of the parents, or of text takes each place from one of the versions.
fn is_taken_over(objects: &Objects, change: &Change, result: &MergeResult) -> Result<bool> {
    if result.states.contains(&change.new) {
        return Ok(true);
    }
    let olds = &result.contents;
    let same_kind = change
        .new
        .filter(|new| new.kind.is_file() && olds.iter().any(|(kind, _)| *kind == new.kind));
    let Some(new) = same_kind else {
        return Ok(false);
    };
    let content = objects.content(Some(new))?;
    let olds = olds.iter().map(|(_, old)| old.as_slice());
    let mut versions = olds.clone().chain([content.as_slice()]);
    if versions.any(|blob| blob.len() > MAX_SIZE || measure::is_binary(blob)) {
        return Ok(false);
    }
    Ok(measure::is_taken_over(&content, &olds.collect::<Vec<_>>()))
}

/// Measures the changes of a merge against the version that loses least; other losses were judged on the other branch.
///
/// # Errors
/// A tree or blob is missing or damaged.
pub(super) fn measure_against_closest(
    objects: &Objects,
    merged: &MergedContents,
    settings: &Settings,
    changes: &mut [MeasuredChange],
) -> Result<()> {
    for changed in changes {
        let olds = merged.by_path.get(&changed.change.path);
        let Some((new, olds)) = changed.change.new.zip(olds) else {
            continue;
        };
        let content = objects.content(Some(new))?;
        let found = olds.iter().map(|(kind, before)| {
            measure::measure(
                Some((*kind, before)),
                Some((new.kind, &content)),
                &settings.thresholds,
            )
        });
        if let Some(least) = found.reduce(|a, b| if b.weight() < a.weight() { b } else { a }) {
            changed.measured = Some(least);
        }
    }
    Ok(())
}
