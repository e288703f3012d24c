//! File operations in a workspace, always in this order: boundary, rules, snapshot, record "started", write, record
//! "done". If the snapshot or the record fails, nothing is written.

mod check;
mod decision;
mod effect;
#[cfg(feature = "extend")]
mod extend;
mod failure;
mod gate;
mod log;
mod operation;
mod perform;
mod plan;
mod signer;
mod store;
mod text;
mod undo;

pub use decision::{
    Answer, Ask, Question, approve, consume, held_change, keep, new_id, pending, reject,
};
pub use effect::{Effect, read_json};
pub use failure::{Failure, FailureKind, GateResult};
pub use gate::Gate;
pub use log::{Log, Record, Verification, rfc3339, verify};
pub use operation::{Operation, OperationKind, Strategy};
pub use signer::{ELICITATION, Signer, TERMINAL};
pub use store::{HeldChange, approvals, decision};
pub(crate) use text::ends_lines_with_crlf;
pub use text::{Edit, Extension, apply};
pub use undo::{
    TakenBackChange, keep_only_copies, own_snapshot, prune, restored_json, snapshot_json,
    snapshot_path, take_back,
};
