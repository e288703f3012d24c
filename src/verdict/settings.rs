//! The settings in force, and where each value came from.

use serde::Serialize;

use crate::policy::settings::{KeyPlaces, Settings};

/// The settings with their sources.
#[derive(Debug, Clone, Default)]
pub struct SettingsInForce {
    /// The commit whose `guard.toml` was read, in hexadecimal; `None` where it has none.
    pub commit: Option<String>,
    /// What is in force.
    pub settings: Settings,
    /// Where the file sets what.
    pub places: KeyPlaces,
    /// Designs that were chosen by hand.
    pub designs: Option<ChosenDesigns>,
    /// The environment's variables that guard listens to and that are set, by name.
    pub variables: Vec<(String, String)>,
    /// Remarks, one sentence each.
    pub notes: Vec<String>,
}

/// Designs that go before those of the settings.
#[derive(Debug, Clone, Serialize)]
pub struct ChosenDesigns {
    /// The files as given.
    pub files: Vec<String>,
    /// The flag, variable or command that chose them.
    #[serde(rename = "from")]
    pub by: String,
}
