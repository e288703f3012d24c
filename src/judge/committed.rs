//! A committed tree as the tree that the rules look at.

use std::cell::{OnceCell, RefCell};

use gix::bstr::{BStr, BString};

use crate::change::Kind;
use crate::error::{Error, Result};
use crate::git::{Objects, Tree};
use crate::path::{Node, TreeView};
use crate::rules::ResultTree;

/// Looks paths up in a tree; remembers the first object that could not be read.
pub(super) struct CommittedView<'a> {
    tree: Tree<'a>,
    objects: Objects,
    /// Listed at the first question about all files.
    files: OnceCell<Vec<(BString, Kind)>>,
    failed: RefCell<Option<Error>>,
}

impl<'a> CommittedView<'a> {
    pub(super) fn new(tree: Tree<'a>, objects: Objects) -> Self {
        CommittedView {
            tree,
            objects,
            files: OnceCell::new(),
            failed: RefCell::new(None),
        }
    }

    /// The answers count only if everything could be seen.
    pub(super) fn finish(self) -> Result<()> {
        self.failed.into_inner().map_or(Ok(()), Err)
    }

    fn seen<T>(&self, result: Result<T>) -> Option<T> {
        result
            .map_err(|error| self.failed.borrow_mut().get_or_insert(error).clone())
            .ok()
    }
}

impl TreeView for CommittedView<'_> {
    fn entry(&self, path: &BStr) -> Option<Node> {
        match self.seen(self.tree.get(path))? {
            Some(state) => Some(Node::Entry(state.kind)),
            None => self
                .seen(self.tree.is_dir(path))?
                .then_some(Node::Directory),
        }
    }

    fn link_target(&self, path: &BStr) -> Option<BString> {
        let state = self.seen(self.tree.get(path))??;
        let mut target = Vec::new();
        self.seen(self.objects.blob(state.id, &mut target))?;
        Some(target.into())
    }
}

impl ResultTree for CommittedView<'_> {
    fn for_each(&self, visit: &mut dyn FnMut(&BStr, Kind)) {
        let files = self
            .files
            .get_or_init(|| self.seen(self.tree.files()).unwrap_or_default());
        for (path, kind) in files {
            visit(path.as_ref(), *kind);
        }
    }
}
