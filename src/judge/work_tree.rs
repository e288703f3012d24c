//! The work tree as the tree that the rules look at.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, BString};

use crate::change::Kind;
use crate::path::boundary::{BoundaryView, bytes};
use crate::path::{Node, TreeView};
use crate::rules::ResultTree;

/// Looks paths up on disk without following links.
pub(super) struct WorkTreeView<'a> {
    root: &'a Path,
}

impl<'a> WorkTreeView<'a> {
    /// The work tree below `root`.
    pub(super) fn new(root: &'a Path) -> Self {
        WorkTreeView { root }
    }

    fn file(&self, path: &BStr) -> Option<PathBuf> {
        Some(self.root.join(gix::path::from_bstr(path).ok()?))
    }

    fn metadata(&self, path: &BStr) -> Option<Metadata> {
        self.file(path)?.symlink_metadata().ok()
    }
}

impl TreeView for WorkTreeView<'_> {
    fn entry(&self, path: &BStr) -> Option<Node> {
        let metadata = self.metadata(path)?;
        Some(if metadata.is_dir() {
            Node::Directory
        } else if metadata.is_symlink() {
            Node::Entry(Kind::Symlink)
        } else {
            Node::Entry(Kind::File)
        })
    }

    fn link_target(&self, path: &BStr) -> Option<BString> {
        let target = std::fs::read_link(self.file(path)?).ok()?;
        Some(bytes(&target).into())
    }
}

/// The disk lists no files: whoever wants all asks the index.
impl ResultTree for WorkTreeView<'_> {
    fn for_each(&self, _visit: &mut dyn FnMut(&BStr, Kind)) {}
}

/// A request is about one path; its neighbours are judged when it is committed.
impl ResultTree for BoundaryView<'_> {
    fn for_each(&self, _visit: &mut dyn FnMut(&BStr, Kind)) {}
}
