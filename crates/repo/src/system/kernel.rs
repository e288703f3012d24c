//! A system call that Linux and macOS have.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use rustix::fs::{RenameFlags, renameat_with};
use rustix::io::Errno;

/// Renames atomically unless the new name exists. `None` if the system or file system cannot.
pub(crate) fn rename_to_free(
    old_dir: &Dir,
    old: &Path,
    new_dir: &Dir,
    new: &Path,
) -> Option<io::Result<()>> {
    match renameat_with(old_dir, old, new_dir, new, RenameFlags::NOREPLACE) {
        Err(error) if is_lacking(error) => None,
        result => Some(result.map_err(io::Error::from)),
    }
}

/// Whether an error means that the system or file system lacks the feature. A seccomp filter reports "not permitted";
/// if that is about the files, the fallback reports it, too.
fn is_lacking(error: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::PERM].contains(&error)
}
