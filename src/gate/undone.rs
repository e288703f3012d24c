//! Which of guard's own operations restoring a snapshot would undo, by the audit log.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Map, Value};

use super::{LogFault, Record};
use crate::git::Repository;

/// Paths, each with the blob id of the file there; `None` for no file.
pub(super) type BlobIds = Vec<(BString, Option<String>)>;

/// The blob id of a content.
pub(super) fn digest(repo: &Repository, content: Option<&[u8]>) -> Option<String> {
    // What cannot be hashed is like nothing on record.
    content.map(|content| match repo.blob_id(content) {
        Some(id) => id.to_string(),
        None => String::new(),
    })
}

/// The number of the record with which an operation began, where the step from `now` to `back` undoes it: it began with
/// the paths so, they are as it left them, nothing that guard did there since is in effect, and HEAD has there what it
/// had then.
///
/// The record is guard's own word: whoever can write the log can write the files as well.
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
    // An operation that was undone, and all between it and its undoing, has no effect any more.
    let mut before = u64::MAX;
    for line in log.rsplit(|&byte| byte == b'\n') {
        // Cheaper to see than that it is not of an operation.
        if !line.contains_str("\"started\"") {
            continue;
        }
        let Record { seq, facts, .. } = match Record::parse(line) {
            Ok(record) => record,
            // A crash cut it short, before anything was done.
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

/// How an operation left its paths.
fn ends(facts: &Map<String, Value>, old: &Value, new: &Value) -> BlobIds {
    match facts.get("to") {
        None => at(facts, [("path", new)]),
        Some(_) => at(facts, [("path", &Value::Null), ("to", old)]),
    }
}

/// How it found them.
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

/// Whether HEAD has the same at these paths as when the operation began: what is committed since is more than guard's
/// own work.
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
