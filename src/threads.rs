//! Work on several cores.

use crate::error::{Error, Result};

/// More threads than this wait for each other.
const MOST: usize = 8;

/// How many threads may share work, at least one.
pub(crate) fn most() -> usize {
    std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(MOST)
}

/// Does `work` on this thread and on others until all of them find nothing left to do, each with its own `handle`;
/// what each did, in no order but that this thread's comes first.
///
/// # Errors
/// The first that a thread met.
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
        if !others.is_empty() {
            make_room();
        }
        let mut done = vec![work(handle)];
        done.extend(others.into_iter().map(|other| {
            let failed = |_| Error::new("a thread that shares the work failed");
            other.join().map_err(failed).flatten()
        }));
        done.into_iter().collect()
    })
}

/// Does one thing here and the other on a second thread; `None` where the second panicked.
pub(crate) fn both<A, B: Send>(
    here: impl FnOnce() -> A,
    there: impl FnOnce() -> B + Send,
) -> (A, Option<B>) {
    std::thread::scope(|scope| {
        let other = scope.spawn(there);
        make_room();
        (here(), other.join().ok())
    })
}

/// Moves this thread to another core, so that one that was just started begins at once.
///
/// Linux starts a thread on a core that it takes for idle, and takes the halted core of a virtual machine for
/// preempted: there, both threads stay on one core for milliseconds, longer than most work lasts.
#[cfg(target_os = "linux")]
fn make_room() {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    let (Ok(allowed), core) = (sched_getaffinity(None), sched_getcpu()) else {
        return;
    };
    let mut others = allowed;
    if core < CpuSet::MAX_CPU {
        others.unset(core);
    }
    // Wherever this fails, the threads run as they were started.
    if sched_setaffinity(None, &others).is_ok() {
        let _ = sched_setaffinity(None, &allowed);
    }
}

#[cfg(not(target_os = "linux"))]
fn make_room() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::make_room;
    use rustix::thread::sched_getaffinity;

    #[test]
    fn after_making_room_every_core_is_allowed_again() {
        let allowed = || {
            let set = sched_getaffinity(None).ok();
            set.map(|set| {
                (0..1024)
                    .filter(|&core| set.is_set(core))
                    .collect::<Vec<_>>()
            })
        };
        let before = allowed();
        assert!(before.is_some());
        make_room();
        assert_eq!(allowed(), before);
    }
}
