//! Runs work on several cores, with the same result as on one.

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

/// The results of `work` at the places `0..len`, in order. The threads take batches of places, each with its own
/// `handle`.
///
/// # Errors
/// The first error of a thread; the other threads then stop.
pub(crate) fn map<H: Clone + Send, T: Send>(
    len: usize,
    (threads, batch): (usize, usize),
    handle: &H,
    work: impl Fn(&H, usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let run = |handle: &H| -> Result<Vec<(usize, T)>> {
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(batch, Ordering::Relaxed);
            if start >= len {
                return Ok(done);
            }
            for at in start..(start + batch).min(len) {
                let one = work(handle, at);
                done.push((at, one.inspect_err(|_| next.store(len, Ordering::Relaxed))?));
            }
        }
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let (run, handle) = (&run, handle.clone());
                scope.spawn(move || run(&handle))
            })
            .collect();
        let mut done = run(handle)?;
        for other in others {
            let failed = |_| Error::new("a worker thread failed");
            done.extend(other.join().map_err(failed).flatten()?);
        }
        Ok::<_, Error>(done)
    })?;
    done.sort_unstable_by_key(|&(at, _)| at);
    Ok(done.into_iter().map(|(_, one)| one).collect())
}
