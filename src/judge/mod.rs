//! Judges changes with one pipeline and a thin entry per source. Read-only.

mod approvals;
mod ci;
mod design_edit;
mod design_lint;
mod facts;
mod in_memory;
mod measured_changes;
mod merge_commits;
mod moved_lines;
mod observed;
mod per_commit;
mod pipeline;
mod policy_loader;
mod range;
mod request;
mod reverts;
mod review;
mod scope;
mod staged;
mod tree_view;
mod trial;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::approve::Approval;
use crate::error::{Error, Result};
use crate::measure::Precision;
use crate::scope::settings::Settings;

pub use approvals::not_listed;
pub use ci::ci_range;
pub use design_edit::{
    DesignEdit, RowsToAdd, extend_design, is_selected, new_design, rows_of_changes, rows_of_plan,
    with_table,
};
pub use design_lint::{DocumentChoice, check_documents};
pub use facts::{BaseCommit, range_of_branch, settings_of, settings_of_head};
pub use in_memory::{in_memory, policy_of_texts};
pub use observed::{Observation, Observed};
pub use per_commit::Progress;
pub use policy_loader::{CHOICE_KEY, CandidateDesigns, candidates, load_for_request};
pub use range::{commit, new_commits, push, range};
pub use request::OperationContext;
pub use scope::{prompt, scope, settings, status};
pub use staged::{
    Clearable, clearable, everything, governing_designs, landed, selected_by_settings, staged,
    uncommitted, used_approvals,
};
pub use trial::{Trial, TriedChange, trial};

/// How to judge.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Designs given by the user, relative to the current directory; empty to follow the settings.
    pub designs: Vec<PathBuf>,
    /// The flag or variable that named them, for the report.
    pub designs_from: &'static str,
    /// Whether git runs guard as a hook; then only committed designs count.
    pub in_hook: bool,
    /// Whether this is the pre-merge-commit hook, for which git names the merged commits in `GITHEAD_*`. Any other
    /// caller could forge these variables.
    pub githead: bool,
    /// The unexpired approvals of this repository. Without a signature they count only for a new commit or a request.
    pub approvals: Vec<Approval>,
    /// Which losses to count. If only those that decide, the changes of the verdict have no shares.
    pub precision: Precision,
    /// Whether to collect what the review page shows beyond findings and changes.
    pub for_page: bool,
    /// Settings to judge by instead of those of the base, for a trial.
    pub settings: Option<Settings>,
}

/// More threads would only wait for each other.
const MOST: usize = 8;

/// The number of threads to use, at least one.
fn threads() -> usize {
    std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(MOST)
}

/// The results of `work` at the places `0..len`, in order. The threads take batches of places, each with its own
/// `handle`.
///
/// # Errors
/// The first error of a thread; the other threads then stop.
fn in_parallel<H: Clone + Send, T: Send>(
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
