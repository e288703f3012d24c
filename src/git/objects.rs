//! Reading objects; a handle for each thread.

use gix::ObjectId;
use gix::objs::{Exists, Find, Kind};
use gix::prelude::HeaderExt;

use crate::error::{Error, Result};

/// A handle to the object database: cheap to clone, and a clone may move to another thread.
#[derive(Clone)]
pub struct Objects(gix::OdbHandle);

impl Objects {
    pub(super) fn new(handle: gix::OdbHandle) -> Objects {
        Objects(handle)
    }

    /// The size of a blob in bytes, without reading its content.
    ///
    /// # Errors
    /// The object is missing or damaged.
    pub fn size(&self, id: ObjectId) -> Result<u64> {
        self.0
            .header(id)
            .map(|header| header.size())
            .map_err(|error| missing(id, &error.to_string()))
    }

    /// Reads a blob into `buffer`, replacing what it held.
    ///
    /// # Errors
    /// The object is missing, damaged or not a blob.
    pub fn blob(&self, id: ObjectId, buffer: &mut Vec<u8>) -> Result<()> {
        self.read(id, Kind::Blob, buffer)
    }

    /// Reads a tree into `buffer`, replacing what it held.
    pub(super) fn tree(&self, id: ObjectId, buffer: &mut Vec<u8>) -> Result<()> {
        if id.is_empty_tree() {
            buffer.clear();
            return Ok(());
        }
        self.read(id, Kind::Tree, buffer)
    }

    /// Reads a commit into `buffer`, replacing what it held.
    pub(super) fn commit(&self, id: ObjectId, buffer: &mut Vec<u8>) -> Result<()> {
        self.read(id, Kind::Commit, buffer)
    }

    /// The tree of a commit.
    pub(super) fn tree_id(&self, commit: ObjectId) -> Result<ObjectId> {
        let mut buffer = Vec::new();
        self.commit(commit, &mut buffer)?;
        gix::objs::CommitRefIter::from_bytes(&buffer, commit.kind())
            .tree_id()
            .map_err(|error| Error::new(format!("commit {commit} is damaged: {error}")))
    }

    /// The parents that a commit names.
    ///
    /// # Errors
    /// The commit is missing or damaged.
    pub fn parents(&self, commit: ObjectId) -> Result<Vec<ObjectId>> {
        let mut buffer = Vec::new();
        self.commit(commit, &mut buffer)?;
        Ok(gix::objs::CommitRefIter::from_bytes(&buffer, commit.kind())
            .parent_ids()
            .collect())
    }

    /// The hash of this repository's ids.
    pub(super) fn hash_kind(&self) -> gix::hash::Kind {
        self.0.store_ref().object_hash()
    }

    /// Whether the object is in the database.
    pub(super) fn has(&self, id: ObjectId) -> bool {
        self.0.exists(&id)
    }

    fn read(&self, id: ObjectId, kind: Kind, buffer: &mut Vec<u8>) -> Result<()> {
        match self.0.try_find(&id, buffer) {
            Ok(Some(data)) if data.kind == kind => {}
            Ok(Some(data)) => {
                return Err(Error::new(format!(
                    "object {id} is a {}, not a {kind}",
                    data.kind
                )));
            }
            Ok(None) => return Err(missing(id, "it is not in the repository")),
            Err(error) => return Err(missing(id, &error.to_string())),
        }
        Ok(())
    }
}

/// A missing object is never "no change": a partial clone may simply not have it yet.
fn missing(id: ObjectId, why: &str) -> Error {
    Error::new(format!("object {id} cannot be read: {why}")).help(
        "in a partial clone fetch it with `git fetch --refetch`; otherwise look with `git fsck`",
    )
}
