//! Lists directories inside the boundary: files of any kind, with any number of names.

use std::io;
use std::path::Path;

use cap_std::fs::{Dir, Metadata};
use gix::bstr::{BStr, BString};

use super::{Boundary, bytes, os};

/// An open directory, which is no link.
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
}
