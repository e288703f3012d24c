//! What is in the workspace: entries, links, and repositories, which have their own designs and settings.

use std::io;

use cap_std::fs::Dir;
use gix::bstr::{BStr, BString, ByteSlice};

use super::{Boundary, BoundaryResult, bytes, cannot, os};
use write_guard_policy::change::Kind;
use write_guard_policy::path::{Node, TreeView};
use write_guard_policy::rules::ResultTree;

impl Boundary {
    /// Whether the path or one of its parents is a link.
    pub(super) fn has_link_on_the_way(&self, path: &BStr) -> bool {
        path.find_iter("/")
            .chain([path.len()])
            .any(|end| self.entry(path[..end].as_bstr()) == Some(Node::Entry(Kind::Symlink)))
    }
}

impl Boundary {
    /// The entries of a directory from [`Boundary::locate`], in the order of their names; empty for the root. Links are
    /// not followed.
    ///
    /// # Errors
    /// It is no directory, or cannot be read.
    pub fn entries(&self, directory: &BStr) -> BoundaryResult<Vec<(BString, Node)>> {
        let failed = |error| self.refine(cannot("list", directory)(error), directory);
        let handle = self.directory(directory).map_err(failed)?;
        let mut entries = Vec::new();
        for entry in handle.entries().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let node = node_of(kind.is_dir(), kind.is_symlink());
            entries.push((bytes(entry.file_name().as_ref()).into(), node));
        }
        entries.sort_by(|one: &(BString, Node), other| one.0.cmp(&other.0));
        Ok(entries)
    }
}

fn node_of(is_directory: bool, is_link: bool) -> Node {
    if is_directory {
        Node::Directory
    } else if is_link {
        Node::Entry(Kind::Symlink)
    } else {
        Node::Entry(Kind::File)
    }
}

/// Looks up names through directory handles, without following links.
impl TreeView for Boundary {
    fn entry(&self, path: &BStr) -> Option<Node> {
        let (dir, name) = self.parent(path).ok()?;
        let metadata = dir.symlink_metadata(os(name).ok()?).ok()?;
        Some(node_of(metadata.is_dir(), metadata.is_symlink()))
    }

    fn link_target(&self, path: &BStr) -> Option<BString> {
        let (dir, name) = self.parent(path).ok()?;
        let target = dir.read_link_contents(os(name).ok()?).ok()?;
        Some(bytes(&target).into())
    }
}

/// The disk lists no files; the index does. A request is about one path, and its neighbours are judged at commit
/// time.
impl ResultTree for Boundary {
    fn for_each(&self, _visit: &mut dyn FnMut(&BStr, Kind)) {}
}

fn has_entry(directory: &Dir, name: &str) -> io::Result<bool> {
    Ok(if_reachable(directory.symlink_metadata(name))?.is_some())
}

/// The entries by which git recognises a bare repository, whose configuration and hooks it would use.
const BARE: [&str; 3] = ["HEAD", "objects", "refs"];

impl Boundary {
    /// The outermost repository inside the workspace that contains a path from [`Boundary::locate`], is at it, or
    /// would become one through a file at this path.
    ///
    /// # Errors
    /// A directory cannot be read, or became a link.
    pub fn nested_repository(&self, path: &BStr) -> BoundaryResult<Option<BString>> {
        let ends = path.find_iter("/").chain([path.len()]);
        for end in ends {
            let directory = path[..end].as_bstr();
            let next = path[end..].trim_start_with(|c| c == '/');
            let next = next.split_str("/").next().unwrap_or_default();
            let found = self
                .look(directory, next.as_bstr())
                .map_err(|error| self.refine(cannot("look into", directory)(error), path))?;
            if found {
                return Ok(Some(directory.to_owned()));
            }
        }
        Ok(None)
    }

    /// Whether a directory is a repository; `next` counts as one of its entries.
    fn look(&self, directory: &BStr, next: &BStr) -> io::Result<bool> {
        let Some(handle) = if_reachable(self.directory(directory))? else {
            return Ok(false);
        };
        if has_entry(&handle, ".git")? {
            return Ok(true);
        }
        for name in BARE {
            if next != name && !has_entry(&handle, name)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What is there; `None` if nothing is, or if the system does not let guard look: then guard cannot reach anything next
/// to it either.
fn if_reachable<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    match found {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | PermissionDenied) => {
            Ok(None)
        }
        found => found.map(Some),
    }
}
