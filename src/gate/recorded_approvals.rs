//! Which approvals the audit log confirms. The log is chained and anchored; the store is not, so a file in the store
//! alone approves nothing.

use std::collections::HashSet;
use std::io;

use serde_json::{Map, Value};

use super::failure::{Failure, FailureKind, GateResult};
use super::{Log, Store};
use crate::approval::Approval;
use crate::git::{Repository, WorkTree};

/// The approvals that the log confirms exactly and that are not used up.
///
/// # Errors
/// The log cannot be read.
pub(super) fn on_record(log: &Log, mut approvals: Vec<Approval>) -> io::Result<Vec<Approval>> {
    if approvals.is_empty() {
        return Ok(approvals);
    }
    let (mut given, mut used) = (HashSet::new(), HashSet::new());
    let wanted: Vec<_> = approvals
        .iter()
        .map(|approval| facts_of(approval, log.work_tree()))
        .collect();
    log.decisions(&mut |record| {
        let facts = &record.facts;
        match record.event() {
            "approved" => {
                given.insert(said(facts));
            }
            _ => used.extend(facts.get("id").and_then(Value::as_str).map(str::to_owned)),
        }
        // An approval is used up only after it was given.
        !wanted.iter().all(|facts| given.contains(facts))
    })?;
    approvals.retain(|approval| {
        let is_given = given.contains(&facts_of(approval, log.work_tree()));
        is_given && !used.contains(&approval.id)
    });
    Ok(approvals)
}

/// The facts to compare between a record and an approval.
fn said(facts: &Map<String, Value>) -> Vec<Value> {
    let names = [
        "worktree", "path", "old", "new", "reason", "id", "expires", "signed",
    ];
    let value = |name: &str| facts.get(name).cloned().unwrap_or_default();
    names.into_iter().map(value).collect()
}

/// The same facts of an approval.
fn facts_of(approval: &Approval, work_tree: &WorkTree) -> Vec<Value> {
    vec![
        work_tree.name().into(),
        approval.path.to_string().into(),
        approval.old.clone().into(),
        approval.new.clone().into(),
        approval.reason.clone().into(),
        approval.id.clone().into(),
        approval.expires.into(),
        approval.signature.is_some().into(),
    ]
}

/// The unexpired approvals of this work tree that the log confirms.
///
/// # Errors
/// The store or the log exists but cannot be read.
pub fn approvals(repo: &Repository) -> GateResult<Vec<Approval>> {
    let kept = Store::of(repo).list(now());
    kept.and_then(|kept| on_record(&Log::of(repo), kept))
        .map_err(|error| unreadable(&error))
}

pub(super) fn unreadable(error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::Io,
        format!("held changes and approvals cannot be read: {error}"),
    )
    .help("check the directory `guard` in the git directory")
}

/// In seconds since 1970.
pub(super) fn now() -> i64 {
    gix::date::Time::now_utc().seconds
}
