//! The index, or the tree of a commit, as the tree that the rules look at.

use std::cell::RefCell;

use gix::bstr::{BStr, BString};

use crate::change::Kind;
use crate::error::{Error, Result};
use crate::git::{Index, Objects, Repository, Tree, visit_alike};
use crate::path::{Node, TreeView};
use crate::rules::{MeasuredChange, ResultTree};

/// Looks paths up in the index; remembers the first object that could not be read.
pub(super) struct IndexView<'a> {
    repo: &'a Repository,
    index: &'a Index,
    objects: &'a Objects,
    failed: FirstFailure,
}

/// The verdict on what was seen counts only if everything could be seen.
#[derive(Default)]
struct FirstFailure(RefCell<Option<Error>>);

impl FirstFailure {
    fn seen<T>(&self, result: Result<T>) -> Option<T> {
        result
            .map_err(|error| self.0.borrow_mut().get_or_insert(error).clone())
            .ok()
    }

    fn finish(self) -> Result<()> {
        self.0.into_inner().map_or(Ok(()), Err)
    }
}

impl<'a> IndexView<'a> {
    pub(super) fn new(repo: &'a Repository, index: &'a Index, objects: &'a Objects) -> Self {
        IndexView {
            repo,
            index,
            objects,
            failed: FirstFailure::default(),
        }
    }

    /// Whatever could not be read.
    pub(super) fn finish(self) -> Result<()> {
        self.failed.finish()
    }
}

impl TreeView for IndexView<'_> {
    fn entry(&self, path: &BStr) -> Option<Node> {
        match self.failed.seen(self.index.get(self.repo, path))? {
            Some(state) => Some(Node::Entry(state.kind)),
            None => self
                .failed
                .seen(self.index.is_dir(self.repo, path))?
                .then_some(Node::Directory),
        }
    }

    fn link_target(&self, path: &BStr) -> Option<BString> {
        let state = self.failed.seen(self.index.get(self.repo, path))??;
        let mut target = Vec::new();
        self.failed.seen(self.objects.blob(state.id, &mut target))?;
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

/// Looks paths up in a tree; remembers the first object that could not be read.
pub(super) struct CommitView<'a> {
    tree: &'a Tree<'a>,
    objects: &'a Objects,
    subjects: &'a [MeasuredChange],
    failed: FirstFailure,
}

impl<'a> CommitView<'a> {
    pub(super) fn new(
        tree: &'a Tree<'a>,
        objects: &'a Objects,
        subjects: &'a [MeasuredChange],
    ) -> Self {
        CommitView {
            tree,
            objects,
            subjects,
            failed: FirstFailure::default(),
        }
    }

    /// As [`IndexView::finish`].
    pub(super) fn finish(self) -> Result<()> {
        self.failed.finish()
    }
}

impl TreeView for CommitView<'_> {
    fn entry(&self, path: &BStr) -> Option<Node> {
        match self.failed.seen(self.tree.get(path))? {
            Some(state) => Some(Node::Entry(state.kind)),
            None => self
                .failed
                .seen(self.tree.is_dir(path))?
                .then_some(Node::Directory),
        }
    }

    fn link_target(&self, path: &BStr) -> Option<BString> {
        let state = self.failed.seen(self.tree.get(path))??;
        let mut target = Vec::new();
        self.failed.seen(self.objects.blob(state.id, &mut target))?;
        Some(target.into())
    }
}

impl ResultTree for CommitView<'_> {
    fn for_each(&self, visit: &mut dyn FnMut(&BStr, Kind)) {
        let arrivals = self.subjects.iter().map(MeasuredChange::path);
        self.failed
            .seen(visit_alike(self.tree, self.objects, arrivals, visit));
    }
}
