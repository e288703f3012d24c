//! How serious a finding is.

/// How serious a finding is. The order is `Note < Warning < Error`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// For information; never changes the exit code.
    Note,
    /// Worth a look; never changes the exit code.
    Warning,
    /// Refuses the change: exit code 1.
    Error,
}

impl Level {
    /// The word used in every format: `note`, `warning`, `error`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}
