//! Reads objects, with one handle per thread.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use gix::ObjectId;
use gix::objs::{Exists, Find, Kind};
use gix::odb::pack::cache::{lru, object};
use gix::odb::pack::index;
use gix::prelude::HeaderExt;
use gix::zlib::{Inflate, Status};

use crate::disk::if_there;
use write_guard_policy::change::{Kind as FileKind, State, blob_id};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;

/// A handle to the object database. It is cheap to clone and can move to another thread.
#[derive(Clone, Default)]
pub struct Objects {
    /// `None` for contents that are in no repository.
    odb: Option<gix::OdbHandle>,
    /// Blobs and trees that are only in memory; see [`Objects::holding`].
    held: Arc<Blobs>,
    /// Read on first use, by all clones. `None` where gix reads everything.
    loose: Option<Arc<OnceLock<Option<LooseObjects>>>>,
    /// Whether gix knows all packs.
    knows_packs: Cell<bool>,
    /// The commits whose parents a shallow clone lacks.
    boundary: Arc<HashSet<ObjectId>>,
    /// Whether the clone may lack more, by a filter.
    is_partial: bool,
}

/// Contents of objects, by id.
pub type Blobs = HashMap<ObjectId, Vec<u8>>;

/// The size of the delta base cache of a handle for walks.
const DELTA_BASES: usize = 8 << 20;
/// The size of the object cache of such a handle.
const WHOLE: usize = 4 << 20;

/// The maximum object size. Git itself does not diff files of 512 MiB.
const MAX_OBJECT: u64 = 256 << 20;
/// How much memory gix may take for an object with its deltas: its header is easy to forge.
pub(super) const MAX_MEMORY: usize = 1 << 30;

impl Objects {
    pub(super) fn new(handle: gix::OdbHandle, boundary: HashSet<ObjectId>) -> Objects {
        Objects {
            odb: Some(handle),
            loose: Some(Arc::default()),
            boundary: Arc::new(boundary),
            ..Objects::default()
        }
    }

    /// The objects of another database for the same repository.
    pub(super) fn reading(&self, handle: gix::OdbHandle) -> Objects {
        Objects::new(handle, HashSet::clone(&self.boundary)).partial(self.is_partial)
    }

    /// The same of a clone that may lack objects by a filter.
    pub(super) fn partial(self, is_partial: bool) -> Objects {
        Objects { is_partial, ..self }
    }

    /// These blobs and nothing else, without a repository.
    pub fn in_memory(blobs: Blobs) -> Objects {
        Objects {
            held: Arc::new(blobs),
            ..Objects::default()
        }
    }

    /// A handle that also finds these blobs and trees, such as those that the next commit will write. They stay in
    /// memory and are shared with its clones.
    pub(super) fn holding(&self, more: Blobs) -> Objects {
        let mut held = Blobs::clone(&self.held);
        held.extend(more);
        Objects {
            held: Arc::new(held),
            ..self.clone()
        }
    }

    /// A handle that also finds what the other one has in memory.
    pub(super) fn beside(&self, other: &Objects) -> Objects {
        self.holding(Blobs::clone(&other.held))
    }

    /// Whether an object is only in memory.
    pub(super) fn holds(&self, id: ObjectId) -> bool {
        self.held.contains_key(&id)
    }

    /// A handle with caches, for walks through many commits, which read the same objects and delta bases again.
    pub fn remembering(&self) -> Objects {
        let mut objects = self.clone();
        objects.loose = None;
        if let Some(odb) = &mut objects.odb {
            odb.set_pack_cache(|| Box::new(lru::MemoryCappedHashmap::new(DELTA_BASES)));
            odb.set_object_cache(|| Box::new(object::MemoryCappedHashmap::new(WHOLE)));
        }
        objects
    }

    /// Reads a blob into `buffer`, replacing its content.
    ///
    /// # Errors
    /// The object is missing, damaged or not a blob.
    pub fn blob(&self, id: ObjectId, buffer: &mut Vec<u8>) -> Result<()> {
        self.read(id, Kind::Blob, buffer)
    }

    /// The content of one side of a change; a missing side and a submodule have none.
    ///
    /// # Errors
    /// As for [`Objects::blob`].
    pub fn content(&self, state: Option<State>) -> Result<Vec<u8>> {
        let mut content = Vec::new();
        if let Some(state) = state.filter(|state| state.kind != FileKind::Submodule) {
            self.blob(state.id, &mut content)?;
        }
        Ok(content)
    }

    /// The contents of both sides.
    ///
    /// # Errors
    /// As for [`Objects::blob`].
    pub fn both(&self, old: Option<State>, new: Option<State>) -> Result<(Vec<u8>, Vec<u8>)> {
        Ok((self.content(old)?, self.content(new)?))
    }

    /// The content of what may be a regular file.
    pub fn file(&self, state: Option<State>) -> Result<Option<Vec<u8>>> {
        let file = state.filter(|state| state.kind.is_file());
        file.map(|_| self.content(file)).transpose()
    }

    /// Reads a tree into `buffer`, replacing its content.
    pub(super) fn tree(&self, id: ObjectId, buffer: &mut Vec<u8>) -> Result<()> {
        if id.is_empty_tree() {
            buffer.clear();
            return Ok(());
        }
        self.read(id, Kind::Tree, buffer)
    }

    /// Reads a commit into `buffer`, replacing its content.
    pub(super) fn commit(&self, id: ObjectId, buffer: &mut Vec<u8>) -> Result<()> {
        self.read(id, Kind::Commit, buffer)
    }

    /// The commits whose parents a shallow clone lacks.
    pub(super) fn boundary(&self) -> &HashSet<ObjectId> {
        &self.boundary
    }

    /// The hash function of this repository.
    pub(super) fn hash_kind(&self) -> gix::hash::Kind {
        let odb = self.odb.as_ref();
        odb.map_or(gix::hash::Kind::Sha1, |odb| odb.store_ref().object_hash())
    }

    /// Whether the object is in the database.
    pub(super) fn has(&self, id: ObjectId) -> bool {
        self.odb.as_ref().is_some_and(|odb| odb.exists(&id))
    }

    /// The database.
    ///
    /// # Errors
    /// These objects are in no repository.
    pub(super) fn odb(&self) -> Result<&gix::OdbHandle> {
        self.odb.as_ref().ok_or_else(|| {
            Error::new("an object is missing, and there is no repository to read it from")
        })
    }

    fn read(&self, id: ObjectId, kind: Kind, buffer: &mut Vec<u8>) -> Result<()> {
        if let Some(held) = self.held.get(&id) {
            buffer.clear();
            buffer.extend_from_slice(held);
            return Ok(());
        }
        let odb = self.odb()?;
        let loose = self.loose.as_ref();
        let loose = loose.and_then(|loose| loose.get_or_init(|| LooseObjects::of(odb)).as_ref());
        if loose.and_then(|loose| loose.read(id, buffer)) == Some(kind) {
            return Ok(());
        }
        // As long as gix does not know a pack, a loose object hides those in it.
        if !self.knows_packs.replace(true) {
            let _ = odb.packed_object_count();
        }
        let found = odb.try_find(&id, buffer);
        match found.map(|found| found.map(|data| (data.kind, data.data.len() as u64))) {
            Ok(Some((_, size))) if size > MAX_OBJECT => Err(too_large(id, size)),
            Ok(Some((found, _))) if found == kind => Ok(()),
            Ok(Some((found, _))) => Err(Error::new(format!(
                "object {id} is a {found}, not a {kind}"
            ))),
            Ok(None) => Err(self.missing(id, "it is not in the repository")),
            Err(error) => Err(match odb.header(id) {
                Ok(header) if header.size() > MAX_OBJECT => too_large(id, header.size()),
                _ => self.missing(id, &error.to_string()),
            }),
        }
    }

    /// A missing object is never "no change": a partial clone may not have it yet.
    fn missing(&self, id: ObjectId, why: &str) -> Error {
        let error = Error::new(format!("object {id} cannot be read: {why}"));
        if self.is_partial {
            let command = "git fetch --refetch --no-filter";
            return error.help(Help::run("fetch what this partial clone lacks", command));
        }
        error.help("`git fsck` lists what is missing or damaged; restore it from another clone")
    }
}

fn too_large(id: ObjectId, size: u64) -> Error {
    let limit = "guard reads objects of up to 256 MiB";
    Error::new(format!("object {id} has {size} bytes; {limit}"))
        .help("keep files of this size in Git LFS; if the object may be damaged, run `git fsck`")
}

/// The state of a file with this content, which `blobs` then hold.
///
/// # Errors
/// The content cannot be hashed.
pub fn state_of(blobs: &mut Blobs, hash: gix::hash::Kind, content: &[u8]) -> Result<State> {
    let id = blob_id(hash, content)?;
    blobs.insert(id, content.to_vec());
    Ok(State {
        kind: FileKind::File,
        id,
    })
}

/// Longer files are left to gix.
const LONGEST_FILE: usize = 256 << 10;

/// Larger objects, with their headers, are left to gix.
const LARGEST_OBJECT: usize = 1 << 20;

/// The loose objects of a database, as `git add` writes them. gix maps each into memory, where threads wait for each
/// other, and makes a decompressor for it, twice, which costs more than a small object: a quarter of the time of a lint
/// of ten files. Whatever is packed, large or unusual is left to gix, and so are errors. A packed object hides a loose
/// one of the same name, as for git.
struct LooseObjects {
    /// The object directories that gix reads, in its order.
    directories: Vec<PathBuf>,
    packs: Vec<index::File>,
}

impl LooseObjects {
    /// `None` if the packs cannot be read.
    fn of(odb: &gix::OdbHandle) -> Option<LooseObjects> {
        let store = odb.store_ref();
        let mut directories = vec![store.path().to_owned()];
        directories.extend(store.alternate_db_paths().ok()?);
        let mut packs = Vec::new();
        for directory in &directories {
            let names = if_there(fs::read_dir(directory.join("pack"))).ok()?;
            for name in names.into_iter().flatten() {
                let path = name.ok()?.path();
                if path.extension().is_some_and(|ending| ending == "idx") {
                    packs.push(index::File::at(path, store.object_hash()).ok()?);
                }
            }
        }
        Some(LooseObjects { directories, packs })
    }

    /// Reads an object into `buffer`, replacing its content, and returns its kind. With `None`, gix shall look.
    fn read(&self, id: ObjectId, buffer: &mut Vec<u8>) -> Option<Kind> {
        if self.packs.iter().any(|pack| pack.lookup(id).is_some()) {
            return None;
        }
        let name = id.to_hex().to_string();
        let (folder, name) = name.split_at(2);
        let mut directories = self.directories.iter();
        let mut file =
            directories.find_map(|directory| File::open(directory.join(folder).join(name)).ok())?;
        MEMORY.with_borrow_mut(|memory| memory.read(&mut file, buffer))
    }
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::new(Memory {
        inflate: Inflate::default(),
        file: vec![0; LONGEST_FILE],
        object: vec![0; LARGEST_OBJECT],
    });
}

/// The memory for one object after the other.
struct Memory {
    inflate: Inflate,
    file: Vec<u8>,
    object: Vec<u8>,
}

impl Memory {
    fn read(&mut self, file: &mut File, content: &mut Vec<u8>) -> Option<Kind> {
        // If one call does not yield the whole file, the stream has no end.
        let length = file.read(&mut self.file).ok()?;
        self.inflate.reset();
        let compressed = &self.file[..length];
        let (status, read, written) = self.inflate.once(compressed, &mut self.object).ok()?;
        if status != Status::StreamEnd || read != length {
            return None;
        }
        let (kind, body) = parse_loose(&self.object[..written])?;
        content.clear();
        content.extend_from_slice(body);
        Some(kind)
    }
}

/// The kind and the content of a loose object; `None` if its header does not say its size.
fn parse_loose(object: &[u8]) -> Option<(Kind, &[u8])> {
    let (kind, size, end) = gix::objs::decode::loose_header(object).ok()?;
    let content = &object[end..];
    (size == content.len() as u64).then_some((kind, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_header_that_says_the_size_is_read() {
        assert_eq!(parse_loose(b"blob 3\0abc"), Some((Kind::Blob, &b"abc"[..])));
        assert_eq!(parse_loose(b"tree 0\0"), Some((Kind::Tree, &b""[..])));
        assert_eq!(parse_loose(b"blob 1\0\0"), Some((Kind::Blob, &b"\0"[..])));
        for other in [
            &b""[..],
            b"blob",
            b"blob 3",
            b"blob 3\0ab",
            b"blob 3\0abcd",
            b"blob  3\0abc",
            b"blob3\0abc",
            b"blub 3\0abc",
            b" 3\0abc",
        ] {
            assert_eq!(parse_loose(other), None, "{other:?}");
        }
    }
}
