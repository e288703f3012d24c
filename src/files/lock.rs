//! The lock for writers: between checking a file and replacing it, no other guard may write.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Failure, FailureKind};
use crate::disk;
use crate::system;

/// How long a process may hold the lock while others wait. An operation takes milliseconds, or seconds on a slow
/// disk.
const LIMIT: Duration = Duration::from_secs(30);
/// The same for a stopped process (Ctrl-Z).
const LIMIT_STOPPED: Duration = Duration::from_secs(5);
/// How often to check the holder.
const LOOK: Duration = Duration::from_millis(500);

/// The lock for file operations in a repository.
#[derive(Debug, Clone)]
pub(super) struct Lock {
    path: PathBuf,
}

impl Lock {
    /// The lock in a git common directory. Nothing is created before the first use.
    pub(super) fn new(common_dir: &Path) -> Lock {
        Lock {
            path: common_dir.join("guard").join("write.lock"),
        }
    }

    /// Waits, within limits, until no other process writes. Dropping the handle, or a crash, releases the lock.
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
                    "nothing was written; end or resume that process, then try again"
                }
                _ => "nothing was written; the git directory must be writable",
            })
        })
    }
}

/// Locks an open file. Waits while others take turns; a process that keeps the lock is named in the error.
///
/// # Errors
/// [`io::ErrorKind::TimedOut`] if one process keeps the lock, or a system error.
pub(super) fn wait(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => return Ok(()),
        Err(TryLockError::Error(error)) => return Err(error),
        Err(TryLockError::WouldBlock) => {}
    }
    // The system queues waiters fairly, which polling would not. Both handles belong to one open file and share the
    // lock.
    let waiting = file.try_clone()?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(waiting.lock()));
    let mut holder = system::lock_holder(file);
    let mut since = Instant::now();
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("the waiting thread failed"));
            }
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
            "process {process}, which is stopped, has held the lock for {seconds} seconds (to resume it: kill -CONT {process})"
        ),
        Some((process, false)) => {
            format!("process {process} has held the lock for {seconds} seconds")
        }
        None => format!("another process has held the lock for {seconds} seconds"),
    }
}
