//! Reads files inside the boundary, refuses anything but regular files, and detects whether another program changed one.

use std::io::{self, Read};
use std::path::Path;

use cap_fs_ext::MetadataExt;
use cap_std::fs::{Dir, Metadata};
use gix::bstr::BStr;

use super::{Boundary, BoundaryError, BoundaryResult, cannot, open_to_read, os};
use crate::system;
use write_guard_policy::path::{PathFault, Reason};

/// A regular file as it was when opened.
#[derive(Debug, Clone)]
pub struct OpenedFile {
    /// Its bytes.
    pub content: Vec<u8>,
    /// The permission bits on Unix; `None` elsewhere.
    pub mode: Option<u32>,
    /// Whether its owner may write it.
    pub writable: bool,
}

impl OpenedFile {
    /// Whether its owner may execute it.
    pub fn is_executable(&self) -> bool {
        self.mode.is_some_and(|mode| mode & 0o100 != 0)
    }
}

impl Boundary {
    /// Reads a regular file with one name of at most `max` bytes; `None` if nothing exists.
    ///
    /// # Errors
    /// It is a link, directory, device, FIFO or socket; it has several names; it is too large; or a system error.
    pub fn read(&self, path: &BStr, max: u64) -> BoundaryResult<Option<OpenedFile>> {
        let failed = cannot("read", path);
        let (dir, name) = match self.parent(path) {
            Ok(parent) => parent,
            Err(BoundaryError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(self.refine(error, path)),
        };
        let name = os(name).map_err(failed)?;
        let mut file = match open_to_read(&dir, name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                // A link, a directory or a socket is refused; anything else is an error.
                let there = dir.symlink_metadata(name);
                there.map_or(Ok(()), |there| check_regular(&there, path))?;
                return Err(failed(error));
            }
        };
        let metadata = file.metadata().map_err(failed)?;
        check_regular(&metadata, path)?;
        let length = metadata.len();
        if length > max {
            let message = format!("it has {length} bytes, more than the limit of {max}");
            return Err(failed(io::Error::new(io::ErrorKind::FileTooLarge, message)));
        }
        let mut content = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        // The file may grow while it is read; bytes beyond the limit are unwanted anyway.
        let mut limited = Read::by_ref(&mut file).take(max.saturating_add(1));
        limited.read_to_end(&mut content).map_err(failed)?;
        Ok(Some(OpenedFile {
            content,
            mode: system::mode(&metadata),
            writable: !metadata.permissions().readonly(),
        }))
    }
}

impl Boundary {
    /// Turns the error of an impossible path into a refusal. Looks at what is there: systems and libraries give a link
    /// that is in the way different error codes.
    pub(super) fn refine(&self, error: BoundaryError, path: &BStr) -> BoundaryError {
        let BoundaryError::Io { source, .. } = &error else {
            return error;
        };
        let fault = if self.has_link_on_the_way(path) {
            PathFault::new(Reason::SymlinkEscape, "leads through a new symbolic link")
        } else if source.kind() == io::ErrorKind::NotADirectory {
            PathFault::new(Reason::NotADirectory, "is below a file")
        } else {
            return error;
        };
        fault.of(path).into()
    }
}

/// Refuses anything but a regular file with one name.
pub(super) fn check_regular(metadata: &Metadata, path: &BStr) -> BoundaryResult<()> {
    let fault = if metadata.is_dir() {
        PathFault::new(Reason::IsADirectory, "is a directory")
    } else if metadata.is_symlink() {
        PathFault::new(Reason::SymlinkEscape, "has become a symbolic link")
    } else if !metadata.is_file() {
        PathFault::new(Reason::NotARegularFile, "is not a regular file")
    } else if metadata.nlink() > 1 {
        PathFault::new(
            Reason::Hardlink,
            "has other hard links: they would change too, or keep the old content",
        )
    } else {
        return Ok(());
    };
    Err(fault.of(path).into())
}

/// Whether a name still is the regular file that was `before`, without other names.
///
/// # Errors
/// It cannot be read.
pub(super) fn is_still(dir: &Dir, name: &Path, before: &OpenedFile) -> io::Result<bool> {
    let file = match open_to_read(dir, name) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        // A link or a socket cannot be opened.
        Err(error) => {
            return match dir.symlink_metadata(name) {
                Ok(there) if !there.is_file() => Ok(false),
                _ => Err(error),
            };
        }
    };
    let there = file.metadata()?;
    if !there.is_file() || there.nlink() > 1 || system::mode(&there) != before.mode {
        return Ok(false);
    }
    let mut content = Vec::new();
    let limit = before.content.len() as u64 + 1;
    file.take(limit).read_to_end(&mut content)?;
    Ok(content == before.content)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use cap_std::ambient_authority;

    use super::*;
    use write_guard_testing::system::symlink;

    #[test]
    fn a_file_is_still_the_same_by_content_and_kind() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("a");
        fs::write(&file, "one").unwrap();
        let boundary = Boundary::open(temp.path()).unwrap();
        let before = boundary.read("a".into(), 100).unwrap().unwrap();
        let dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        let is_same = || is_still(&dir, "a".as_ref(), &before).unwrap();
        assert!(is_same());
        for content in ["", "on", "two", "one more"] {
            fs::write(&file, content).unwrap();
            assert!(!is_same(), "{content:?}");
        }
        fs::write(&file, "one").unwrap();
        assert!(is_same());
        fs::hard_link(&file, temp.path().join("b")).unwrap();
        assert!(!is_same(), "another name");
        fs::remove_file(&file).unwrap();
        assert!(!is_same(), "gone");
        fs::create_dir(&file).unwrap();
        assert!(!is_same(), "a directory");
        fs::remove_dir(&file).unwrap();
        symlink("b", &file).unwrap();
        assert!(!is_same(), "a link");
    }
}
