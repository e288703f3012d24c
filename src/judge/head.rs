//! HEAD at one moment. The requests that are judged by it share what is read from it.

use std::cell::OnceCell;

use gix::ObjectId;

use super::merge_base;
use crate::error::Result;
use crate::git::{Repository, Tree};

/// A HEAD commit.
pub struct Head<'a> {
    commit: Option<ObjectId>,
    tree: Tree<'a>,
    /// The tree of the merge base with the target branch; looked up when a verdict first depends on it.
    merge_base: OnceCell<Option<Tree<'a>>>,
}

impl<'a> Head<'a> {
    /// What is read from a HEAD commit; nothing for `None`.
    ///
    /// # Errors
    /// The commit is missing or damaged.
    pub fn new(repo: &'a Repository, commit: Option<ObjectId>) -> Result<Head<'a>> {
        Ok(Head {
            commit,
            tree: repo.tree_of(commit)?,
            merge_base: OnceCell::new(),
        })
    }

    /// The commit; `None` before the first one.
    pub fn commit(&self) -> Option<ObjectId> {
        self.commit
    }

    pub(super) fn tree(&self) -> &Tree<'a> {
        &self.tree
    }

    /// The tree of the merge base with `target` or, for `None`, the default branch.
    pub(super) fn merge_base(
        &self,
        repo: &'a Repository,
        target: Option<&str>,
    ) -> Result<Option<&Tree<'a>>> {
        if let Some(known) = self.merge_base.get() {
            return Ok(known.as_ref());
        }
        let base = merge_base::commit(repo, target, self.commit)?;
        let base = base.map(|base| repo.tree_of(Some(base))).transpose()?;
        Ok(self.merge_base.get_or_init(|| base).as_ref())
    }
}
