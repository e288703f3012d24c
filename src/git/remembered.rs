//! The first commits, trees and settings that were read: one judgement asks for those of HEAD again and again.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use gix::ObjectId;
use gix::objs::Kind;

/// How many bytes are remembered; what comes later is read again each time.
const MOST: usize = 1 << 20;

/// Objects in memory. Its clones share them.
#[derive(Clone, Default)]
pub(super) struct RememberedObjects(Arc<RwLock<RememberedContents>>);

#[derive(Default)]
struct RememberedContents {
    objects: HashMap<ObjectId, (Kind, Box<[u8]>)>,
    size: usize,
}

impl RememberedObjects {
    /// Copies an object of this kind into `buffer`, replacing its content; says whether it is known.
    pub(super) fn read(&self, id: ObjectId, kind: Kind, buffer: &mut Vec<u8>) -> bool {
        let contents = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let object = contents
            .objects
            .get(&id)
            .filter(|(known, _)| *known == kind);
        let Some((_, content)) = object else {
            return false;
        };
        buffer.clear();
        buffer.extend_from_slice(content);
        true
    }

    /// Remembers an object if there is space.
    pub(super) fn add(&self, id: ObjectId, kind: Kind, content: &[u8]) {
        let has_space = |contents: &RememberedContents| contents.size + content.len() <= MOST;
        if !has_space(&self.0.read().unwrap_or_else(PoisonError::into_inner)) {
            return;
        }
        let mut contents = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if has_space(&contents)
            && contents
                .objects
                .insert(id, (kind, content.into()))
                .is_none()
        {
            contents.size += content.len();
        }
    }
}
