//! What systems do in different ways: links, modes, names, files of other kinds and users. Each function has a form for
//! every system. Where a system lacks the thing, the function fails with a sentence that says so; a test that needs it
//! is ignored there, with the reason.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::SOURCE;

#[allow(
    unused_imports,
    reason = "every test target uses its own part of the harness"
)]
pub use write_guard_testing::system::{mode, set_mode, symlink};

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

/// Whether files have permission bits here.
pub const HAS_MODES: bool = cfg!(unix);

/// The variables that name the directory for temporary files; each system reads its own.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// What reaches git and guard from the caller's environment: the programs, the directory for temporary files, what
/// programs of Windows need to start, and where a measured program writes its coverage.
pub const KEPT: [&str; 6] = [
    "PATH",
    "TMPDIR",
    "TMP",
    "TEMP",
    "SYSTEMROOT",
    "LLVM_PROFILE_FILE",
];

/// The variables that name this directory for temporary files.
pub fn temporary_in(directory: &Path) -> [(&'static str, &Path); 3] {
    TEMPORARY.map(|name| (name, directory))
}

/// Gives a program another directory for temporary files.
pub fn set_temporary(command: &mut Command, directory: impl AsRef<Path>) -> &mut Command {
    command.envs(temporary_in(directory.as_ref()))
}

/// A path as a shell reads it without quotes. Windows has a shell of git, for which a backslash is no separator.
pub fn in_shell(path: impl AsRef<Path>) -> String {
    let path = path.as_ref().display().to_string();
    if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path
    }
}

/// The address of a file or directory, without blanks in its name.
pub fn address(path: impl AsRef<Path>) -> String {
    let path = in_shell(path);
    // On Windows a path begins with the letter of its drive.
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{path}")
}

/// A path without links, spelled as programs of this system take it: Windows answers `\\?\C:\...`, which git does not
/// know.
#[track_caller]
pub fn real(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref().canonicalize().unwrap();
    if !cfg!(windows) {
        return path;
    }
    let text = path.to_str().unwrap();
    let plain = text.strip_prefix(r"\\?\").unwrap_or(text);
    match plain.strip_prefix(r"UNC\") {
        Some(share) => format!(r"\\{share}").into(),
        None => plain.into(),
    }
}

/// A program of the virtual environment that `tests/run` makes.
pub fn venv_program(name: &str) -> PathBuf {
    let directory = if cfg!(windows) { "Scripts" } else { "bin" };
    let venv = Path::new(SOURCE).join("target/venv").join(directory);
    venv.join(format!("{name}{EXE_SUFFIX}"))
}

/// `PATH` with this directory before the caller's.
pub fn path_beginning_with(directory: impl AsRef<Path>) -> OsString {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let first = directory.as_ref().to_owned();
    std::env::join_paths(std::iter::once(first).chain(std::env::split_paths(&rest))).unwrap()
}
