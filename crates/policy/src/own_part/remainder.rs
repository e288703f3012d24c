//! What is left of a file without guard's part, and what the part does.

use std::collections::BTreeSet;

/// A file without guard's part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Without {
    /// What is left. A frame that holds nothing else, such as an empty list of hooks, is part of guard's.
    pub rest: String,
    /// What guard does there; removing one of them weakens guard.
    pub calls: BTreeSet<String>,
    /// guard's part itself.
    pub part: String,
    /// Where guard comes from.
    pub(super) sources: BTreeSet<String>,
    /// For scripts: how many lines of others stand before guard's.
    pub(super) behind: usize,
}

/// What begins the entry in `calls` for a hook of git that a framework installs, which calls nothing by itself.
pub(super) const INSTALLS: &str = "install ";

impl Without {
    /// Whether guard is called.
    pub fn has_call(&self) -> bool {
        self.calls.iter().any(|call| !call.starts_with(INSTALLS))
    }
}
