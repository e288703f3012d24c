//! The parents of the next commit.

use std::fs;
use std::io::ErrorKind;

use gix::ObjectId;
use gix::bstr::{ByteSlice, ByteVec};

use super::{Index, Repository, staged_changes};
use crate::change::Change;
use crate::error::{Error, Result};

/// HEAD, and the other parents of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parents {
    /// The HEAD commit; `None` before the first commit.
    pub head: Option<ObjectId>,
    /// The commits being merged; empty for an ordinary commit.
    pub merged: Vec<ObjectId>,
    /// Whether the environment contains `GITHEAD_*` variables that do not count.
    pub ignores_githead: bool,
}

impl Parents {
    /// HEAD and the commits in `MERGE_HEAD`. `git merge` writes that file only after the pre-merge-commit hook, for
    /// which it names the commits in `GITHEAD_*`. These variables count only if `githead` is set and `ORIG_HEAD` is
    /// HEAD, as during `git merge`; otherwise git would not make them parents.
    ///
    /// # Errors
    /// A file or variable of git does not contain commit ids.
    pub fn of_next_commit(repo: &Repository, githead: bool) -> Result<Parents> {
        let head = repo.head_commit()?;
        let mut merged = commits_in(repo, "MERGE_HEAD")?;
        let mut ignores_githead = false;
        if merged.is_empty() {
            if githead && head.is_some() && commits_in(repo, "ORIG_HEAD")?.first() == head.as_ref()
            {
                merged = githead_variables()?;
            } else {
                ignores_githead = githead_names().next().is_some();
            }
        }
        merged.retain(|&id| Some(id) != head);
        Ok(Parents {
            head,
            merged,
            ignores_githead,
        })
    }

    /// All parents, HEAD first.
    pub fn all(&self) -> Vec<ObjectId> {
        self.head.iter().chain(&self.merged).copied().collect()
    }

    /// The committer's own staged changes: in a merge, those that differ from every parent. The old side is always
    /// HEAD's.
    ///
    /// # Errors
    /// As for [`staged_changes`].
    pub fn own_changes(&self, repo: &Repository, index: &Index) -> Result<Vec<Change>> {
        let head = repo.tree_of(self.head)?;
        let mut changes = staged_changes(index, &head)?;
        for &parent in &self.merged {
            let tree = repo.tree_of(Some(parent))?;
            let mut own = Vec::with_capacity(changes.len());
            for change in changes {
                if tree.get(change.path.as_ref())? != change.new {
                    own.push(change);
                }
            }
            changes = own;
        }
        Ok(changes)
    }
}

/// The commits listed in a file of the git directory; none if it does not exist.
fn commits_in(repo: &Repository, name: &str) -> Result<Vec<ObjectId>> {
    match fs::read(repo.git_dir().join(name)) {
        Ok(content) => content.lines().map(|line| commit_id(line, name)).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Error::new(format!("{name} cannot be read: {error}"))),
    }
}

fn githead_variables() -> Result<Vec<ObjectId>> {
    let mut ids = githead_names()
        .map(|id| commit_id(&id, "a GITHEAD_ variable"))
        .collect::<Result<Vec<_>>>()?;
    // The environment has no order.
    ids.sort();
    Ok(ids)
}

/// The part after `GITHEAD_` in the names of variables.
fn githead_names() -> impl Iterator<Item = Vec<u8>> {
    std::env::vars_os().filter_map(|(name, _)| {
        let name = Vec::from_os_string(name).ok()?;
        name.strip_prefix(b"GITHEAD_").map(<[u8]>::to_vec)
    })
}

fn commit_id(text: &[u8], source: &str) -> Result<ObjectId> {
    ObjectId::from_hex(text.trim())
        .map_err(|_| Error::new(format!("{source} does not contain a commit id")))
}
