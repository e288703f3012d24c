//! What the settings say about reading designs.

use std::collections::BTreeSet;

use gix::bstr::BString;

use crate::policy::patterns::Patterns;
use crate::policy::settings::Settings;

/// What the settings say about reading designs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignOptions {
    /// Headings that open a scope section besides the built-in ones, without numbering.
    pub headings: Vec<String>,
    /// The globs that mean "a test"; a pattern without a slash is matched against the file name.
    pub test_patterns: Patterns,
    /// Names of files: code that is one of them means this file, whatever else the text could mean.
    pub files: BTreeSet<BString>,
}

impl Default for DesignOptions {
    fn default() -> Self {
        DesignOptions::from_settings(&Settings::default())
    }
}

impl DesignOptions {
    /// What the settings say about reading designs.
    pub fn from_settings(settings: &Settings) -> DesignOptions {
        DesignOptions {
            headings: settings.headings.clone(),
            test_patterns: settings.test_patterns.clone(),
            files: BTreeSet::new(),
        }
    }
}
