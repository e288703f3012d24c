//! What stands in for the calls of Linux elsewhere: none of them exists, and callers take their other way.

use std::io;
use std::path::Path;

use cap_std::fs::{Dir, File};
use gix::bstr::BStr;

/// Whether [`open_beneath`] exists.
#[cfg(test)]
pub(crate) const HAS_BENEATH: bool = false;

/// Whether the processes above this one can be seen.
pub(crate) const SHOWS_PROCESSES: bool = false;

/// Opens a directory below `root` in one call: the system has none.
pub(crate) fn open_beneath(_root: &Dir, _path: &BStr) -> Option<io::Result<Dir>> {
    None
}

/// Whether there is such a call.
pub(crate) fn can_open_beneath() -> bool {
    false
}

/// Renames in one step unless something has the new name: the system cannot.
pub(crate) fn rename_to_free(
    _old_dir: &Dir,
    _old: &Path,
    _new_dir: &Dir,
    _new: &Path,
) -> Option<io::Result<()>> {
    None
}

/// Exchanges two files in one step: the system cannot.
pub(crate) fn exchange(_dir: &Dir, _one: &Path, _other: &Path) -> Option<io::Result<()>> {
    None
}

/// Creates a file without a name.
///
/// # Errors
/// Always: the system has no such files.
pub(crate) fn unnamed_file(_dir: &Dir, _mode: u32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Gives such a file a name.
///
/// # Errors
/// Always.
pub(crate) fn name_file(_file: &File, _dir: &Dir, _name: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The process that holds the lock of an open file: the system does not tell.
pub(crate) fn lock_holder(_file: &std::fs::File) -> Option<(u32, bool)> {
    None
}
