//! System calls that only Linux has.

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

/// Whether parent processes are visible in `/proc`.
pub(crate) const SHOWS_PROCESSES: bool = true;

const CONTAINED: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS);

/// Opens a directory below `root` in one call; the kernel follows no link and never leaves `root`. `None` if the
/// system lacks the call.
pub(crate) fn open_beneath(root: &Dir, path: &BStr) -> Option<io::Result<Dir>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    loop {
        match openat2(root, path.as_bytes(), flags, Mode::empty(), CONTAINED) {
            Ok(fd) => return Some(Ok(Dir::from_std_file(fd.into()))),
            // The kernel detected a rename and could not decide: retry.
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Some(Err(error.into())),
        }
    }
}

/// Whether the kernel has the call (Linux 5.6, and no seccomp filter).
pub(crate) fn can_open_beneath() -> bool {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat2(CWD, ".", flags, Mode::empty(), CONTAINED).is_ok()
}

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

/// Exchanges two files of a directory atomically. `None` if the system or file system cannot.
pub(crate) fn exchange(dir: &Dir, one: &Path, other: &Path) -> Option<io::Result<()>> {
    match renameat_with(dir, one, dir, other, RenameFlags::EXCHANGE) {
        Err(error) if is_lacking(error) => None,
        result => Some(result.map_err(io::Error::from)),
    }
}

/// Whether an error means that the system or file system lacks the feature. A seccomp filter reports "not permitted";
/// if that is about the files, the fallback reports it, too.
fn is_lacking(error: Errno) -> bool {
    matches!(
        error,
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::PERM
    )
}

/// Creates an unnamed file, which a crash removes.
///
/// # Errors
/// The system or file system has no unnamed files.
pub(crate) fn unnamed_file(dir: &Dir, mode: u32) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let fd = openat(dir, ".", flags, Mode::from_raw_mode(mode))?;
    Ok(File::from_std(fd.into()))
}

/// Gives an unnamed file a name that does not exist.
///
/// # Errors
/// The name exists, or `/proc` is missing.
pub(crate) fn name_file(file: &File, dir: &Dir, name: &str) -> io::Result<()> {
    let source = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, &source, dir, name, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)
}

/// The process that holds the lock of an open file, and whether it is stopped. `None` if `/proc` does not say.
pub(crate) fn lock_holder(file: &std::fs::File) -> Option<(u32, bool)> {
    use std::os::unix::fs::MetadataExt as _;
    let inode = file.metadata().ok()?.ino().to_string();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    // `1: FLOCK  ADVISORY  WRITE 4711 08:01:131074 0 EOF`; a waiting one has `->` before its kind.
    let holder: u32 = locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_held = words.get(1) == Some(&"FLOCK");
        let place = words.get(5)?.rsplit(':').next()?;
        (is_held && place == inode).then(|| words[4].parse().ok())?
    })?;
    // The state follows the name, which is in parentheses and may contain any character.
    // A process that has ended may have left the lock to a child.
    let stat = std::fs::read_to_string(format!("/proc/{holder}/stat")).ok()?;
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest.chars().next());
    Some((holder, matches!(state, Some(Some('T' | 't')))))
}
