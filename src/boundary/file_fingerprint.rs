//! The state of a file, to detect whether another program changed it.

use std::io::{self, Read};
use std::path::Path;

use cap_fs_ext::MetadataExt;
use cap_std::fs::Dir;
use gix::ObjectId;
use gix::hash::{Kind, hasher};

use super::{OpenedFile, open_to_read};
use crate::system;

/// The state of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileFingerprint {
    Nothing,
    /// A regular file with one name: the SHA-256 of its content, and its permission bits.
    File {
        digest: ObjectId,
        mode: Option<u32>,
    },
    /// A link, a directory, or a file with several names, whose content is not lost with this name.
    Other {
        inode: u64,
    },
}

impl FileFingerprint {
    /// From what was read before.
    pub(super) fn of(entry: &OpenedFile) -> io::Result<FileFingerprint> {
        Ok(FileFingerprint::File {
            digest: digest(entry.content.as_slice())?,
            mode: entry.mode,
        })
    }

    /// From what is there now, of any size.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn at(dir: &Dir, name: &Path) -> io::Result<FileFingerprint> {
        let file = match open_to_read(dir, name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(FileFingerprint::Nothing);
            }
            // A link or a socket cannot be opened.
            Err(error) => {
                return match dir.symlink_metadata(name) {
                    Ok(there) if !there.is_file() => {
                        Ok(FileFingerprint::Other { inode: there.ino() })
                    }
                    _ => Err(error),
                };
            }
        };
        let there = file.metadata()?;
        if !there.is_file() || there.nlink() > 1 {
            return Ok(FileFingerprint::Other { inode: there.ino() });
        }
        Ok(FileFingerprint::File {
            digest: digest(file)?,
            mode: system::mode(&there),
        })
    }
}

fn digest(mut content: impl Read) -> io::Result<ObjectId> {
    let mut hasher = hasher(Kind::Sha256);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match content.read(&mut buffer) {
            Ok(0) => return hasher.try_finalize().map_err(io::Error::other),
            Ok(length) => hasher.update(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
