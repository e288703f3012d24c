//! The index, and the tree that git would commit from it.

mod committed;
mod file;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::cell::OnceCell;
use std::fs::File;
use std::io::Cursor;
use std::path::Path;

use gix::ObjectId;
use gix::bstr::BString;

use self::committed::committed_tree;
use self::file::{DIRECTORY, EntryCursor, IndexFile, IndexRead};
use super::{Objects, Repository, Tree, changes_between, show_file};
use crate::disk::{absolute, if_there};
use write_guard_policy::change::{Change, Kind};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{escaped, listed};

/// The index as git would commit it.
pub struct Index {
    /// The file's name, for messages.
    shown: String,
    file: IndexFile,
    objects: Objects,
    /// The tree of the next commit, and a handle that also finds what is in no object database yet. Computed on first
    /// use: some questions are about the entries alone.
    committed: OnceCell<(ObjectId, Objects)>,
}

impl Index {
    /// Reads the index that git uses here; `GIT_INDEX_FILE` names it during `git commit -a` and `git commit PATH`. As
    /// for git, a missing file is an empty index, unless that variable names it.
    ///
    /// # Errors
    /// The index is unreadable or damaged, or has modes that git does not write.
    pub fn open(repo: &Repository) -> Result<Index> {
        let named = std::env::var_os("GIT_INDEX_FILE");
        let Some((named, root)) = named.zip(repo.workdir.as_deref()) else {
            return Index::at(repo, &repo.repo.index_path());
        };
        // git reads the variable at the top of the work tree, wherever a hook has gone since.
        let path = absolute(root).join(named);
        if repo.head_commit()?.is_some() && if_there(path.metadata()).is_ok_and(|it| it.is_none()) {
            let shown = show_file(&path);
            let message = format!("GIT_INDEX_FILE names {shown}, which does not exist");
            return Err(Error::new(message)
                .help("in a hook, call guard with the variables that git has set"));
        }
        Index::at(repo, &path)
    }

    /// Every path among the entries that would be committed and its kind, in git's order. Directories that a sparse
    /// index holds as one entry are omitted, because nothing in them changes.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn files(&self) -> Result<Vec<(BString, Kind)>> {
        let mut files = Vec::new();
        let mut cursor = self.entries()?;
        while let Some((path, entry)) = cursor.current() {
            if !entry.is_intent_to_add && entry.mode != DIRECTORY {
                files.push((path.to_owned(), Kind::from_mode(entry.mode)));
            }
            cursor.advance(1).map_err(|why| damaged(&self.shown, why))?;
        }
        files.dedup_by(|one, other| one.0 == other.0);
        Ok(files)
    }

    /// The contents of all entries, also of those in conflict.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn contents(&self) -> Result<Vec<ObjectId>> {
        let mut contents = Vec::new();
        let mut cursor = self.entries()?;
        while let Some((_, entry)) = cursor.current() {
            contents.push(entry.id);
            cursor.advance(1).map_err(|why| damaged(&self.shown, why))?;
        }
        Ok(contents)
    }

    fn entries(&self) -> Result<EntryCursor<'_>> {
        let cursor = self.file.entries();
        cursor.map_err(|why| damaged(&self.shown, why))
    }

    /// Reads the index in this file.
    pub(super) fn at(repo: &Repository, path: &Path) -> Result<Index> {
        let hash = repo.repo.object_hash();
        let shown = show_file(path);
        let mut file = match if_there(File::open(path)) {
            Ok(Some(file)) => IndexFile::read(file, hash),
            Ok(None) => in_memory(&gix::index::State::new(hash)),
            Err(error) => {
                let message = format!("the index {shown} cannot be read: {error}");
                return Err(Error::new(message));
            }
        };
        if file.as_ref().is_ok_and(|file| file.is_split) {
            let whole = gix::index::File::at(path, hash, true, Default::default());
            let whole = whole.map_err(|error| error.probable_cause().to_string());
            file = whole.and_then(|whole| in_memory(&whole));
        }
        Ok(Index {
            file: file.map_err(|why| damaged(&shown, why))?,
            shown,
            objects: repo.objects().clone(),
            committed: OnceCell::new(),
        })
    }

    /// The tree that `git commit` would record. Where paths have conflicts, it has our side.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn tree(&self) -> Result<Tree<'_>> {
        if let Some((id, objects)) = self.committed.get() {
            return Ok(Tree::at(objects, *id));
        }
        let tree = committed_tree(&self.file, &self.objects).or_else(|why| {
            // A file in conflict with a directory is no damage.
            refuse_conflicts(self)?;
            Err(damaged(&self.shown, why))
        });
        let (id, trees) = tree?;
        let objects = self.objects.holding(trees);
        let (id, objects) = self.committed.get_or_init(|| (id, objects));
        Ok(Tree::at(objects, *id))
    }

    /// Whether both would be committed as the same tree, and have conflicts at the same paths.
    ///
    /// # Errors
    /// One of them is damaged.
    pub(super) fn lists_the_same(&self, other: &Index) -> Result<bool> {
        let has_same_tree = self.tree()?.id() == other.tree()?.id();
        Ok(has_same_tree && self.unmerged() == other.unmerged())
    }

    /// The changes from the tree of another index.
    ///
    /// # Errors
    /// One of them is damaged, or a tree is missing.
    pub fn changes_since(&self, old: &Index) -> Result<Vec<Change>> {
        let old = old.tree()?;
        let new = self.tree()?;
        changes_between(&new.objects().beside(old.objects()), old.id(), new.id())
    }

    /// The paths with conflicts, sorted. Git refuses to commit while there are any.
    pub fn unmerged(&self) -> &[BString] {
        &self.file.unmerged
    }

    /// The paths of submodules, including those on one side of a conflict.
    pub(super) fn gitlinks(&self) -> &[BString] {
        &self.file.gitlinks
    }
}

/// An index that is no single file, as one.
fn in_memory(index: &gix::index::State) -> IndexRead<IndexFile> {
    let mut bytes = Vec::new();
    let written = index.write_to(&mut bytes, gix::index::write::Options::default());
    written.map_err(|error| error.to_string())?;
    // Where the checksum of a file is.
    bytes.resize(bytes.len() + index.object_hash().len_in_bytes(), 0);
    IndexFile::read(Cursor::new(bytes), index.object_hash())
}

/// The changes from the tree of `head` to the tree that git would commit from `index`, in path order, without rename
/// detection.
///
/// # Errors
/// A tree is missing or damaged, or the index is damaged or has conflicts.
pub fn staged_changes(index: &Index, head: &Tree<'_>) -> Result<Vec<Change>> {
    refuse_conflicts(index)?;
    let tree = index.tree()?;
    changes_between(tree.objects(), head.id(), tree.id())
}

fn damaged(shown: &str, why: impl std::fmt::Display) -> Error {
    Error::new(format!("the index {shown} is damaged: {why}")).help(
        "rebuild it with `git read-tree HEAD` (staged changes are lost) or restore it from a copy",
    )
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
    let paths = listed(unmerged.iter().map(|path| escaped(path).to_string()), 5);
    Err(Error::new(format!("unresolved conflicts in {paths}"))
        .help("resolve them and `git add` the files, then commit again"))
}
