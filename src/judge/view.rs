//! The index as the tree that the rules look at.

use std::cell::RefCell;

use gix::bstr::{BStr, BString};

use crate::change::Kind;
use crate::error::{Error, Result};
use crate::git::{Index, Objects, Repository};
use crate::path::{Node, TreeView};
use crate::rules::ResultTree;

/// Looks paths up in the index; remembers the first object that could not be read.
pub(super) struct IndexView<'a> {
    repo: &'a Repository,
    index: &'a Index,
    objects: &'a Objects,
    failed: RefCell<Option<Error>>,
}

impl<'a> IndexView<'a> {
    pub(super) fn new(repo: &'a Repository, index: &'a Index, objects: &'a Objects) -> Self {
        IndexView {
            repo,
            index,
            objects,
            failed: RefCell::new(None),
        }
    }

    /// The verdict on what was seen counts only if everything could be seen.
    pub(super) fn finish(self) -> Result<()> {
        self.failed.into_inner().map_or(Ok(()), Err)
    }

    fn seen<T>(&self, result: Result<T>) -> Option<T> {
        result
            .map_err(|error| self.failed.borrow_mut().get_or_insert(error).clone())
            .ok()
    }
}

impl TreeView for IndexView<'_> {
    fn entry(&self, path: &BStr) -> Option<Node> {
        match self.seen(self.index.get(self.repo, path))? {
            Some(state) => Some(Node::Entry(state.kind)),
            None => self
                .seen(self.index.is_dir(self.repo, path))?
                .then_some(Node::Directory),
        }
    }

    fn link_target(&self, path: &BStr) -> Option<BString> {
        let state = self.seen(self.index.get(self.repo, path))??;
        let mut target = Vec::new();
        self.seen(self.objects.blob(state.id, &mut target))?;
        Some(target.into())
    }
}

impl ResultTree for IndexView<'_> {
    fn for_each(&self, visit: &mut dyn FnMut(&BStr, Kind)) {
        for (path, kind) in self.index.files() {
            visit(path, kind);
        }
    }
}
