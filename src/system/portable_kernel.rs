//! Fallbacks for systems without Linux's calls: none exists, so callers take the portable way.

use std::io;
use std::path::Path;

use cap_std::fs::{Dir, File};
use gix::bstr::BStr;

/// Whether [`open_beneath`] exists.
#[cfg(test)]
pub(crate) const HAS_BENEATH: bool = false;

/// Whether parent processes are visible.
pub(crate) const SHOWS_PROCESSES: bool = false;

/// Always `None`.
pub(crate) fn open_beneath(_root: &Dir, _path: &BStr) -> Option<io::Result<Dir>> {
    None
}

/// Always false.
pub(crate) fn can_open_beneath() -> bool {
    false
}

/// Always `None`.
pub(crate) fn rename_to_free(
    _old_dir: &Dir,
    _old: &Path,
    _new_dir: &Dir,
    _new: &Path,
) -> Option<io::Result<()>> {
    None
}

/// Always `None`.
pub(crate) fn exchange(_dir: &Dir, _one: &Path, _other: &Path) -> Option<io::Result<()>> {
    None
}

/// Creates an unnamed file.
///
/// # Errors
/// Always: the system has no unnamed files.
pub(crate) fn unnamed_file(_dir: &Dir, _mode: u32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Gives an unnamed file a name.
///
/// # Errors
/// Always.
pub(crate) fn name_file(_file: &File, _dir: &Dir, _name: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Always `None`.
pub(crate) fn lock_holder(_file: &std::fs::File) -> Option<(u32, bool)> {
    None
}
