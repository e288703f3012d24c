//! Reads a file that another program may be saving.

use std::thread;
use std::time::{Duration, Instant};

use gix::bstr::BStr;

use super::{Boundary, BoundaryResult, OpenedFile};

/// How long a file must be unmodified to count as complete. A program that saves in place truncates the file first.
const QUIET: Duration = Duration::from_millis(20);
/// The same for an empty file, which is more often incomplete than intended.
const QUIET_EMPTY: Duration = Duration::from_millis(300);
/// After this, a file that changes all the time is read as it is.
const PATIENCE: Duration = Duration::from_secs(1);

impl Boundary {
    /// Like [`Boundary::read`], but waits briefly if the file was just written.
    ///
    /// # Errors
    /// As for [`Boundary::read`].
    pub fn read_stable(&self, path: &BStr, max: u64) -> BoundaryResult<Option<OpenedFile>> {
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

/// How long until the file has been unmodified for long enough; `None` if it has.
fn not_quiet_for(entry: &OpenedFile) -> Option<Duration> {
    let quiet = match entry.content.is_empty() {
        true => QUIET_EMPTY,
        false => QUIET,
    };
    // A time in the future says nothing.
    let age = entry.modified?.elapsed().ok()?;
    quiet.checked_sub(age).filter(|wait| !wait.is_zero())
}
