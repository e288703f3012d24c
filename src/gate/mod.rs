//! File operations in a workspace, always in this order: boundary, rules, snapshot, record "started", write, record
//! "done". If the snapshot or the record fails, nothing is written.

mod analysis;
mod announced;
mod answer;
mod approval_prompt;
mod check;
mod decision;
mod decision_method;
mod designs;
#[cfg(feature = "extend")]
mod extend;
mod failure;
mod held;
mod held_status;
mod lock;
mod log;
mod operation;
mod passed;
mod patch;
mod perform;
mod recorded_approvals;
mod restore;
mod sign;
mod store;
mod strategy;
mod take_back;
mod text;
mod verify;
mod workspace;

pub use analysis::{Analysis, Forecast};
pub use answer::read_json;
pub use approval_prompt::Question;
pub use check::Checker;
pub use decision::{Answer, Ask, Consent, consume, held_change, keep, pending, reject};
pub use decision_method::TERMINAL;
pub use failure::{Failure, FailureKind, GateResult};
pub use held::{Held, HeldChange};
pub use held_status::{HeldRecord, HeldStatus, last_event};
pub use log::{ChainHead, Log, Record};
pub use operation::Operation;
pub use patch::{Edit, apply};
pub use perform::CompletedOperation;
pub use recorded_approvals::approvals;
pub use restore::{RestoreRequest, find_snapshot, prune, rfc3339, snapshot_json, snapshot_path};
pub use sign::{Signer, SigningKey, new_id};
pub use store::Store;
pub use strategy::Strategy;
pub use take_back::{TakenBackChange, keep_only_copies, take_back};
pub use text::Extension;
pub(crate) use text::ends_lines_with_crlf;
pub use verify::{LogFault, Unfinished, Verification, verify};
pub use workspace::{Gate, check_is_here, command_in, name_of};
