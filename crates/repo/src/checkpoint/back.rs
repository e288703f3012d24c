//! Takes back what happened between two checkpoints, where nothing else has happened since.

use std::fs;
use std::path::Path;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::hold::is_remote;
use super::{Back, Checkpoint, CheckpointStore, ObservedChange, differing, unusable};
use crate::disk;
use crate::{Blobs, Index, Repository, changes_between};
use write_guard_policy::change::Change;
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

/// Whether the file is one of those to take back: `only` these, or all if it is empty.
fn is_wanted(path: &BString, back: &Back, only: &[BString]) -> bool {
    if only.is_empty() {
        back.files.contains(&*path.to_str_lossy())
    } else {
        only.contains(path)
    }
}

/// A line for `git update-index -z --index-info`; mode 0 removes the path.
fn index_line(mode: u32, id: ObjectId, path: &BStr) -> Vec<u8> {
    [format!("{mode:o} {id}\t").as_bytes(), path, b"\0"].concat()
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
        let both = self.repository(Blobs::new())?;
        let objects = both.objects();
        let there = both.tree_in(&now);
        let old = both.tree_in(before).id();
        let new = both.tree_in(after).id();
        let mut found = TakenBack::default();
        for change in changes_between(objects, old, new)? {
            if !is_wanted(&change.path, back, only) {
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
            let path = BString::from(name.as_str());
            if is_wanted(&path, back, only) {
                found.lost.push(path);
            }
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
        // What stands where a directory was goes first.
        let mut lines = Vec::new();
        for Change { path, old, new, .. } in &back.files {
            let there = old.or(*new);
            lines.extend(there.map(|state| index_line(0, state.id, path.as_ref())));
        }
        for Change { path, old, .. } in &back.files {
            lines.extend(old.map(|old| index_line(old.kind.mode(), old.id, path.as_ref())));
        }
        self.git_on_target(&["read-tree", &back.now], b"")?;
        self.git_on_target(&["update-index", "-z", "--index-info"], &lines.concat())?;
        let target = self.git_on_target(&["write-tree"], b"")?;
        let target = target.trim().to_str_lossy();
        let arguments = ["read-tree", "-m", "-u", &back.now, &target];
        self.git(true, arguments, b"").map(drop)
    }

    /// Runs git on an index of its own, so that git still sees in the private one which files it knows.
    fn git_on_target(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>> {
        let git = self.program(&self.directory, true);
        let git = git.env("GIT_INDEX_FILE", self.file("target"));
        git.run(arguments, input).map_err(|why| self.failed(&why))
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
            let left = new.map(|saved| self.read_copy(&saved.copy)).transpose()?;
            if fs::read(path).ok() != left {
                continue;
            }
            let written = match old {
                None => fs::remove_file(path),
                Some(saved) => {
                    let content = self.read_copy(&saved.copy)?;
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
            let path: &BStr = path.as_ref();
            let old = was.tree()?.get(path)?;
            let new = left.tree()?.get(path)?;
            if old == new || now.tree()?.get(path)? != new {
                continue;
            }
            if let Some(old) = old {
                self.bring_back(old.id);
            }
            let (mode, id) = match old.or(new) {
                Some(either) => (old.map_or(0, |old| old.kind.mode()), either.id),
                None => continue,
            };
            lines.push(index_line(mode, id, path));
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
            self.git_on_refs(&arguments)?;
            done.push(name.clone());
        }
        let head = fs::read_to_string(self.git_dir.join("HEAD")).unwrap_or_default();
        let is_wanted = back.refs.contains("HEAD");
        if is_wanted && before.head != after.head && head.trim() == after.head {
            match before.head.strip_prefix("ref: ") {
                Some(name) => self.git_on_refs(&["symbolic-ref", "HEAD", name])?,
                None => self.git_on_refs(&["update-ref", "--no-deref", "HEAD", &before.head])?,
            }
            done.push("HEAD".to_owned());
        }
        Ok(done)
    }

    /// Runs git in the repository itself.
    fn git_on_refs(&self, arguments: &[&str]) -> Result<()> {
        let git = self.program(&self.git_dir, false);
        let changed = git.run(arguments, b"").map(drop);
        changed.map_err(|why| self.failed(&why))
    }

    /// The index is as it was left if it lists the same; git also notes in it when it looked at files.
    fn take_back_index(&self, change: &ObservedChange) -> Result<bool> {
        let ObservedChange { before, after, .. } = change;
        let place = self.repo.repo.index_path();
        let now = Index::open(self.repo)?;
        let is_as_left = self.index_of(self.repo, after)?.lists_the_same(&now)?;
        if !is_as_left || self.index_of(self.repo, before)?.lists_the_same(&now)? {
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
