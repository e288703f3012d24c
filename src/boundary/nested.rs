//! Repositories inside the workspace. Their files are another repository's, with designs and settings of its own.

use std::io;

use cap_std::fs::Dir;
use gix::bstr::{BStr, BString, ByteSlice};

use super::{Boundary, BoundaryError, BoundaryResult, os};
use crate::path::{PathFault, Reason, show};
use crate::system;

/// A repository inside the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NestedRepository {
    /// This directory holds `.git`, whatever that is: git looks for its repository no further up.
    WorkTree(BString),
    /// Git that runs in this directory would take it for a bare repository, and obey its settings and hooks.
    Bare(BString),
}

/// What git takes a directory without `.git` for a repository by.
const BARE: [&str; 3] = ["HEAD", "objects", "refs"];

impl Boundary {
    /// The outermost repository inside the workspace that holds a path which [`Boundary::locate`] gave, or is at it, or
    /// that a file at this path would complete.
    ///
    /// # Errors
    /// A directory on the way cannot be looked into, or became a link.
    pub fn nested_repository(&self, path: &BStr) -> BoundaryResult<Option<NestedRepository>> {
        let ends = path.find_iter("/").chain([path.len()]);
        for end in ends {
            let directory = path[..end].as_bstr();
            let next = path[end..].trim_start_with(|c| c == '/');
            let next = next.split_str("/").next().unwrap_or_default();
            let found = self
                .look(directory, next.as_bstr())
                .map_err(|error| refused(error, path, directory))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// What a directory is; `next` counts as something that is in it.
    fn look(&self, directory: &BStr, next: &BStr) -> io::Result<Option<NestedRepository>> {
        let handle = match self.directory(directory) {
            Ok(handle) => Some(handle),
            Err(error) if is_absence(&error) => return Ok(None),
            // It may be passed, but not listed.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => None,
            Err(error) => return Err(error),
        };
        let holds = |name: &str| match &handle {
            Some(handle) => is_there(handle, name.into()),
            None => is_there(&self.root, format!("{directory}/{name}").as_str().into()),
        };
        if holds(".git")? {
            return Ok(Some(NestedRepository::WorkTree(directory.to_owned())));
        }
        for name in BARE {
            if next != name && !holds(name)? {
                return Ok(None);
            }
        }
        Ok(Some(NestedRepository::Bare(directory.to_owned())))
    }
}

/// Whether a name is taken, by a link that leads nowhere as well. Where the system does not let guard look, it lets
/// guard reach nothing beside that name either.
fn is_there(dir: &Dir, name: &BStr) -> io::Result<bool> {
    match dir.symlink_metadata(os(name)?) {
        Ok(_) => Ok(true),
        Err(error) if is_absence(&error) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(false),
        Err(error) => Err(error),
    }
}

fn is_absence(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory) && !system::is_link_met(error)
}

fn refused(error: io::Error, path: &BStr, directory: &BStr) -> BoundaryError {
    if system::is_link_met(&error) {
        let what = "leads through a symbolic link that was not there before";
        return PathFault::new(Reason::SymlinkEscape, what).of(path).into();
    }
    BoundaryError::io(format!("look into {}", show(directory)))(error)
}
