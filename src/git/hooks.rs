//! The directory where git looks for hooks.

use std::path::{Path, PathBuf};

use super::Repository;
use crate::boundary::absolute;
use crate::error::Result;

/// The directory of git hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HooksDirectory {
    /// An absolute path; it may not exist.
    pub path: PathBuf,
    /// Whether `core.hooksPath` is set.
    pub configured: bool,
}

impl Repository {
    /// `core.hooksPath`, relative to where git runs hooks; otherwise `hooks` in the common git directory.
    ///
    /// # Errors
    /// `core.hooksPath` is not a valid path.
    pub(crate) fn hooks_directory(&self) -> Result<HooksDirectory> {
        let configured = self.config_path("core.hooksPath")?;
        Ok(HooksDirectory {
            configured: configured.is_some(),
            path: configured.unwrap_or_else(|| absolute(self.common_dir()).join("hooks")),
        })
    }

    /// The git directory that all work trees share.
    pub(crate) fn common_dir(&self) -> &Path {
        self.repo.common_dir()
    }
}
