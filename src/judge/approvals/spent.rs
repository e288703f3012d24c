//! Approvals that are used up: an earlier commit states them.

use std::collections::{HashMap, HashSet, VecDeque};

use gix::ObjectId;

use crate::approval::{Approval, TRAILER};
use crate::error::Result;
use crate::git::Repository;
use crate::trailer;

/// Clocks differ; a commit may say that it is older than the approval in it.
const SLACK: i64 = 86_400;
/// The nearest commits are looked at whatever they say about their time.
const NEAR: usize = 1_000;
/// No approval lives through more commits than these.
const MAX_COMMITS: usize = 100_000;

/// The nearest commit that states an approval anywhere in its message, by the approval's id, among `from` and its
/// ancestors: the nearest ones and those not older than `since`, in seconds since 1970. What a shallow clone lacks is
/// not seen.
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
