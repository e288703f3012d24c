//! Turns file names given by users or programs into repository paths.

use std::path::{Path, PathBuf};

use gix::bstr::BString;

use crate::boundary::{bytes, from_real_root};
use crate::error::{Error, Result};
use crate::git::{Repository, show_file};
use crate::path::normalize_request;
use crate::system;

/// The repository path of a file given relative to the current directory.
///
/// # Errors
/// The file is outside the work tree or not a valid path.
pub(super) fn in_repository(repo: &Repository, file: &Path) -> Result<BString> {
    let outside = |why: String| {
        Error::new(format!("{} cannot be the design: {why}", show_file(file)))
            .help("name a Markdown file inside the repository")
    };
    let root = canonical(repo.workdir()?).map_err(outside)?;
    let here = std::env::current_dir().map_err(|error| outside(error.to_string()))?;
    let here = canonical(&here).map_err(outside)?;
    let absolute = from_real_root(&root, &here.join(file));
    normalize_request(&bytes(&root), &bytes(&absolute), system::PLATFORM)
        .map_err(|rejection| outside(rejection.message))
}

pub(super) fn canonical(path: &Path) -> Result<PathBuf, String> {
    path.canonicalize()
        .map_err(|error| format!("{}: {error}", show_file(path)))
}
