//! Reads files inside the boundary, refuses anything but regular files, and detects whether another program changed one.

use std::io::{self, Read};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use cap_fs_ext::MetadataExt;
use cap_std::fs::{Dir, File, Metadata};
use gix::ObjectId;
use gix::bstr::BStr;
use gix::hash;

use super::{Boundary, BoundaryError, BoundaryResult, cannot, open_to_read, os};
use crate::path::{PathFault, Reason};
use crate::{disk, system};

/// How long a file must be unmodified to count as complete. A program that saves in place truncates the file first.
const QUIET: Duration = Duration::from_millis(20);
/// The same for an empty file, which is more often incomplete than intended.
const QUIET_EMPTY: Duration = Duration::from_millis(300);
/// After this, a file that changes all the time is read as it is.
const PATIENCE: Duration = Duration::from_secs(1);

/// A regular file as it was when opened.
#[derive(Debug, Clone)]
pub struct OpenedFile {
    /// Its bytes.
    pub content: Vec<u8>,
    /// The permission bits on Unix; `None` elsewhere.
    pub mode: Option<u32>,
    /// Whether its owner may write it.
    pub writable: bool,
    /// When it was last written, if the system says so.
    pub modified: Option<SystemTime>,
}

impl OpenedFile {
    /// The content, and whether its owner may execute it.
    pub fn as_git_has_it(&self) -> (&[u8], bool) {
        let is_executable = self.mode.is_some_and(|mode| mode & 0o100 != 0);
        (&self.content, is_executable)
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
            Err(error) => return Err(refine(error, path)),
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
            modified: metadata.modified().ok().map(|time| time.into_std()),
        }))
    }

    /// Like [`Boundary::read`], but waits briefly if the file was just written.
    ///
    /// # Errors
    /// As for [`Boundary::read`].
    pub fn read_stable(&self, path: &BStr, max: u64) -> BoundaryResult<Option<OpenedFile>> {
        let begun = Instant::now();
        loop {
            let entry = self.read(path, max)?;
            let Some(wait) = entry.as_ref().and_then(not_quiet_for) else {
                return Ok(entry);
            };
            if begun.elapsed() >= PATIENCE {
                return Ok(entry);
            }
            thread::sleep(wait.min(QUIET));
        }
    }

    /// Syncs a file that another process wrote, and its name, to disk. Systems without mode bits sync only files that
    /// are open for writing.
    ///
    /// # Errors
    /// As for [`Boundary::remove`].
    pub fn make_durable(&self, path: &BStr) -> BoundaryResult<()> {
        self.with_mode(path, "sync to disk", |dir, file, _| {
            file.sync_all()?;
            disk::sync(dir)
        })
    }

    /// Makes a regular file executable for everyone who may read it, as git does on checkout. Does nothing on systems
    /// without mode bits.
    ///
    /// # Errors
    /// As for [`Boundary::remove`].
    pub fn make_executable(&self, path: &BStr) -> BoundaryResult<()> {
        self.with_mode(path, "make executable:", |_, file, mode| {
            system::set_mode(file, mode | (mode & 0o444) >> 2)?;
            file.sync_all()
        })
    }

    /// Opens a regular file that has mode bits.
    fn with_mode(
        &self,
        path: &BStr,
        what: &str,
        work: impl FnOnce(&Dir, &File, u32) -> io::Result<()>,
    ) -> BoundaryResult<()> {
        let failed = cannot(what, path);
        let (dir, name) = self.parent(path)?;
        let file = os(name).and_then(|name| open_to_read(&dir, name));
        let file = file.map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        check_regular(&metadata, path)?;
        let mode = system::mode(&metadata);
        mode.map_or(Ok(()), |mode| work(&dir, &file, mode))
            .map_err(failed)
    }
}

/// How long until the file has been unmodified for long enough; `None` if it has.
fn not_quiet_for(entry: &OpenedFile) -> Option<Duration> {
    let quiet = match entry.content.is_empty() {
        true => QUIET_EMPTY,
        false => QUIET,
    };
    // A time in the future says nothing.
    let age = entry.modified?.elapsed().ok()?;
    quiet.checked_sub(age).filter(|wait| !wait.is_zero())
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

/// Turns an impossible path into a refusal.
pub(super) fn refine(error: BoundaryError, path: &BStr) -> BoundaryError {
    let BoundaryError::Io { source, .. } = &error else {
        return error;
    };
    let fault = if system::is_link_met(source) {
        PathFault::new(Reason::SymlinkEscape, "leads through a new symbolic link")
    } else if source.kind() == io::ErrorKind::NotADirectory {
        PathFault::new(Reason::NotADirectory, "is below a file")
    } else {
        return error;
    };
    fault.of(path).into()
}

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
    let mut hashing = hash::io::Write::new(io::sink(), hash::Kind::Sha256);
    io::copy(&mut content, &mut hashing)?;
    hashing.hash.try_finalize().map_err(io::Error::other)
}
