//! Operating system functions that differ between systems.
//!
//! `kernel` has a system call of Linux and macOS, `files` functions that Unix has and Windows lacks; each has a twin in
//! `portable`. Two flags build the twins on Linux, so that every change compiles and tests them: `guard_portable` and
//! `guard_no_unix` (as on Windows). See `.ci/long`.

// What each system does with files is this module's subject.
#![allow(clippy::disallowed_methods)]

#[cfg(all(unix, not(guard_no_unix)))]
mod files;
mod held_open;
#[cfg(all(any(target_os = "linux", target_vendor = "apple"), not(guard_portable)))]
mod kernel;
mod paths;
mod portable;

#[cfg(not(all(unix, not(guard_no_unix))))]
use portable::files;
#[cfg(not(all(any(target_os = "linux", target_vendor = "apple"), not(guard_portable))))]
use portable::kernel;

pub use files::*;
pub use held_open::is_held_open;
pub(crate) use held_open::patiently;
pub(crate) use kernel::rename_to_free;
pub(crate) use paths::join;
pub use paths::{find_program, find_shell, real_path, show_file};

/// The names of the console for reading and writing: the terminal itself, whatever the standard streams are.
pub const CONSOLE: [&str; 2] = if cfg!(windows) {
    ["CONIN$", "CONOUT$"]
} else {
    ["/dev/tty", "/dev/tty"]
};

/// Whether parent processes are visible in `/proc`.
pub const SHOWS_PROCESSES: bool = cfg!(all(target_os = "linux", not(guard_portable)));

#[cfg(test)]
mod tests {
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
}
