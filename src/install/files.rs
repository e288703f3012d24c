//! Reading and writing the files of a set-up: whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What is at a place where a file is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Nothing,
    /// A regular file, and whether git would run it.
    File {
        /// Its bytes.
        content: Vec<u8>,
        /// Whether its owner may execute it; true where the system knows no such thing.
        executable: bool,
    },
    /// A symbolic link: writing it would change a file elsewhere.
    Link,
    /// A directory, or something stranger.
    Other,
}

/// Looks at a file without following links.
///
/// # Errors
/// It is there and cannot be read.
pub fn look(path: &Path) -> io::Result<Found> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_absence(&error) => return Ok(Found::Nothing),
        Err(error) => return Err(error),
    };
    if metadata.is_symlink() {
        return Ok(Found::Link);
    }
    if !metadata.is_file() {
        return Ok(Found::Other);
    }
    Ok(Found::File {
        content: fs::read(path)?,
        executable: is_executable(&metadata),
    })
}

/// `core.hooksPath=/dev/null` makes a file of the directory.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}

/// Replaces a file in one step, its mode kept; a new file may be executed by all. Parents are created.
///
/// # Errors
/// The directory cannot be written.
pub fn replace_script(path: &Path, content: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or_else(|| Path::new("."));
    fs::create_dir_all(directory)?;
    let temporary = temporary_beside(path);
    let written = write_new(&temporary, content)
        .and_then(|file| set_mode(&file, path))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Writes a file that must not exist yet.
///
/// # Errors
/// It exists, or cannot be written; then it is not left half written.
pub fn create(path: &Path, content: &[u8]) -> io::Result<()> {
    match write_new(path, content) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        Err(error) => {
            let _ = fs::remove_file(path);
            Err(error)
        }
    }
}

fn write_new(path: &Path, content: &[u8]) -> io::Result<File> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(content)?;
    file.sync_all()?;
    Ok(file)
}

fn temporary_beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".guard-{}", std::process::id()));
    path.with_file_name(name)
}

/// The mode of the file that is there, made executable for its owner; rwxr-xr-x for a new one.
#[cfg(unix)]
fn set_mode(file: &File, replaced: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(replaced).map_or(0o755, |old| old.permissions().mode() | 0o100);
    file.set_permissions(fs::Permissions::from_mode(mode & 0o7777))
}

#[cfg(not(unix))]
fn set_mode(_: &File, _: &Path) -> io::Result<()> {
    Ok(())
}
