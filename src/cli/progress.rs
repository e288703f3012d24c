//! How far a long judgement is: one line on stderr, on a terminal only.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Shorter runs need no progress.
const PATIENCE: Duration = Duration::from_millis(500);
/// Between two lines.
const PAUSE: Duration = Duration::from_millis(100);

/// Rewrites one line; wipes it when it is dropped.
pub(super) struct Progress {
    next: Option<Mutex<Instant>>,
    started: Instant,
}

impl Progress {
    pub(super) fn new() -> Progress {
        let started = Instant::now();
        Progress {
            next: io::stderr()
                .is_terminal()
                .then(|| Mutex::new(started + PATIENCE)),
            started,
        }
    }

    /// Says that `done` of `all` commits are judged, if it is time to.
    pub(super) fn tell(&self, done: usize, all: usize) {
        // Who does not get the lock at once leaves the line to the other.
        let Some(Ok(mut next)) = self.next.as_ref().map(Mutex::try_lock) else {
            return;
        };
        let now = Instant::now();
        if now >= *next {
            *next = now + PAUSE;
            // A line that cannot be shown is no reason to stop.
            let _ = write!(io::stderr(), "\rguard: {done} of {all} commits\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.next.is_some() && self.started.elapsed() >= PATIENCE {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
