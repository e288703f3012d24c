//! Files on Unix: permission bits, links, directory sync.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cap_std::fs::{Dir, Metadata, MetadataExt, OpenOptions, OpenOptionsExt as _};
use gix::index::entry::Stat;
use gix::index::entry::stat::Time;
use rustix::fs::{Mode, OFlags, fsync, openat};
use rustix::io::retry_on_intr;
use rustix::termios::{QueueSelector, tcflush};

/// The permission bits of a file; `None` if there are none.
pub fn mode(metadata: &Metadata) -> Option<u32> {
    Some(metadata.mode() & 0o7777)
}

/// Whether the owner may execute a file, which is the bit that git keeps.
pub(crate) fn is_executable(about: &fs::Metadata) -> bool {
    about.mode() & 0o100 != 0
}

/// What git's index would have of a file.
pub(crate) fn index_stat(about: &fs::Metadata) -> Option<Stat> {
    Some(Stat {
        mtime: Time {
            secs: about.mtime().try_into().ok()?,
            nsecs: about.mtime_nsec().try_into().ok()?,
        },
        ctime: Time {
            secs: about.ctime().try_into().ok()?,
            nsecs: about.ctime_nsec().try_into().ok()?,
        },
        // git keeps the lower 32 bits of these.
        dev: about.dev() as u32,
        ino: about.ino() as u32,
        uid: about.uid(),
        gid: about.gid(),
        size: about.size() as u32,
    })
}

/// Sets the permission bits of an open file.
///
/// # Errors
/// A file system error.
pub(crate) fn set_mode(file: &fs::File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// Sets the permission bits for creating a file.
pub(crate) fn create_with_mode(options: &mut OpenOptions, mode: u32) {
    options.mode(mode);
}

/// Opens without blocking, for example on a FIFO.
pub(crate) fn never_wait(options: &mut OpenOptions) {
    options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
}

/// Syncs the names in a directory to disk.
///
/// # Errors
/// A file system error.
pub fn sync_directory(dir: &Dir) -> io::Result<()> {
    // The handle itself may only name the directory (`O_PATH`).
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let dir = retry_on_intr(|| openat(dir, ".", flags, Mode::empty()))?;
    retry_on_intr(|| fsync(&dir))?;
    Ok(())
}

/// Creates directories for the owner only.
pub(crate) fn make_private(builder: &mut fs::DirBuilder) {
    builder.mode(0o700);
}

/// Opens a file for reading and appending, without following a link. Creates it with these permission bits if
/// missing.
///
/// # Errors
/// A file system error.
pub(crate) fn open_append(path: &Path, mode: u32) -> io::Result<fs::File> {
    fs::OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(mode)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
}

/// Links a file into another directory by a symbolic link, because git checks the mode of the original.
///
/// # Errors
/// A file system error.
pub fn link_or_copy(file: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(super::real_path(file)?, to)
}

/// Makes a write beyond the file size limit (`ulimit -f`) fail with an error. Otherwise the signal SIGXFSZ would
/// silently end the process. Child processes get the signal as usual.
pub fn survive_size_limit() {
    use signal_hook::consts::SIGXFSZ;
    // A caught signal does not end the process, and nothing else matters. If this fails, the default applies.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Discards earlier terminal input.
///
/// # Errors
/// The file is not a terminal.
pub fn discard_input(terminal: &fs::File) -> io::Result<()> {
    Ok(tcflush(terminal, QueueSelector::IFlush)?)
}
