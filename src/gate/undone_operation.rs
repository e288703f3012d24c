//! Finds, in the audit log, the guard operation that restoring a snapshot would undo.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Map, Value};

use super::{LogFault, Record};
use crate::git::Repository;

/// Paths, each with the blob id of its file; `None` for no file.
pub(super) type BlobIds = Vec<(BString, Option<String>)>;

/// The blob id of content.
pub(super) fn digest(repo: &Repository, content: Option<&[u8]>) -> Option<String> {
    // Content that cannot be hashed equals nothing in the log.
    content.map(|content| match repo.blob_id(content) {
        Some(id) => id.to_string(),
        None => String::new(),
    })
}

/// The record number of the operation that the step from `now` to `back` undoes: it started from `back` and left
/// `now`, no later guard operation there is still in effect, and HEAD has not changed there since.
///
/// This trusts the log: anyone who can write it can write the files, too.
pub(super) fn undone(
    repo: &Repository,
    log: &[u8],
    mut now: BlobIds,
    mut back: BlobIds,
) -> Option<u64> {
    back.sort();
    now.sort();
    let here = repo.work_tree();
    let mut complete = HashSet::new();
    // An undone operation, and everything between it and its undo, no longer has an effect.
    let mut before = u64::MAX;
    for line in log.rsplit(|&byte| byte == b'\n') {
        // This check is cheaper than parsing the record.
        if !line.contains_str("\"started\"") {
            continue;
        }
        let Record { seq, facts, .. } = match Record::parse(line) {
            Ok(record) => record,
            // Incomplete after a crash, before anything was done.
            Err(LogFault::NotARecord) => continue,
            Err(_) => return None,
        };
        if facts.get("event").and_then(Value::as_str) != Some("started") {
            if facts.get("event").and_then(Value::as_str) == Some("done") {
                complete.extend(facts.get("started").and_then(Value::as_u64));
            }
            continue;
        }
        let is_here = facts.get("worktree").and_then(Value::as_str) == here.name();
        if seq >= before || !is_here || !touches(&facts, &now) {
            continue;
        }
        let (old, new) = (facts.get("old")?, facts.get("new")?);
        if ends(&facts, old, new) == now {
            if began(&facts, old) == back {
                return has_head_as_then(repo, &facts, &now).then_some(seq);
            }
            before = facts.get("undoes").and_then(Value::as_u64)?;
        } else if complete.contains(&seq) || began(&facts, old) != now {
            return None;
        }
    }
    None
}

fn touches(facts: &Map<String, Value>, now: &BlobIds) -> bool {
    let paths = ["path", "to"].map(|key| facts.get(key).and_then(Value::as_str));
    paths
        .into_iter()
        .flatten()
        .any(|path| now.iter().any(|(there, _)| there == path))
}

/// The state after an operation.
fn ends(facts: &Map<String, Value>, old: &Value, new: &Value) -> BlobIds {
    match facts.get("to") {
        None => at(facts, [("path", new)]),
        Some(_) => at(facts, [("path", &Value::Null), ("to", old)]),
    }
}

/// The state before an operation.
fn began(facts: &Map<String, Value>, old: &Value) -> BlobIds {
    match facts.get("to") {
        None => at(facts, [("path", old)]),
        Some(_) => at(facts, [("path", old), ("to", &Value::Null)]),
    }
}

fn at<const N: usize>(facts: &Map<String, Value>, digests: [(&str, &Value); N]) -> BlobIds {
    let end = |(key, digest): (&str, &Value)| {
        let path = facts.get(key).and_then(Value::as_str);
        let digest = digest.as_str().map(str::to_owned);
        (BString::from(path.unwrap_or_default()), digest)
    };
    let mut ends: BlobIds = digests.into_iter().map(end).collect();
    ends.sort();
    ends
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
