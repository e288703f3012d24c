//! Finds spent approvals: those that an earlier commit already states.

use std::collections::{HashMap, HashSet, VecDeque};

use gix::ObjectId;

use crate::approval::{Approval, TRAILER};
use crate::error::Result;
use crate::git::Repository;
use crate::trailer;

/// Clocks differ, so a commit may claim to be older than its approval.
const SLACK: i64 = 86_400;
/// The nearest commits are searched regardless of their date.
const NEAR: usize = 1_000;
/// The search stops after this many commits.
const MAX_COMMITS: usize = 100_000;

/// Maps approval ids to the nearest commit that states them, among `from` and its ancestors: the nearest ones, and
/// those not older than `since` (seconds since 1970). Commits missing from a shallow clone are not seen.
///
/// # Errors
/// A commit cannot be read.
pub(in crate::judge) fn in_history(
    repo: &Repository,
    from: &[ObjectId],
    since: i64,
) -> Result<HashMap<String, ObjectId>> {
    let mut used = HashMap::new();
    let mut seen: HashSet<ObjectId> = from.iter().copied().collect();
    let mut open: VecDeque<ObjectId> = from.iter().copied().collect();
    while let Some(id) = open.pop_front() {
        let (commit, message) = repo.commit_with_message(id)?;
        for value in trailer::anywhere(&message, TRAILER) {
            if let Ok(approval) = Approval::from_trailer_value(value) {
                used.entry(approval.id).or_insert(id);
            }
        }
        let is_old = commit.time.saturating_add(SLACK) < since;
        if is_old && seen.len() > NEAR || seen.len() > MAX_COMMITS {
            continue;
        }
        for parent in commit.parents {
            if repo.has(parent) && seen.insert(parent) {
                open.push_back(parent);
            }
        }
    }
    Ok(used)
}
