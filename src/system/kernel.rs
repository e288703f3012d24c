//! System calls that only Linux has.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use rustix::fs::{RenameFlags, renameat_with};
use rustix::io::Errno;

/// Whether parent processes are visible in `/proc`.
pub(crate) const SHOWS_PROCESSES: bool = true;

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
    matches!(
        error,
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::PERM
    )
}

/// The process that holds the lock of an open file. `None` if `/proc` does not say.
pub(crate) fn lock_holder(file: &std::fs::File) -> Option<u32> {
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
    // A process that has ended may have left the lock to a child.
    Path::new(&format!("/proc/{holder}"))
        .exists()
        .then_some(holder)
}
