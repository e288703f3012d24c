//! The parents of the next commit.

use std::fs;
use std::io::ErrorKind;

use gix::ObjectId;
use gix::bstr::{ByteSlice, ByteVec};

use super::Repository;
use crate::error::{Error, Result};

/// HEAD, and the other parents of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parents {
    /// The HEAD commit; `None` before the first commit.
    pub head: Option<ObjectId>,
    /// The commits being merged; empty for an ordinary commit.
    pub merged: Vec<ObjectId>,
    /// The operation of git during which it commits no single files.
    pub operation: Option<&'static str>,
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
                let ids = githead_names().map(|id| commit_id(&id, "a GITHEAD_ variable"));
                merged = ids.collect::<Result<_>>()?;
                // The environment has no order.
                merged.sort();
            } else {
                ignores_githead = githead_names().next().is_some();
            }
        }
        if let Some(head) = head
            && !merged.is_empty()
        {
            merged.insert(0, head);
            merged = repo.merges()?.heads(repo.objects(), &merged)?.split_off(1);
        }
        let is_there = |name: &str| repo.git_dir().join(name).exists();
        let is_picking = is_there("CHERRY_PICK_HEAD");
        let operation = match () {
            () if !merged.is_empty() => Some("merge"),
            () if is_picking && is_there("rebase-merge") => Some("rebase"),
            () => is_picking.then_some("cherry-pick"),
        };
        Ok(Parents {
            head,
            merged,
            operation,
            ignores_githead,
        })
    }

    /// All parents, HEAD first.
    pub fn all(&self) -> Vec<ObjectId> {
        self.head.iter().chain(&self.merged).copied().collect()
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
