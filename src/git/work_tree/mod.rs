//! The index as `git add --all` would write it. Nothing is written: contents that the repository lacks stay in
//! memory.
//!
//! File contents are taken as they are. No filter, conversion or other configured program runs.

mod contents;
mod ignore_rules;
mod ignored;
mod nested;
mod scan;
mod stat;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Mode, Stat};
use gix::index::{Entry, State as IndexState};

use super::index::REBUILD;
use super::tree::Tree;
use super::{Index, Repository, staged_changes};
use crate::boundary::Boundary;
use crate::error::{Error, Result};
use crate::path::{TreeView, escaped, shell_word};
use scan::{Scan, ScanResult, state_of};
pub(super) use stat::IndexTime;

pub(crate) use ignore_rules::IgnoreRules;
pub(super) use ignored::excludes_file;
pub(super) use nested::{DirectoryKind, look};

impl Repository {
    /// The index after adding everything in the work tree: tracked files in their current state, and untracked files
    /// that git does not ignore. From now on, this repository also finds their contents.
    ///
    /// # Errors
    /// The repository is bare, the index has conflicts or is damaged, a file cannot be read or added, or there is too
    /// much content for memory.
    pub(crate) fn add_everything(&mut self) -> Result<Index> {
        let root =
            Boundary::open(self.workdir()?).map_err(|error| Error::new(error.to_string()))?;
        // Before the index is read: what is written meanwhile must not look older than it.
        let fresh = IndexTime::of(&self.repo.index_path());
        let index = Index::open(self)?;
        let head = self.tree_of(self.head_commit()?)?;
        // Problems in the index must not vanish with removed entries, nor with cached trees.
        let staged = staged_changes(&index, &head)?;
        if let Some(path) = index.contradiction(&staged)? {
            return Err(contradictory(path));
        }
        let mut state = Index::decode(self)?;
        refuse_unsorted(&state)?;
        self.open_sparse(&mut state, &root)?;
        refuse_unsorted(&state)?;
        let ScanResult {
            tracked,
            untracked,
            held,
        } = Scan::new(self, &root, &state, fresh)?.run()?;
        refuse_unclear(&state, &tracked, &head)?;
        for (entry, now) in state.entries_mut().iter_mut().zip(&tracked) {
            let Some((mode, id)) = now else { continue };
            (entry.mode, entry.id) = (*mode, *id);
            entry.flags.remove(Flags::INTENT_TO_ADD);
        }
        state.remove_entries(|at, _, _| tracked[at].is_none());
        for (path, mode, id) in untracked {
            state.dangerously_push_entry(Stat::default(), id, Flags::empty(), mode, path.as_bstr());
        }
        settle(&mut state);
        self.objects = self.objects.holding(held);
        Index::of_state(self, &state)
    }

    /// Expands sparse directories of the index if files exist there on disk.
    fn open_sparse(&self, state: &mut IndexState, root: &Boundary) -> Result<()> {
        let is_there = |path: &BStr| {
            let directory = path.trim_end_with(|c| c == '/').as_bstr();
            root.view().entry(directory).is_some()
        };
        let mut inside = Vec::new();
        let entries = state.entries().iter();
        for entry in entries.filter(|entry| entry.mode.is_sparse()) {
            let path = entry.path(state);
            if is_there(path) {
                for (below, file) in Tree::at(&self.objects, entry.id).states()? {
                    inside.push((BString::from([path.as_bytes(), &below].concat()), file));
                }
            }
        }
        state.remove_entries(|_, path, entry| entry.mode.is_sparse() && is_there(path));
        for (path, file) in inside {
            // A mode that git does not write is not in the index; the difference is a change.
            let mode = Mode::from_bits(file.kind.mode()).unwrap_or(Mode::FILE);
            let flags = Flags::SKIP_WORKTREE;
            state.dangerously_push_entry(Stat::default(), file.id, flags, mode, path.as_bstr());
        }
        settle(state);
        Ok(())
    }
}

/// Sorts the added entries and drops cached directory ids.
fn settle(state: &mut IndexState) {
    state.remove_tree();
    state.sort_entries();
}

/// Lookups need sorted, unique paths.
fn refuse_unsorted(state: &IndexState) -> Result<()> {
    let entries = state.entries();
    let follows = |pair: &[Entry]| pair[0].path(state) < pair[1].path(state);
    match entries.windows(2).find(|pair| !follows(pair)) {
        Some(pair) => {
            let path = escaped(pair[1].path(state));
            Err(Error::new(format!(
                "the index is damaged: {path} is a duplicate or unsorted entry"
            ))
            .help(REBUILD))
        }
        None => Ok(()),
    }
}

fn contradictory(path: &BStr) -> Error {
    let path = escaped(path);
    Error::new(format!(
        "the index contradicts itself: its cached tree has another version of {path} than its entry"
    ))
    .help(REBUILD)
}

/// A file with an assume-unchanged or skip-worktree flag is judged in its current state. If different content is also
/// staged, the path has two candidates: git would commit the staged one now and the other one after the flag is
/// removed.
fn refuse_unclear(
    state: &IndexState,
    tracked: &[Option<(Mode, ObjectId)>],
    head: &Tree<'_>,
) -> Result<()> {
    let marks = Flags::ASSUME_VALID | Flags::SKIP_WORKTREE;
    for (entry, now) in state.entries().iter().zip(tracked) {
        if !entry.flags.intersects(marks) || *now == Some((entry.mode, entry.id)) {
            continue;
        }
        let path = entry.path(state);
        if head.get(path)? != Some(state_of(entry)) {
            let word = shell_word(path);
            return Err(Error::new(format!(
                "{} is staged and flagged assume-unchanged or skip-worktree, but the work tree differs",
                escaped(path)
            ))
            .help(format!(
                "remove the flag: git update-index --no-assume-unchanged --no-skip-worktree {word}"
            )));
        }
    }
    Ok(())
}
