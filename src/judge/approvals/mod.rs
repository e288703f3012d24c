//! Approvals: which changes need one, which ones a commit uses, and which ones count in a range.

mod in_commits;
mod in_range;
mod signers;
mod staged;

pub(super) use in_commits::CommitApprovals;
pub(super) use in_range::WholeRange;
pub use signers::not_listed;
pub use staged::{Clearable, clearable, landed, used_approvals};
