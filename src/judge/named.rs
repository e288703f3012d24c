//! Files that a person or a program named, as paths in the repository.

use std::path::{Component, Path, PathBuf};

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
    let absolute = from_real_root(&root, &here.join(file));
    let platform = Platform::host();
    normalize_request(&bytes(&root), &bytes(&absolute), platform)
        .map_err(|rejection| outside(rejection.message))
}

/// An absolute path that reaches the workspace over links above it (as `/tmp/work` on macOS), spelled from the
/// real root. Any other path comes back as it is, to be judged as it is.
pub(super) fn from_real_root(root: &Path, path: &Path) -> PathBuf {
    // What these hold depends on which process looks.
    let depends = path.starts_with("/proc") || path.starts_with("/dev");
    if !path.is_absolute() || path.starts_with(root) || depends {
        return path.to_owned();
    }
    let mut above = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            break;
        }
        above.push(component);
        if let Ok(below) = path.strip_prefix(&above)
            && above.canonicalize().is_ok_and(|real| real == root)
        {
            let mut real = root.join(below);
            if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
                real.push("");
            }
            return real;
        }
    }
    path.to_owned()
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
