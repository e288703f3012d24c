//! Reads and writes the files of a set-up, completely or not at all.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use crate::{disk, system};

/// What exists at the path of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOnDisk {
    /// Nothing.
    Nothing,
    /// A regular file, and whether git would run it.
    File {
        /// Its bytes.
        content: Vec<u8>,
        /// Whether its owner may execute it; true on systems without such a mode.
        executable: bool,
    },
    /// A symbolic link: writing it would change a file elsewhere.
    Link,
    /// A directory, or another special file.
    Other,
}

/// Looks at a file without following links.
///
/// # Errors
/// It exists, but cannot be read.
pub fn look(path: &Path) -> io::Result<FileOnDisk> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_absence(&error) => return Ok(FileOnDisk::Nothing),
        Err(error) => return Err(error),
    };
    if metadata.is_symlink() {
        return Ok(FileOnDisk::Link);
    }
    if !metadata.is_file() {
        return Ok(FileOnDisk::Other);
    }
    Ok(FileOnDisk::File {
        content: fs::read(path)?,
        executable: is_executable(&metadata),
    })
}

/// With `core.hooksPath=/dev/null`, the directory is a file.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn is_executable(metadata: &fs::Metadata) -> bool {
    system::std_mode(metadata).is_none_or(|mode| mode & 0o100 != 0)
}

/// Replaces a file in one step and keeps its mode. A new file is executable by all. Creates parent directories.
///
/// # Errors
/// The directory cannot be written.
pub fn replace_script(path: &Path, content: &[u8]) -> io::Result<()> {
    fs::create_dir_all(disk::directory_of(path))?;
    disk::replace(path, content, mode_for(path))
}

/// Writes a file that must not exist yet.
///
/// # Errors
/// It exists already, or cannot be written. No partial file remains.
pub fn create(path: &Path, content: &[u8]) -> io::Result<()> {
    match write_new(path, content) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        Err(error) => {
            let _ = fs::remove_file(path);
            Err(error)
        }
    }
}

/// The same, with parent directories.
///
/// # Errors
/// As for [`create`].
pub fn create_below(path: &Path, content: &[u8]) -> io::Result<()> {
    fs::create_dir_all(disk::directory_of(path))?;
    create(path, content)
}

fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// The mode of the existing file, executable for its owner; rwxr-xr-x for a new one.
fn mode_for(replaced: &Path) -> Option<u32> {
    match fs::metadata(replaced) {
        Ok(old) => system::std_mode(&old).map(|mode| mode | 0o100),
        Err(_) => Some(0o755),
    }
}
