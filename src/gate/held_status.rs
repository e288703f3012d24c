//! What became of a held change, from the audit log.

use gix::bstr::ByteSlice;
use serde_json::{Map, Value};

use super::recorded_approvals::{now, unreadable};
use super::{GateResult, Log, Record};
use crate::git::Repository;

/// The fact of a decision that names the held change.
pub(super) const HELD: &str = "held";

named! {
    /// The state of a held change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum HeldStatus {
        /// It waits for a person.
        Held = "held",
        /// A person approved it.
        Approved = "approved",
        /// A person rejected it.
        Rejected = "rejected",
        /// Nobody decided in time.
        Expired = "expired",
    }
}

/// The last event of a held change.
#[derive(Debug, Clone)]
pub struct HeldRecord {
    /// The state.
    pub status: HeldStatus,
    /// The record.
    pub facts: Map<String, Value>,
}

impl HeldRecord {
    /// Whether a person has decided.
    pub fn is_decided(&self) -> bool {
        matches!(self.status, HeldStatus::Approved | HeldStatus::Rejected)
    }
}

/// The last event of the held change with this ID; `None` if the log has none.
///
/// # Errors
/// The log cannot be read.
pub fn last_event(repo: &Repository, id: &str) -> GateResult<Option<HeldRecord>> {
    let log = Log::of(repo).read().map_err(|error| unreadable(&error))?;
    let mut lines = log.lines().rev().filter(|line| line.contains_str(id));
    Ok(lines.find_map(|line| {
        let facts = Record::parse(line)?.facts;
        let status = status(&facts, id)?;
        Some(HeldRecord { status, facts })
    }))
}

fn status(facts: &Map<String, Value>, id: &str) -> Option<HeldStatus> {
    let is_about = |key: &str| facts.get(key).and_then(Value::as_str) == Some(id);
    match facts.get("event").and_then(Value::as_str)? {
        "approved" if is_about(HELD) => Some(HeldStatus::Approved),
        "rejected" if is_about(HELD) => Some(HeldStatus::Rejected),
        "refused" if is_about("id") => {
            let expires = facts.get("expires").and_then(Value::as_i64);
            match expires.is_some_and(|expires| expires <= now()) {
                true => Some(HeldStatus::Expired),
                false => Some(HeldStatus::Held),
            }
        }
        _ => None,
    }
}
