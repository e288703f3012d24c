//! What the latest commits of HEAD touched.

use gix::ObjectId;
use gix::bstr::BString;

use super::{Repository, changes_between};
use crate::error::Result;

impl Repository {
    /// The paths that each of the latest commits changed, newest commit first. Follows first parents and leaves out
    /// merges, and the first commit, which adds everything.
    ///
    /// # Errors
    /// A commit or tree is missing or damaged.
    pub(crate) fn touched(&self, most: usize) -> Result<Vec<Vec<BString>>> {
        let boundary = self.boundary()?;
        let mut touched = Vec::new();
        let mut next: Option<ObjectId> = self.head_commit()?;
        // Merges do not count, but a history of merges alone ends too.
        for _ in 0..most.saturating_mul(4) {
            let Some(id) = next.filter(|_| touched.len() < most) else {
                break;
            };
            let commit = self.commit(id)?;
            let parent = commit.parents.first().copied();
            next = parent.filter(|_| !boundary.contains(&id));
            let (Some(parent), 1) = (next, commit.parents.len()) else {
                continue;
            };
            let before = self.commit(parent)?.tree;
            let changes = changes_between(self.objects(), before, commit.tree)?;
            touched.push(changes.into_iter().map(|change| change.path).collect());
        }
        Ok(touched)
    }
}
