//! What a change leads to, as far as the policy looks at it.

use gix::bstr::{BStr, BString};

use crate::error::Result;
use crate::git::{Index, Objects, Repository, Tree};

/// The other side of the base.
pub(in crate::judge) enum Proposal<'a> {
    /// What is staged.
    Index(&'a Index),
    /// The last tree of a range.
    Tree(&'a Tree<'a>),
    /// A request: nothing is there yet.
    Nothing,
}

impl Proposal<'_> {
    /// The file at `path`.
    pub(super) fn read(
        &self,
        repo: &Repository,
        objects: &Objects,
        path: &BStr,
    ) -> Result<Option<Vec<u8>>> {
        match self {
            Proposal::Index(index) => index.read(repo, objects, path),
            Proposal::Tree(tree) => tree.read(path),
            Proposal::Nothing => Ok(None),
        }
    }

    /// Whether a file of this name is there.
    pub(super) fn holds(&self, repo: &Repository, path: &BStr) -> Result<bool> {
        Ok(match self {
            Proposal::Index(index) => index.get(repo, path)?.is_some(),
            Proposal::Tree(tree) => tree.get(path)?.is_some(),
            Proposal::Nothing => false,
        })
    }

    /// The files below the directory `prefix`; for an index, all files.
    pub(super) fn files_below(&self, prefix: &BStr) -> Result<Vec<BString>> {
        match self {
            Proposal::Index(index) => Ok(index.files().map(|(path, _)| path.to_owned()).collect()),
            Proposal::Tree(tree) => tree.files_below(prefix),
            Proposal::Nothing => Ok(Vec::new()),
        }
    }
}
