//! Files on Unix: permission bits, links, directories that can be synced.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cap_std::fs::{Dir, File, Metadata, MetadataExt, OpenOptions, OpenOptionsExt as _};
use gix::index::entry::Stat;
use gix::index::entry::stat::Time;
use rustix::fs::{Mode, OFlags, fsync, openat};
use rustix::io::retry_on_intr;
use rustix::termios::{QueueSelector, tcflush};

/// Whether files have permission bits, an executable one among them.
pub(crate) const HAS_MODES: bool = true;

/// The permission bits of a file; `None` where there are none.
pub(crate) fn mode(metadata: &Metadata) -> Option<u32> {
    Some(metadata.mode() & 0o7777)
}

/// The same for a file that the standard library looked at.
pub(crate) fn std_mode(metadata: &fs::Metadata) -> Option<u32> {
    Some(metadata.permissions().mode() & 0o7777)
}

/// Sets the permission bits of an open file.
///
/// # Errors
/// Those of the file system.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use cap_std::fs::{Permissions, PermissionsExt};
    file.set_permissions(Permissions::from_mode(mode))
}

/// The permission bits that a file is to be created with.
pub(crate) fn create_with_mode(options: &mut OpenOptions, mode: u32) {
    options.mode(mode);
}

/// Opens without waiting: a FIFO would wait for a writer.
pub(crate) fn never_wait(options: &mut OpenOptions) {
    options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
}

/// What git's index records of a file: the low 32 bits of each number. `None` where the system has no such numbers.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) fn stat(metadata: &Metadata) -> Option<Stat> {
    Some(Stat {
        mtime: Time {
            secs: metadata.mtime() as u32,
            nsecs: metadata.mtime_nsec() as u32,
        },
        ctime: Time {
            secs: metadata.ctime() as u32,
            nsecs: metadata.ctime_nsec() as u32,
        },
        dev: metadata.dev() as u32,
        ino: metadata.ino() as u32,
        uid: metadata.uid(),
        gid: metadata.gid(),
        size: metadata.size() as u32,
    })
}

/// Makes the names in a directory durable.
///
/// # Errors
/// Those of the file system.
pub(crate) fn sync_directory(dir: &Dir) -> io::Result<()> {
    // The handle itself may be one that only names the directory (`O_PATH`).
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let dir = retry_on_intr(|| openat(dir, ".", flags, Mode::empty()))?;
    retry_on_intr(|| fsync(&dir))?;
    Ok(())
}

/// The same for a directory by its path.
///
/// # Errors
/// Those of the file system.
pub(crate) fn sync_directory_at(path: &Path) -> io::Result<()> {
    fs::File::open(path)?.sync_all()
}

/// Lets only the owner enter the directories that are created.
pub(crate) fn make_private(builder: &mut fs::DirBuilder) {
    builder.mode(0o700);
}

/// Opens a file for reading and for writing at its end, created with the permission bits where it is missing, and
/// never through a link.
///
/// # Errors
/// Those of the file system.
pub(crate) fn open_append(path: &Path, mode: u32) -> io::Result<fs::File> {
    fs::OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(mode)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
}

/// Gives a file a second name in another directory: its mode stays the one that git sees.
///
/// # Errors
/// Those of the file system.
pub(crate) fn link_or_copy(file: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(file.canonicalize()?, to)
}

/// Makes a write beyond the limit on the size of a file (`ulimit -f`) fail with an error, which is told like any other.
/// Without this the signal SIGXFSZ ends the process without a word. Programs that guard starts get the signal as usual.
pub(crate) fn survive_size_limit() {
    use signal_hook::consts::SIGXFSZ;
    // What is caught does not end the process; that it came is of no interest. Where this fails, nothing is worse.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Forgets what was typed at a terminal before now.
///
/// # Errors
/// It is no terminal.
pub(crate) fn discard_input(terminal: &fs::File) -> io::Result<()> {
    Ok(tcflush(terminal, QueueSelector::IFlush)?)
}
