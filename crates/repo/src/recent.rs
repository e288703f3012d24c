//! The commits of a branch since a time.

use gix::ObjectId;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::{Commit, Repository, failed};
use write_guard_policy::error::Result;

impl Repository {
    /// The commits that `tip` reaches, the newest first, until one is older than `since` (seconds since 1970).
    ///
    /// # Errors
    /// A commit is missing (other than at the boundary of a shallow clone) or damaged.
    pub fn commits_since(&self, tip: ObjectId, since: i64) -> Result<Vec<Commit>> {
        let cannot = failed("the history cannot be read");
        let walk = self
            .repo
            .rev_walk([tip])
            .sorting(Sorting::ByCommitTimeCutoff {
                order: CommitTimeOrder::NewestFirst,
                seconds: since,
            })
            .all()
            .map_err(&cannot)?;
        let mut commits = Vec::new();
        for found in walk {
            commits.push(self.commit(found.map_err(&cannot)?.id)?);
        }
        Ok(commits)
    }
}
