//! Where a command runs.

/// Where a command runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommandPlace {
    /// The working directory: an absolute path.
    pub(crate) directory: String,
    /// The root of the work tree.
    pub(crate) root: Option<String>,
    /// `HOME`.
    pub(crate) home: Option<String>,
    /// The directory for temporary files.
    pub(crate) temporary: String,
}
