//! A system call that Linux and macOS have.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use rustix::fs::{RenameFlags, renameat_with};
use rustix::io::Errno;

/// Renames atomically unless the new name exists. `None` if the system or file system cannot.
pub(crate) fn rename_to_free(
    old_dir: &Dir,
    old: &Path,
    new_dir: &Dir,
    new: &Path,
) -> Option<io::Result<()>> {
    match renameat_with(old_dir, old, new_dir, new, RenameFlags::NOREPLACE) {
        Err(error) if is_lacking(error) => None,
        result => Some(result.map_err(io::Error::from)),
    }
}

/// Whether an error means that the system or file system lacks the feature. A seccomp filter reports "not permitted";
/// if that is about the files, the fallback reports it, too.
fn is_lacking(error: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::PERM].contains(&error)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_a_lacking_call_leaves_the_rename_to_the_fallback() {
        for (error, expected) in [
            (Errno::INVAL, true),
            (Errno::NOSYS, true),
            (Errno::NOTSUP, true),
            (Errno::PERM, true),
            (Errno::EXIST, false),
            (Errno::NOENT, false),
            (Errno::ACCESS, false),
        ] {
            assert_eq!(is_lacking(error), expected, "{error}");
        }
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(temp.path(), cap_std::ambient_authority()).unwrap();
        let result = rename_to_free(&dir, "none".as_ref(), &dir, "new".as_ref());
        assert_eq!(result.unwrap().unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
