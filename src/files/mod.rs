//! File operations in a workspace, always in this order: boundary, rules, snapshot, record "started", write, record
//! "done". If the snapshot or the record fails, nothing is written.

mod analysis;
mod announced;
mod answer;
mod check;
mod consent;
mod decision;
mod designs;
#[cfg(feature = "extend")]
mod extend;
mod failure;
mod lock;
mod log;
mod operation;
mod patch;
mod perform;
mod restore;
mod signer;
mod store;
mod strategy;
mod take_back;
mod text;
mod verify;
mod work_tree;
mod workspace;

pub use analysis::{Analysis, Forecast};
pub use answer::read_json;
pub use check::Checker;
pub use consent::{Consent, consume, held_change, keep, new_id, pending, reject};
pub use decision::{Answer, Ask, Question};
pub use failure::{Failure, FailureKind, GateResult};
pub use log::{ChainHead, Log, Record};
pub use operation::Operation;
pub use patch::{Edit, apply};
pub use perform::CompletedOperation;
pub use restore::{RestoreRequest, find_snapshot, prune, rfc3339, snapshot_json, snapshot_path};
pub use signer::{Signer, TERMINAL};
pub use store::{HeldChange, HeldRecord, HeldStatus, approvals, last_event};
pub use strategy::Strategy;
pub use take_back::{TakenBackChange, keep_only_copies, take_back};
pub use text::Extension;
pub(crate) use text::ends_lines_with_crlf;
pub use verify::{LogFault, Unfinished, Verification, verify};
pub use work_tree::{check_is_here, command_in, name_of};
pub use workspace::Gate;
