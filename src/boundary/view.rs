//! A view of the workspace on disk.

use std::cell::RefCell;
use std::collections::HashSet;

use cap_std::fs::Dir;
use gix::bstr::{BStr, BString, ByteSlice};

use super::{Boundary, bytes, os, split};
use crate::change::Kind;
use crate::path::{Node, TreeView};

/// Looks up names through directory handles, without following links.
pub struct BoundaryView<'a> {
    boundary: &'a Boundary,
    /// Directories that are not there, for a view of many paths.
    absent: Option<RefCell<HashSet<BString>>>,
}

impl Boundary {
    /// A view of the workspace.
    pub fn view(&self) -> BoundaryView<'_> {
        BoundaryView {
            boundary: self,
            absent: None,
        }
    }

    /// A view that looks for a missing directory only once: a design may name many files in one.
    pub fn view_of_many(&self) -> BoundaryView<'_> {
        BoundaryView {
            boundary: self,
            absent: Some(RefCell::default()),
        }
    }
}

impl BoundaryView<'_> {
    /// The parent directory of a path, if there is one, and the name in it.
    fn parent<'p>(&self, path: &'p BStr) -> Option<(Dir, &'p BStr)> {
        let (parent, name) = split(path);
        let Some(absent) = &self.absent else {
            return Some((self.boundary.directory(parent).ok()?, name));
        };
        if absent.borrow().contains(parent) {
            return None;
        }
        match self.boundary.directory(parent) {
            Ok(dir) => Some((dir, name)),
            Err(_) => {
                absent.borrow_mut().insert(parent.to_owned());
                None
            }
        }
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
