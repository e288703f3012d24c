//! Approvals: which changes wait for one, which ones a commit uses, and which ones count in a range.

mod in_commits;
mod kept_by_rebase;
mod segments;
mod spent;
mod staged;
mod validity;

pub(in crate::judge) use in_commits::{CommitApprovals, in_commit};
pub use kept_by_rebase::{brought_along, not_listed};
pub(in crate::judge) use segments::WholeRange;
pub use staged::{Clearable, clearable, landed, used_approvals};
