//! Writes objects and refs that survive a power cut. gix, like git by default, names an object before its content is
//! on disk, so after a power cut the name may refer to nothing.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gix::ObjectId;
use gix::lock::acquire::Fail;
use gix::objs::{Exists, Kind, WriteTo};
use gix::odb::loose::Store;
use gix::refs::transaction::{Change, RefEdit};

use super::spares::{Spare, Spares};
use super::{Repository, failed};
use crate::disk;
use crate::error::{Error, Result};

/// The ref of the newest snapshot; each snapshot is the parent of the next.
pub const SNAPSHOTS: &str = "refs/guard/snapshots";

/// How long to wait for the lock of a ref; git's default.
const LOCK: Fail = Fail::AfterDurationWithBackoff(Duration::from_millis(100));
/// After this many seconds, a `git gc` that started before the object was written has finished.
const SETTLED: i64 = 60 * 60;
/// The same for the packed-refs file.
const PACKED_LOCK: Fail = Fail::AfterDurationWithBackoff(Duration::from_secs(1));

/// Writes objects, each also as a spare copy (a hard link) in guard's own directory. [`Writer::finish`] gives all of
/// them the names under which git finds them, and makes that durable: it syncs each object and each directory once.
///
/// `git gc` first decides what is unreachable and then removes it. An object written in between is removed although a
/// ref now reaches it. guard restores it from the spare copy, in this run or the next.
pub(super) struct Writer<'a> {
    repo: &'a Repository,
    objects: Store,
    spares: Spares,
    /// What only has a spare copy, perhaps not on disk.
    begun: RefCell<Vec<Spare>>,
    written: RefCell<Vec<Spare>>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(repo: &'a Repository) -> Writer<'a> {
        let common_dir = repo.common_dir();
        Writer {
            repo,
            objects: Store::at(common_dir.join("objects"), repo.repo.object_hash()),
            spares: Spares::new(common_dir.join("guard").join("objects")),
            begun: RefCell::default(),
            written: RefCell::default(),
        }
    }

    /// Begins to write an object.
    pub(super) fn write(&self, object: &impl WriteTo) -> Result<ObjectId> {
        let mut content = Vec::new();
        object.write_to(&mut content).map_err(not_durable)?;
        self.write_bytes(object.kind(), &content)
    }

    /// The same from content. Writes the object even if a pack has it: `git gc` may be about to remove that pack.
    pub(super) fn write_bytes(&self, kind: Kind, content: &[u8]) -> Result<ObjectId> {
        let hash = self.repo.repo.object_hash();
        let id = gix::objs::compute_hash(hash, kind, content)
            .map_err(failed("the snapshot cannot be written"))?;
        let spare = self.spares.write(id, kind, content).map_err(not_durable)?;
        self.begun.borrow_mut().push(spare);
        Ok(id)
    }

    /// Returns when everything is on disk.
    pub(super) fn finish(&self) -> Result<()> {
        let begun = self.begun.take();
        self.place(begun.iter())?;
        self.written.borrow_mut().extend(begun);
        disk::sync_directory(self.objects.path()).map_err(not_durable)
    }

    /// Restores what was removed while it was written. Call it once a ref reaches it.
    pub(super) fn settle(&self) -> Result<()> {
        let written = self.written.borrow();
        self.place(written.iter().filter(|spare| !self.has_loose(spare.id)))
    }

    fn has_loose(&self, id: ObjectId) -> bool {
        self.objects.object_path(&id).exists()
    }

    /// Whether git finds the object. Looks where it was written first, because packs take longer.
    fn has(&self, id: ObjectId) -> bool {
        self.has_loose(id) || self.repo.repo.objects.exists(&id)
    }

    /// Links spare copies to the names under which git finds them, and syncs these.
    fn place<'s>(&self, spares: impl Iterator<Item = &'s Spare>) -> Result<()> {
        let mut directories: BTreeMap<PathBuf, Vec<&Spare>> = BTreeMap::new();
        for spare in spares {
            let file = self.objects.object_path(&spare.id);
            let directory = disk::directory_of(&file).to_owned();
            directories.entry(directory).or_default().push(spare);
        }
        for (directory, spares) in &directories {
            let attempt = || {
                spares.iter().try_for_each(|spare| self.try_place(spare))?;
                disk::sync_directory(directory)
            };
            // Git removes empty directories and temporary files.
            let placed = attempt().or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => attempt().or_else(|_| attempt()),
                _ => Err(error),
            });
            placed.map_err(not_durable)?;
        }
        Ok(())
    }

    /// An object may have its name only once its content is on disk.
    fn try_place(&self, spare: &Spare) -> io::Result<()> {
        let id = spare.id;
        let file = self.objects.object_path(&id);
        if is_intact(&self.objects, id) {
            // git does not remove young objects.
            let _ = File::open(&file).and_then(|file| file.set_modified(SystemTime::now()));
            return sync(&file);
        }
        // `git gc` removes a leftover temporary file of this name.
        let name = format!("tmp_obj_guard-{}-{}", std::process::id(), id.to_hex());
        let temporary = self.objects.path().join(name);
        let _ = fs::remove_file(&temporary);
        // Not every file system supports hard links.
        fs::hard_link(&spare.file, &temporary)
            .or_else(|_| fs::copy(&spare.file, &temporary).map(drop))
            .and_then(|()| sync(&temporary))?;
        match fs::create_dir(disk::directory_of(&file)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let renamed = fs::rename(&temporary, &file);
        let _ = fs::remove_file(&temporary);
        renamed
    }

    /// Restores objects of snapshots that `git gc` removed, from their spare copies. Returns all spare copies.
    pub(super) fn put_back_lost(&self) -> Vec<Spare> {
        let all = self.spares.all();
        for spare in &all {
            if !self.has(spare.id) && spare.is_intact(self.repo.repo.object_hash()) {
                // Code that needs an object that cannot be restored reports it.
                let _ = self.place(std::iter::once(spare));
            }
        }
        all
    }

    /// Removes spare copies of objects that a ref has reached for longer than any `git gc` runs. The caller has already
    /// restored lost objects, and written a newer snapshot.
    pub(super) fn forget_old(&self, spares: &[Spare]) {
        let now = gix::date::Time::now_utc().seconds;
        for spare in spares {
            if now.saturating_sub(spare.written) > SETTLED && self.has(spare.id) {
                let _ = fs::remove_file(&spare.file);
            }
        }
    }
}

/// Whether the object file exists and matches its id.
fn is_intact(store: &Store, id: ObjectId) -> bool {
    let mut buffer = Vec::new();
    let object = store.try_find(&id, &mut buffer).ok().flatten();
    object.is_some_and(|object| object.verify_checksum(&id).is_ok())
}

impl Repository {
    /// Updates the snapshot ref and returns when it is on disk.
    pub(super) fn set_snapshots(&self, change: Change) -> Result<()> {
        let failed = failed("the snapshot cannot be written");
        let name = SNAPSHOTS
            .try_into()
            .map_err(|_| Error::new("the snapshot ref has an invalid name"))?;
        let is_update = matches!(change, Change::Update { .. });
        let reference = self.common_dir().join(SNAPSHOTS);
        let prepared = self
            .repo
            .refs
            .transaction()
            .prepare([RefEdit::new(name, change)], LOCK, PACKED_LOCK)
            .map_err(&failed)?;
        if is_update {
            // The lock file contains the new value and becomes the ref.
            sync(&reference.with_extension("lock")).map_err(not_durable)?;
        }
        let signature = self.signature();
        let mut buffer = gix::date::parse::TimeBuf::default();
        prepared
            .commit(Some(signature.to_ref(&mut buffer)))
            .map_err(&failed)?;
        reference
            .ancestors()
            .skip(1)
            .take(2)
            .try_for_each(|directory| match disk::sync_directory(directory) {
                // Git removes directories of refs when it packs them.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                result => result.map_err(not_durable),
            })
    }
}

fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn not_durable(error: io::Error) -> Error {
    Error::new(format!("the snapshot cannot be synced to disk: {error}"))
}
