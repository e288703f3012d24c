//! Takes back what happened between two checkpoints, where nothing else has happened since.

use std::fs;
use std::path::Path;

use gix::bstr::{BString, ByteSlice};

use super::{Checkpoint, CheckpointStore, ObservedChange, SavedFile, differing, unusable};
use crate::disk;
use crate::{Blobs, Index, Repository, changes_between};
use write_guard_policy::change::{Change, State};
use write_guard_policy::error::Result;

/// What there is to take back.
#[derive(Debug, Default)]
pub struct TakenBack {
    /// The files that are as they were left, with the states to return to.
    pub files: Vec<Change>,
    /// The files that changed since.
    pub changed: Vec<Change>,
    /// What guard has no copy of.
    pub lost: Vec<BString>,
    /// The tree of the work tree now.
    now: String,
}

impl CheckpointStore<'_> {
    /// What of a change is still there. `only` limits it to these files.
    ///
    /// # Errors
    /// The work tree cannot be recorded.
    pub fn to_take_back(&self, observed: &ObservedChange, only: &[BString]) -> Result<TakenBack> {
        let ObservedChange { before, after, .. } = observed;
        let now = self.record(&[], Some(before))?;
        let both = self.repository(Blobs::new())?;
        let objects = both.objects();
        let there = both.tree_in(&now);
        let (old, new) = (both.tree_in(before).id(), both.tree_in(after).id());
        let mut found = TakenBack::default();
        for change in changes_between(objects, old, new)? {
            if !only.is_empty() && !only.contains(&change.path) {
                continue;
            }
            let state = there.get(change.path.as_ref())?;
            if state == change.old {
                continue;
            } else if change.is_gitlink() {
                found.lost.push(change.path);
            } else if state == change.new {
                found.files.push(change);
            } else {
                found.changed.push(change);
            }
        }
        for (name, ..) in differing(&before.sizes, &after.sizes) {
            found.lost.push(name.as_str().into());
        }
        found.now = now.tree;
        Ok(found)
    }

    /// Takes it back: the files in one step of git, which changes none of them if one is not as recorded.
    ///
    /// # Errors
    /// git refuses; then no file has changed.
    pub fn take_back_files(&self, back: &TakenBack) -> Result<()> {
        if back.files.is_empty() {
            return Ok(());
        }
        let line = |mode: u32, state: State, path: &BString| {
            [format!("{mode:o} {}\t", state.id).as_bytes(), path, b"\0"].concat()
        };
        // What stands where a directory was goes first.
        let mut lines = Vec::new();
        for Change { path, old, new, .. } in &back.files {
            lines.extend(old.or(*new).map(|state| line(0, state, path)));
        }
        for Change { path, old, .. } in &back.files {
            lines.extend(old.map(|old| line(old.kind.mode(), old, path)));
        }
        // In an index of its own, so that git still sees in the other one which files it knows.
        let make = |arguments: &[&str], input: &[u8]| {
            let git = self.program(&self.directory, true);
            let made = git
                .env("GIT_INDEX_FILE", self.file("target"))
                .run(arguments, input);
            made.map_err(|why| self.failed(&why))
        };
        make(&["read-tree", &back.now], b"")?;
        make(&["update-index", "-z", "--index-info"], &lines.concat())?;
        let target = make(&["write-tree"], b"")?;
        let target = target.trim().to_str_lossy();
        let arguments = ["read-tree", "-m", "-u", &back.now, &target];
        self.git(true, arguments, b"").map(drop)
    }

    /// Takes back what changed besides files, where it is as it was left: refs, HEAD, the index and the switches. The
    /// answer names what was taken back.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub fn take_back_rest(&self, change: &ObservedChange) -> Result<Vec<String>> {
        let ObservedChange { before, after, .. } = change;
        let mut done = self.take_back_refs(change)?;
        if before.index != after.index && self.take_back_index(change)? {
            done.push("the index".to_owned());
        }
        for (name, old, new) in differing(&before.switches, &after.switches) {
            let path = Path::new(name);
            let read = |saved: &SavedFile| self.read_copy(&saved.copy);
            if fs::read(path).ok() != new.map(read).transpose()? {
                continue;
            }
            let written = match old {
                None => fs::remove_file(path),
                Some(saved) => {
                    let content = read(saved)?;
                    let mode = if saved.is_executable { 0o755 } else { 0o644 };
                    fs::create_dir_all(disk::directory_of(path))
                        .and_then(|()| disk::replace(path, &[&content], Some(mode)))
                }
            };
            written.map_err(|error| unusable(path, &error))?;
            done.push(name.clone());
        }
        Ok(done)
    }

    fn take_back_refs(&self, change: &ObservedChange) -> Result<Vec<String>> {
        let ObservedChange { before, after, .. } = change;
        let now = self.refs()?;
        let git = |arguments: &[&str], input: &[u8]| {
            let git = self.program(&self.git_dir, false);
            git.run(arguments, input).map_err(|why| self.failed(&why))
        };
        let mut done = Vec::new();
        // What a remote has is not taken back by forgetting it.
        let refs = differing(&before.refs, &after.refs)
            .filter(|(name, _, new)| now.get(*name) == *new && !name.starts_with("refs/remotes/"));
        // A ref may stand where others are to return.
        let (gone, there): (Vec<_>, Vec<_>) = refs.partition(|(_, old, _)| old.is_none());
        for (name, old, new) in gone.into_iter().chain(there) {
            let new = new.map_or("", String::as_str);
            let mut arguments = vec!["update-ref", "--create-reflog", "--no-deref"];
            match old {
                Some(old) => arguments.extend([name.as_str(), old, new]),
                None => arguments.extend(["-d", name.as_str(), new]),
            }
            git(&arguments, b"")?;
            done.push(name.clone());
        }
        let head = fs::read_to_string(self.git_dir.join("HEAD")).unwrap_or_default();
        if before.head != after.head && head.trim() == after.head {
            match before.head.strip_prefix("ref: ") {
                Some(name) => git(&["symbolic-ref", "HEAD", name], b"")?,
                None => git(&["update-ref", "--no-deref", "HEAD", &before.head], b"")?,
            };
            done.push("HEAD".to_owned());
        }
        Ok(done)
    }

    /// The index is as it was left if it lists the same; git also notes in it when it looked at files.
    fn take_back_index(&self, change: &ObservedChange) -> Result<bool> {
        let ObservedChange { before, after, .. } = change;
        let place = self.repo.repo.index_path();
        let now = Index::open(self.repo)?;
        let is_same = |one| self.index_of(self.repo, one)?.lists_the_same(&now);
        if !is_same(after)? || is_same(before)? {
            return Ok(false);
        }
        let written = match &before.index {
            Some(name) => disk::replace(&place, &[&self.read_copy(name)?], None),
            None => fs::remove_file(&place),
        };
        written.map_err(|error| unusable(&place, &error))?;
        Ok(true)
    }

    /// The index of a checkpoint, with the objects of `repo`.
    ///
    /// # Errors
    /// The copy is damaged.
    pub fn index_of(&self, repo: &Repository, one: &Checkpoint) -> Result<Index> {
        let copy = one.index.as_ref();
        let copy = copy.map(|name| self.file("copies").join(name));
        Index::at(repo, &copy.unwrap_or_default())
    }
}
