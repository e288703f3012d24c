//! File operations in a workspace, always in this order: boundary, rules, snapshot, record "started", write, record
//! "done". If the snapshot or the record fails, nothing is written.

mod check;
mod effect;
#[cfg(feature = "extend")]
mod extend;
mod failure;
mod gate;
mod line_endings;
#[cfg(feature = "mcp")]
mod listing;
mod log;
mod operation;
mod perform;
mod plan;
mod text;
mod undo;

pub use effect::{Effect, read_json};
pub use failure::{Failure, FailureKind, GateResult};
pub use gate::Gate;
pub(crate) use line_endings::PlainLines;
#[cfg(feature = "mcp")]
pub(crate) use listing::{Listing, MOST_LISTED};
pub use log::{Log, Record, Verification, verify};
pub(crate) use log::{REFUSED, alone, members, now, record, versions};
pub(crate) use operation::{ABSENT, can_extend};
pub use operation::{Operation, OperationKind, Strategy};
pub use text::{Edit, Extension, apply};
pub(crate) use undo::take_back_paths;
pub use undo::{
    TakenBackChange, content_before, keep_contents, kept_changes, own_snapshot, prune,
    restored_json, snapshot_json, snapshot_path, take_back,
};
