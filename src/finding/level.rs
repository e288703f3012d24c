//! How serious a finding is.

named! {
    /// How serious a finding is. The order is `Note < Warning < Error`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Level {
        /// For information; never changes the exit code.
        Note = "note",
        /// Worth a look; never changes the exit code.
        Warning = "warning",
        /// Refuses the change: exit code 1.
        Error = "error",
    }
}
