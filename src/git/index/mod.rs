//! The index, and the tree that git would commit from it.

mod committed;
mod file;
#[cfg(fuzzing)]
#[path = "../../../fuzz/index.rs"]
mod fuzzing;
mod source;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::cell::OnceCell;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use gix::ObjectId;
use gix::bstr::{BStr, BString};

use self::committed::{CachedTrees, CommittedTree, committed_tree};
use self::file::{DIRECTORY, IndexEntry, IndexFile, IndexRead};
use self::source::IndexSource;
use super::{Objects, Repository, Tree, changes_between, show_file};
use crate::change::{Change, Kind, State};
use crate::error::{Error, Result};
use crate::path::{escaped, listed};

/// The index as git would commit it.
pub struct Index {
    /// The file's name, for messages.
    shown: String,
    file: IndexFile,
    objects: Objects,
    /// Computed on first use: some questions are about the entries alone.
    committed: OnceCell<Committed>,
}

/// The tree of the next commit.
struct Committed {
    id: ObjectId,
    /// Also finds the trees that are in no object database yet.
    objects: Objects,
    from_cache: Vec<BString>,
}

/// An index entry whose file git does not compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlaggedEntry {
    /// Its path.
    pub path: BString,
    /// `skip-worktree` or `assume-unchanged`.
    pub flag: &'static str,
}

impl Index {
    /// Reads the index that git uses here; `GIT_INDEX_FILE` names it during `git commit -a` and `git commit PATH`. As
    /// for git, a missing file is an empty index.
    ///
    /// # Errors
    /// The index is unreadable or damaged, or has modes that git does not write.
    pub fn open(repo: &Repository) -> Result<Index> {
        Index::at(repo, &repo.repo.index_path())
    }

    /// Reads the index in this file.
    pub(super) fn at(repo: &Repository, path: &Path) -> Result<Index> {
        let hash = repo.repo.object_hash();
        let shown = show_file(path);
        let file = match File::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => IndexFile::empty(hash),
            file => {
                let file = file.map_err(|error| {
                    Error::new(format!("the index {shown} cannot be read: {error}"))
                })?;
                let file = IndexSource::file(file).map_err(|error| error.to_string());
                let mut file = file.and_then(|file| IndexFile::read(file, hash));
                if file.as_ref().is_ok_and(|file| file.is_split) {
                    file = whole(repo).and_then(|file| IndexFile::read(file, hash));
                }
                file.map_err(|why| damaged(&shown, why))?
            }
        };
        Ok(Index {
            shown,
            file,
            objects: repo.objects().clone(),
            committed: OnceCell::new(),
        })
    }

    /// The tree that `git commit` would record. Where paths have conflicts, it has our side.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn tree(&self) -> Result<Tree<'_>> {
        let committed = self.committed()?;
        Ok(Tree::at(&committed.objects, committed.id))
    }

    fn committed(&self) -> Result<&Committed> {
        if let Some(committed) = self.committed.get() {
            return Ok(committed);
        }
        let tree = self.compute().or_else(|why| {
            // A file in conflict with a directory is no damage.
            refuse_conflicts(self)?;
            Err(damaged(&self.shown, why))
        })?;
        Ok(self.committed.get_or_init(|| Committed {
            id: tree.id,
            objects: self.objects.holding(tree.trees),
            from_cache: tree.from_cache,
        }))
    }

    fn compute(&self) -> IndexRead<CommittedTree> {
        let length = self.file.hash().len_in_bytes();
        let cached = self.file.cached_tree.as_deref();
        let cached = cached
            .map(|cached| CachedTrees::parse(cached, length))
            .transpose()?;
        committed_tree(&self.file, cached.as_ref(), &self.objects)
    }

    /// The first change that git would commit from a cached tree, although the entries say something else. Git itself
    /// keeps both equal, and `git status` and `git diff` show the entries.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn contradiction<'a>(&self, changes: &'a [Change]) -> Result<Option<&'a BStr>> {
        let cached = &self.committed()?.from_cache;
        if cached.is_empty() {
            return Ok(None);
        }
        let from_cache = changes.iter().filter(|change| {
            let before = cached.partition_point(|directory| *directory <= change.path);
            cached[..before]
                .last()
                .is_some_and(|directory| change.path.starts_with(directory))
        });
        let found = self.first_contradiction(from_cache);
        found.map_err(|why| damaged(&self.shown, why))
    }

    fn first_contradiction<'a>(
        &self,
        changes: impl Iterator<Item = &'a Change>,
    ) -> IndexRead<Option<&'a BStr>> {
        let mut cursor = self.file.entries()?;
        for change in changes {
            let path: &BStr = change.path.as_ref();
            cursor.seek(path)?;
            let entry = cursor.current().filter(|(here, _)| *here == path);
            if entry.and_then(|(_, entry)| state_of(&entry)) != change.new
                && !self.is_in_sparse_directory(path)?
            {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// Whether a directory around `path` is a single entry.
    fn is_in_sparse_directory(&self, path: &BStr) -> IndexRead<bool> {
        if !self.file.is_sparse {
            return Ok(false);
        }
        let mut cursor = self.file.entries()?;
        for (slash, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            let directory = BStr::new(&path[..=slash]);
            cursor.seek(directory)?;
            if cursor.current().is_some_and(|(here, _)| here == directory) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Calls `visit` for each entry.
    fn visit(&self, mut visit: impl FnMut(&BStr, &IndexEntry)) -> Result<()> {
        let mut walk = || -> IndexRead<()> {
            let mut cursor = self.file.entries()?;
            while let Some((path, entry)) = cursor.current() {
                visit(path, &entry);
                cursor.advance(1)?;
            }
            Ok(())
        };
        walk().map_err(|why| damaged(&self.shown, why))
    }

    /// The paths with conflicts, sorted. Git refuses to commit while there are any.
    pub fn unmerged(&self) -> &[BString] {
        &self.file.unmerged
    }

    /// The paths of submodules, including those on one side of a conflict.
    pub(super) fn gitlinks(&self) -> &[BString] {
        &self.file.gitlinks
    }

    /// The entries with `skip-worktree` or `assume-unchanged`, in path order.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn flagged(&self) -> Result<Vec<FlaggedEntry>> {
        let mut flagged = Vec::new();
        self.visit(|path, entry| {
            let flag = if entry.skips_worktree {
                "skip-worktree"
            } else if entry.is_assumed_valid {
                "assume-unchanged"
            } else {
                return;
            };
            if entry.mode != DIRECTORY {
                let path = path.to_owned();
                flagged.push(FlaggedEntry { path, flag });
            }
        })?;
        Ok(flagged)
    }
}

/// A split index as one, in memory.
fn whole(repo: &Repository) -> IndexRead<IndexSource> {
    let file = repo.repo.open_index();
    let file = file.map_err(|error| error.probable_cause().to_string())?;
    let state = gix::index::State::from(file);
    let mut bytes = Vec::new();
    let written = state.write_to(&mut bytes, gix::index::write::Options::default());
    written.map_err(|error| error.to_string())?;
    // Where the checksum of a file is.
    bytes.resize(bytes.len() + repo.repo.object_hash().len_in_bytes(), 0);
    Ok(IndexSource::Memory(bytes))
}

/// What an entry commits; `None` for `git add -N` and for a directory that is one entry.
fn state_of(entry: &IndexEntry) -> Option<State> {
    let is_file = !entry.is_intent_to_add && entry.mode != DIRECTORY;
    is_file.then(|| State {
        kind: Kind::from_mode(entry.mode),
        id: entry.id,
    })
}

/// The changes from the tree of `head` to the tree that git would commit from `index`, in path order, without rename
/// detection.
///
/// # Errors
/// A tree is missing or damaged, or the index is damaged or has conflicts.
pub fn staged_changes(index: &Index, head: &Tree<'_>) -> Result<Vec<Change>> {
    refuse_conflicts(index)?;
    let committed = index.committed()?;
    changes_between(&committed.objects, head.id(), committed.id)
}

/// The next step for an index that git did not write.
pub(super) const REBUILD: &str =
    "rebuild it with `git read-tree HEAD` (staged changes are lost) or restore it from a copy";

fn damaged(shown: &str, why: impl std::fmt::Display) -> Error {
    Error::new(format!("the index {shown} is damaged: {why}")).help(REBUILD)
}

/// Refuses an index with conflicts.
///
/// # Errors
/// A path is unmerged.
fn refuse_conflicts(index: &Index) -> Result<()> {
    let unmerged = index.unmerged();
    if unmerged.is_empty() {
        return Ok(());
    }
    Err(Error::new(format!(
        "unresolved conflicts in {}",
        listed(unmerged.iter().map(|path| escaped(path).to_string()), 5)
    ))
    .help("resolve them and `git add` the files, then commit again"))
}
