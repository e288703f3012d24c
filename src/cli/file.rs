//! Report files: whole or not there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::disk;

/// Puts `bytes` in the place of the file: a reader finds the old content or the new, never a part.
///
/// What is no regular file, such as a pipe or `/dev/stderr`, is written to as it is. A link is replaced and never
/// followed: in CI the work tree, its links included, was made by whoever made the change.
///
/// # Errors
///
/// Those of the file system; the old file is then still there.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_stream(path) {
        return File::options().append(true).open(path)?.write_all(bytes);
    }
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() && !found.is_symlink() => {
            File::options().write(true).open(path)?.write_all(bytes)
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => disk::replace(path, bytes, None),
    }
}

/// Whether the path is one of the system's names for what is open already: links, but nobody's files.
fn is_stream(path: &Path) -> bool {
    let is_handle =
        || path.starts_with("/proc") && path.parent().is_some_and(|dir| dir.ends_with("fd"));
    cfg!(unix) && (path == "/dev/stderr" || path.starts_with("/dev/fd") || is_handle())
}

/// Whether two paths, seen from `directory`, name one file.
pub(super) fn is_same(directory: &Path, one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let path = directory.join(path);
        let parent = fs::canonicalize(disk::directory_of(&path)).ok()?;
        Some(parent.join(path.file_name()?))
    };
    match (place(one), place(other)) {
        (Some(one), Some(other)) => one == other,
        // Where the directory is missing, writing tells.
        _ => one == other,
    }
}

/// Adds `bytes` to the end of the file.
///
/// # Errors
///
/// Those of the file system.
pub(super) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().append(true).create(true).open(path)?;
    file.write_all(bytes)
}
