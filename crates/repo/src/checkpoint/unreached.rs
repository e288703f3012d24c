//! The commits and stashes that a checkpoint had and that no ref, stash or HEAD reaches any more.

use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;

use super::hold::is_remote;
use super::{Checkpoint, CheckpointStore};
use crate::{Repository, changes_between};
use write_guard_policy::change::Change;
use write_guard_policy::error::Result;

/// A commit that is out of reach.
#[derive(Debug, Clone)]
pub struct Unreached {
    /// The commit.
    pub commit: ObjectId,
    /// The refs that named it, in full, and `HEAD`; none for a stash.
    pub refs: BTreeSet<String>,
    /// Where one of these refs is now; `None` if they are gone, and for a stash.
    pub successor: Option<ObjectId>,
    /// How many commits are lost.
    pub commits: usize,
    /// What they made, from what is still in reach.
    pub changes: Vec<Change>,
}

impl Unreached {
    /// Whether it is a stash.
    pub fn is_stash(&self) -> bool {
        self.refs.is_empty()
    }
}

impl CheckpointStore<'_> {
    /// What was in reach before and is not now. `both` also reads the contents of checkpoints.
    ///
    /// # Errors
    /// A commit that is in reach cannot be read.
    pub fn unreached(
        &self,
        both: &Repository,
        before: &Checkpoint,
        after: &Checkpoint,
    ) -> Result<Vec<Unreached>> {
        let now: BTreeSet<ObjectId> = tips(after);
        let mut found: BTreeMap<ObjectId, Unreached> = BTreeMap::new();
        let refs = before.refs().filter(|(name, _)| !is_remote(name));
        let head = before.head_commit().map(|tip| ("HEAD", tip));
        let is_detached = !before.head().starts_with("ref: ");
        let named = refs.chain(head.filter(|_| is_detached));
        let named = named.map(|(name, tip)| (Some(name), tip));
        let stashes = before.stashes().map(|tip| (None, tip));
        for (name, tip) in named.chain(stashes) {
            let is_stash_ref = name == Some("refs/stash");
            if now.contains(&tip) || is_stash_ref {
                continue;
            }
            // What is no commit has no history to lose.
            let Ok(Some(commit)) = both.resolve_commit(tip.to_string().as_str().into()) else {
                continue;
            };
            let successor = name.and_then(|name| after.tip_of(name));
            if let Some(known) = found.get_mut(&commit) {
                known.refs.extend(name.map(str::to_owned));
                continue;
            }
            if is_reached(both, successor.into_iter().collect(), commit)? {
                continue;
            }
            let known: Vec<ObjectId> = now.iter().copied().collect();
            if is_reached(both, known.clone(), commit)? {
                continue;
            }
            let mut lost = lost(both, &commits_in(both, known), commit, name.is_none())?;
            lost.refs.extend(name.map(str::to_owned));
            lost.successor = successor;
            found.insert(commit, lost);
        }
        Ok(found.into_values().collect())
    }
}

impl Checkpoint {
    /// The commit of a ref, or of `HEAD`.
    pub fn tip_of(&self, name: &str) -> Option<ObjectId> {
        match name {
            "HEAD" => self.head_commit(),
            name => super::id(self.refs.get(name)?),
        }
    }
}

/// Everything that names a commit in a checkpoint.
fn tips(one: &Checkpoint) -> BTreeSet<ObjectId> {
    let refs = one.refs().map(|(_, tip)| tip);
    refs.chain(one.stashes()).chain(one.head_commit()).collect()
}

/// The commits among these objects; tags are followed.
fn commits_in(both: &Repository, tips: Vec<ObjectId>) -> Vec<ObjectId> {
    let peeled = tips.into_iter().map(|tip| {
        let found = both.resolve_commit(tip.to_string().as_str().into());
        found.ok().flatten()
    });
    peeled.flatten().collect()
}

/// Whether one of the tips has the commit.
fn is_reached(both: &Repository, tips: Vec<ObjectId>, commit: ObjectId) -> Result<bool> {
    let known = commits_in(both, tips);
    Ok(!known.is_empty() && both.history(&known, commit)?.commits.is_empty())
}

/// What is lost with a commit.
fn lost(
    both: &Repository,
    known: &[ObjectId],
    commit: ObjectId,
    is_stash: bool,
) -> Result<Unreached> {
    let range = both.history(known, commit)?;
    let mut lost = Unreached {
        commit,
        refs: BTreeSet::new(),
        successor: None,
        commits: range.commits.len(),
        changes: Vec::new(),
    };
    if !is_stash {
        let from = both.tree_of(range.base)?.id();
        let to = both.tree_of(Some(commit))?.id();
        lost.changes = changes_between(both.objects(), from, to)?;
        return Ok(lost);
    }
    // A stash has the files, the index and the files that git does not track, each as a commit.
    lost.commits = 1;
    let parents = both.commit(commit)?.parents;
    let base = both.tree_of(parents.first().copied())?.id();
    let nothing = both.tree_of(None)?.id();
    let untracked = parents.get(2).map(|&one| (nothing, one));
    let parts = [(base, commit)].into_iter();
    let parts = parts.chain(parents.get(1).map(|&one| (base, one)));
    for (from, part) in parts.chain(untracked) {
        let to = both.tree_of(Some(part))?.id();
        for change in changes_between(both.objects(), from, to)? {
            let mut others = lost.changes.iter();
            if !others.any(|one| one.path == change.path && one.new == change.new) {
                lost.changes.push(change);
            }
        }
    }
    Ok(lost)
}
