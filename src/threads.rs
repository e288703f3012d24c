//! Runs work on several cores, with the same result as on one.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};

/// More threads would only wait for each other.
const MOST: usize = 8;

/// The number of threads to use, at least one.
pub(crate) fn most() -> usize {
    std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(MOST)
}

/// Runs `work` on this and other threads until no work is left, each with its own `handle`. Returns the results in
/// any order, except that this thread's comes first.
///
/// # Errors
/// The first error of a thread.
pub(crate) fn share<H: Clone + Send, T: Send>(
    threads: usize,
    handle: &H,
    work: impl Fn(&H) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let (work, handle) = (&work, handle.clone());
                scope.spawn(move || work(&handle))
            })
            .collect();
        let mut done = vec![work(handle)];
        done.extend(others.into_iter().map(|other| {
            let failed = |_| Error::new("a worker thread failed");
            other.join().map_err(failed).flatten()
        }));
        done.into_iter().collect()
    })
}

/// The places of a list of work, which threads take in batches.
pub(crate) struct Batches {
    next: AtomicUsize,
    size: usize,
    len: usize,
}

impl Batches {
    /// Batches of `size` places, of `len` in all.
    pub(crate) fn new(len: usize, size: usize) -> Batches {
        let next = AtomicUsize::new(0);
        Batches { next, size, len }
    }

    /// The next batch; `None` if none is left.
    pub(crate) fn take(&self) -> Option<Range<usize>> {
        let start = self.next.fetch_add(self.size, Ordering::Relaxed);
        (start < self.len).then(|| start..(start + self.size).min(self.len))
    }

    /// Leaves the remaining batches undone.
    pub(crate) fn stop(&self) {
        self.next.store(self.len, Ordering::Relaxed);
    }
}
