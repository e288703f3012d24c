//! Calls that only Linux has.

use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use cap_std::fs::{Dir, File};
use gix::bstr::{BStr, ByteSlice};
use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RenameFlags, ResolveFlags, linkat, openat, openat2, renameat_with,
};
use rustix::io::Errno;

/// Whether [`open_beneath`] exists.
#[cfg(test)]
pub(crate) const HAS_BENEATH: bool = true;

/// Whether the processes above this one can be seen, below `/proc`.
pub(crate) const SHOWS_PROCESSES: bool = true;

const CONTAINED: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS);

/// Opens a directory below `root` in one call: the kernel follows no link and leaves `root` at no point. `None` where
/// the system has no such call.
pub(crate) fn open_beneath(root: &Dir, path: &BStr) -> Option<io::Result<Dir>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    loop {
        match openat2(root, path.as_bytes(), flags, Mode::empty(), CONTAINED) {
            Ok(fd) => return Some(Ok(Dir::from_std_file(fd.into()))),
            // The kernel saw a rename and could not decide: ask again.
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Some(Err(error.into())),
        }
    }
}

/// Whether the kernel has the call (Linux 5.6, and no filter that forbids it).
pub(crate) fn can_open_beneath() -> bool {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat2(CWD, ".", flags, Mode::empty(), CONTAINED).is_ok()
}

/// Renames in one step unless something has the new name. `None` where the system or the file system cannot.
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

/// Exchanges two files of a directory in one step, so that each gets the other's name. `None` where the system or the
/// file system cannot.
pub(crate) fn exchange(dir: &Dir, one: &Path, other: &Path) -> Option<io::Result<()>> {
    match renameat_with(dir, one, dir, other, RenameFlags::EXCHANGE) {
        Err(error) if is_lacking(error) => None,
        result => Some(result.map_err(io::Error::from)),
    }
}

/// Whether a call says that the system or the file system has no such thing. A filter on system calls says that it is
/// not permitted; where that is meant of the files, the call that stands in for this one says so too.
fn is_lacking(error: Errno) -> bool {
    matches!(
        error,
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::PERM
    )
}

/// Creates a file without a name, which is gone after a crash.
///
/// # Errors
/// The system or the file system has no such files.
pub(crate) fn unnamed_file(dir: &Dir, mode: u32) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let fd = openat(dir, ".", flags, Mode::from_raw_mode(mode))?;
    Ok(File::from_std(fd.into()))
}

/// Gives such a file a name that nothing has.
///
/// # Errors
/// Something has the name, or `/proc` is missing.
pub(crate) fn name_file(file: &File, dir: &Dir, name: &str) -> io::Result<()> {
    let source = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, &source, dir, name, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)
}

/// The process that holds the lock of an open file, and whether it is stopped. `None` where `/proc` does not tell.
pub(crate) fn lock_holder(file: &std::fs::File) -> Option<(u32, bool)> {
    use std::os::unix::fs::MetadataExt as _;
    let inode = file.metadata().ok()?.ino().to_string();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    // `1: FLOCK  ADVISORY  WRITE 4711 08:01:131074 0 EOF`; one that waits has `->` before its kind.
    let holder: u32 = locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_held = words.get(1) == Some(&"FLOCK");
        let place = words.get(5)?.rsplit(':').next()?;
        (is_held && place == inode).then(|| words[4].parse().ok())?
    })?;
    // The state follows the name, which is in parentheses and may hold any character.
    // One that has ended left the lock to a process that it started.
    let stat = std::fs::read_to_string(format!("/proc/{holder}/stat")).ok()?;
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest.chars().next());
    Some((holder, matches!(state, Some(Some('T' | 't')))))
}
