//! Operating system functions that differ between systems.
//!
//! `kernel` has a system call of Linux and macOS, `files` and `running` what Unix has and Windows lacks; each has a twin in
//! `portable`. On Linux, `.ci/cross-check` compiles them for macOS and Windows, and `.ci/windows` runs them under Wine.

// What each system does with files is this module's subject.
#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

#[cfg(unix)]
mod files;
mod held_open;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod kernel;
mod paths;
mod portable;
#[cfg(unix)]
mod running;

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
use portable::kernel;
#[cfg(not(unix))]
use portable::{files, running};

pub use files::*;
pub use held_open::is_held_open;
pub(crate) use held_open::patiently;
pub(crate) use kernel::rename_to_free;
pub(crate) use paths::join;
pub use paths::{find_program, find_shell, real_path, show_file};
pub use running::run_in_place;

/// The names of the console for reading and writing: the terminal itself, whatever the standard streams are.
pub const CONSOLE: [&str; 2] = if cfg!(windows) {
    ["CONIN$", "CONOUT$"]
} else {
    ["/dev/tty", "/dev/tty"]
};

/// Whether parent processes are visible in `/proc`.
pub const SHOWS_PROCESSES: bool = cfg!(target_os = "linux");

/// Whether a file has a time of its last change that no program can set.
pub(crate) const TELLS_CHANGES: bool = cfg!(unix);

/// Where Unix keeps temporary files.
const TEMPORARY: &[&str] = if cfg!(unix) {
    &["/tmp", "/var/tmp"]
} else {
    &[]
};

/// Below this, macOS gives each user a directory for temporary files.
const ABOVE_TEMPORARY: &str = "/var/folders";

/// The directories for temporary files of the system. What the environment names counts on Unix only below one of
/// them: the settings of an agent may choose it.
pub fn temporary_directories() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = TEMPORARY.iter().map(PathBuf::from).collect();
    if let Ok(named) = real_path(&std::env::temp_dir())
        && may_be_temporary(&named)
    {
        all.push(named);
    }
    all
}

fn may_be_temporary(directory: &Path) -> bool {
    let mut bases = TEMPORARY.iter().chain([&ABOVE_TEMPORARY]);
    let is_below_one =
        bases.any(|base| real_path(Path::new(base)).is_ok_and(|base| directory.starts_with(base)));
    cfg!(windows) || is_below_one
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On Windows, every user has such a directory of their own.
    #[test]
    fn what_the_environment_names_is_temporary_only_below_a_directory_of_the_system() {
        for base in TEMPORARY {
            let Ok(base) = real_path(Path::new(base)) else {
                continue;
            };
            assert!(may_be_temporary(&base) && may_be_temporary(&base.join("x")));
        }
        assert_eq!(may_be_temporary(Path::new("/")), cfg!(windows));
    }
}
