//! The level of a finding.

named! {
    /// The level of a finding. The order is `Note < Warning < Error`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Level {
        /// Information; does not change the exit code.
        Note = "note",
        /// Worth a look; does not change the exit code.
        Warning = "warning",
        /// Refuses the change: exit code 1.
        Error = "error",
    }
}
