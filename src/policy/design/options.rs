//! The settings for reading designs.

use crate::policy::patterns::Patterns;
use crate::policy::settings::{Settings, test_patterns};

/// The settings for reading designs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignOptions {
    /// Headings, in addition to the built-in ones, that start a scope section, without numbering.
    pub headings: Vec<String>,
    /// The patterns of tests; a pattern without a slash is matched against the file name.
    pub test_patterns: Patterns,
    /// Whether tasks in any document grant the file that they write, not only those in `tasks.md`.
    pub tasks: bool,
}

impl Default for DesignOptions {
    fn default() -> Self {
        DesignOptions::from_settings(&Settings::default())
    }
}

impl DesignOptions {
    /// The options from the settings.
    pub fn from_settings(settings: &Settings) -> DesignOptions {
        DesignOptions {
            headings: settings.headings.clone(),
            test_patterns: test_patterns(),
            tasks: settings.tasks,
        }
    }
}
