//! Shows the progress of a long run in one line on stderr, if that is a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Shorter runs need no progress.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time between two updates.
const PAUSE: Duration = Duration::from_millis(100);

/// Rewrites one line; clears it on drop.
pub(super) struct ProgressLine {
    next: Option<Mutex<Instant>>,
    started: Instant,
}

impl ProgressLine {
    pub(super) fn new() -> ProgressLine {
        let started = Instant::now();
        ProgressLine {
            next: io::stderr()
                .is_terminal()
                .then(|| Mutex::new(started + PATIENCE)),
            started,
        }
    }

    /// Reports that `done` of `all` commits are judged, unless it did so just now.
    pub(super) fn tell(&self, done: usize, all: usize) {
        // Another thread is updating the line.
        let Some(Ok(mut next)) = self.next.as_ref().map(Mutex::try_lock) else {
            return;
        };
        let now = Instant::now();
        if now >= *next {
            *next = now + PAUSE;
            // Progress that cannot be shown must not stop guard.
            let _ = write!(io::stderr(), "\rguard: {done} of {all} commits\x1b[K");
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.next.is_some() && self.started.elapsed() >= PATIENCE {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// Shows every second that guard is still working; clears the line on drop.
pub(super) struct Busy {
    line: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

impl Busy {
    pub(super) fn new(what: &'static str) -> Busy {
        let is_terminal = io::stderr().is_terminal();
        Busy {
            line: is_terminal
                .then(|| still_at_work(what, Duration::from_secs(1), io::stderr()))
                .flatten(),
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        if let Some((stop, line)) = self.line.take() {
            drop(stop);
            let _ = line.join();
        }
    }
}

/// A thread that writes the line after each pause until the sender is dropped; `None` if the system grants no thread.
fn still_at_work(
    what: &'static str,
    pause: Duration,
    mut to: impl Write + Send + 'static,
) -> Option<(mpsc::Sender<()>, JoinHandle<()>)> {
    let (stop, stopped) = mpsc::channel();
    let run = move || {
        let started = Instant::now();
        let mut is_shown = false;
        while stopped.recv_timeout(pause) == Err(mpsc::RecvTimeoutError::Timeout) {
            is_shown = true;
            let seconds = started.elapsed().as_secs();
            let _ = write!(to, "\rguard: {what}, {seconds} s\x1b[K");
            let _ = to.flush();
        }
        if is_shown {
            let _ = write!(to, "\r\x1b[K");
        }
    };
    let line = thread::Builder::new().spawn(run).ok()?;
    Some((stop, line))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Passes on every piece that is written.
    struct Pieces(mpsc::Sender<String>);

    impl Write for Pieces {
        fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
            let _ = self.0.send(String::from_utf8_lossy(piece).into_owned());
            Ok(piece.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn long_step_shows_progress_and_clears_the_line() {
        let (pieces, written) = mpsc::channel();
        let pause = Duration::from_millis(1);
        let (stop, line) = still_at_work("checking", pause, Pieces(pieces)).unwrap();
        let mut shown = String::new();
        while !shown.contains("\x1b[K") {
            shown += &written.recv().unwrap();
        }
        assert_eq!(shown, "\rguard: checking, 0 s\x1b[K");
        drop(stop);
        line.join().unwrap();
        let rest: String = written.iter().collect();
        assert!(rest.ends_with("\r\x1b[K"), "{rest:?}");
    }

    #[test]
    fn short_step_prints_nothing() {
        let (pieces, written) = mpsc::channel();
        let pause = Duration::from_secs(600);
        let (stop, line) = still_at_work("checking", pause, Pieces(pieces)).unwrap();
        drop(stop);
        line.join().unwrap();
        assert_eq!(written.iter().count(), 0);
    }
}
