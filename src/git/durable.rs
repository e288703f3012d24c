//! Objects and a ref that are on disk before they have their names. gix, like git by default, gives the name first and
//! leaves it to the system when the content follows: after a power cut such a name may stand for nothing.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gix::ObjectId;
use gix::lock::acquire::Fail;
use gix::objs::{Find, Kind, Write, WriteTo};
use gix::refs::transaction::{Change, RefEdit};

use super::{Repository, SNAPSHOTS, failed};
use crate::disk;
use crate::error::{Error, Result};

/// For how long the lock of a ref is waited for, as git does by default.
const LOCK: Fail = Fail::AfterDurationWithBackoff(Duration::from_millis(100));
/// The same for the file of packed refs.
const PACKED_LOCK: Fail = Fail::AfterDurationWithBackoff(Duration::from_secs(1));

/// Writes objects; [`Writer::finish`] makes the last of them durable.
pub(super) struct Writer<'a> {
    repo: &'a Repository,
    objects: PathBuf,
    /// Where objects are until they are on disk. `git gc` removes what a kill leaves of a directory of this name.
    staging: PathBuf,
}

impl<'a> Writer<'a> {
    pub(super) fn new(repo: &'a Repository) -> Writer<'a> {
        let objects = repo.common_dir().join("objects");
        let number = RandomState::new().hash_one(std::process::id());
        Writer {
            repo,
            staging: objects.join(format!("tmp_objdir-guard-{number:016x}")),
            objects,
        }
    }

    /// Writes an object that is not there yet, or not readable.
    pub(super) fn write(&self, object: &impl WriteTo) -> Result<ObjectId> {
        let mut content = Vec::new();
        object
            .write_to(&mut content)
            .map_err(|error| not_durable(&error))?;
        self.write_bytes(object.kind(), &content)
    }

    /// The same from its content.
    pub(super) fn write_bytes(&self, kind: Kind, content: &[u8]) -> Result<ObjectId> {
        let failed = |error: &gix::Error| failed("the snapshot cannot be written", error);
        let hash = self.repo.repo.object_hash();
        let id = gix::objs::compute_hash(hash, kind, content).map_err(|error| failed(&error))?;
        let (directory, file) = self.place(id);
        let mut buffer = Vec::new();
        let there = self.repo.repo.objects.try_find(&id, &mut buffer);
        if there.is_ok_and(|object| object.is_some_and(|object| object.data == content)) {
            match sync(&file) {
                Ok(()) => sync_directory(&directory)?,
                // It is in a pack, which git has synced, or in another object directory.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(not_durable(&error)),
            }
            return Ok(id);
        }
        make_directory(&self.staging)?;
        let store = gix::odb::loose::Store::at(&self.staging, hash);
        store
            .write_buf_with_known_id(kind, content, id)
            .map_err(|error| failed(&error))?;
        let staged = store.object_path(&id);
        make_directory(&directory)?;
        sync(&staged)
            .and_then(|()| fs::rename(&staged, &file))
            .map_err(|error| not_durable(&error))?;
        sync_directory(&directory)?;
        Ok(id)
    }

    /// Returns when everything is on disk.
    pub(super) fn finish(self) -> Result<()> {
        sync_directory(&self.objects)
    }

    fn place(&self, id: ObjectId) -> (PathBuf, PathBuf) {
        let hex = id.to_hex().to_string();
        let (directory, file) = hex.split_at(2);
        let directory = self.objects.join(directory);
        let file = directory.join(file);
        (directory, file)
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        // It may never have been made; and what is left of it is in nobody's way.
        let _ = fs::remove_dir_all(&self.staging);
    }
}

impl Repository {
    /// Changes the ref of the snapshots and returns when that is on disk.
    pub(super) fn set_snapshots(&self, change: Change) -> Result<()> {
        let failed = |error: &gix::Error| failed("the snapshot cannot be written", error);
        let name = SNAPSHOTS
            .try_into()
            .map_err(|_| Error::new("the snapshot's ref has no valid name"))?;
        let is_update = matches!(change, Change::Update { .. });
        let reference = self.common_dir().join(SNAPSHOTS);
        let prepared = self
            .repo
            .refs
            .transaction()
            .prepare([RefEdit::new(name, change)], LOCK, PACKED_LOCK)
            .map_err(|error| failed(&error))?;
        if is_update {
            // The new value is in the lock, which becomes the ref.
            sync(&reference.with_extension("lock")).map_err(|error| not_durable(&error))?;
        }
        let signature = self.signature();
        let mut buffer = gix::date::parse::TimeBuf::default();
        prepared
            .commit(Some(signature.to_ref(&mut buffer)))
            .map_err(|error| failed(&error))?;
        reference
            .ancestors()
            .skip(1)
            .take(2)
            .filter(|directory| directory.exists())
            .try_for_each(sync_directory)
    }
}

fn make_directory(path: &Path) -> Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(not_durable(&error)),
        _ => Ok(()),
    }
}

fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn sync_directory(path: &Path) -> Result<()> {
    disk::sync_directory(path).map_err(|error| not_durable(&error))
}

fn not_durable(error: &io::Error) -> Error {
    Error::new(format!("the snapshot cannot be made durable: {error}"))
}
