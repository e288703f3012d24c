//! Commits on `refs/guard/snapshots` that hold what a write is about to change. HEAD, index and work tree stay
//! as they are.

use std::fs;
use std::time::{Duration, Instant};

use gix::ObjectId;
use gix::actor::{Signature, SignatureRef};
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::Kind;
use gix::objs::tree::{Editor, EntryKind};
use gix::refs::Target;
use gix::refs::transaction::{Change, LogChange, PreviousValue};

use super::durable::Writer;
use super::{Repository, failed};
use crate::error::Result;

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
        let writer = Writer::new(self);
        let hash = self.repo.object_hash();
        let mut editor = Editor::new(gix::objs::Tree::empty(), &self.repo.objects, hash);
        let mut message = format!("{title}\n");
        for file in files {
            let Some((content, executable)) = file.content else {
                message.push_str(&format!("\n{ABSENT}{}", file.path.to_str_lossy()));
                continue;
            };
            let blob = writer.write_bytes(Kind::Blob, content)?;
            let kind = if executable {
                EntryKind::BlobExecutable
            } else {
                EntryKind::Blob
            };
            editor
                .upsert(file.path.split_str("/").map(ByteSlice::as_bstr), kind, blob)
                .map_err(|error| failed("the snapshot cannot be written", &error))?;
        }
        let tree = editor.write(|tree| writer.write(tree))?;
        writer.finish()?;
        self.retry(|| self.append_snapshot(tree, &message))
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
        let parent = self.newest_snapshot()?;
        if let Some(parent) = parent {
            // On top of anything else nobody would find the snapshot again.
            self.first_parent(parent)?;
        }
        let signature = self.signature();
        let writer = Writer::new(self);
        let commit = writer.write(&gix::objs::Commit {
            tree,
            parents: parent.into_iter().collect(),
            author: signature.clone(),
            committer: signature,
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        })?;
        writer.finish()?;
        let expected = match parent {
            Some(parent) => PreviousValue::MustExistAndMatch(Target::Object(parent)),
            None => PreviousValue::MustNotExist,
        };
        self.set_snapshots(Change::Update {
            log: LogChange::default(),
            expected,
            new: Target::Object(commit),
        })?;
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
        let mut all = Vec::new();
        self.read_snapshots(&mut all)?;
        Ok(all)
    }

    /// The snapshots whose id begins with `name`, newest first. One that cannot be read hides those before it, not
    /// those after it.
    ///
    /// # Errors
    /// A snapshot cannot be read, and none after it is meant.
    pub fn snapshots_named(&self, name: &str) -> Result<Vec<Snapshot>> {
        let mut read = Vec::new();
        let outcome = self.read_snapshots(&mut read);
        read.retain(|snapshot| snapshot.id.to_string().starts_with(name));
        match outcome {
            Err(error) if read.is_empty() => Err(error),
            _ => Ok(read),
        }
    }

    /// Adds the snapshots, newest first, as far as they can be read.
    fn read_snapshots(&self, all: &mut Vec<Snapshot>) -> Result<()> {
        let mut next = self.newest_snapshot()?;
        while let Some(id) = next {
            all.push(self.snapshot(id)?);
            next = self.first_parent(id)?;
        }
        Ok(())
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
        let writer = Writer::new(self);
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
            parent = Some(writer.write(&copy)?);
        }
        writer.finish()?;
        let expected = PreviousValue::MustExistAndMatch(Target::Object(newest));
        self.set_snapshots(match parent {
            Some(new) => Change::Update {
                log: LogChange::default(),
                expected,
                new: Target::Object(new),
            },
            None => Change::Delete {
                expected,
                log: gix::refs::transaction::RefLog::AndReference,
            },
        })?;
        Ok(pruned)
    }
}
