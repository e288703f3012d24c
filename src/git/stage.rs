//! Stages one file with git itself, which knows the filters, the split index and the locks of the repository.

use std::process::{Command, Stdio};

use gix::bstr::{BStr, ByteSlice};

use super::Repository;
use crate::error::{Error, Result};
use crate::path::{escaped, shell_word};

impl Repository {
    /// Stages the file at `path` as it is in the work tree, and nothing else.
    ///
    /// # Errors
    /// git is not there, or refuses.
    pub(crate) fn stage_file(&self, path: &BStr) -> Result<()> {
        let failed = |why: String| {
            Error::new(format!("{} cannot be staged: {why}", escaped(path)))
                .help(format!("stage it: git add -- {}", shell_word(path)))
        };
        let name = gix::path::from_bstr(path).map_err(|error| failed(error.to_string()))?;
        let output = Command::new("git")
            .args(["--literal-pathspecs", "add", "--"])
            .arg(name.as_ref())
            .current_dir(self.workdir()?)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| failed(format!("git cannot be started: {error}")))?;
        if output.status.success() {
            return Ok(());
        }
        let told = output.stderr.trim().to_str_lossy().into_owned();
        let last = told.lines().next_back().unwrap_or_default();
        Err(failed(escaped(last).to_string()))
    }
}
