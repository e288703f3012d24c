//! The settings file of a hook manager.

/// A file of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    /// Its path from the root of the work tree.
    pub name: String,
    /// Its bytes.
    pub content: Vec<u8>,
}
