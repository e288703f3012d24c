//! The parents of the commit that is being made.

use std::fs;
use std::io::ErrorKind;

use gix::ObjectId;
use gix::bstr::{ByteSlice, ByteVec};

use super::{Index, Objects, Repository, staged_changes};
use crate::change::Change;
use crate::error::{Error, Result};

/// HEAD, and the other parents of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parents {
    /// The commit of HEAD; `None` before the first commit.
    pub head: Option<ObjectId>,
    /// The commits being merged; empty for an ordinary commit.
    pub merged: Vec<ObjectId>,
}

impl Parents {
    /// HEAD and what `MERGE_HEAD` lists. `githead`: without a `MERGE_HEAD`, also the commits that `git merge`
    /// names in `GITHEAD_*` to the pre-merge-commit hook.
    ///
    /// # Errors
    /// A file or variable of git's does not hold commit ids.
    pub fn of_next_commit(repo: &Repository, githead: bool) -> Result<Parents> {
        let head = repo.head_commit()?;
        let mut merged = merge_head(repo)?;
        if merged.is_empty() && githead {
            merged = githead_variables()?;
        }
        merged.retain(|&id| Some(id) != head);
        Ok(Parents { head, merged })
    }

    /// The staged changes that are the committer's own: in a merge, those that differ from every parent.
    /// The old side is always HEAD's.
    ///
    /// # Errors
    /// As for [`staged_changes`].
    pub fn own_changes(
        &self,
        repo: &Repository,
        index: &Index,
        objects: &Objects,
    ) -> Result<Vec<Change>> {
        let head = repo.tree_of(self.head)?;
        let mut changes = staged_changes(index, &head, objects)?;
        for &parent in &self.merged {
            let tree = repo.tree_of(Some(parent))?;
            let same_as_parent = |change: &Change| -> Result<bool> {
                Ok(tree.get(change.path.as_ref())? == change.new)
            };
            let mut own = Vec::with_capacity(changes.len());
            for change in changes {
                if !same_as_parent(&change)? {
                    own.push(change);
                }
            }
            changes = own;
        }
        Ok(changes)
    }
}

fn merge_head(repo: &Repository) -> Result<Vec<ObjectId>> {
    match fs::read(repo.git_dir().join("MERGE_HEAD")) {
        Ok(content) => content
            .lines()
            .map(|line| commit_id(line, "MERGE_HEAD"))
            .collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Error::new(format!("MERGE_HEAD cannot be read: {error}"))),
    }
}

fn githead_variables() -> Result<Vec<ObjectId>> {
    let mut ids = Vec::new();
    for (name, _) in std::env::vars_os() {
        let Ok(name) = Vec::from_os_string(name) else {
            continue;
        };
        if let Some(id) = name.strip_prefix(b"GITHEAD_") {
            ids.push(commit_id(id, "a GITHEAD_ variable")?);
        }
    }
    // The environment has no order.
    ids.sort();
    Ok(ids)
}

fn commit_id(text: &[u8], source: &str) -> Result<ObjectId> {
    ObjectId::from_hex(text.trim())
        .map_err(|_| Error::new(format!("{source} does not hold a commit id")))
}
