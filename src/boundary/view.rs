//! A view of the workspace on disk.

use cap_std::fs::Dir;
use gix::bstr::{BStr, BString, ByteSlice};

use super::{Boundary, bytes, os};
use crate::change::Kind;
use crate::path::{Node, TreeView};

/// Looks up names through directory handles, without following links.
pub struct BoundaryView<'a> {
    boundary: &'a Boundary,
}

impl Boundary {
    /// A view of the workspace.
    pub fn view(&self) -> BoundaryView<'_> {
        BoundaryView { boundary: self }
    }
}

impl BoundaryView<'_> {
    /// The parent directory of a path, if there is one, and the name in it.
    fn parent<'p>(&self, path: &'p BStr) -> Option<(Dir, &'p BStr)> {
        self.boundary.parent(path).ok()
    }

    /// Whether the path or one of its parents is a link.
    pub(super) fn has_link_on_the_way(&self, path: &BStr) -> bool {
        path.find_iter("/")
            .chain([path.len()])
            .any(|end| self.entry(path[..end].as_bstr()) == Some(Node::Entry(Kind::Symlink)))
    }
}

impl TreeView for BoundaryView<'_> {
    fn entry(&self, path: &BStr) -> Option<Node> {
        let (dir, name) = self.parent(path)?;
        let metadata = dir.symlink_metadata(os(name).ok()?).ok()?;
        Some(if metadata.is_dir() {
            Node::Directory
        } else if metadata.is_symlink() {
            Node::Entry(Kind::Symlink)
        } else {
            Node::Entry(Kind::File)
        })
    }

    fn link_target(&self, path: &BStr) -> Option<BString> {
        let (dir, name) = self.parent(path)?;
        let target = dir.read_link_contents(os(name).ok()?).ok()?;
        Some(bytes(&target).into())
    }
}
