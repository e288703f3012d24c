//! Takes, reads and prunes snapshots: commits on `refs/guard/snapshots` with the content that a write is about to change. HEAD, index and
//! work tree stay unchanged.
//!
//! gix, like git by default, names an object before its content is on disk, so after a power cut the name may refer to
//! nothing; guard syncs first. `git gc` first decides what is unreachable and then removes it, also an object that a
//! ref reaches by then. So each object has a copy, a plain file `SECONDS-ID` in `guard/backups`: from there, this run or
//! the next one puts back what is missing. The copies of trees and commits go after an hour, those of files stay until
//! their snapshots are pruned.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use gix::ObjectId;
use gix::actor::{Signature, SignatureRef};
use gix::bstr::{BStr, BString, ByteSlice};
use gix::lock::acquire::Fail;
use gix::objs::encode::loose_header;
use gix::objs::tree::{Editor, EntryKind};
use gix::objs::{Exists, Kind, WriteTo};
use gix::odb::loose::Store;
use gix::refs::Target;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit};
use gix::zlib::{Compression, stream::deflate};

use super::{Repository, WorkTree, failed};
use crate::disk;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::path::escaped;

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

/// As git, guard takes no shorter beginning of an id.
const SHORTEST_NAME: usize = 4;

/// Starts a message line that names a path that did not exist.
const ABSENT: &str = "Guard-Absent: ";
/// Starts the line with the linked work tree of the files.
const WORK_TREE: &str = "Guard-Worktree: ";

/// One snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The commit.
    pub id: ObjectId,
    /// The first line of its message.
    pub title: String,
    /// Seconds since 1970.
    pub time: i64,
    /// The files in it.
    pub files: Vec<BString>,
    /// The paths that did not exist.
    pub absent: Vec<BString>,
    /// The work tree of the files.
    pub work_tree: WorkTree,
}

/// The snapshots of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshots {
    /// The readable ones, newest first.
    pub readable: Vec<Snapshot>,
    /// Those with a missing or damaged object. The last one may hide older ones.
    pub lost: Vec<ObjectId>,
}

impl Repository {
    /// Writes a snapshot and syncs blobs, trees, commit and ref to disk. The caller holds the lock for snapshots.
    ///
    /// # Errors
    /// The object database or the ref cannot be written.
    pub fn take_snapshot(&self, files: &[Before<'_>], title: &str) -> Result<ObjectId> {
        let mut message = format!("{title}\n\n");
        for (path, _) in files.iter().filter(|(_, content)| content.is_none()) {
            message.push_str(&format!("{ABSENT}{}\n", path.to_str_lossy()));
        }
        if let Some(name) = self.work_tree() {
            message.push_str(&format!("{WORK_TREE}{name}\n"));
        }
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
        let hash = self.repo.object_hash();
        let mut editor = Editor::new(gix::objs::Tree::empty(), &self.repo.objects, hash);
        for (path, content) in files {
            let Some((content, is_executable)) = *content else {
                continue;
            };
            let blob = writer.write_bytes(Kind::Blob, content)?;
            let kind = if is_executable {
                EntryKind::BlobExecutable
            } else {
                EntryKind::Blob
            };
            editor
                .upsert(path.split_str("/").map(ByteSlice::as_bstr), kind, blob)
                .map_err(failed("the snapshot cannot be written"))?;
        }
        let tree = editor.write(|tree| writer.write(tree))?;
        let parent = self.newest_snapshot()?;
        if let Some(parent) = parent
            && self.commit(parent).is_err()
        {
            // On top of anything but a commit, this snapshot could not be found again.
            writer.put_back_lost();
            self.commit(parent)?;
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
    fn newest_snapshot(&self) -> Result<Option<ObjectId>> {
        let reference = self.repo.try_find_reference(SNAPSHOTS);
        let reference = reference.map_err(failed("the snapshots cannot be read"))?;
        Ok(reference.and_then(|reference| reference.try_id().map(gix::Id::detach)))
    }

    /// Moves the ref from one snapshot to another, or deletes it. Returns when that and the objects are on disk.
    fn set_snapshots(
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
        let transaction = self.repo.refs.transaction();
        let prepared = transaction.prepare([RefEdit::new(name, change)], LOCK, LOCK);
        let prepared = prepared.map_err(&failed)?;
        let reference = self.common_dir().join(SNAPSHOTS);
        if to.is_some() {
            // The lock file contains the new value and becomes the ref.
            disk::sync_written(&reference.with_extension("lock")).map_err(not_durable)?;
        }
        let signature = self.signature();
        let mut buffer = gix::date::parse::TimeBuf::default();
        prepared
            .commit(Some(signature.to_ref(&mut buffer)))
            .map_err(&failed)?;
        for directory in reference.ancestors().skip(1).take(2) {
            // Git removes directories of refs when it packs them.
            disk::if_there(disk::sync_directory(directory)).map_err(not_durable)?;
        }
        // What `git gc` removed meanwhile.
        writer.put_back_lost();
        Ok(())
    }

    /// The user's identity in git, or guard's own if there is none.
    pub fn signature(&self) -> Signature {
        let user = self.repo.committer().and_then(Result::ok);
        let user = user.and_then(|user: SignatureRef<'_>| user.to_owned().ok());
        let time = gix::date::Time::now_utc();
        let guard = Signature {
            name: "guard".into(),
            email: "guard@localhost".into(),
            time,
        };
        Signature {
            time,
            ..user.unwrap_or(guard)
        }
    }

    /// All snapshots. A lost commit hides older ones; a lost tree does not.
    ///
    /// # Errors
    /// The ref cannot be read.
    pub fn snapshots(&self) -> Result<Snapshots> {
        ObjectWriter::new(self).put_back_lost();
        let mut all = Snapshots::default();
        let mut next = self.newest_snapshot()?;
        while let Some(id) = next {
            match self.snapshot(id) {
                Ok(snapshot) => all.readable.push(snapshot),
                Err(_) => all.lost.push(id),
            }
            let commit = self.commit(id).ok();
            next = commit.and_then(|commit| commit.parents.first().copied());
        }
        Ok(all)
    }

    /// The snapshot whose id starts with `name`; never another commit of the repository.
    ///
    /// # Errors
    /// There is none, there are several, or it cannot be read.
    pub fn snapshot_named(&self, name: &str) -> Result<Snapshot> {
        let all = self.snapshots()?;
        let mut found: Vec<ObjectId> = Vec::new();
        for id in all.readable.iter().map(|one| one.id).chain(all.lost) {
            if name.len() >= SHORTEST_NAME && id.to_string().starts_with(name) {
                found.push(id);
            }
        }
        if let [only] = found[..] {
            return self.snapshot(only);
        }
        let what = if found.is_empty() {
            "is not a snapshot"
        } else {
            "matches several snapshots"
        };
        Err(Error::new(format!("{} {what}", escaped(name)))
            .help(Help::run("to list the snapshots", "guard snapshot list")))
    }

    /// One snapshot.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn snapshot(&self, id: ObjectId) -> Result<Snapshot> {
        let message = self.message(id)?;
        let title = message.lines().next().unwrap_or_default();
        let mut work_tree = None;
        let mut absent = Vec::new();
        for line in message.lines() {
            if let Some(path) = line.strip_prefix(WORK_TREE.as_bytes()) {
                work_tree.get_or_insert_with(|| path.to_str_lossy().into_owned());
            } else if let Some(path) = line.strip_prefix(ABSENT.as_bytes()) {
                absent.push(BString::from(path));
            }
        }
        Ok(Snapshot {
            id,
            title: title.to_str_lossy().into_owned(),
            time: self.commit(id)?.time,
            files: self.tree_of(Some(id))?.files_below(BStr::new(""))?,
            absent,
            work_tree,
        })
    }

    /// Removes the snapshots older than the last one made at `time` (seconds since 1970) or later, and lost ones; git
    /// then collects their objects. Order in the chain decides, so a wrong clock cannot remove newer snapshots. The
    /// caller holds the lock for snapshots. The answer says how many are gone, and how many remain.
    ///
    /// # Errors
    /// A snapshot cannot be read or written, or another process took one meanwhile.
    pub fn prune_snapshots(&self, time: i64) -> Result<(usize, usize)> {
        let failed = failed("the snapshots cannot be pruned");
        let newest = self.newest_snapshot()?;
        let all = self.snapshots()?;
        let mut readable = all.readable.iter();
        let last = readable.rposition(|snapshot| snapshot.time >= time);
        let kept = &all.readable[..last.map_or(0, |at| at + 1)];
        let forgotten = all.readable.len() - kept.len();
        if forgotten + all.lost.len() == 0 {
            return Ok((0, kept.len()));
        }
        let writer = ObjectWriter::new(self);
        let mut parent: Option<ObjectId> = None;
        for snapshot in kept.iter().rev() {
            let commit = self.repo.find_commit(snapshot.id).map_err(&failed)?;
            let copy = commit.decode().and_then(|commit| commit.into_owned());
            let mut copy = copy.map_err(&failed)?;
            copy.parents = parent.into_iter().collect();
            parent = Some(writer.write(&copy)?);
        }
        self.set_snapshots(&writer, newest, parent)?;
        writer.forget_copies(time);
        Ok((forgotten, kept.len()))
    }
}

/// Writes objects that survive a power cut and `git gc`.
struct ObjectWriter<'a> {
    repo: &'a Repository,
    objects: Store,
    /// When this run began, in seconds since 1970.
    begun: i64,
}

/// A copy of an object: its content in a plain file.
struct ObjectCopy {
    file: PathBuf,
    /// When it was written, in seconds since 1970.
    written: i64,
    id: ObjectId,
    kind: Kind,
}

impl<'a> ObjectWriter<'a> {
    fn new(repo: &'a Repository) -> ObjectWriter<'a> {
        let objects = repo.common_dir().join("objects");
        ObjectWriter {
            repo,
            objects: Store::at(objects, repo.repo.object_hash()),
            begun: gix::date::Time::now_utc().seconds,
        }
    }

    fn write(&self, object: &impl WriteTo) -> Result<ObjectId> {
        let mut content = Vec::new();
        object.write_to(&mut content).map_err(not_durable)?;
        self.write_bytes(object.kind(), &content)
    }

    /// Writes the object even if a pack has it: `git gc` may be about to remove that pack.
    fn write_bytes(&self, kind: Kind, content: &[u8]) -> Result<ObjectId> {
        let directory = self.directory();
        let end = match kind {
            Kind::Blob => String::new(),
            kind => format!(".{kind}"),
        };
        let id = self.place(kind, content).map_err(not_durable)?;
        let copy = directory.join(format!("{}-{id}{end}", self.begun));
        disk::create_private_directory(&directory)
            .and_then(|()| fs::write(copy, content))
            .map_err(not_durable)?;
        Ok(id)
    }

    fn directory(&self) -> PathBuf {
        self.repo.common_dir().join("guard").join("backups")
    }

    /// Writes an object under the name by which git finds it. It may have that name only once its content is on disk.
    fn place(&self, kind: Kind, content: &[u8]) -> io::Result<ObjectId> {
        let id = gix::objs::compute_hash(self.repo.repo.object_hash(), kind, content);
        let id = id.map_err(io::Error::other)?;
        let mut out = deflate::Write::new(Vec::new(), Compression::BEST_SPEED);
        out.write_all(&loose_header(kind, content.len() as u64))?;
        out.write_all(content)?;
        out.flush()?;
        let objects = Dir::open_ambient_dir(self.objects.path(), ambient_authority())?;
        // `git gc` removes a leftover file of this name.
        let packed = out.into_inner();
        let temporary = disk::write_new(&objects, "tmp_obj_guard-", &[&packed], None, 0o444)?;
        let temporary = self.objects.path().join(temporary);
        let file = self.objects.object_path(&id);
        let directory = disk::directory_of(&file);
        // Git removes empty directories, perhaps between the two steps.
        let placed = move_into(directory, &temporary, &file)
            .or_else(|error| move_into(directory, &temporary, &file).map_err(|_| error));
        placed.inspect_err(|_| drop(fs::remove_file(&temporary)))?;
        Ok(id)
    }

    /// Puts back objects of young snapshots that `git gc` removed, and removes the copies of old trees and commits.
    fn put_back_lost(&self) {
        for copy in self.copies() {
            // Code that needs an object that cannot be put back reports it.
            if self.begun.saturating_sub(copy.written) > SETTLED {
                if copy.kind != Kind::Blob {
                    let _ = fs::remove_file(&copy.file);
                }
            } else if !self.has(&copy)
                && let Ok(content) = fs::read(&copy.file)
            {
                // Where a power cut left a part of a copy, that is another object.
                let _ = self.place(copy.kind, &content);
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
        entries.flatten().filter_map(|entry| {
            let name = entry.file_name();
            let (written, name) = name.to_str()?.split_once('-')?;
            let (id, kind) = name.split_once('.').unwrap_or((name, "blob"));
            Some(ObjectCopy {
                file: entry.path(),
                written: written.parse().ok()?,
                id: ObjectId::from_hex(id.as_bytes()).ok()?,
                kind: Kind::from_bytes(kind.as_bytes()).ok()?,
            })
        })
    }

    /// Removes the copies from before `time` (seconds since 1970).
    fn forget_copies(&self, time: i64) {
        for copy in self.copies().filter(|copy| copy.written < time) {
            let _ = fs::remove_file(copy.file);
        }
    }
}

fn not_durable(error: io::Error) -> Error {
    Error::new(format!("the snapshot cannot be synced to disk: {error}"))
}

/// Renames a file into a directory, which is made if it is missing, and syncs that.
fn move_into(directory: &Path, from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    fs::rename(from, to)?;
    disk::sync_directory(directory)
}
