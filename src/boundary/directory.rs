//! Opens the directory of a path without following links.

use std::io;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use gix::bstr::{BStr, ByteSlice};

use super::{Backend, Boundary, os, split};
use crate::{disk, system};

impl Boundary {
    /// Opens the directory that [`Boundary::locate`] named; empty for the root.
    pub(super) fn directory(&self, path: &BStr) -> io::Result<Dir> {
        if path.is_empty() {
            return self.root.try_clone();
        }
        match self.backend {
            Backend::Kernel => {
                system::open_beneath(&self.root, path).unwrap_or_else(|| walk(&self.root, path))
            }
            Backend::Walk => walk(&self.root, path),
        }
    }

    /// Whether there is such a directory, not behind a link.
    pub fn has_directory(&self, path: &BStr) -> bool {
        self.directory(path).is_ok()
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// It is not empty, not a directory, or a system error.
    pub fn remove_directory(&self, path: &BStr) -> io::Result<()> {
        let (parent, name) = split(path);
        let parent = self.directory(parent)?;
        parent.remove_dir(os(name)?)?;
        disk::sync(&parent)
    }

    /// Opens the directory, creating missing directories.
    pub(super) fn create_directory(&self, path: &BStr) -> io::Result<Dir> {
        let mut dir = self.root.try_clone()?;
        for name in path.split_str("/").filter(|name| !name.is_empty()) {
            let name = os(name.as_bstr())?;
            match dir.create_dir(name) {
                Ok(()) => disk::sync(&dir)?,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            dir = dir.open_dir_nofollow(name)?;
        }
        Ok(dir)
    }
}

/// Opens each directory from the previous one, so that a swapped-in link is detected.
fn walk(root: &Dir, path: &BStr) -> io::Result<Dir> {
    let mut names = path.split_str("/");
    let first = names.next().unwrap_or_default();
    names.try_fold(
        root.open_dir_nofollow(os(first.as_bstr())?)?,
        |dir, name| dir.open_dir_nofollow(os(name.as_bstr())?),
    )
}
