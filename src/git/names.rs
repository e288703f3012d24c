//! The branches and files of a repository, for `guard init`.

use std::process::Command;

use gix::bstr::{BString, ByteSlice};

use super::{Repository, failed};
use crate::error::{Error, Result};
use crate::path::escaped;

impl Repository {
    /// The short names of local branches.
    ///
    /// # Errors
    /// The refs cannot be read.
    pub(crate) fn local_branches(&self) -> Result<Vec<BString>> {
        let prefix = "refs/heads/";
        let unreadable = failed("the refs cannot be read");
        let platform = self.repo.references().map_err(&unreadable)?;
        let found = platform.prefixed(prefix).map_err(&unreadable)?;
        found
            .map(|reference| {
                let reference = reference.map_err(&unreadable)?;
                let name = reference.name().as_bstr();
                Ok(BString::from(
                    name.strip_prefix(prefix.as_bytes()).unwrap_or(name),
                ))
            })
            .collect()
    }

    /// The paths of the files that git tracks, or would add.
    ///
    /// # Errors
    /// git is not there, or fails.
    pub(crate) fn listed_files(&self) -> Result<Vec<BString>> {
        let output = Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(self.workdir()?)
            .output()
            .map_err(|error| Error::new(format!("git cannot be started: {error}")))?;
        if !output.status.success() {
            let told = escaped(output.stderr.trim().as_bstr()).to_string();
            return Err(Error::new(format!("git cannot list the files: {told}")));
        }
        let paths = output
            .stdout
            .split_str("\0")
            .filter(|path| !path.is_empty());
        Ok(paths.map(BString::from).collect())
    }

    /// The default branch of the remote `origin`, from `origin/HEAD`.
    pub(crate) fn default_branch_of_origin(&self) -> Option<BString> {
        let name = self.points_to("refs/remotes/origin/HEAD")?;
        Some(name.strip_prefix(b"refs/remotes/origin/")?.into())
    }
}
