//! Reads and checks the index that is about to be committed.

use std::fs;
use std::io::ErrorKind;

use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::{Entry, State as IndexState, entry};

use super::tree::Tree;
use super::{Objects, Repository, failed, show_file};
use crate::change::{Kind, State};
use crate::error::{Error, Result};
use crate::path::escaped;
use crate::threads;

/// Below this size a thread costs more than it saves.
const WORTH_A_THREAD: usize = 256 * 1024;

/// The index as git would commit it.
pub struct Index {
    pub(super) state: IndexState,
}

impl Index {
    /// Reads the index that git uses here; `GIT_INDEX_FILE` names it during `git commit -a` and `git commit PATH`. As
    /// for git, a missing file is an empty index.
    ///
    /// # Errors
    /// The index is unreadable or damaged, or has modes or an order that git does not write.
    pub fn open(repo: &Repository) -> Result<Index> {
        let path = repo.repo.index_path();
        let shown = show_file(&path);
        let hash = repo.repo.object_hash();
        let unreadable = |error| Error::new(format!("the index {shown} cannot be read: {error}"));
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let state = IndexState::new(hash);
                return Ok(Index { state });
            }
            read => read.map_err(unreadable)?,
        };
        let damaged = |why: String| {
            Error::new(format!("the index {shown} is damaged: {why}"))
                .help("rebuild it with `git read-tree HEAD` (staged changes are lost) or restore it from a copy")
        };
        // Only `git status` needs the time of the file; guard compares ids.
        let modified = IndexState::new(hash).timestamp();
        let options = gix::index::decode::Options {
            thread_limit: Some(1),
            ..Default::default()
        };
        let check = || super::index_check::check(&bytes, hash);
        let decode = || IndexState::from_bytes(&bytes, modified, hash, options);
        // Two halves of about equal cost: gix decodes, and a second thread checks what gix ignores.
        let (decoded, checked) = if bytes.len() < WORTH_A_THREAD {
            (decode(), check())
        } else {
            let (decoded, checked) = threads::both(decode, check);
            let failed = || Err("the check failed".into());
            (decoded, checked.unwrap_or_else(failed))
        };
        let (state, _) = decoded.map_err(|error| damaged(error.probable_cause().to_string()))?;
        checked.map_err(damaged)?;
        if state.link().is_none() {
            return Ok(Index { state });
        }
        let file = repo.repo.open_index();
        let state = file
            .map_err(failed("the split index cannot be read"))?
            .into();
        Ok(Index { state })
    }
}

impl Index {
    pub(super) fn entries(&self) -> &[Entry] {
        self.state.entries()
    }

    pub(super) fn cached_root(&self) -> Option<&gix::index::extension::Tree> {
        self.state.tree()
    }

    pub(super) fn has_entry(&self, path: &BStr) -> bool {
        self.state.entry_by_path(path).is_some()
    }

    /// Whether there is an entry below the directory `path`.
    pub(super) fn has_entry_below(&self, path: &BStr) -> bool {
        !self.below(path).is_empty()
    }

    fn below(&self, path: &BStr) -> &[Entry] {
        let prefix = [path.as_bytes(), b"/"].concat();
        let below = self.state.prefixed_entries(prefix.as_bstr());
        below.unwrap_or_default()
    }

    pub(super) fn path_of<'a>(&'a self, entry: &Entry) -> &'a BStr {
        entry.path(&self.state)
    }

    /// The paths with conflicts, sorted. Git refuses to commit while there are any.
    pub fn unmerged(&self) -> Vec<&BStr> {
        let mut paths: Vec<&BStr> = self
            .entries()
            .iter()
            .filter(|entry| entry.stage_raw() != 0)
            .map(|entry| self.path_of(entry))
            .collect();
        paths.dedup();
        paths
    }

    /// The paths of submodules, including those on one side of a conflict.
    pub(super) fn gitlinks(&self) -> Vec<BString> {
        let links = self
            .entries()
            .iter()
            .filter(|entry| entry.mode.is_submodule());
        links.map(|entry| self.path_of(entry).to_owned()).collect()
    }

    /// Every path that would be committed and its kind, in git's order. Directories that a sparse index holds as one
    /// entry are omitted, because nothing in them changes.
    pub fn files(&self) -> impl Iterator<Item = (&BStr, Kind)> {
        self.entries()
            .iter()
            .filter(|entry| is_committed(entry) && !entry.mode.is_sparse())
            .map(|entry| (self.path_of(entry), state_of(entry).kind))
    }

    /// The state that would be committed at `path`; `None` for nothing or a directory.
    ///
    /// # Errors
    /// Below a sparse directory: a tree is missing or damaged.
    pub fn get(&self, repo: &Repository, path: &BStr) -> Result<Option<State>> {
        if let Some(entry) = self.state.entry_by_path(path) {
            let is_file = is_committed(entry) && !entry.mode.is_sparse();
            return Ok(is_file.then(|| state_of(entry)));
        }
        let parent = self.sparse_parent(repo, path);
        parent.map_or(Ok(None), |(tree, rest)| tree.get(rest))
    }

    /// Whether anything would be committed below `path`.
    ///
    /// # Errors
    /// As for [`Index::get`].
    pub fn is_dir(&self, repo: &Repository, path: &BStr) -> Result<bool> {
        if self.below(path).iter().any(is_committed) {
            return Ok(true);
        }
        let parent = self.sparse_parent(repo, path);
        parent.map_or(Ok(false), |(tree, rest)| tree.is_dir(rest))
    }

    /// The tree of the sparse directory around `path`, and the path within it.
    fn sparse_parent<'repo, 'path>(
        &self,
        repo: &'repo Repository,
        path: &'path BStr,
    ) -> Option<(Tree<'repo>, &'path BStr)> {
        if !self.state.is_sparse() {
            return None;
        }
        path.find_iter("/").find_map(|slash| {
            let entry = self.state.entry_by_path(path[..=slash].as_bstr())?;
            let tree = Tree::at(&repo.objects, entry.id);
            entry
                .mode
                .is_sparse()
                .then(|| (tree, path[slash + 1..].as_bstr()))
        })
    }

    /// The content that would be committed at `path`; `None` if it is not a regular file.
    ///
    /// # Errors
    /// As for [`Index::get`], or the blob cannot be read.
    pub fn read(
        &self,
        repo: &Repository,
        objects: &Objects,
        path: &BStr,
    ) -> Result<Option<Vec<u8>>> {
        objects.file(self.get(repo, path)?)
    }
}

/// An entry from `git add -N` is not committed.
pub(super) fn is_committed(entry: &Entry) -> bool {
    !entry.flags.contains(entry::Flags::INTENT_TO_ADD)
}

pub(super) fn state_of(entry: &Entry) -> State {
    State {
        kind: Kind::from_mode(entry.mode.bits()),
        id: entry.id,
    }
}

/// A few of the paths for error messages, then a count.
pub(super) fn list(paths: &[&BStr]) -> String {
    const SHOWN: usize = 5;
    let mut text = paths
        .iter()
        .take(SHOWN)
        .map(|path| escaped(path).to_string())
        .collect::<Vec<_>>()
        .join(", ");
    if paths.len() > SHOWN {
        text.push_str(&format!(" and {} more", paths.len() - SHOWN));
    }
    text
}

/// Refuses an index with conflicts.
///
/// # Errors
/// A path is unmerged.
pub fn refuse_conflicts(index: &Index) -> Result<()> {
    let unmerged = index.unmerged();
    if unmerged.is_empty() {
        return Ok(());
    }
    Err(
        Error::new(format!("unresolved conflicts in {}", list(&unmerged)))
            .help("resolve them and `git add` the files, then commit again"),
    )
}
