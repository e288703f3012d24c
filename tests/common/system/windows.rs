//! The forms of Windows.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A name of these bytes; `None` where names must be text.
pub fn name(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

#[track_caller]
pub fn socket(at: impl AsRef<Path>) {
    panic!(
        "Windows has no sockets in directories: {}",
        at.as_ref().display()
    );
}

#[track_caller]
pub fn fifo(at: impl AsRef<Path>) {
    panic!(
        "Windows has no FIFOs in directories: {}",
        at.as_ref().display()
    );
}

#[track_caller]
pub fn exchange(one: &Path, other: &Path) {
    let (one, other) = (one.display(), other.display());
    panic!("Windows cannot swap two names in one step: {one} and {other}");
}

pub fn give_to(path: &Path, user: u32) -> io::Result<()> {
    let path = path.display();
    let why = format!("Windows has no user {user} to whom {path} could belong");
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}

#[track_caller]
pub fn run_as(command: &mut Command, user: u32) -> &mut Command {
    panic!("Windows needs the password of user {user} for {command:?}");
}

/// Windows always tells a program the name of its file.
pub fn call_it(_: &mut Command, _: &str) {}

/// The Python on `PATH`.
pub fn python() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut pythons = std::env::split_paths(&path).map(|place| place.join("python.exe"));
    pythons.find(|python| python.is_file())
}
