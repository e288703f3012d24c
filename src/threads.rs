//! Runs work on several cores, with the same result as on one.

use std::ops::Range;
use std::panic::resume_unwind;
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

/// Runs `work` on consecutive parts of a list, on several threads. Returns the results in the order of the parts.
pub(crate) fn in_parts<T: Sync, R: Send>(list: &[T], work: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    let size = list.len().div_ceil(most()).max(1);
    let (own, others) = list.split_at(size.min(list.len()));
    std::thread::scope(|scope| {
        let others: Vec<_> = others
            .chunks(size)
            .map(|part| {
                let work = &work;
                let thread = std::thread::Builder::new();
                thread
                    .spawn_scoped(scope, move || work(part))
                    .map_err(|_| part)
            })
            .collect();
        let mut done = vec![work(own)];
        done.extend(others.into_iter().map(|other| match other {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // Without a thread, this one does it.
            Err(part) => work(part),
        }));
        done
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
