//! The forms of Unix.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::chown;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// A name of these bytes; `None` where names must be text.
pub fn name(bytes: Vec<u8>) -> Option<OsString> {
    Some(OsString::from_vec(bytes))
}

/// Makes a socket.
#[track_caller]
pub fn socket(at: impl AsRef<Path>) {
    drop(UnixListener::bind(at).unwrap());
}

/// Makes a FIFO.
#[track_caller]
pub fn fifo(at: impl AsRef<Path>) {
    let made = Command::new("mkfifo").arg(at.as_ref()).status().unwrap();
    assert!(made.success(), "mkfifo failed");
}

/// Swaps two names in one step.
#[track_caller]
pub fn exchange(one: &Path, other: &Path) {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
}

/// Makes this user the owner; only root may.
pub fn give_to(path: &Path, user: u32) -> io::Result<()> {
    chown(path, Some(user), Some(user))
}

/// Lets this user run the command.
pub fn run_as(command: &mut Command, user: u32) -> &mut Command {
    command.uid(user).gid(user)
}

/// Hides the name of a program's file from the program.
pub fn call_it(command: &mut Command, name: &str) {
    command.arg0(name);
}

/// The system's Python; one on `PATH` may need the caller's home directory.
pub fn python() -> Option<PathBuf> {
    let mut pythons = ["/usr/bin/python3", "/usr/local/bin/python3"].into_iter();
    let there = pythons.find(|python| Path::new(python).exists());
    there.map(PathBuf::from)
}
