//! File operations in a workspace, always in this order: boundary, rules, snapshot, record "started", write, record
//! "done". If the snapshot or the record fails, nothing is written.

mod analysis;
mod announced;
mod answer;
mod approval_prompt;
mod check;
mod decision;
mod designs;
#[cfg(feature = "extend")]
mod extend;
mod extension;
mod failure;
mod held;
mod line_endings;
mod lock;
mod log;
mod near_miss;
mod operation;
mod patch;
mod perform;
mod plan;
mod previous_content;
mod recorded_approvals;
mod restore;
mod sign;
mod snapshot_request;
mod store;
mod strategy;
mod undone_operation;
mod verify;
mod work_tree;
mod workspace;

pub use analysis::Analysis;
pub use answer::read_json;
pub use approval_prompt::Question;
pub use check::Checker;
pub use decision::{Answer, Ask, Consent, consume, held_change, keep, pending, reject};
pub use extension::Extension;
pub use failure::{Failure, FailureKind, GateResult};
pub use held::{Held, HeldChange};
pub(crate) use line_endings::ends_lines_with_crlf;
pub use log::{ChainHead, Log, LogFault, Record};
pub use operation::Operation;
pub use patch::{Edit, apply};
pub use perform::CompletedOperation;
pub use previous_content::{PreviousContent, Restore};
pub use recorded_approvals::approvals;
pub use restore::prune;
pub use sign::{Signer, SigningKey};
pub use snapshot_request::{RestoreRequest, find_snapshot, rfc3339, snapshot_json, snapshot_path};
pub use store::Store;
pub use strategy::Strategy;
pub use verify::{Unfinished, Verification, verify, verify_beside};
pub use work_tree::{check_is_here, command_in, name_of};
pub use workspace::Gate;
