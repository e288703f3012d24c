//! Reads objects, with one handle per thread.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gix::ObjectId;
use gix::objs::{Exists, Find, Kind, compute_hash};
use gix::odb::find::Header;
use gix::odb::pack::cache::{lru, object};
use gix::odb::pack::{index, multi_index};
use gix::prelude::HeaderExt;
use gix::zlib::{Inflate, Status};

use crate::change::{Kind as FileKind, State};
use crate::error::{Error, Result};
use crate::system;

/// A handle to the object database. It is cheap to clone and can move to another thread.
#[derive(Clone)]
pub struct Objects {
    /// `None` for contents that are in no repository.
    odb: Option<gix::OdbHandle>,
    /// Blobs and trees that are only in memory; see [`Objects::holding`].
    held: Arc<Blobs>,
    loose: LooseObjects,
}

/// Contents of objects, by id.
pub type Blobs = HashMap<ObjectId, Vec<u8>>;

/// The size of the delta base cache of a handle for walks.
const DELTA_BASES: usize = 8 << 20;
/// The size of the object cache of such a handle.
const WHOLE: usize = 4 << 20;

/// The maximum object size, by its header. Git itself does not diff files of 512 MiB, and a header is easy to forge.
const MAX_OBJECT: u64 = 256 << 20;

/// The tree and parents of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The id of the tree.
    pub tree: ObjectId,
    /// The parents that it names.
    pub parents: Vec<ObjectId>,
}

impl Objects {
    pub(super) fn new(handle: gix::OdbHandle) -> Objects {
        Objects {
            odb: Some(handle),
            held: Arc::default(),
            loose: LooseObjects::default(),
        }
    }

    /// These blobs and nothing else, without a repository.
    pub fn in_memory(blobs: Blobs) -> Objects {
        Objects {
            odb: None,
            held: Arc::new(blobs),
            loose: LooseObjects::default(),
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

    /// Whether an object is only in memory.
    pub(super) fn holds(&self, id: ObjectId) -> bool {
        self.held.contains_key(&id)
    }

    /// A handle with caches, for walks through many commits, which read the same objects and delta bases again.
    pub fn remembering(&self) -> Objects {
        let mut objects = self.clone();
        objects.loose.leave_to_gix();
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
    pub(crate) fn file(&self, state: Option<State>) -> Result<Option<Vec<u8>>> {
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

    /// The tree and the parents of a commit.
    ///
    /// # Errors
    /// The commit is missing or damaged.
    pub fn recorded(&self, commit: ObjectId) -> Result<Recorded> {
        let mut buffer = Vec::new();
        self.commit(commit, &mut buffer)?;
        let mut parts = gix::objs::CommitRefIter::from_bytes(&buffer, commit.kind());
        Ok(Recorded {
            tree: parts
                .tree_id()
                .map_err(|error| Error::new(format!("commit {commit} is damaged: {error}")))?,
            parents: parts.parent_ids().collect(),
        })
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
        let missing =
            || Error::new("an object is missing, and there is no repository to read it from");
        self.odb.as_ref().ok_or_else(missing)
    }

    fn read(&self, id: ObjectId, kind: Kind, buffer: &mut Vec<u8>) -> Result<()> {
        if let Some(held) = self.held.get(&id) {
            buffer.clear();
            buffer.extend_from_slice(held);
            return Ok(());
        }
        let odb = self.odb()?;
        if self.loose.read(odb, id, buffer) == Some(kind) {
            return Ok(());
        }
        let mut header = odb.header(id).ok();
        if let Some(Header::Loose { .. }) = header
            && self.loose.look_into_packs(odb)
        {
            header = odb.header(id).ok();
        }
        let size = header.map_or(0, |header| header.size());
        if size > MAX_OBJECT {
            return Err(Error::new(format!(
                "object {id} has {size} bytes; guard reads objects of up to 256 MiB"
            ))
            .help(
                "keep files of this size in Git LFS; if the object may be damaged, run `git fsck`",
            ));
        }
        match odb.try_find(&id, buffer) {
            Ok(Some(data)) if data.kind == kind => Ok(()),
            Ok(Some(data)) => {
                let found = data.kind;
                Err(Error::new(format!(
                    "object {id} is a {found}, not a {kind}"
                )))
            }
            Ok(None) => Err(missing(id, "it is not in the repository")),
            Err(error) => Err(missing(id, &error.to_string())),
        }
    }
}

/// git's id of a blob with this content.
///
/// # Errors
/// The content attacks the hash function.
pub fn blob_id(hash: gix::hash::Kind, content: &[u8]) -> Result<ObjectId> {
    compute_hash(hash, Kind::Blob, content)
        .map_err(|error| Error::new(format!("the content cannot be hashed: {error}")))
}

/// A missing object is never "no change": a partial clone may not have it yet.
fn missing(id: ObjectId, why: &str) -> Error {
    Error::new(format!("object {id} cannot be read: {why}"))
        .help("in a partial clone, run `git fetch --refetch`; otherwise run `git fsck`")
}

/// Longer files are left to gix.
const LONGEST_FILE: usize = 256 << 10;

/// Larger objects, with their headers, are left to gix.
const LARGEST_OBJECT: usize = 1 << 20;

/// Reads the loose objects of a database, as `git add` writes them, without mapping them into memory: threads wait for
/// each other's maps. And gix makes a decompressor for each object, twice, which costs more than a small object.
/// Whatever is packed, large or unusual is left to gix, and so are errors. A packed object hides a loose one of the same
/// name, as for git. A clone goes with a clone of the database.
#[derive(Default)]
struct LooseObjects {
    /// `None` if they cannot be read.
    directories: Arc<OnceLock<Option<ObjectDirectories>>>,
    /// Whether gix knows all packs, so that it looks into them first.
    packs_first: Cell<bool>,
    /// Whether gix reads all objects.
    left_to_gix: bool,
    buffers: RefCell<Option<Buffers>>,
}

impl Clone for LooseObjects {
    fn clone(&self) -> LooseObjects {
        LooseObjects {
            directories: Arc::clone(&self.directories),
            left_to_gix: self.left_to_gix,
            ..LooseObjects::default()
        }
    }
}

impl LooseObjects {
    /// Called when gix finds a loose object. Says whether gix shall look again: it looks into packs later, as long as it
    /// does not know them.
    fn look_into_packs(&self, odb: &gix::OdbHandle) -> bool {
        !self.packs_first.replace(true) && odb.packed_object_count().is_ok()
    }

    /// Leaves all objects to gix, which remembers some.
    fn leave_to_gix(&mut self) {
        self.left_to_gix = true;
    }

    /// Reads an object into `buffer`, replacing its content, and returns its kind. With `None`, gix shall look.
    fn read(&self, odb: &gix::OdbHandle, id: ObjectId, buffer: &mut Vec<u8>) -> Option<Kind> {
        if self.left_to_gix {
            return None;
        }
        let directories = self.directories.get_or_init(|| ObjectDirectories::of(odb));
        let directories = directories.as_ref()?;
        if directories.is_packed(id) {
            return None;
        }
        let mut file = directories.open(id)?;
        let mut buffers = self.buffers.borrow_mut();
        buffers.get_or_insert_default().read(&mut file, buffer)
    }
}

/// The object directories of a repository, with what is packed in them.
struct ObjectDirectories {
    directories: Vec<PathBuf>,
    packs: Vec<index::File>,
    multi_packs: Vec<multi_index::File>,
}

impl ObjectDirectories {
    /// The directories that gix reads, in its order; `None` if the packs cannot be read.
    fn of(odb: &gix::OdbHandle) -> Option<ObjectDirectories> {
        let store = odb.store_ref();
        let mut all = ObjectDirectories {
            directories: vec![store.path().to_owned()],
            packs: Vec::new(),
            multi_packs: Vec::new(),
        };
        all.directories.extend(store.alternate_db_paths().ok()?);
        for at in 0..all.directories.len() {
            let directory = all.directories[at].join("pack");
            all.add_packs(&directory, store.object_hash())?;
        }
        Some(all)
    }

    fn add_packs(&mut self, directory: &Path, hash: gix::hash::Kind) -> Option<()> {
        let names = match fs::read_dir(directory) {
            Ok(names) => names,
            Err(error) if error.kind() == ErrorKind::NotFound => return Some(()),
            Err(_) => return None,
        };
        let mut single = Vec::new();
        let mut multiple = None;
        for name in names {
            let path = name.ok()?.path();
            if path.extension().is_some_and(|ending| ending == "idx") {
                single.push(path);
            } else if path
                .file_name()
                .is_some_and(|name| name == "multi-pack-index")
            {
                multiple = Some(multi_index::File::at(path, None).ok()?);
            }
        }
        if let Some(multiple) = &multiple {
            let is_in = |path: &PathBuf| {
                let name = path.file_name().map(Path::new);
                multiple
                    .index_names()
                    .iter()
                    .any(|other| Some(other.as_path()) == name)
            };
            single.retain(|path| !is_in(path));
        }
        self.multi_packs.extend(multiple);
        for path in single {
            self.packs.push(index::File::at(path, hash).ok()?);
        }
        Some(())
    }

    fn is_packed(&self, id: ObjectId) -> bool {
        self.packs.iter().any(|pack| pack.lookup(id).is_some())
            || self
                .multi_packs
                .iter()
                .any(|packs| packs.lookup(id).is_some())
    }

    /// Opens the file of a loose object.
    fn open(&self, id: ObjectId) -> Option<fs::File> {
        let name = id.to_hex().to_string();
        let (folder, file) = name.split_at(2);
        for directory in &self.directories {
            match system::open_without_waiting(&directory.join(folder).join(file)) {
                Ok(file) => return Some(file),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(_) => return None,
            }
        }
        None
    }
}

/// The memory for one object after the other.
struct Buffers {
    inflate: Inflate,
    file: Vec<u8>,
    object: Vec<u8>,
}

impl Default for Buffers {
    fn default() -> Buffers {
        Buffers {
            inflate: Inflate::default(),
            file: vec![0; LONGEST_FILE],
            object: vec![0; LARGEST_OBJECT],
        }
    }
}

impl Buffers {
    fn read(&mut self, file: &mut fs::File, content: &mut Vec<u8>) -> Option<Kind> {
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
