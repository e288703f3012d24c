//! Links and permission bits, in the form that each system has.

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    pub use std::os::unix::fs::symlink;

    /// The permission bits of a file.
    #[track_caller]
    pub fn mode(path: impl AsRef<Path>) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode()
    }

    /// Gives a file these permission bits.
    #[track_caller]
    pub fn set_mode(path: impl AsRef<Path>, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

#[cfg(windows)]
mod windows {
    use std::fs;
    use std::io;
    use std::os::windows::fs::{symlink_dir, symlink_file};
    use std::path::Path;

    /// The bit by which the owner may write, the only one that Windows has.
    const MAY_WRITE: u32 = 0o200;

    /// Makes a link to a file or a directory, whichever is there now: Windows has a kind of link for each.
    pub fn symlink(target: impl AsRef<Path>, at: impl AsRef<Path>) -> io::Result<()> {
        let target = target.as_ref();
        let at = at.as_ref();
        let made = if at.parent().unwrap().join(target).is_dir() {
            symlink_dir(target, at)
        } else {
            symlink_file(target, at)
        };
        made.map_err(|error| {
            let who = "Windows lets administrators make links, and others in developer mode";
            io::Error::new(error.kind(), format!("{}: {error}; {who}", at.display()))
        })
    }

    /// The permission bits that a file would have: all may read it, and the owner may write it unless it is read-only.
    #[track_caller]
    pub fn mode(path: impl AsRef<Path>) -> u32 {
        let is_read_only = fs::symlink_metadata(path).unwrap().permissions().readonly();
        0o444 | if is_read_only { 0 } else { MAY_WRITE }
    }

    /// Makes a file read-only, or not. Windows lacks the other bits.
    #[track_caller]
    pub fn set_mode(path: impl AsRef<Path>, mode: u32) {
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(mode & MAY_WRITE == 0);
        fs::set_permissions(path, permissions).unwrap();
    }
}

#[cfg(unix)]
pub use unix::{mode, set_mode, symlink};
#[cfg(windows)]
pub use windows::{mode, set_mode, symlink};
