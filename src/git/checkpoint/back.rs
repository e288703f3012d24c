//! Takes back what happened between two checkpoints, where nothing else has happened since.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice};

use super::switches::differing_switches;
use super::{Checkpoint, CheckpointStore, ObservedChange, SavedFile, differing, unusable};
use crate::change::{Change, Kind, State};
use crate::disk;
use crate::error::Result;
use crate::git::{Blobs, CheckedOut, Repository, changes_between};

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

impl CheckpointStore {
    /// What of a change is still there. `only` limits it to these files.
    ///
    /// # Errors
    /// The work tree cannot be recorded.
    pub fn to_take_back(
        &self,
        repo: &Repository,
        change: &ObservedChange,
        only: &[BString],
    ) -> Result<TakenBack> {
        let ObservedChange { before, after, .. } = change;
        let now = self.record(repo, &[], Some(before))?;
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
            let is_nested =
                |state: Option<State>| state.is_some_and(|one| one.kind == Kind::Submodule);
            if state == change.old {
                continue;
            } else if is_nested(change.old) || is_nested(change.new) {
                found.lost.push(change.path);
            } else if state == change.new {
                found.files.push(change);
            } else {
                found.changed.push(change);
            }
        }
        let sized = differing(&before.sizes, &after.sizes);
        found
            .lost
            .extend(sized.map(|(name, ..)| BString::from(name.as_str())));
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
        // What stands where a directory was goes first.
        let mut lines = Vec::new();
        for change in &back.files {
            let none = change.old.or(change.new).map(|state| state.id.kind());
            let none = gix::ObjectId::null(none.unwrap_or(gix::hash::Kind::Sha1));
            lines.extend([format!("0 {none}\t").as_bytes(), &change.path, b"\0"].concat());
        }
        for change in &back.files {
            if let Some(old) = change.old {
                let line = format!("{:o} {}\t", old.kind.mode(), old.id);
                lines.extend([line.as_bytes(), &change.path, b"\0"].concat());
            }
        }
        // The target is made in the same index, and the index then put back, so that git sees which files it knows.
        let index = self.file("index");
        let kept = self.file("index.kept");
        let copy = |from: &Path, to: &Path| {
            fs::copy(from, to).map_err(|error| unusable(&self.directory, &error))
        };
        copy(&index, &kept)?;
        let make = || {
            self.git(true, &["update-index", "-z", "--index-info"], &lines)?;
            self.git(true, &["write-tree"], b"")
        };
        let target = make();
        copy(&kept, &index)?;
        let target = target?.trim().to_str_lossy().into_owned();
        let arguments = ["read-tree", "-m", "-u", &back.now, &target];
        self.git(true, &arguments, b"").map(drop)
    }

    /// Takes back what changed besides files, where it is as it was left: refs, HEAD, the index and the switches. The
    /// answer names what was taken back.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub fn take_back_rest(
        &self,
        repo: &Repository,
        change: &ObservedChange,
    ) -> Result<Vec<String>> {
        let ObservedChange { before, after, .. } = change;
        let mut done = self.take_back_refs(repo, change)?;
        if before.index != after.index && self.take_back_index(repo, change)? {
            done.push("the index".to_owned());
        }
        for (name, old, new) in differing_switches(before, after) {
            let path = PathBuf::from(name);
            let read = |saved: &SavedFile| self.read_copy(&saved.copy);
            if fs::read(&path).ok() != new.map(read).transpose()? {
                continue;
            }
            let old = old.map(|saved| Ok((saved, read(saved)?))).transpose()?;
            let write = || match &old {
                None => fs::remove_file(&path),
                Some((saved, content)) => {
                    if let Some(directory) = path.parent() {
                        fs::create_dir_all(directory)?;
                    }
                    let mode = if saved.is_executable { 0o755 } else { 0o644 };
                    disk::replace(&path, content, Some(mode))
                }
            };
            write().map_err(|error| unusable(&path, &error))?;
            done.push(name.clone());
        }
        Ok(done)
    }

    fn take_back_refs(&self, repo: &Repository, change: &ObservedChange) -> Result<Vec<String>> {
        let ObservedChange { before, after, .. } = change;
        let now = self.refs(repo)?;
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
    fn take_back_index(&self, repo: &Repository, change: &ObservedChange) -> Result<bool> {
        let ObservedChange { before, after, .. } = change;
        let place = repo.repo.index_path();
        let now = CheckedOut::of(repo)?;
        let is_same = |one| Ok(self.index_of(repo, one)?.is_same(&now));
        if !is_same(after)? || is_same(before)? {
            return Ok(false);
        }
        let write = || match &before.index {
            Some(name) => disk::replace(&place, &fs::read(self.file("copies").join(name))?, None),
            None => fs::remove_file(&place),
        };
        write().map_err(|error| unusable(&place, &error))?;
        Ok(true)
    }

    /// What is staged in a checkpoint.
    ///
    /// # Errors
    /// The copy of the index is damaged.
    pub fn staged(&self, repo: &Repository, one: &Checkpoint) -> Result<BTreeMap<BString, State>> {
        Ok(self.index_of(repo, one)?.staged().collect())
    }

    fn index_of(&self, repo: &Repository, one: &Checkpoint) -> Result<CheckedOut> {
        let copy = one.index.as_ref();
        CheckedOut::of_copy(repo, copy.map(|name| self.file("copies").join(name)))
    }
}
