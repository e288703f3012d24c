//! Approvals: which changes need one, which ones a commit uses, and which ones count in a range.

mod in_commits;
mod kept_by_rebase;
mod segments;
mod spent;
mod staged;
mod validity;

pub(super) use in_commits::CommitApprovals;
pub use kept_by_rebase::{brought_along, not_listed};
pub(super) use segments::WholeRange;
pub use staged::{Clearable, clearable, landed, used_approvals};
