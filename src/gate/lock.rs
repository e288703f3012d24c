//! One writer at a time: between looking at a file and putting the new one in its place nobody else may write.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Failure, FailureKind};
use crate::disk;
use crate::system;

/// For how long one process may hold a lock that others wait for: an operation takes milliseconds, or seconds where the
/// disk is slow.
const LIMIT: Duration = Duration::from_secs(30);
/// The same for a process that is stopped, as by Ctrl-Z.
const LIMIT_STOPPED: Duration = Duration::from_secs(5);
/// How often the holder is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// The lock of a repository's file operations.
#[derive(Debug, Clone)]
pub(super) struct Lock {
    path: PathBuf,
}

impl Lock {
    /// The lock below a git common directory. Nothing is created before it is first taken.
    pub(super) fn new(common_dir: &Path) -> Lock {
        Lock {
            path: common_dir.join("guard").join("write.lock"),
        }
    }

    /// Waits until nobody else writes, but not for ever. Released when the handle is dropped, also by a crash.
    pub(super) fn take(&self) -> Result<File, Failure> {
        let take = || {
            let file = disk::open_private_append(&self.path)?;
            wait(&file)?;
            Ok(file)
        };
        take().map_err(|error: io::Error| {
            let failure = Failure::new(
                FailureKind::Record,
                format!("the workspace cannot be locked for writing: {error}"),
            );
            failure.help(match error.kind() {
                io::ErrorKind::TimedOut => {
                    "nothing was written; end that process or let it go on, then try again"
                }
                _ => "nothing was written; the git directory has to be writable",
            })
        })
    }
}

/// Locks an open file. While others hold the lock in turn it waits; one that keeps it is named in the error.
///
/// # Errors
/// [`io::ErrorKind::TimedOut`] where one process keeps the lock, and those of the file system.
pub(super) fn wait(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => return Ok(()),
        Err(TryLockError::Error(error)) => return Err(error),
        Err(TryLockError::WouldBlock) => {}
    }
    // The system gives the lock to whoever waits longest, which asking again and again would not. Both handles are
    // of one open file, and have the lock together.
    let waiting = file.try_clone()?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(waiting.lock()));
    let mut holder = system::lock_holder(file);
    let mut since = Instant::now();
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("nobody waits")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = system::lock_holder(file);
        if now.map(|(process, _)| process) != holder.map(|(process, _)| process) {
            since = Instant::now();
        }
        holder = now;
        let is_stopped = holder.is_some_and(|(_, is_stopped)| is_stopped);
        let limit = if is_stopped { LIMIT_STOPPED } else { LIMIT };
        if since.elapsed() >= limit {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                kept_by(holder, since.elapsed()),
            ));
        }
    }
}

fn kept_by(holder: Option<(u32, bool)>, time: Duration) -> String {
    let seconds = time.as_secs();
    match holder {
        Some((process, true)) => format!(
            "process {process}, which is stopped, has held the lock for {seconds} seconds (to let it go on: kill -CONT {process})"
        ),
        Some((process, false)) => {
            format!("process {process} has held the lock for {seconds} seconds")
        }
        None => format!("another process has held the lock for {seconds} seconds"),
    }
}
