//! Report files: whole or not there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::disk;

/// Puts `bytes` in the place of the file: a reader finds the old content or the new, never a part.
///
/// What is no regular file, such as a pipe or `/dev/stderr`, is written to as it is.
///
/// # Errors
///
/// Those of the file system; the old file is then still there.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Through a link, its target is replaced and the link stays.
    let path = match fs::canonicalize(path) {
        Ok(target) if !fs::metadata(&target)?.is_file() => {
            return File::options().write(true).open(target)?.write_all(bytes);
        }
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    disk::replace(&path, bytes, None)
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
