//! Where a content is now: in a file, the index, a commit or a stash.

use std::cell::OnceCell;
use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::BStr;

use write_guard_policy::change::Change;
use write_guard_policy::error::Result;
use write_guard_repo::{Checkpoint, CheckpointStore, Index, Repository, Tree, changes_between};

/// So many commits are searched at a path.
const MOST_COMMITS: usize = 2000;

/// What there is after a call.
pub(super) struct Whereabouts<'a> {
    /// Also reads the contents of checkpoints.
    repo: &'a Repository,
    before: &'a Checkpoint,
    after: &'a Checkpoint,
    index: Index,
    /// The contents that the changed files have now.
    moved: HashSet<ObjectId>,
    /// The contents of all files, also of the index.
    everywhere: OnceCell<HashSet<ObjectId>>,
    /// The trees of commits, refs and stashes.
    trees: OnceCell<Vec<Tree<'a>>>,
    /// The contents that new commits brought, at any path.
    committed: OnceCell<HashSet<ObjectId>>,
}

impl<'a> Whereabouts<'a> {
    /// What there is after a call that made these changes to files.
    ///
    /// # Errors
    /// The index is damaged.
    pub(super) fn of(
        (store, repo): (&CheckpointStore<'_>, &'a Repository),
        (before, after): (&'a Checkpoint, &'a Checkpoint),
        changes: &[Change],
    ) -> Result<Whereabouts<'a>> {
        let moved = changes.iter().filter_map(|change| Some(change.new?.id));
        Ok(Whereabouts {
            repo,
            before,
            after,
            index: store.index_of(repo, after)?,
            moved: moved.collect(),
            everywhere: OnceCell::new(),
            trees: OnceCell::new(),
            committed: OnceCell::new(),
        })
    }

    /// Whether the content of a path is somewhere: at this path in a commit, a stash or the index, or in any file.
    ///
    /// # Errors
    /// A tree is damaged.
    pub(super) fn has(&self, path: &BStr, content: ObjectId) -> Result<bool> {
        let is_at = |tree: &Tree<'_>| {
            let found = tree.get(path)?;
            Ok::<_, _>(found.is_some_and(|state| state.id == content))
        };
        if self.moved.contains(&content) || is_at(&self.index.tree()?)? {
            return Ok(true);
        }
        for tree in self.trees()? {
            if is_at(tree)? {
                return Ok(true);
            }
        }
        Ok(self.newly_committed()?.contains(&content) || self.everywhere()?.contains(&content))
    }

    /// Whether a commit or stash has this content at the path.
    ///
    /// # Errors
    /// A tree is damaged.
    pub(super) fn is_committed(&self, path: &BStr, content: ObjectId) -> Result<bool> {
        let was = self.repo.tree_of(self.before.head_commit())?;
        for tree in std::iter::once(&was).chain(self.trees()?) {
            if tree.get(path)?.is_some_and(|state| state.id == content) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The contents that the call committed, at any path: a file may have moved.
    fn newly_committed(&self) -> Result<&HashSet<ObjectId>> {
        if let Some(known) = self.committed.get() {
            return Ok(known);
        }
        let repo = self.repo;
        let was = repo.tree_of(self.before.head_commit())?.id();
        let known: HashSet<ObjectId> = self.before.refs().map(|(_, tip)| tip).collect();
        let mut contents = HashSet::new();
        for (_, tip) in self.after.refs().filter(|(_, tip)| !known.contains(tip)) {
            // What is no commit has no files.
            if let Ok(tree) = repo.tree_of(Some(tip)) {
                let changes = changes_between(repo.objects(), was, tree.id())?;
                contents.extend(changes.iter().filter_map(|change| Some(change.new?.id)));
            }
        }
        Ok(self.committed.get_or_init(|| contents))
    }

    /// The contents of all files, and of the index.
    fn everywhere(&self) -> Result<&HashSet<ObjectId>> {
        if let Some(known) = self.everywhere.get() {
            return Ok(known);
        }
        let nothing = self.repo.tree_of(None)?.id();
        let files = self.repo.tree_in(self.after).id();
        let mut all: HashSet<ObjectId> = self.index.contents()?.into_iter().collect();
        let files = changes_between(self.repo.objects(), nothing, files)?;
        all.extend(files.into_iter().filter_map(|change| Some(change.new?.id)));
        Ok(self.everywhere.get_or_init(|| all))
    }

    /// The trees of HEAD, of what the call committed, of stashes, and of all refs.
    fn trees(&self) -> Result<&[Tree<'a>]> {
        if let Some(known) = self.trees.get() {
            return Ok(known);
        }
        let repo = self.repo;
        let mut commits: Vec<ObjectId> = self.after.head_commit().into_iter().collect();
        let known: HashSet<ObjectId> = self.before.refs().map(|(_, tip)| tip).collect();
        let (old, new): (Vec<_>, Vec<_>) = self
            .after
            .refs()
            .map(|(_, tip)| tip)
            .partition(|tip| known.contains(tip));
        let head = self.before.head_commit();
        for tip in new {
            commits.push(tip);
            let range = repo.history(head.as_slice(), tip);
            let made = range.map(|range| range.commits).unwrap_or_default();
            commits.extend(made.iter().rev().map(|commit| commit.id).take(MOST_COMMITS));
        }
        commits.extend(old);
        let mut seen = HashSet::new();
        commits.retain(|&commit| seen.insert(commit));
        let mut trees = repo.stashes_in(self.after);
        for tip in commits.into_iter().take(MOST_COMMITS) {
            // A tag is followed; what is no commit has no files.
            let found = repo.resolve_commit(tip.to_string().as_str().into());
            if let Ok(Some(commit)) = found {
                trees.push(repo.tree_of(Some(commit))?);
            }
        }
        Ok(self.trees.get_or_init(|| trees))
    }
}
