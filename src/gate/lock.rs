//! One writer at a time: between looking at a file and putting the new one in its place nobody else may write.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::{Failure, FailureKind};
use crate::disk;

/// The lock of a repository's file operations.
#[derive(Debug, Clone)]
pub(super) struct Lock {
    path: PathBuf,
}

impl Lock {
    /// The lock below a git common directory. Nothing is created before it is first taken.
    pub(super) fn new(common_dir: &Path) -> Lock {
        Lock {
            path: common_dir.join("guard").join("write.lock"),
        }
    }

    /// Waits until nobody else writes. Released when the handle is dropped, also by a crash.
    pub(super) fn take(&self) -> Result<File, Failure> {
        let take = || {
            let file = disk::open_private_append(&self.path)?;
            file.lock()?;
            Ok(file)
        };
        take().map_err(|error: std::io::Error| {
            Failure::new(
                FailureKind::Record,
                format!("the workspace cannot be locked for writing: {error}"),
            )
            .help("nothing was written; the git directory has to be writable")
        })
    }
}
