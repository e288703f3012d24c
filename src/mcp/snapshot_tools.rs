//! The tools about snapshots.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::tool::{Call, ToolAnswer, told};
use crate::gate::{Gate, GateResult, RestoreRequest, snapshot_json};

/// How many snapshots are listed without a limit in the call.
const MOST_SNAPSHOTS: usize = 50;

pub(super) fn list_snapshots(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let all = call.repo.snapshots()?;
    let most = call.arguments.count("limit").unwrap_or(MOST_SNAPSHOTS);
    let newest = all.readable.iter().take(most);
    let snapshots: Vec<Value> = newest.map(|one| snapshot_json(call.repo, one)).collect();
    let lost: Vec<String> = all.lost.iter().map(ToString::to_string).collect();
    let is_cut = all.is_cut || all.readable.len() > most;
    Ok(json!({ "version": 1, "snapshots": snapshots, "lost": lost, "truncated": is_cut }).into())
}

pub(super) fn restore_snapshot(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let only: Vec<PathBuf> = call
        .arguments
        .texts("paths")
        .into_iter()
        .map(PathBuf::from)
        .collect();
    let wanted = RestoreRequest::new(call.repo, call.arguments.text("snapshot"), &only)?;
    let options = call.session.options();
    let (gate, steps) =
        Gate::open_to_restore(call.repo, options, &wanted.snapshot, &wanted.paths())?;
    // An undo needs no design.
    if gate.scope().is_some() {
        call.session.check(&gate)?;
    }
    let done = gate.restore(&steps, None);
    told(&gate, done.map(|done| wanted.to_json(&done)))
}
