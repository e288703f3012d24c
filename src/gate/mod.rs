//! File operations in a workspace, always in this order: boundary, rules, snapshot, record "started", write, record
//! "done". If the snapshot or the record fails, nothing is written.

mod analysis;
mod analyze;
mod announced;
mod answer;
mod browse;
mod check;
mod consent;
mod decision;
mod designs;
#[cfg(feature = "extend")]
mod extend;
mod extension;
mod failure;
mod line_endings;
mod lock;
mod log;
mod operation;
mod patch;
mod perform;
mod plan;
mod previous_content;
mod recorded_steps;
mod restore;
mod scope_versions;
mod snapshot_request;
mod store;
mod strategy;
mod take_back;
mod undone_operation;
mod verify;
mod work_tree;
mod workspace;

pub use analysis::Analysis;
pub use analyze::Forecast;
pub use answer::read_json;
pub use browse::ListedEntry;
pub use check::Checker;
pub use consent::{Consent, Signer, TERMINAL, consume, held_change, keep, new_id, pending, reject};
pub use decision::{Answer, Ask, Question};
pub use extension::Extension;
pub use failure::{Failure, FailureKind, GateResult};
pub(crate) use line_endings::ends_lines_with_crlf;
pub use log::{ChainHead, Log, LogFault, Record};
pub use operation::Operation;
pub use patch::{Edit, apply};
pub use perform::CompletedOperation;
pub use previous_content::{PreviousContent, Restore};
pub use restore::prune;
pub use snapshot_request::{RestoreRequest, find_snapshot, rfc3339, snapshot_json, snapshot_path};
pub use store::{HeldChange, HeldRecord, HeldStatus, approvals, last_event};
pub use strategy::Strategy;
pub use take_back::{TakenBackChange, keep_only_copies, take_back};
pub use verify::{Unfinished, Verification, verify, verify_beside};
pub use work_tree::{check_is_here, command_in, name_of};
pub use workspace::Gate;
