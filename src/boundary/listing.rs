//! Lists directories inside the boundary as git sees a work tree: files of any kind, with any number of names.

use std::io::{self, Read};
use std::path::Path;

use cap_std::fs::{Dir, Metadata};
use gix::bstr::{BStr, BString};

use super::{Boundary, bytes, open_to_read, os};

/// An open directory. It follows no links and opens only regular files.
pub struct Listing {
    dir: Dir,
}

impl Boundary {
    /// Opens a directory; empty for the root.
    ///
    /// # Errors
    /// It is not a directory, is behind a link, or a system error.
    pub fn list(&self, path: &BStr) -> io::Result<Listing> {
        self.directory(path).map(|dir| Listing { dir })
    }
}

impl Listing {
    /// The names in it, sorted.
    ///
    /// # Errors
    /// An error of the system.
    pub fn names(&self) -> io::Result<Vec<BString>> {
        let mut names = Vec::new();
        for entry in self.dir.entries()? {
            names.push(bytes(Path::new(&entry?.file_name())).into());
        }
        names.sort();
        Ok(names)
    }

    /// The metadata of `name`; `None` if it does not exist.
    ///
    /// # Errors
    /// An error of the system.
    pub fn metadata(&self, name: &BStr) -> io::Result<Option<Metadata>> {
        match self.dir.symlink_metadata(os(name)?) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The bytes of a regular file.
    ///
    /// # Errors
    /// It is not a regular file, has more than `max` bytes ([`io::ErrorKind::FileTooLarge`]), or a system error.
    pub fn read(&self, name: &BStr, max: u64) -> io::Result<Vec<u8>> {
        let file = open_to_read(&self.dir, os(name)?)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is no longer a regular file"));
        }
        let too_large = || Err(io::ErrorKind::FileTooLarge.into());
        if metadata.len() > max {
            return too_large();
        }
        let mut content = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
        // The file may grow while it is read.
        file.take(max.saturating_add(1)).read_to_end(&mut content)?;
        match u64::try_from(content.len()) {
            Ok(length) if length <= max => Ok(content),
            _ => too_large(),
        }
    }

    /// The target of a link, as written.
    ///
    /// # Errors
    /// It is not a link, or a system error.
    pub fn link_target(&self, name: &BStr) -> io::Result<Vec<u8>> {
        self.dir
            .read_link_contents(os(name)?)
            .map(|target| bytes(&target))
    }
}
