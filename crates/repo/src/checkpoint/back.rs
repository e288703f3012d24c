//! Takes back what happened between two checkpoints, where nothing else has happened since.

use std::fs;
use std::path::Path;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::hold::is_remote;
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
        let ObservedChange {
            before,
            after,
            back,
            ..
        } = observed;
        let now = self.record(&[], Some(before))?.checkpoint;
        let is_wanted = |path: &BString| {
            if only.is_empty() {
                back.files.contains(&*path.to_str_lossy())
            } else {
                only.contains(path)
            }
        };
        let both = self.repository(Blobs::new())?;
        let objects = both.objects();
        let there = both.tree_in(&now);
        let (old, new) = (both.tree_in(before).id(), both.tree_in(after).id());
        let mut found = TakenBack::default();
        for change in changes_between(objects, old, new)? {
            if !is_wanted(&change.path) {
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
            let name = BString::from(name.as_str());
            found.lost.extend(Some(name).filter(is_wanted));
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

    /// Takes back what changed besides files, where it is as it was left: refs, HEAD, stashes, the index and the switches.
    /// The answer names what was taken back.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub fn take_back_rest(&self, change: &ObservedChange) -> Result<Vec<String>> {
        let back = &change.back;
        let mut done = self.take_back_refs(change)?;
        done.extend(self.take_back_stashes(&back.stashes)?);
        if back.index && self.take_back_index(change)? {
            done.push("the index".to_owned());
        } else if !back.staged.is_empty() {
            let staged = back.staged.iter().map(|path| path.as_str().into());
            done.extend(self.take_back_staged(change, &staged.collect::<Vec<BString>>())?);
        }
        if back.switches {
            done.extend(self.take_back_switches(change)?);
        }
        Ok(done)
    }

    fn take_back_switches(&self, change: &ObservedChange) -> Result<Vec<String>> {
        let ObservedChange { before, after, .. } = change;
        let mut done = Vec::new();
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

    /// Puts stashes back on the list, the oldest first.
    fn take_back_stashes(&self, stashes: &[String]) -> Result<Vec<String>> {
        let there = self.stashes();
        let mut done = Vec::new();
        for stash in stashes.iter().rev().filter(|stash| !there.contains(stash)) {
            let message = super::id(stash).and_then(|id| self.repo.headline(id).ok());
            let message = message.map(|headline| headline.subject.to_string());
            let message = message.unwrap_or_default();
            let git = self.program(&self.git_dir, true);
            git.run(["stash", "store", "-m", &message, stash], b"")
                .map_err(|why| self.failed(&why))?;
            done.push(format!("the stash {}", &stash[..12.min(stash.len())]));
        }
        Ok(done)
    }

    /// Takes back these paths of the index, where they are as they were left.
    ///
    /// # Errors
    /// The index cannot be read or written.
    pub fn take_back_staged(
        &self,
        change: &ObservedChange,
        paths: &[BString],
    ) -> Result<Vec<String>> {
        let both = self.repository(Blobs::new())?;
        let was = self.index_of(&both, &change.before)?;
        let left = self.index_of(&both, &change.after)?;
        let now = Index::open(&both)?;
        let mut lines = Vec::new();
        let mut done = Vec::new();
        for path in paths {
            let state = |index: &Index| index.tree()?.get(path.as_ref());
            let (old, new) = (state(&was)?, state(&left)?);
            if old == new || state(&now)? != new {
                continue;
            }
            if let Some(old) = old {
                self.bring_back(old.id);
            }
            let (mode, id) = match old.or(new) {
                Some(either) => (old.map_or(0, |old| old.kind.mode()), either.id),
                None => continue,
            };
            lines.push([format!("{mode:o} {id}\t").as_bytes(), path, b"\0"].concat());
            done.push(format!(
                "{} in the index",
                write_guard_policy::path::escaped(path)
            ));
        }
        if !lines.is_empty() {
            let git = self.program(&self.git_dir, true);
            let git = git.env("GIT_INDEX_FILE", self.repo.repo.index_path());
            git.run(["update-index", "-z", "--index-info"], &lines.concat())
                .map_err(|why| self.failed(&why))?;
        }
        Ok(done)
    }

    fn take_back_refs(&self, change: &ObservedChange) -> Result<Vec<String>> {
        let ObservedChange {
            before,
            after,
            back,
            ..
        } = change;
        let now = self.refs()?;
        let git = |arguments: &[&str], input: &[u8]| {
            let git = self.program(&self.git_dir, false);
            git.run(arguments, input).map_err(|why| self.failed(&why))
        };
        let mut done = Vec::new();
        // What a remote has is not taken back by forgetting it.
        let refs = differing(&before.refs, &after.refs).filter(|(name, _, new)| {
            back.refs.contains(*name) && now.get(*name) == *new && !is_remote(name)
        });
        // A ref may stand where others are to return.
        let (gone, there): (Vec<_>, Vec<_>) = refs.partition(|(_, old, _)| old.is_none());
        for (name, old, new) in gone.into_iter().chain(there) {
            if let Some(tag) = old.and_then(|old| super::id(old)) {
                self.bring_back(tag);
            }
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
        let is_wanted = back.refs.contains("HEAD");
        if is_wanted && before.head != after.head && head.trim() == after.head {
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

    /// The size of a file that the index of a checkpoint notes, if its entry has this content.
    pub fn size_in_index(&self, one: &Checkpoint, path: &BStr, content: ObjectId) -> Option<usize> {
        let copy = self.file("copies").join(one.index.as_ref()?);
        let hash = self.repo.repo.object_hash();
        let index = gix::index::File::at(copy, hash, true, Default::default()).ok()?;
        let entry = index.entry_by_path(path)?;
        let size = usize::try_from(entry.stat.size).ok()?;
        (entry.id == content).then_some(size)
    }
}
