//! Takes snapshots: commits on `refs/guard/snapshots` with the content that a write is about to change. HEAD, index and
//! work tree stay unchanged.
//!
//! gix, like git by default, names an object before its content is on disk, so after a power cut the name may refer to
//! nothing; guard syncs first. `git gc` first decides what is unreachable and then removes it, also an object that a
//! ref reaches by then. So each object has a copy, a plain file `SECONDS-ID` in `guard/backups`: from there, this run or
//! the next one puts back what is missing. The copies of trees and commits go after an hour, those of files stay until
//! their snapshots are pruned.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use gix::ObjectId;
use gix::actor::{Signature, SignatureRef};
use gix::bstr::{BStr, ByteSlice};
use gix::lock::acquire::Fail;
use gix::objs::encode::loose_header;
use gix::objs::tree::{Editor, EntryKind};
use gix::objs::{Exists, Kind, WriteTo};
use gix::odb::loose::Store;
use gix::refs::Target;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit};
use gix::zlib::Compression;
use gix::zlib::stream::deflate;

use super::{Repository, failed};
use crate::disk;
use crate::error::{Error, Result};
use crate::system;

/// The ref of the newest snapshot; each snapshot is the parent of the next.
pub const SNAPSHOTS: &str = "refs/guard/snapshots";

/// How often to try to take a snapshot; `git gc` may interfere.
const ATTEMPTS: u32 = 3;
/// An older lock on the ref comes from a killed process: writing a ref takes milliseconds.
const STALE: Duration = Duration::from_secs(5);
/// How long to wait for the locks of the ref and of the packed refs.
const LOCK: Fail = Fail::AfterDurationWithBackoff(Duration::from_secs(6));
/// After this many seconds, a `git gc` that started before an object was written has finished.
const SETTLED: i64 = 60 * 60;

/// A file before a write: its path in the workspace, its content, and whether that is executable; `None` if it does not
/// exist.
pub type Before<'a> = (&'a BStr, Option<(&'a [u8], bool)>);

/// Starts a message line that names a path that did not exist.
pub(super) const ABSENT: &str = "Guard-Absent: ";
/// Starts the line with the position in the audit log.
pub(super) const LOG: &str = "Guard-Log: ";
/// Starts the line with the linked work tree of the files.
pub(super) const WORK_TREE: &str = "Guard-Worktree: ";

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
        for (path, _) in files.iter().filter(|(_, content)| content.is_none()) {
            message.push_str(&format!("{ABSENT}{}\n", path.to_str_lossy()));
        }
        if let Some(name) = self.work_tree().name() {
            message.push_str(&format!("{WORK_TREE}{name}\n"));
        }
        message.push_str(&format!("{LOG}{log}"));
        let mut number = 1;
        loop {
            self.remove_stale_lock();
            match self.try_snapshot(files, &message) {
                Err(_) if number < ATTEMPTS => number += 1,
                result => return result,
            }
        }
    }

    fn try_snapshot(&self, files: &[Before<'_>], message: &str) -> Result<ObjectId> {
        let writer = ObjectWriter::new(self);
        writer.put_back_lost();
        let hash = self.repo.object_hash();
        let mut editor = Editor::new(gix::objs::Tree::empty(), &self.repo.objects, hash);
        for (path, content) in files {
            let Some((content, is_executable)) = *content else {
                continue;
            };
            let blob = writer.write_bytes(Kind::Blob, content)?;
            let kind = match is_executable {
                true => EntryKind::BlobExecutable,
                false => EntryKind::Blob,
            };
            editor
                .upsert(path.split_str("/").map(ByteSlice::as_bstr), kind, blob)
                .map_err(failed("the snapshot cannot be written"))?;
        }
        let tree = editor.write(|tree| writer.write(tree))?;
        let parent = self.newest_snapshot()?;
        if let Some(parent) = parent {
            // On top of anything but a commit, this snapshot could not be found again.
            self.first_parent(parent)?;
        }
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
        self.set_snapshots(&writer, parent, Some(commit))?;
        Ok(commit)
    }

    /// Removes the lock of a killed process.
    fn remove_stale_lock(&self) {
        let lock = self.common_dir().join(format!("{SNAPSHOTS}.lock"));
        let modified = lock.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > STALE) {
            // Another process may remove it at the same time; the attempt shows.
            let _ = fs::remove_file(&lock);
        }
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

    /// Moves the ref from one snapshot to another, or deletes it. Returns when that and the objects are on disk.
    pub(super) fn set_snapshots(
        &self,
        writer: &ObjectWriter<'_>,
        from: Option<ObjectId>,
        to: Option<ObjectId>,
    ) -> Result<()> {
        disk::sync_directory(writer.objects.path()).map_err(not_durable)?;
        let failed = failed("the snapshot cannot be written");
        let name = SNAPSHOTS
            .try_into()
            .map_err(|_| Error::new("the snapshot ref has an invalid name"))?;
        let expected = from.map_or(PreviousValue::MustNotExist, |id| {
            PreviousValue::MustExistAndMatch(Target::Object(id))
        });
        let change = match to {
            Some(new) => Change::Update {
                log: LogChange::default(),
                expected,
                new: Target::Object(new),
            },
            None => Change::Delete {
                log: gix::refs::transaction::RefLog::AndReference,
                expected,
            },
        };
        let prepared = self
            .repo
            .refs
            .transaction()
            .prepare([RefEdit::new(name, change)], LOCK, LOCK)
            .map_err(&failed)?;
        let reference = self.common_dir().join(SNAPSHOTS);
        if to.is_some() {
            // The lock file contains the new value and becomes the ref.
            sync(&reference.with_extension("lock")).map_err(not_durable)?;
        }
        let signature = self.signature();
        let mut buffer = gix::date::parse::TimeBuf::default();
        prepared
            .commit(Some(signature.to_ref(&mut buffer)))
            .map_err(&failed)?;
        for directory in reference.ancestors().skip(1).take(2) {
            match disk::sync_directory(directory) {
                // Git removes directories of refs when it packs them.
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(not_durable(error));
                }
                _ => {}
            }
        }
        // What `git gc` removed meanwhile.
        writer.put_back_lost();
        Ok(())
    }

    /// The user's identity in git, or guard's own if there is none.
    pub(crate) fn signature(&self) -> Signature {
        let user = self.repo.committer().and_then(Result::ok);
        let user = user.and_then(|user: SignatureRef<'_>| user.to_owned().ok());
        let mut signature = user.unwrap_or_else(|| Signature {
            name: "guard".into(),
            email: "guard@localhost".into(),
            time: gix::date::Time::now_utc(),
        });
        signature.time = gix::date::Time::now_utc();
        signature
    }
}

/// Writes objects that survive a power cut and `git gc`.
pub(super) struct ObjectWriter<'a> {
    repo: &'a Repository,
    objects: Store,
    /// When this run began, in seconds since 1970.
    begun: i64,
}

/// A copy of an object: its content in a plain file.
struct ObjectCopy {
    id: ObjectId,
    kind: Kind,
    file: PathBuf,
    /// When it was written, in seconds since 1970.
    written: i64,
}

impl<'a> ObjectWriter<'a> {
    pub(super) fn new(repo: &'a Repository) -> ObjectWriter<'a> {
        let objects = repo.common_dir().join("objects");
        ObjectWriter {
            repo,
            objects: Store::at(objects, repo.repo.object_hash()),
            begun: gix::date::Time::now_utc().seconds,
        }
    }

    pub(super) fn write(&self, object: &impl WriteTo) -> Result<ObjectId> {
        let mut content = Vec::new();
        object.write_to(&mut content).map_err(not_durable)?;
        self.write_bytes(object.kind(), &content)
    }

    /// Writes the object even if a pack has it: `git gc` may be about to remove that pack.
    fn write_bytes(&self, kind: Kind, content: &[u8]) -> Result<ObjectId> {
        let hash = self.repo.repo.object_hash();
        let id = gix::objs::compute_hash(hash, kind, content)
            .map_err(failed("the snapshot cannot be written"))?;
        let copy = ObjectCopy::new(&self.directory(), id, kind);
        let write = || {
            let create = || fs::write(&copy.file, content);
            create().or_else(|_| {
                disk::create_private_directory(&self.directory())?;
                create()
            })?;
            self.place(&copy, content)
        };
        write().map_err(not_durable)?;
        Ok(id)
    }

    fn directory(&self) -> PathBuf {
        self.repo.common_dir().join("guard").join("backups")
    }

    /// Writes an object under the name by which git finds it. It may have that name only once its content is on disk.
    fn place(&self, copy: &ObjectCopy, content: &[u8]) -> io::Result<()> {
        let file = self.objects.object_path(&copy.id);
        // `git gc` removes a leftover temporary file of this name.
        let name = format!("tmp_obj_guard-{}-{}", std::process::id(), copy.id);
        let temporary = self.objects.path().join(name);
        let _ = fs::remove_file(&temporary);
        let out = system::create_read_only(&temporary)?;
        let mut out = deflate::Write::new(out, Compression::BEST_SPEED);
        out.write_all(&loose_header(copy.kind, content.len() as u64))?;
        out.write_all(content)?;
        out.flush()?;
        drop(out);
        sync(&temporary)?;
        let directory = disk::directory_of(&file);
        let attempt = || {
            fs::create_dir_all(directory)?;
            fs::rename(&temporary, &file)?;
            disk::sync_directory(directory)
        };
        // Git removes empty directories.
        let placed = attempt().or_else(|error| attempt().map_err(|_| error));
        placed.inspect_err(|_| drop(fs::remove_file(&temporary)))
    }

    /// Puts back objects of young snapshots that `git gc` removed, and removes the copies of old trees and commits.
    pub(super) fn put_back_lost(&self) {
        for copy in self.copies() {
            // Code that needs an object that cannot be put back reports it.
            if self.begun.saturating_sub(copy.written) > SETTLED {
                if copy.kind != Kind::Blob {
                    let _ = fs::remove_file(&copy.file);
                }
            } else if !self.has(&copy)
                && let Ok(content) = fs::read(&copy.file)
                && copy.is_intact(&content)
            {
                let _ = self.place(&copy, &content);
            }
        }
    }

    /// Whether git finds the object. Packs take longer to search, and `git gc` may be about to remove the one that has
    /// what this run wrote.
    fn has(&self, copy: &ObjectCopy) -> bool {
        self.objects.object_path(&copy.id).exists()
            || (copy.written < self.begun && self.repo.repo.objects.exists(&copy.id))
    }

    fn copies(&self) -> impl Iterator<Item = ObjectCopy> {
        let entries = fs::read_dir(self.directory()).into_iter().flatten();
        entries
            .flatten()
            .filter_map(|entry| ObjectCopy::at(entry.path()))
    }

    /// Removes the copies from before `time` (seconds since 1970).
    pub(super) fn forget_copies(&self, time: i64) {
        for copy in self.copies().filter(|copy| copy.written < time) {
            let _ = fs::remove_file(copy.file);
        }
    }
}

impl ObjectCopy {
    fn new(directory: &Path, id: ObjectId, kind: Kind) -> ObjectCopy {
        let written = gix::date::Time::now_utc().seconds;
        let end = match kind {
            Kind::Blob => String::new(),
            kind => format!(".{kind}"),
        };
        ObjectCopy {
            file: directory.join(format!("{written}-{id}{end}")),
            id,
            kind,
            written,
        }
    }

    fn at(file: PathBuf) -> Option<ObjectCopy> {
        let name = file.file_name()?.to_str()?;
        let (written, name) = name.split_once('-')?;
        let (id, kind) = match name.split_once('.') {
            Some((id, kind)) => (id, Kind::from_bytes(kind.as_bytes()).ok()?),
            None => (name, Kind::Blob),
        };
        Some(ObjectCopy {
            id: ObjectId::from_hex(id.as_bytes()).ok()?,
            kind,
            written: written.parse().ok()?,
            file,
        })
    }

    /// Whether the content is complete.
    fn is_intact(&self, content: &[u8]) -> bool {
        gix::objs::compute_hash(self.id.kind(), self.kind, content).is_ok_and(|id| id == self.id)
    }
}

fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn not_durable(error: io::Error) -> Error {
    Error::new(format!("the snapshot cannot be synced to disk: {error}"))
}
