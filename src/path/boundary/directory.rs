//! Opening the directory of a path without following a link.

use std::io;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use gix::bstr::{BStr, ByteSlice};

use super::{Backend, Boundary, os};
use crate::disk;

impl Boundary {
    /// The handle of a directory that [`Boundary::locate`] named; empty for the root.
    pub(super) fn directory(&self, path: &BStr) -> io::Result<Dir> {
        if path.is_empty() {
            return self.root.try_clone();
        }
        match self.backend {
            Backend::Kernel => beneath(&self.root, path),
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

#[cfg(target_os = "linux")]
mod linux {
    use std::io;

    use cap_std::fs::Dir;
    use gix::bstr::{BStr, ByteSlice};
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};

    const CONTAINED: ResolveFlags = ResolveFlags::BENEATH
        .union(ResolveFlags::NO_SYMLINKS)
        .union(ResolveFlags::NO_MAGICLINKS);

    /// One call for the whole way, atomic to the kernel.
    pub(in super::super) fn beneath(root: &Dir, path: &BStr) -> io::Result<Dir> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        loop {
            match openat2(root, path.as_bytes(), flags, Mode::empty(), CONTAINED) {
                Ok(fd) => return Ok(Dir::from_std_file(fd.into())),
                // The kernel saw a rename and could not decide: ask again.
                Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Whether the kernel has the call (Linux 5.6, and no filter that forbids it).
    pub(in super::super) fn kernel_contains() -> bool {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat2(rustix::fs::CWD, ".", flags, Mode::empty(), CONTAINED).is_ok()
    }
}

#[cfg(target_os = "linux")]
pub(super) use linux::{beneath, kernel_contains};

#[cfg(not(target_os = "linux"))]
pub(super) use walk as beneath;

/// Only Linux has the call.
#[cfg(not(target_os = "linux"))]
pub(super) fn kernel_contains() -> bool {
    false
}
