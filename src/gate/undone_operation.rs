//! Finds, in the audit log, the operation that restoring a snapshot would undo: one of guard, or one of an agent that
//! guard let pass.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Map, Value};

use super::recorded_steps::{BlobIds, RecordedStep, began, ended, steps};
use super::{LogFault, Record};
use crate::git::Repository;

/// The blob id of content.
pub(super) fn digest(repo: &Repository, content: Option<&[u8]>) -> Option<String> {
    // Content that cannot be hashed equals nothing in the log.
    content.map(|content| match repo.blob_id(content) {
        Some(id) => id.to_string(),
        None => String::new(),
    })
}

/// An operation that can be undone.
pub(super) struct UndoneOperation {
    /// The number of its record.
    pub(super) seq: u64,
    /// If it moved a file and nothing else: from where, and to where.
    pub(super) moved: Option<(BString, BString)>,
}

/// The operation that the step from `now` to `back` undoes: it started from `back` and left `now`, no later guard
/// operation there is still in effect, and HEAD has not changed there since. A batch may have changed more paths.
///
/// This trusts the log: anyone who can write it can write the files, too.
pub(super) fn undone(
    repo: &Repository,
    log: &[u8],
    now: &BlobIds,
    back: &BlobIds,
) -> Option<UndoneOperation> {
    let here = repo.work_tree();
    let mut complete = HashSet::new();
    // An undone operation, and everything between it and its undo, no longer has an effect.
    let mut before = u64::MAX;
    for line in log.rsplit(|&byte| byte == b'\n') {
        // This check is cheaper than parsing the record.
        if !(line.contains_str("\"started\"") || line.contains_str("\"passed\"")) {
            continue;
        }
        let Record { seq, facts, .. } = match Record::parse(line) {
            Ok(record) => record,
            // Incomplete after a crash, before anything was done.
            Err(LogFault::NotARecord) => continue,
            Err(_) => return None,
        };
        match facts.get("event").and_then(Value::as_str) {
            // What another program was allowed to do may never have happened.
            Some("started" | "passed") => {}
            Some("done") => {
                complete.extend(facts.get("started").and_then(Value::as_u64));
                continue;
            }
            _ => continue,
        }
        let is_here = facts.get("worktree").and_then(Value::as_str) == here.name();
        if seq >= before || !is_here {
            continue;
        }
        let steps = steps(&facts)?;
        let (began, ended) = (began(&steps), ended(&steps));
        if !ended
            .iter()
            .any(|(path, _)| now.iter().any(|(there, _)| there == path))
        {
            continue;
        }
        if has_all(&ended, now) {
            if has_all(&began, back) {
                let moved = match steps.as_slice() {
                    [
                        RecordedStep {
                            path, to: Some(to), ..
                        },
                    ] => Some((path.clone(), to.clone())),
                    _ => None,
                };
                let undone = UndoneOperation { seq, moved };
                return has_head_as_then(repo, &facts, now).then_some(undone);
            }
            before = facts.get("undoes").and_then(Value::as_u64)?;
        } else if complete.contains(&seq) || !has_all(&began, now) {
            return None;
        }
    }
    None
}

/// Whether a state of files has these among them.
fn has_all(all: &BlobIds, some: &BlobIds) -> bool {
    some.iter().all(|one| all.contains(one))
}

/// Whether HEAD still has the same state at these paths as when the operation started; otherwise more than guard's
/// own work was committed.
fn has_head_as_then(repo: &Repository, facts: &Map<String, Value>, paths: &BlobIds) -> bool {
    let then = match facts.get("head") {
        Some(Value::Null) => None,
        Some(Value::String(hex)) => match ObjectId::from_hex(hex.as_bytes()) {
            Ok(id) => Some(id),
            Err(_) => return false,
        },
        _ => return false,
    };
    let has = |commit: Option<ObjectId>, path: &BStr| {
        let state = repo.tree_of(commit).and_then(|tree| tree.get(path));
        state.map(|state| state.map(|state| (state.kind, state.id)))
    };
    let Ok(now) = repo.head_commit() else {
        return false;
    };
    now == then
        || paths.iter().all(
            |(path, _)| match (has(then, path.as_ref()), has(now, path.as_ref())) {
                (Ok(then), Ok(now)) => then == now,
                _ => false,
            },
        )
}
