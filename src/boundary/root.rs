//! Spellings of the workspace root.

use std::path::{Component, Path, PathBuf};

use gix::bstr::ByteSlice;

/// Rewrites an absolute path that reaches the workspace through links above it (such as `/tmp/work` on macOS) to
/// start at the real root. Other paths stay unchanged.
pub(crate) fn from_real_root(root: &Path, path: &Path) -> PathBuf {
    // The result depends on the process.
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

/// The bytes of a path. On systems whose names are not bytes, it is converted to UTF-8 with replacement characters,
/// which the path rules refuse.
pub(crate) fn bytes(path: &Path) -> Vec<u8> {
    gix::path::os_str_into_bstr(path.as_os_str()).map_or_else(
        |_| path.to_string_lossy().into_owned().into_bytes(),
        |name| name.as_bytes().to_vec(),
    )
}

/// A directory of this repository without links and `..`.
pub(crate) fn absolute(directory: &Path) -> PathBuf {
    directory
        .canonicalize()
        .unwrap_or_else(|_| directory.to_owned())
}
