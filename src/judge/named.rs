//! Designs that a person named, as paths in the repository.

use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice};

use crate::error::{Error, Result};
use crate::git::{Repository, show_file};
use crate::path::{Platform, normalize_request};

/// The path in the repository of a file named relative to the current directory.
///
/// # Errors
/// It is not inside the work tree, or cannot be a path there.
pub(super) fn in_repository(repo: &Repository, file: &Path) -> Result<BString> {
    let outside = |why: String| {
        Error::new(format!("{} cannot be the design: {why}", show_file(file)))
            .help("name a Markdown file inside the repository")
    };
    let root = canonical(repo.workdir()?).map_err(&outside)?;
    let here = std::env::current_dir().map_err(|error| outside(error.to_string()))?;
    let here = canonical(&here).map_err(&outside)?;
    let absolute = here.join(file);
    let platform = Platform::host();
    normalize_request(&bytes(&root), &bytes(&absolute), platform)
        .map_err(|rejection| outside(rejection.message))
}

pub(super) fn canonical(path: &Path) -> Result<PathBuf, String> {
    path.canonicalize()
        .map_err(|error| format!("{}: {error}", show_file(path)))
}

/// The bytes of a path; on systems whose names are not bytes, as UTF-8 with what has none replaced, which the
/// path rules then refuse.
pub(super) fn bytes(path: &Path) -> Vec<u8> {
    gix::path::os_str_into_bstr(path.as_os_str()).map_or_else(
        |_| path.to_string_lossy().into_owned().into_bytes(),
        |name| name.as_bytes().to_vec(),
    )
}
