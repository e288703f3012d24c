//! Reading a file that somebody may be saving at the moment.

use std::thread;
use std::time::{Duration, Instant};

use gix::bstr::BStr;

use super::{Boundary, BoundaryResult, OpenedFile};

/// For how long nobody has written a file that is taken as whole. A program that saves in place empties the file
/// first, so that it holds nothing or a part for a moment.
const QUIET: Duration = Duration::from_millis(20);
/// The same for an empty file, which is more often about to be filled than meant.
const QUIET_EMPTY: Duration = Duration::from_millis(300);
/// A file that is written all the time is taken as it is after this.
const PATIENCE: Duration = Duration::from_secs(1);

impl Boundary {
    /// As [`Boundary::read`], but waits for a moment where the file is just being written.
    ///
    /// # Errors
    /// As for [`Boundary::read`].
    pub fn read_settled(&self, path: &BStr, max: u64) -> BoundaryResult<Option<OpenedFile>> {
        let begun = Instant::now();
        loop {
            let entry = self.read(path, max)?;
            let Some(wait) = entry.as_ref().and_then(not_quiet_for) else {
                return Ok(entry);
            };
            if begun.elapsed() >= PATIENCE {
                return Ok(entry);
            }
            thread::sleep(wait.min(QUIET));
        }
    }
}

/// How long it takes until the file has been left alone for long enough; `None` where it has.
fn not_quiet_for(entry: &OpenedFile) -> Option<Duration> {
    let quiet = match entry.content.is_empty() {
        true => QUIET_EMPTY,
        false => QUIET,
    };
    // A time in the future says nothing.
    let age = entry.modified?.elapsed().ok()?;
    quiet.checked_sub(age).filter(|wait| !wait.is_zero())
}
