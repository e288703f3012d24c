//! Objects and a ref that are on disk before they have their names. gix, like git by default, gives the name first and
//! leaves it to the system when the content follows: after a power cut such a name may stand for nothing.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use gix::ObjectId;
use gix::lock::acquire::Fail;
use gix::objs::{Exists, Kind, Write, WriteTo};
use gix::odb::loose::Store;
use gix::refs::transaction::{Change, RefEdit};

use super::{Repository, failed};
use crate::disk;
use crate::error::{Error, Result};

/// The ref that holds the newest snapshot; each is the parent of the next.
pub const SNAPSHOTS: &str = "refs/guard/snapshots";

/// For how long the lock of a ref is waited for, as git does by default.
const LOCK: Fail = Fail::AfterDurationWithBackoff(Duration::from_millis(100));
/// After this time nothing removes an object any more because no ref led to it when it was written.
const SETTLED: Duration = Duration::from_hours(1);
/// The same for the file of packed refs.
const PACKED_LOCK: Fail = Fail::AfterDurationWithBackoff(Duration::from_secs(1));

/// Writes objects, each with a second name in guard's own directory; [`Writer::finish`] makes the last of them durable.
///
/// `git gc` decides what nothing leads to before it removes it: an object that is written in between is removed, whatever
/// refs lead to it by then. From its second name it is put back, now and by the next run.
pub(super) struct Writer<'a> {
    repo: &'a Repository,
    objects: Store,
    spares: Store,
    written: RefCell<Vec<ObjectId>>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(repo: &'a Repository) -> Writer<'a> {
        let hash = repo.repo.object_hash();
        let common_dir = repo.common_dir();
        Writer {
            repo,
            objects: Store::at(common_dir.join("objects"), hash),
            spares: Store::at(common_dir.join("guard").join("objects"), hash),
            written: RefCell::default(),
        }
    }

    /// Writes an object.
    pub(super) fn write(&self, object: &impl WriteTo) -> Result<ObjectId> {
        let mut content = Vec::new();
        object
            .write_to(&mut content)
            .map_err(|error| not_durable(&error))?;
        self.write_bytes(object.kind(), &content)
    }

    /// The same from its content. It is written also where a pack has it: `git gc` may be about to remove that pack.
    pub(super) fn write_bytes(&self, kind: Kind, content: &[u8]) -> Result<ObjectId> {
        let failed = |error: &gix::Error| failed("the snapshot cannot be written", error);
        let hash = self.repo.repo.object_hash();
        let id = gix::objs::compute_hash(hash, kind, content).map_err(|error| failed(&error))?;
        if !is_intact(&self.spares, id) {
            disk::create_private_directory(self.spares.path())
                .map_err(|error| not_durable(&error))?;
            // What a power cut left of it.
            let file = self.spares.object_path(&id);
            let _ = fs::remove_file(&file);
            self.spares
                .write_buf_with_known_id(kind, content, id)
                .map_err(|error| failed(&error))?;
            sync(&file).map_err(|error| not_durable(&error))?;
        }
        self.place(id)?;
        self.written.borrow_mut().push(id);
        Ok(id)
    }

    /// Returns when everything is on disk.
    pub(super) fn finish(&self) -> Result<()> {
        sync_directory(self.objects.path())
    }

    /// Puts back what was removed while it was written. Called when a ref leads to it.
    pub(super) fn settle(&self) -> Result<()> {
        let is_gone = |id: &&ObjectId| !self.objects.object_path(id).exists();
        let written = self.written.borrow();
        written
            .iter()
            .filter(is_gone)
            .try_for_each(|&id| self.place(id))
    }

    /// Gives an object that has its second name the one under which git finds it.
    fn place(&self, id: ObjectId) -> Result<()> {
        let attempt = || self.try_place(id);
        // Git removes directories that are empty, and temporary files.
        let placed = attempt().or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => attempt().or_else(|_| attempt()),
            _ => Err(error),
        });
        placed.map_err(|error| not_durable(&error))
    }

    fn try_place(&self, id: ObjectId) -> io::Result<()> {
        let file = self.objects.object_path(&id);
        let directory = disk::directory_of(&file);
        if is_intact(&self.objects, id) {
            // What is young is not collected.
            let _ = File::open(&file).and_then(|file| file.set_modified(SystemTime::now()));
            sync(&file)?;
        } else {
            // `git gc` removes what a kill leaves of a file of this name.
            let name = format!("tmp_obj_guard-{}-{}", std::process::id(), id.to_hex());
            let temporary = self.objects.path().join(name);
            let spare = self.spares.object_path(&id);
            let _ = fs::remove_file(&temporary);
            // Not every file system has second names.
            fs::hard_link(&spare, &temporary)
                .or_else(|_| fs::copy(&spare, &temporary).and_then(|_| sync(&temporary)))?;
            match fs::create_dir(directory) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            let renamed = fs::rename(&temporary, &file);
            let _ = fs::remove_file(&temporary);
            renamed?;
        }
        disk::sync_directory(directory)
    }

    /// The objects that have a second name, with the time when they were written last.
    fn spares(&self) -> Vec<(ObjectId, Option<SystemTime>)> {
        let entries = |directory: &Path| fs::read_dir(directory).into_iter().flatten().flatten();
        let mut all = Vec::new();
        for directory in entries(self.spares.path()) {
            for file in entries(&directory.path()) {
                let mut hex = directory.file_name().into_encoded_bytes();
                hex.extend(file.file_name().into_encoded_bytes());
                let written = file.metadata().and_then(|found| found.modified()).ok();
                all.extend(ObjectId::from_hex(&hex).ok().map(|id| (id, written)));
            }
        }
        all
    }
}

/// Whether there is an object file, and it holds what its name says.
fn is_intact(store: &Store, id: ObjectId) -> bool {
    let mut buffer = Vec::new();
    let object = store.try_find(&id, &mut buffer).ok().flatten();
    object.is_some_and(|object| object.verify_checksum(&id).is_ok())
}

impl Repository {
    /// Puts objects of snapshots back that `git gc` removed, as far as they have their second name.
    pub(super) fn put_back_lost_objects(&self) {
        let writer = Writer::new(self);
        for (id, _) in writer.spares() {
            if !self.repo.objects.exists(&id) && is_intact(&writer.spares, id) {
                // What cannot be put back is missed, and told, by whoever needs it.
                let _ = writer.place(id);
            }
        }
    }

    /// Takes the second names away from objects that a ref has led to for so long that no `git gc` of before still runs.
    /// The newest snapshot keeps its own: the others hang on it. The caller has put back what was lost.
    pub(super) fn forget_old_spares(&self, newest: Option<ObjectId>) {
        let writer = Writer::new(self);
        for (id, written) in writer.spares() {
            let age = written.and_then(|time| time.elapsed().ok());
            let is_old = age.is_some_and(|age| age > SETTLED) && newest != Some(id);
            if is_old && self.repo.objects.exists(&id) {
                let _ = fs::remove_file(writer.spares.object_path(&id));
            }
        }
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
            .try_for_each(|directory| match disk::sync_directory(directory) {
                // Git removes directories of refs when it packs them.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                result => result.map_err(|error| not_durable(&error)),
            })
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
