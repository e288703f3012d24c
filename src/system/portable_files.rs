//! Files where the system is no Unix: no permission bits, and directories need no sync of their own.

use std::fs;
use std::io;
use std::path::Path;

use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use gix::index::entry::Stat;

/// Whether files have permission bits, an executable one among them.
pub(crate) const HAS_MODES: bool = false;

/// The permission bits of a file: there are none.
pub(crate) fn mode(_metadata: &Metadata) -> Option<u32> {
    None
}

/// The same for a file that the standard library looked at.
pub(crate) fn std_mode(_metadata: &fs::Metadata) -> Option<u32> {
    None
}

/// Sets no permission bits.
///
/// # Errors
/// Never.
pub(crate) fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

/// The permission bits that a file is to be created with: there are none.
pub(crate) fn create_with_mode(_options: &mut OpenOptions, _mode: u32) {}

/// Opening waits for nothing: no name in a directory is a pipe.
pub(crate) fn never_wait(_options: &mut OpenOptions) {}

/// What git's index records of a file: the system has no such numbers, so every file is read.
pub(crate) fn stat(_metadata: &Metadata) -> Option<Stat> {
    None
}

/// Makes the names in a directory durable: Windows has no call for this and writes them with its own journal.
///
/// # Errors
/// Never.
pub(crate) fn sync_directory(_dir: &Dir) -> io::Result<()> {
    Ok(())
}

/// The same for a directory by its path.
///
/// # Errors
/// Never.
pub(crate) fn sync_directory_at(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Directories have the access rights of the one that they are in.
pub(crate) fn make_private(_builder: &mut fs::DirBuilder) {}

/// Opens a file for reading and for writing at its end, created where it is missing. A link is refused as far as one
/// is seen before: no flag of the standard library does both in one step.
///
/// # Errors
/// Those of the file system.
pub(crate) fn open_append(path: &Path, _mode: u32) -> io::Result<fs::File> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Err(io::Error::other("it is a symbolic link"));
    }
    fs::OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
}

/// A write beyond a limit fails with an error.
pub(crate) fn survive_size_limit() {}

/// Gives a file a second name in another directory, by a copy: links take a privilege.
///
/// # Errors
/// Those of the file system.
pub(crate) fn link_or_copy(file: &Path, to: &Path) -> io::Result<()> {
    fs::copy(file, to).map(|_| ())
}

/// Forgets nothing: what was typed before now cannot be dropped without a call that is not safe Rust.
///
/// # Errors
/// Never.
pub(crate) fn discard_input(_terminal: &fs::File) -> io::Result<()> {
    Ok(())
}
