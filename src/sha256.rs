//! SHA-256.

use gix::ObjectId;
use gix::hash::{Kind, hasher};

/// The SHA-256 of these bytes. It is always there: only SHA-1 has a collision detection that can fail.
pub(crate) fn sha256(bytes: &[u8]) -> Option<ObjectId> {
    let mut hasher = hasher(Kind::Sha256);
    hasher.update(bytes);
    hasher.try_finalize().ok()
}
