//! The index as `git add --all` would make it of the work tree now. Nothing is written: contents that the repository
//! lacks stay in memory.
//!
//! Bytes count as they lie there. No filter, conversion or other program of the configuration or the attributes is run.

mod contents;
mod ignored;
mod nested;
mod scan;
mod stat;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::State as IndexState;
use gix::index::entry::{Flags, Mode, Stat};

use super::index::{Index, state_of};
use super::tree::Tree;
use super::{Repository, staged, staged_changes};
use crate::boundary::Boundary;
use crate::error::{Error, Result};
use crate::path::{TreeView, shell_word, show};
use scan::{Scan, ScanResult};
use stat::Fresh;

impl Repository {
    /// The index as it would be if everything in the work tree were added: tracked files as they are now, and
    /// untracked ones that git does not ignore. From now on this repository finds their contents, too.
    ///
    /// # Errors
    /// A bare repository, conflicts, a damaged index, a file that cannot be read or added, or more content than
    /// is taken into memory.
    pub(crate) fn add_everything(&mut self) -> Result<Index> {
        let root =
            Boundary::open(self.workdir()?).map_err(|error| Error::new(error.to_string()))?;
        // Before the index is read: what is written meanwhile must not look older than it.
        let fresh = Fresh::of(&self.repo.index_path());
        let mut index = Index::open(self)?;
        let head = self.tree_of(self.head_commit()?)?;
        // What is wrong with the index must not vanish with what is taken out of it.
        staged_changes(&index, &head, &self.objects)?;
        refuse_unsorted(&index)?;
        self.open_sparse(&mut index.state, &root)?;
        refuse_unsorted(&index)?;
        let ScanResult {
            tracked,
            untracked,
            held,
        } = Scan::new(self, &root, &index, fresh)?.run()?;
        refuse_unclear(&index, &tracked, &head)?;
        let state = &mut index.state;
        for (entry, now) in state.entries_mut().iter_mut().zip(&tracked) {
            let Some((mode, id)) = now else { continue };
            (entry.mode, entry.id) = (*mode, *id);
            entry.flags.remove(Flags::INTENT_TO_ADD);
        }
        state.remove_entries(|at, _, _| tracked[at].is_none());
        for (path, mode, id) in untracked {
            state.dangerously_push_entry(Stat::default(), id, Flags::empty(), mode, path.as_bstr());
        }
        settle(state);
        self.objects = self.objects.holding(held);
        Ok(index)
    }

    /// Lists the files of directories that a sparse index holds as one entry, where the disk has something there.
    fn open_sparse(&self, state: &mut IndexState, root: &Boundary) -> Result<()> {
        let is_there = |path: &BStr| {
            let directory = path.trim_end_with(|c| c == '/').as_bstr();
            root.view().entry(directory).is_some()
        };
        let mut inside = Vec::new();
        for entry in state
            .entries()
            .iter()
            .filter(|entry| entry.mode.is_sparse())
        {
            let path = entry.path(state);
            if is_there(path) {
                for (below, file) in Tree::at(&self.objects, entry.id).states()? {
                    inside.push((BString::from([path.as_bytes(), &below].concat()), file));
                }
            }
        }
        state.remove_entries(|_, path, entry| entry.mode.is_sparse() && is_there(path));
        for (path, file) in inside {
            // A mode that git does not write is none of the index; the difference is a change.
            let mode = Mode::from_bits(file.kind.mode()).unwrap_or(Mode::FILE);
            let flags = Flags::SKIP_WORKTREE;
            state.dangerously_push_entry(Stat::default(), file.id, flags, mode, path.as_bstr());
        }
        settle(state);
        Ok(())
    }
}

/// Sorts what was added, and forgets the ids of directories.
fn settle(state: &mut IndexState) {
    state.remove_tree();
    state.sort_entries();
}

/// Paths are looked up, so they must be where they belong, each once.
fn refuse_unsorted(index: &Index) -> Result<()> {
    let entries = index.entries();
    let follows = |pair: &[gix::index::Entry]| index.path_of(&pair[0]) < index.path_of(&pair[1]);
    match entries.windows(2).find(|pair| !follows(pair)) {
        Some(pair) => Err(staged::unsorted(index.path_of(&pair[1]))),
        None => Ok(()),
    }
}

/// A file that is marked not to be looked at is judged as it is. Where it was also staged as something else, two
/// contents wait at one path: git would commit the staged one, and take the other once the mark is gone.
fn refuse_unclear(
    index: &Index,
    tracked: &[Option<(Mode, ObjectId)>],
    head: &Tree<'_>,
) -> Result<()> {
    let marks = Flags::ASSUME_VALID | Flags::SKIP_WORKTREE;
    for (entry, now) in index.entries().iter().zip(tracked) {
        if !entry.flags.intersects(marks) || *now == Some((entry.mode, entry.id)) {
            continue;
        }
        let path = index.path_of(entry);
        if head.get(path)? != Some(state_of(entry)) {
            let word = shell_word(path);
            return Err(Error::new(format!(
                "{} is staged, is marked assume-unchanged or skip-worktree, and holds something else now",
                show(path)
            ))
            .help(format!(
                "take the mark away: git update-index --no-assume-unchanged --no-skip-worktree {word}"
            )));
        }
    }
    Ok(())
}
