//! Operating system functions that differ between systems.
//!
//! This is the only module with system-dependent code. `kernel` has system calls of Linux, `files` functions that
//! Unix has and Windows lacks; each has a twin in `portable`. Two flags build the twins on Linux, so that every change
//! compiles and tests them: `guard_portable` (as on macOS) and `guard_no_unix` (as on Windows). See `.ci/run`.

// What each system does with files is this module's subject.
#![allow(clippy::disallowed_methods)]

#[cfg(all(unix, not(guard_no_unix)))]
mod files;
#[cfg(all(target_os = "linux", not(guard_portable)))]
mod kernel;
mod portable;

#[cfg(not(all(unix, not(guard_no_unix))))]
use portable::files;
#[cfg(not(all(target_os = "linux", not(guard_portable))))]
use portable::kernel;

use std::io;

use write_guard_policy::path::Platform;

pub use files::*;
pub use kernel::*;

/// The names of the console for reading and writing: the terminal itself, whatever the standard streams are.
pub const CONSOLE: [&str; 2] = if cfg!(windows) {
    ["CONIN$", "CONOUT$"]
} else {
    ["/dev/tty", "/dev/tty"]
};

/// The platform of this build.
pub const PLATFORM: Platform = if cfg!(windows) {
    Platform::Windows
} else {
    Platform::Unix
};

/// The error code for an unexpected symbolic link: `ELOOP`.
#[cfg(unix)]
const LINK_MET: i32 = rustix::io::Errno::LOOP.raw_os_error();
/// `ERROR_TOO_MANY_LINKS`, which cap-std returns on Windows.
#[cfg(not(unix))]
const LINK_MET: i32 = 1142;

/// Whether opening failed because of a symbolic link.
pub(crate) fn is_link_met(error: &io::Error) -> bool {
    error.raw_os_error() == Some(LINK_MET)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
    use cap_std::ambient_authority;
    use cap_std::fs::{Dir, OpenOptions};

    use super::*;

    /// `.ci/run` says which system it builds for; without it, any will do.
    #[test]
    fn the_flags_select_the_portable_branches() {
        let Some(like) = std::env::var_os("GUARD_LIKE") else {
            return;
        };
        let expected = match like.to_str() {
            Some("macos") => (false, true),
            Some("windows") => (false, false),
            other => panic!("GUARD_LIKE={other:?}"),
        };
        assert_eq!((SHOWS_PROCESSES, HAS_MODES), expected);
    }

    #[test]
    fn unexpected_link_is_recognised() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("file"), "").unwrap();
        let root = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        let met = |name: &str| {
            let mut options = OpenOptions::new();
            options.read(true).follow(FollowSymlinks::No);
            let error = root.open_with(name, &options).err();
            error.map(|error| is_link_met(&error))
        };
        assert_eq!((met("file"), met("none")), (None, Some(false)));
        // Windows lets only some accounts create links.
        if root.symlink_file("file", "link").is_ok() {
            assert_eq!(met("link"), Some(true));
        }
    }
}
