//! Commits on `refs/guard/snapshots` that hold what a write is about to change. HEAD, index and work tree stay
//! as they are.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use gix::ObjectId;
use gix::actor::{Signature, SignatureRef};
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::tree::EntryKind;
use gix::refs::Target;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit};

use super::{Repository, failed};
use crate::error::{Error, Result};

/// The ref that holds the newest snapshot; each is the parent of the next.
pub const SNAPSHOTS: &str = "refs/guard/snapshots";

/// For how long a snapshot is tried again when another writer was faster.
const PATIENCE: Duration = Duration::from_secs(15);
/// A lock on the ref that is older than this was left behind by a process that was killed: writing a ref takes
/// milliseconds.
const STALE: Duration = Duration::from_secs(5);

/// One file as it is before a write; `None` where there is none.
#[derive(Debug, Clone, Copy)]
pub struct Before<'a> {
    /// The path in the workspace.
    pub path: &'a BStr,
    /// Content, and whether it is executable.
    pub content: Option<(&'a [u8], bool)>,
}

/// The line of a snapshot's message that names a path which did not exist.
pub const ABSENT: &str = "Guard-Absent: ";

impl Repository {
    /// Writes a snapshot and makes it durable: blobs, trees, commit and ref are synced before this returns.
    ///
    /// # Errors
    /// The object database or the ref cannot be written.
    pub fn take_snapshot(&self, files: &[Before<'_>], title: &str) -> Result<ObjectId> {
        let failed = |error: &gix::Error| failed("the snapshot cannot be written", error);
        let empty = self.repo.empty_tree().id;
        let mut editor = self.repo.edit_tree(empty).map_err(|error| failed(&error))?;
        let mut message = format!("{title}\n");
        let mut written = Vec::new();
        for file in files {
            let Some((content, executable)) = file.content else {
                message.push_str(&format!("\n{ABSENT}{}", file.path.to_str_lossy()));
                continue;
            };
            let blob = self
                .repo
                .write_blob(content)
                .map_err(|error| failed(&error))?
                .detach();
            let kind = if executable {
                EntryKind::BlobExecutable
            } else {
                EntryKind::Blob
            };
            editor
                .upsert(file.path, kind, blob)
                .map_err(|error| failed(&error))?;
            written.push(blob);
        }
        let tree = editor.write().map_err(|error| failed(&error))?.detach();
        self.collect_trees(tree, &mut written)?;
        let commit = self.retry(|| self.append_snapshot(tree, &message))?;
        written.push(commit);
        self.make_durable(&written)?;
        Ok(commit)
    }

    /// Tries until it works, or for too long to be another writer's doing.
    fn retry<T>(&self, attempt: impl Fn() -> Result<T>) -> Result<T> {
        let begun = Instant::now();
        let mut number = 0;
        loop {
            number += 1;
            let newest = self.newest_snapshot()?;
            let result = attempt();
            let is_contended = self.is_locked() || self.newest_snapshot()? != newest;
            // A lock may be gone again before anybody looks.
            if result.is_ok() || !(number < 3 || is_contended) || begun.elapsed() > PATIENCE {
                return result;
            }
        }
    }

    /// Whether another process is writing the ref; one that was killed while it did is forgotten.
    fn is_locked(&self) -> bool {
        let lock = self.repo.common_dir().join(format!("{SNAPSHOTS}.lock"));
        let Ok(metadata) = lock.metadata() else {
            return false;
        };
        let age = metadata.modified().ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > STALE) {
            // Whoever else sees it at the same time removes it as well; the next attempt tells.
            let _ = fs::remove_file(&lock);
        }
        std::thread::sleep(Duration::from_millis(20));
        true
    }

    /// One attempt to put a commit on top of the newest snapshot.
    fn append_snapshot(&self, tree: ObjectId, message: &str) -> Result<ObjectId> {
        let failed = |error: &gix::Error| failed("the snapshot cannot be written", error);
        let parent = self.newest_snapshot()?;
        let signature = self.signature();
        let mut buffer = gix::date::parse::TimeBuf::default();
        let by = signature.to_ref(&mut buffer);
        let commit = self
            .repo
            .new_commit_as(by, by, message, tree, parent)
            .map_err(|error| failed(&error))?
            .id;
        let expected = match parent {
            Some(parent) => PreviousValue::MustExistAndMatch(Target::Object(parent)),
            None => PreviousValue::MustNotExist,
        };
        let name = SNAPSHOTS
            .try_into()
            .map_err(|_| Error::new("the snapshot's ref has no valid name"))?;
        let edit = RefEdit::new(
            name,
            Change::Update {
                log: LogChange::default(),
                expected,
                new: Target::Object(commit),
            },
        );
        self.repo
            .edit_references_as([edit], Some(by))
            .map_err(|error| failed(&error))?;
        Ok(commit)
    }

    /// The newest snapshot.
    ///
    /// # Errors
    /// The ref cannot be read.
    pub fn newest_snapshot(&self) -> Result<Option<ObjectId>> {
        let reference = self
            .repo
            .try_find_reference(SNAPSHOTS)
            .map_err(|error| failed("the snapshots cannot be read", &error))?;
        Ok(reference.and_then(|reference| reference.try_id().map(gix::Id::detach)))
    }

    /// The user's identity as git has it, else guard's own: a snapshot must not fail for want of a name.
    pub(crate) fn signature(&self) -> Signature {
        let user = self
            .repo
            .committer()
            .and_then(Result::ok)
            .and_then(|user: SignatureRef<'_>| user.to_owned().ok());
        let mut signature = user.unwrap_or_else(|| Signature {
            name: "guard".into(),
            email: "guard@localhost".into(),
            time: gix::date::Time::now_utc(),
        });
        signature.time = gix::date::Time::now_utc();
        signature
    }

    fn collect_trees(&self, tree: ObjectId, into: &mut Vec<ObjectId>) -> Result<()> {
        into.push(tree);
        let mut buffer = Vec::new();
        for entry in super::tree::entries(&self.objects(), tree, &mut buffer)? {
            if entry.is_tree {
                self.collect_trees(entry.state.id, into)?;
            }
        }
        Ok(())
    }

    /// gix writes without fsync, as git does by default; what is about to be overwritten must be safe first.
    fn make_durable(&self, objects: &[ObjectId]) -> Result<()> {
        let common = self.repo.common_dir();
        for id in objects {
            let hex = id.to_hex().to_string();
            let (directory, file) = hex.split_at(2);
            let directory = common.join("objects").join(directory);
            let loose = directory.join(file);
            match File::open(&loose) {
                Ok(file) => {
                    file.sync_all().map_err(|error| not_durable(&error))?;
                    sync_directory(&directory)?;
                }
                // It is in a pack, which git has synced.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(not_durable(&error)),
            }
        }
        sync_directory(&common.join("objects"))?;
        let reference = common.join(SNAPSHOTS);
        sync(&reference)?;
        reference
            .ancestors()
            .skip(1)
            .take(2)
            .try_for_each(sync_directory)
    }
}

fn sync(path: &Path) -> Result<()> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(|error| not_durable(&error))
}

fn not_durable(error: &io::Error) -> Error {
    Error::new(format!("the snapshot cannot be made durable: {error}"))
}

fn sync_directory(path: &Path) -> Result<()> {
    if cfg!(unix) { sync(path) } else { Ok(()) }
}

/// What a snapshot says of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The commit.
    pub id: ObjectId,
    /// The first line of its message.
    pub title: String,
    /// Seconds since 1970.
    pub time: i64,
    /// The files that it holds.
    pub files: Vec<BString>,
    /// The paths that did not exist.
    pub absent: Vec<BString>,
}

impl Repository {
    /// The snapshots, newest first.
    ///
    /// # Errors
    /// A snapshot cannot be read.
    pub fn snapshots(&self) -> Result<Vec<Snapshot>> {
        let mut next = self.newest_snapshot()?;
        let mut all = Vec::new();
        while let Some(id) = next {
            let snapshot = self.snapshot(id)?;
            next = self.first_parent(id)?;
            all.push(snapshot);
        }
        Ok(all)
    }

    /// One snapshot.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn snapshot(&self, id: ObjectId) -> Result<Snapshot> {
        let unreadable =
            |error: &gix::Error| failed(&format!("the snapshot {id} cannot be read"), error);
        let commit = self
            .repo
            .find_commit(id)
            .map_err(|error| unreadable(&error))?;
        let message = commit.message_raw().map_err(|error| unreadable(&error))?;
        let mut lines = message.lines();
        Ok(Snapshot {
            id,
            title: lines.next().unwrap_or_default().to_str_lossy().into_owned(),
            time: commit.time().map_err(|error| unreadable(&error))?.seconds,
            files: self.tree_of(Some(id))?.files_below(BStr::new(""))?,
            absent: message
                .lines()
                .filter_map(|line| line.strip_prefix(ABSENT.as_bytes()))
                .map(BString::from)
                .collect(),
        })
    }

    fn first_parent(&self, id: ObjectId) -> Result<Option<ObjectId>> {
        let commit = self
            .repo
            .find_commit(id)
            .map_err(|error| failed(&format!("the snapshot {id} cannot be read"), &error))?;
        Ok(commit.parent_ids().next().map(gix::Id::detach))
    }
}

/// What [`Repository::prune_snapshots`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pruned {
    /// Snapshots that nothing leads to any more.
    pub forgotten: usize,
    /// Snapshots that are still there, written anew without the forgotten ones behind them.
    pub kept: usize,
}

impl Repository {
    /// Forgets the snapshots made before `time` (seconds since 1970). Git removes their objects when it collects.
    ///
    /// # Errors
    /// A snapshot cannot be read or written, or somebody took a new one meanwhile.
    pub fn prune_snapshots(&self, time: i64) -> Result<Pruned> {
        let failed = |error: &gix::Error| failed("the snapshots cannot be pruned", error);
        let newest = self.newest_snapshot()?;
        let all = self.snapshots()?;
        let kept: Vec<&Snapshot> = all
            .iter()
            .take_while(|snapshot| snapshot.time >= time)
            .collect();
        let pruned = Pruned {
            forgotten: all.len() - kept.len(),
            kept: kept.len(),
        };
        let Some(newest) = newest.filter(|_| pruned.forgotten > 0) else {
            return Ok(pruned);
        };
        let mut parent: Option<ObjectId> = None;
        for snapshot in kept.iter().rev() {
            let commit = self
                .repo
                .find_commit(snapshot.id)
                .map_err(|error| failed(&error))?;
            let mut copy = commit
                .decode()
                .and_then(|commit| commit.into_owned())
                .map_err(|error| failed(&error))?;
            copy.parents = parent.into_iter().collect();
            parent = Some(
                self.repo
                    .write_object(&copy)
                    .map_err(|error| failed(&error))?
                    .detach(),
            );
        }
        let expected = PreviousValue::MustExistAndMatch(Target::Object(newest));
        let change = match parent {
            Some(new) => {
                self.make_durable(&[new])?;
                Change::Update {
                    log: LogChange::default(),
                    expected,
                    new: Target::Object(new),
                }
            }
            None => Change::Delete {
                expected,
                log: gix::refs::transaction::RefLog::AndReference,
            },
        };
        let name = SNAPSHOTS
            .try_into()
            .map_err(|_| Error::new("the snapshot's ref has no valid name"))?;
        let signature = self.signature();
        let mut buffer = gix::date::parse::TimeBuf::default();
        self.repo
            .edit_references_as(
                [RefEdit::new(name, change)],
                Some(signature.to_ref(&mut buffer)),
            )
            .map_err(|error| failed(&error))?;
        Ok(pruned)
    }
}
