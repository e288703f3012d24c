//! Where git looks for hooks.

use std::path::{Path, PathBuf};

use super::Repository;
use crate::boundary::absolute;
use crate::error::Result;

/// The directory of the hooks that git runs here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HooksDirectory {
    /// Absolute; it need not exist.
    pub path: PathBuf,
    /// Whether `core.hooksPath` names it.
    pub configured: bool,
}

impl Repository {
    /// `core.hooksPath`, relative to where git runs hooks, else `hooks` in the common git directory.
    ///
    /// # Errors
    /// `core.hooksPath` cannot be read as a path.
    pub(crate) fn hooks_directory(&self) -> Result<HooksDirectory> {
        Ok(match self.config_path("core.hooksPath")? {
            Some(path) => HooksDirectory {
                path,
                configured: true,
            },
            None => HooksDirectory {
                path: absolute(self.common_dir()).join("hooks"),
                configured: false,
            },
        })
    }

    /// The git directory that all work trees share.
    pub(crate) fn common_dir(&self) -> &Path {
        self.repo.common_dir()
    }
}
