//! Work on several cores.

use crate::error::{Error, Result};
use crate::git::Objects;

/// More threads than this wait for each other's objects.
const MOST: usize = 8;

/// How many threads may share work, at least one.
pub(super) fn most() -> usize {
    std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(MOST)
}

/// Does `work` on this thread and on others until all of them find nothing left to do, each with its own handle to
/// the objects; what each did, in no order.
///
/// # Errors
/// The first that a thread met.
pub(super) fn share<T: Send>(
    threads: usize,
    objects: &Objects,
    work: impl Fn(&Objects) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let (work, objects) = (&work, objects.clone());
                scope.spawn(move || work(&objects))
            })
            .collect();
        if !others.is_empty() {
            make_room();
        }
        let mut done = vec![work(objects)];
        done.extend(others.into_iter().map(|other| {
            let failed = |_| Error::new("a thread that judges a part of the changes failed");
            other.join().map_err(failed).flatten()
        }));
        done.into_iter().collect()
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
