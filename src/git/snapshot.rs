//! Snapshots: commits on `refs/guard/snapshots` with the content that a write is about to change. HEAD, index and
//! work tree stay unchanged.

use std::fs;
use std::time::{Duration, Instant};

use gix::ObjectId;
use gix::actor::{Signature, SignatureRef};
use gix::bstr::{BStr, ByteSlice};
use gix::objs::Kind;
use gix::objs::tree::{Editor, EntryKind};
use gix::refs::Target;
use gix::refs::transaction::{Change, LogChange, PreviousValue};

use super::durable::{SNAPSHOTS, Writer};
use super::{Repository, failed};
use crate::error::Result;

/// How long to retry when another process is writing a snapshot.
const PATIENCE: Duration = Duration::from_secs(15);
/// An older lock on the ref comes from a killed process: writing a ref takes milliseconds.
const STALE: Duration = Duration::from_secs(5);

/// A file before a write; `None` if it does not exist.
#[derive(Debug, Clone, Copy)]
pub struct Before<'a> {
    /// The path in the workspace.
    pub path: &'a BStr,
    /// The content, and whether it is executable.
    pub content: Option<(&'a [u8], bool)>,
}

/// Starts a message line that names a path that did not exist.
pub(super) const ABSENT: &str = "Guard-Absent: ";
/// Starts the line with the position in the audit log.
pub(super) const LOG: &str = "Guard-Log: ";
/// Starts the line with the linked work tree of the files.
pub(super) const WORK_TREE: &str = "Guard-Worktree: ";
/// Starts the line with the parent's parent, so that a lost parent does not hide older snapshots.
pub(super) const BEFORE: &str = "Guard-Before: ";

/// Adds the line with the parent's parent, if any.
pub(super) fn push_before(message: &mut String, id: Option<ObjectId>) {
    if let Some(id) = id {
        message.push_str(&format!("\n{BEFORE}{id}"));
    }
}

impl Repository {
    /// Writes a snapshot and syncs blobs, trees, commit and ref to disk. `log` is the position in the audit log. The
    /// caller holds the lock for snapshots.
    ///
    /// # Errors
    /// The object database or the ref cannot be written.
    pub(crate) fn take_snapshot(
        &self,
        files: &[Before<'_>],
        title: &str,
        log: &str,
    ) -> Result<ObjectId> {
        let mut message = format!("{title}\n\n");
        for file in files.iter().filter(|file| file.content.is_none()) {
            message.push_str(&format!("{ABSENT}{}\n", file.path.to_str_lossy()));
        }
        if let Some(name) = self.work_tree().name() {
            message.push_str(&format!("{WORK_TREE}{name}\n"));
        }
        message.push_str(&format!("{LOG}{log}"));
        let attempt = || self.try_snapshot(files, &message);
        // `git gc` may have interfered.
        attempt().or_else(|_| attempt())
    }

    fn try_snapshot(&self, files: &[Before<'_>], message: &str) -> Result<ObjectId> {
        let writer = Writer::new(self);
        let spares = writer.put_back_lost();
        let hash = self.repo.object_hash();
        let mut editor = Editor::new(gix::objs::Tree::empty(), &self.repo.objects, hash);
        for file in files {
            let Some((content, executable)) = file.content else {
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
                .map_err(failed("the snapshot cannot be written"))?;
        }
        let tree = editor.write(|tree| writer.write(tree))?;
        let commit = self.retry(|| self.append_snapshot(&writer, tree, message))?;
        writer.settle()?;
        writer.forget_old(&spares);
        Ok(commit)
    }

    /// Retries until it works, or until it takes too long to be another writer.
    fn retry<T>(&self, attempt: impl Fn() -> Result<T>) -> Result<T> {
        let begun = Instant::now();
        let mut number = 0;
        loop {
            number += 1;
            let newest = self.newest_snapshot()?;
            let result = attempt();
            let is_contended = self.is_locked() || self.newest_snapshot()? != newest;
            // The lock may already be gone.
            if result.is_ok() || !(number < 3 || is_contended) || begun.elapsed() > PATIENCE {
                return result;
            }
        }
    }

    /// Whether another process is writing the ref; removes the lock of a killed process.
    fn is_locked(&self) -> bool {
        let lock = self.repo.common_dir().join(format!("{SNAPSHOTS}.lock"));
        let Ok(metadata) = lock.metadata() else {
            return false;
        };
        let age = metadata.modified().ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > STALE) {
            // Another process may remove it at the same time; the next attempt shows.
            let _ = fs::remove_file(&lock);
        }
        std::thread::sleep(Duration::from_millis(20));
        true
    }

    /// Tries once to append a commit to the newest snapshot.
    fn append_snapshot(
        &self,
        writer: &Writer<'_>,
        tree: ObjectId,
        message: &str,
    ) -> Result<ObjectId> {
        let parent = self.newest_snapshot()?;
        // On top of any other commit, this snapshot could not be found again.
        let before = parent.map(|parent| self.first_parent(parent)).transpose()?;
        let mut message = message.to_owned();
        push_before(&mut message, before.flatten());
        let signature = self.signature();
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
    pub(crate) fn newest_snapshot(&self) -> Result<Option<ObjectId>> {
        let reference = self
            .repo
            .try_find_reference(SNAPSHOTS)
            .map_err(failed("the snapshots cannot be read"))?;
        Ok(reference.and_then(|reference| reference.try_id().map(gix::Id::detach)))
    }

    /// The user's identity in git, or guard's own if there is none.
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
