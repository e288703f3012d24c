//! Files that another program holds open, which Windows neither opens, replaces nor removes.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

/// Editors, indexers and virus scanners hold a file for milliseconds; git waits as long.
const LIMIT: Duration = Duration::from_secs(1);
/// The pause between attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// `ERROR_ACCESS_DENIED`, `ERROR_SHARING_VIOLATION` and `ERROR_LOCK_VIOLATION`.
const HELD_OPEN: [i32; 3] = [5, 32, 33];

/// Whether another program may have the file open. Windows also denies access where only the permissions are in the way.
pub fn is_held_open(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    cfg!(windows) && code.is_some_and(|code| HELD_OPEN.contains(&code))
}

/// Opens, renames or removes a file; tries again for a second while another program has it open.
pub(crate) fn patiently<T>(action: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    retry(action, is_held_open, LIMIT)
}

fn retry<T>(
    mut action: impl FnMut() -> io::Result<T>,
    is_temporary: impl Fn(&io::Error) -> bool,
    limit: Duration,
) -> io::Result<T> {
    let since = Instant::now();
    loop {
        match action() {
            Err(error) if is_temporary(&error) && since.elapsed() < limit => thread::sleep(PAUSE),
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn busy(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::ResourceBusy
    }

    #[test]
    fn what_becomes_free_is_done() {
        let mut attempts = 0;
        let free_at_last = || {
            attempts += 1;
            match attempts {
                3 => Ok("done"),
                _ => Err(io::ErrorKind::ResourceBusy.into()),
            }
        };
        assert_eq!(
            retry(free_at_last, busy, Duration::from_secs(60)).unwrap(),
            "done"
        );
        assert_eq!(attempts, 3);
    }

    #[test]
    fn what_stays_held_ends_with_its_error() {
        let held = || Err::<(), _>(io::ErrorKind::ResourceBusy.into());
        let error = retry(held, busy, Duration::from_millis(30)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
    }

    #[test]
    fn another_error_is_not_tried_again() {
        let mut attempts = 0;
        let missing = || {
            attempts += 1;
            Err::<(), _>(io::ErrorKind::NotFound.into())
        };
        assert!(retry(missing, busy, Duration::from_secs(60)).is_err());
        assert_eq!(attempts, 1);
    }

    #[test]
    fn only_windows_has_files_that_are_held_open() {
        for code in HELD_OPEN {
            let error = io::Error::from_raw_os_error(code);
            assert_eq!(is_held_open(&error), cfg!(windows));
        }
        assert!(!is_held_open(&io::ErrorKind::NotFound.into()));
    }
}
