//! The lock for writers: between checking a file and replacing it, no other guard may write.

use std::fs::{File, TryLockError};
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use super::{Failure, FailureKind, GateResult};
use crate::disk;
use crate::git::Repository;
use crate::system;

/// How long a process may hold the lock while others wait. An operation takes milliseconds, or seconds on a slow
/// disk.
const LIMIT: Duration = Duration::from_secs(30);
/// The same for a stopped process (Ctrl-Z).
const LIMIT_STOPPED: Duration = Duration::from_secs(5);
/// The pause between attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// Waits, within limits, until no other process writes in a repository. Dropping the handle, or a crash, releases the
/// lock.
pub(super) fn alone(repo: &Repository) -> GateResult<File> {
    let take = || {
        let file = disk::open_private_append(&repo.common_dir().join("guard/write.lock"))?;
        wait(&file)?;
        Ok(file)
    };
    take().map_err(|error: io::Error| {
        let message = format!("the workspace cannot be locked for writing: {error}");
        Failure::new(FailureKind::Record, message).help(match error.kind() {
            io::ErrorKind::TimedOut => {
                "nothing was written; end or resume that process, then try again"
            }
            _ => "nothing was written; the git directory must be writable",
        })
    })
}

/// Locks an open file. Waits while others take turns; a process that keeps the lock is named in the error.
///
/// # Errors
/// [`io::ErrorKind::TimedOut`] if one process keeps the lock, or a system error.
pub(super) fn wait(file: &File) -> io::Result<()> {
    let (mut holder, mut since) = (None, Instant::now());
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {}
            result => return result.map_err(io::Error::from),
        }
        let now = system::lock_holder(file);
        if now.map(|(process, _)| process) != holder {
            (holder, since) = (now.map(|(process, _)| process), Instant::now());
        }
        let (limit, who, how) = match now {
            Some((id, true)) => (
                LIMIT_STOPPED,
                format!("process {id}, which is stopped,"),
                format!(" (to resume it: kill -CONT {id})"),
            ),
            Some((id, false)) => (LIMIT, format!("process {id}"), String::new()),
            None => (LIMIT, "another process".to_owned(), String::new()),
        };
        if since.elapsed() >= limit {
            let seconds = limit.as_secs();
            let what = format!("{who} has held the lock for {seconds} seconds{how}");
            return Err(io::Error::new(io::ErrorKind::TimedOut, what));
        }
        thread::sleep(PAUSE);
    }
}
