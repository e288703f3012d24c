//! Reads objects, with one handle per thread.

use std::collections::HashMap;
use std::sync::Arc;

use gix::ObjectId;
use gix::objs::{Exists, Find, Kind};
use gix::odb::find::Header;
use gix::odb::pack::cache::{lru, object};
use gix::prelude::HeaderExt;

use super::loose::LooseObjects;
use crate::change::{Kind as FileKind, State};
use crate::error::{Error, Result};

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

    /// The size of a blob, without reading its content.
    ///
    /// # Errors
    /// The object is missing or damaged.
    pub fn size(&self, id: ObjectId) -> Result<u64> {
        if let Some(held) = self.held.get(&id) {
            return Ok(held.len() as u64);
        }
        self.odb()?
            .header(id)
            .map(|header| header.size())
            .map_err(|error| missing(id, &error.to_string()))
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
        self.content_into(state, &mut content)?;
        Ok(content)
    }

    /// The contents of both sides.
    ///
    /// # Errors
    /// As for [`Objects::blob`].
    pub fn both(&self, old: Option<State>, new: Option<State>) -> Result<(Vec<u8>, Vec<u8>)> {
        Ok((self.content(old)?, self.content(new)?))
    }

    /// As [`Objects::content`], into `buffer`, replacing its content.
    ///
    /// # Errors
    /// As for [`Objects::blob`].
    pub fn content_into(&self, state: Option<State>, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.clear();
        match state.filter(|state| state.kind != FileKind::Submodule) {
            Some(state) => self.blob(state.id, buffer),
            None => Ok(()),
        }
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

/// A missing object is never "no change": a partial clone may not have it yet.
fn missing(id: ObjectId, why: &str) -> Error {
    Error::new(format!("object {id} cannot be read: {why}"))
        .help("in a partial clone, run `git fetch --refetch`; otherwise run `git fsck`")
}
