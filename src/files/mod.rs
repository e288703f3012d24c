//! File operations in a workspace, always in this order: boundary, rules, snapshot, record "started", write, record
//! "done". If the snapshot or the record fails, nothing is written.

mod announced;
mod check;
mod consent;
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
mod restore;
mod store;
mod take_back;
mod text;

pub use consent::{Consent, Signer, TERMINAL, consume, held_change, keep, new_id, pending, reject};
pub use decision::{Answer, Ask, Question};
pub use effect::{Analysis, Effect, read_json};
pub use failure::{Failure, FailureKind, GateResult, check_is_here, name_of};
pub use gate::Gate;
pub use log::{Log, LogFault, Record, Verification, rfc3339, verify};
pub use operation::{Operation, Strategy};
pub use restore::{paths_of, prune, restored_json, snapshot_json, snapshot_path};
pub use store::{HeldChange, approvals, decision};
pub use take_back::{TakenBackChange, keep_only_copies, take_back};
pub(crate) use text::ends_lines_with_crlf;
pub use text::{Edit, Extension, apply};
