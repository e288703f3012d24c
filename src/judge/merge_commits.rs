//! In a merge, only changes that differ from every parent belong to the committer.

use gix::ObjectId;
use gix::bstr::BStr;
use gix::hashtable::HashMap;

use super::measured_changes::MeasuredChanges;
use crate::change::{Change, State};
use crate::error::Result;
use crate::git::{Merges, Objects, Parents, Repository, Tree, changes_between};
use crate::measure;
use crate::policy::settings::Settings;

/// Larger files are judged whole, because comparing them with every parent takes too long.
const MAX_SIZE: usize = 8 << 20;

/// The trees of all parents, HEAD's first.
pub(super) fn trees<'a>(repo: &'a Repository, parents: &Parents) -> Result<Vec<Tree<'a>>> {
    std::iter::once(parents.head)
        .chain(parents.merged.iter().copied().map(Some))
        .map(|commit| repo.tree_of(commit))
        .collect()
}

/// The trees of the parents, some already `known` by commit; a first commit gets the empty tree.
pub(super) fn parent_trees<'a>(
    objects: &'a Objects,
    parents: &[ObjectId],
    known: &HashMap<ObjectId, ObjectId>,
) -> Result<Vec<Tree<'a>>> {
    if parents.is_empty() {
        return Ok(vec![Tree::of_commit(objects, None)?]);
    }
    let trees = parents.iter();
    trees
        .map(|parent| match known.get(parent) {
            Some(&tree) => Ok(Tree::at(objects, tree)),
            None => Tree::of_commit(objects, Some(*parent)),
        })
        .collect()
}

/// The changes that a commit makes itself: in a merge, the paths that differ from every parent and that git did not
/// merge. The old side is the first parent's. `commits` are the parents.
pub(super) fn own_changes(
    objects: &Objects,
    merges: &Merges,
    commits: &[ObjectId],
    parents: &[Tree<'_>],
    tree: &Tree<'_>,
) -> Result<Vec<Change>> {
    let Some((first, others)) = parents.split_first() else {
        return Ok(Vec::new());
    };
    let mut changes = changes_between(objects, first.id(), tree.id())?;
    for other in others {
        let mut own = Vec::with_capacity(changes.len());
        for change in changes {
            if other.get(change.path.as_ref())? != change.new {
                own.push(change);
            }
        }
        changes = own;
    }
    without_taken_over(objects, merges, commits, parents, changes)
}

/// Drops the changes that git made: files merged from parts of the parents, and the result of its default merge
/// strategy. `commits` are the parents; if that cannot be determined, all changes remain.
///
/// # Errors
/// A tree or blob is missing or damaged.
pub(super) fn without_taken_over(
    objects: &Objects,
    merges: &Merges,
    commits: &[ObjectId],
    parents: &[Tree<'_>],
    changes: Vec<Change>,
) -> Result<Vec<Change>> {
    if parents.len() < 2 {
        return Ok(changes);
    }
    let mut own = Vec::with_capacity(changes.len());
    for change in changes {
        if !is_taken_over(objects, parents, &change)? {
            own.push(change);
        }
    }
    // For more than two parents git uses a strategy without rename detection.
    if let &[ours, theirs] = commits
        && !own.is_empty()
    {
        let clean = merges.clean(objects, [ours, theirs], &own);
        let clean = clean.unwrap_or_default();
        own.retain(|change| !clean.contains(&change.path));
    }
    Ok(own)
}

fn is_taken_over(objects: &Objects, trees: &[Tree<'_>], change: &Change) -> Result<bool> {
    let Some(new) = change.new.filter(|state| state.kind.is_file()) else {
        return Ok(false);
    };
    let mut olds = Vec::with_capacity(trees.len());
    for tree in trees {
        match tree.get(change.path.as_ref())? {
            Some(state) if state.kind.is_file() => olds.push(state),
            _ => return Ok(false),
        }
    }
    if olds.iter().all(|old| old.kind != new.kind) {
        return Ok(false);
    }
    let new = objects.content(Some(new))?;
    let olds = olds
        .into_iter()
        .map(|old| objects.content(Some(old)))
        .collect::<Result<Vec<_>>>()?;
    let is_comparable = |blob: &Vec<u8>| blob.len() <= MAX_SIZE && !measure::is_binary(blob);
    if !olds.iter().chain([&new]).all(is_comparable) {
        return Ok(false);
    }
    let olds: Vec<&[u8]> = olds.iter().map(Vec::as_slice).collect();
    Ok(measure::is_taken_over(&new, &olds))
}

/// Measures the changes of a merge against the parent that loses least; other losses were judged on the other branch.
///
/// # Errors
/// A tree or blob is missing or damaged.
pub(super) fn measure_against_closest(
    objects: &Objects,
    parents: &[Tree<'_>],
    settings: &Settings,
    changes: &mut MeasuredChanges,
) -> Result<()> {
    if parents.len() < 2 {
        return Ok(());
    }
    for changed in &mut changes.all {
        let is_loss = changed.measured.is_some_and(|measured| measured.destroys());
        let is_new = changed.change.old.is_none() && changed.change.renamed.is_none();
        let Some(new) = changed.change.new.filter(|_| is_loss || is_new) else {
            continue;
        };
        let content = objects.content(Some(new))?;
        let mut found = Vec::new();
        for old in states(parents, changed.path())? {
            let before = objects.content(Some(old))?;
            found.push(measure::measure(
                Some((old.kind, &before)),
                Some((new.kind, &content)),
                &settings.thresholds,
            ));
        }
        let least = found.into_iter().min_by(|a, b| {
            let key =
                |m: &measure::Measured| ((m.destroys(), m.conversion.is_some()), m.lost.share());
            let ((a, a_share), (b, b_share)) = (key(a), key(b));
            a.cmp(&b).then(a_share.total_cmp(&b_share))
        });
        if least.is_some() {
            changed.measured = least;
        }
    }
    Ok(())
}

/// The states at `path` in all trees.
fn states(trees: &[Tree<'_>], path: &BStr) -> Result<Vec<State>> {
    let mut states = Vec::new();
    for tree in trees {
        states.extend(tree.get(path)?);
    }
    Ok(states)
}
