//! Opening the directory of a path without following a link.

use std::io;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use gix::bstr::{BStr, ByteSlice};

use super::{Backend, Boundary, os};
use crate::{disk, system};

impl Boundary {
    /// The handle of a directory that [`Boundary::locate`] named; empty for the root.
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

    /// The handle of a directory, created with its parents where it is missing.
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

/// Each directory from the one before, so that a link swapped in is met as a link.
fn walk(root: &Dir, path: &BStr) -> io::Result<Dir> {
    let mut names = path.split_str("/");
    let first = names.next().unwrap_or_default();
    names.try_fold(
        root.open_dir_nofollow(os(first.as_bstr())?)?,
        |dir, name| dir.open_dir_nofollow(os(name.as_bstr())?),
    )
}
