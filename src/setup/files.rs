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
    /// A regular file.
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
        // With `core.hooksPath=/dev/null`, the directory is a file.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(FileOnDisk::Nothing);
        }
        Err(error) => return Err(error),
    };
    Ok(if metadata.is_symlink() {
        FileOnDisk::Link
    } else if metadata.is_file() {
        FileOnDisk::File {
            content: fs::read(path)?,
            executable: system::std_mode(&metadata).is_none_or(|mode| mode & 0o100 != 0),
        }
    } else {
        FileOnDisk::Other
    })
}

/// The text of a file below `root`, if it exists; or why guard does not touch it.
pub fn text(root: &Path, file: &Path) -> Result<Option<String>, String> {
    if is_behind_link(root, file) {
        return Err("it is behind a link".to_owned());
    }
    match look(file) {
        Ok(FileOnDisk::Nothing) => Ok(None),
        Ok(FileOnDisk::File { content, .. }) => match String::from_utf8(content) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err("it is not UTF-8".to_owned()),
        },
        Ok(_) => Err("it is a link or a special file".to_owned()),
        Err(error) => Err(format!("it cannot be read: {error}")),
    }
}

/// Whether a directory on the way to a file below `root` is a symbolic link, which may lead elsewhere.
pub fn is_behind_link(root: &Path, file: &Path) -> bool {
    let mut above = file.ancestors().skip(1);
    above
        .any(|directory| directory != root && directory.starts_with(root) && directory.is_symlink())
}

/// Replaces a file in one step and keeps its mode. Creates parent directories. What begins as a script becomes
/// executable for its owner, a new one for all.
///
/// # Errors
/// The directory cannot be written.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    fs::create_dir_all(disk::directory_of(path))?;
    let is_script = content.starts_with(b"#!");
    let old = fs::metadata(path).ok();
    let mode = match old.map(|old| system::std_mode(&old)) {
        Some(mode) => mode.map(|mode| if is_script { mode | 0o100 } else { mode }),
        None => is_script.then_some(0o755),
    };
    disk::replace(path, content, mode)
}

/// Writes a file that must not exist yet, with its parent directories.
///
/// # Errors
/// It exists already, or cannot be written. No partial file remains.
pub fn create(path: &Path, content: &[u8]) -> io::Result<()> {
    fs::create_dir_all(disk::directory_of(path))?;
    let mut file = File::create_new(path)?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}
