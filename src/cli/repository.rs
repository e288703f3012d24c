//! The repository that a command is about.

use crate::error::Result;
use crate::files;
use crate::git::Repository;
use crate::judge::Options;

/// Adds the approvals of this repository, which count for local commits.
pub(super) fn with_approvals(repo: &Repository, options: Options) -> Result<Options> {
    Ok(Options {
        approvals: files::approvals(repo).map_err(files::Failure::into_error)?,
        ..options
    })
}

/// The repository of the current directory.
pub(super) fn repository() -> Result<Repository> {
    Repository::open(".".as_ref())
}
