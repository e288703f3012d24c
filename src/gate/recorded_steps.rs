//! What a record of the log says about files: for each, the blob ids before and after.

use gix::bstr::BString;
use serde_json::{Map, Value};

/// Paths, each with the blob id of its file; `None` for no file.
pub(super) type BlobIds = Vec<(BString, Option<String>)>;

/// What an operation did to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RecordedStep {
    pub(super) path: BString,
    /// The new path of a moved file.
    pub(super) to: Option<BString>,
    /// The blob id before; `None` for no file.
    pub(super) old: Option<String>,
    /// The blob id after, which for a move is at the new path.
    pub(super) new: Option<String>,
    /// The permission bits of a removed file.
    pub(super) mode: Option<u32>,
}

/// The steps of a record: several for a batch, otherwise one. `None` if the record lacks a fact.
pub(super) fn steps(facts: &Map<String, Value>) -> Option<Vec<RecordedStep>> {
    match facts.get("operations").and_then(Value::as_array) {
        Some(operations) => operations
            .iter()
            .map(|operation| step(operation.as_object()?))
            .collect(),
        None => Some(vec![step(facts)?]),
    }
}

fn step(facts: &Map<String, Value>) -> Option<RecordedStep> {
    let digest = |key: &str| Some(facts.get(key)?.as_str().map(str::to_owned));
    let mode = facts.get("mode").and_then(Value::as_u64);
    Some(RecordedStep {
        path: facts.get("path")?.as_str()?.into(),
        to: facts.get("to").and_then(Value::as_str).map(BString::from),
        old: digest("old")?,
        new: digest("new")?,
        mode: mode.and_then(|mode| u32::try_from(mode).ok()),
    })
}

/// The files before the steps.
pub(super) fn began(steps: &[RecordedStep]) -> BlobIds {
    let at = |step: &RecordedStep| {
        let to = step.to.clone().map(|to| (to, None));
        [Some((step.path.clone(), step.old.clone())), to]
    };
    steps.iter().flat_map(at).flatten().collect()
}

/// The files after the steps.
pub(super) fn ended(steps: &[RecordedStep]) -> BlobIds {
    let at = |step: &RecordedStep| match &step.to {
        None => [Some((step.path.clone(), step.new.clone())), None],
        Some(to) => [
            Some((step.path.clone(), None)),
            Some((to.clone(), step.old.clone())),
        ],
    };
    steps.iter().flat_map(at).flatten().collect()
}
