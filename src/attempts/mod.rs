//! What was refused, and what followed each refusal: from the log, and from the commits of the branch.

mod followed;
mod refusal;
mod session;
mod text;

pub(crate) use followed::{Work, attempts, day};
pub(crate) use refusal::note_refused;
pub(crate) use session::refused_before;
