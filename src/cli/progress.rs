//! Shows in one line on stderr, if that is a terminal, that guard is still working.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Rewrites one line every second; clears it on drop.
pub(super) struct ProgressLine {
    done: Arc<Done>,
    line: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

/// How many commits are judged, and of how many; of none if that is not counted.
#[derive(Default)]
struct Done(AtomicUsize, AtomicUsize);

impl ProgressLine {
    pub(super) fn new(what: &'static str) -> ProgressLine {
        let done = Arc::default();
        let line = io::stderr().is_terminal().then(|| {
            show(
                what,
                Arc::clone(&done),
                Duration::from_secs(1),
                io::stderr(),
            )
        });
        ProgressLine {
            done,
            line: line.flatten(),
        }
    }

    /// Reports that `done` of `all` commits are judged.
    pub(super) fn tell(&self, done: usize, all: usize) {
        self.done.0.store(done, Ordering::Relaxed);
        self.done.1.store(all, Ordering::Relaxed);
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if let Some((stop, line)) = self.line.take() {
            drop(stop);
            let _ = line.join();
        }
    }
}

/// A thread that writes the line after each pause until the sender is dropped; `None` if the system grants no thread.
fn show(
    what: &'static str,
    done: Arc<Done>,
    pause: Duration,
    mut to: impl Write + Send + 'static,
) -> Option<(mpsc::Sender<()>, JoinHandle<()>)> {
    let (stop, stopped) = mpsc::channel();
    let run = move || {
        let started = Instant::now();
        let mut is_shown = false;
        while stopped.recv_timeout(pause) == Err(mpsc::RecvTimeoutError::Timeout) {
            is_shown = true;
            // ProgressLine that cannot be shown must not stop guard.
            let _ = match done.1.load(Ordering::Relaxed) {
                0 => write!(
                    to,
                    "\rguard: {what}, {} s\x1b[K",
                    started.elapsed().as_secs()
                ),
                all => write!(
                    to,
                    "\rguard: {} of {all} commits\x1b[K",
                    done.0.load(Ordering::Relaxed)
                ),
            };
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
    fn long_step_shows_progress_and_clears_the_line_and_a_short_one_shows_nothing() {
        for (done, expected) in [
            (Done::default(), "\rguard: checking, 0 s\x1b[K"),
            (Done(3.into(), 7.into()), "\rguard: 3 of 7 commits\x1b[K"),
        ] {
            let (pieces, written) = mpsc::channel();
            let pause = Duration::from_millis(1);
            let (stop, line) = show("checking", Arc::new(done), pause, Pieces(pieces)).unwrap();
            let mut shown = String::new();
            while !shown.contains("\x1b[K") {
                shown += &written.recv().unwrap();
            }
            assert_eq!(shown, expected);
            drop(stop);
            line.join().unwrap();
            let rest: String = written.iter().collect();
            assert!(rest.ends_with("\r\x1b[K"), "{rest:?}");
        }
        let (pieces, written) = mpsc::channel();
        let pause = Duration::from_secs(600);
        let (stop, line) = show("checking", Arc::default(), pause, Pieces(pieces)).unwrap();
        drop(stop);
        line.join().unwrap();
        assert_eq!(written.iter().count(), 0);
    }
}
