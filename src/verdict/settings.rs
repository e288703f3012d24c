//! The settings in force, and the source of each value.

use serde::Serialize;

use crate::policy::settings::{KeyPlaces, Settings};

/// The settings with their sources.
#[derive(Debug, Clone, Default)]
pub struct SettingsInForce {
    /// The commit whose `guard.toml` was read, in hexadecimal; `None` if it has none.
    pub commit: Option<String>,
    /// The settings in force.
    pub settings: Settings,
    /// The places of settings in the file.
    pub places: KeyPlaces,
    /// Designs chosen by hand.
    pub designs: Option<ChosenDesigns>,
    /// The environment variables that affect guard and are set, by name.
    pub variables: Vec<(String, String)>,
    /// Notes, one sentence each.
    pub notes: Vec<String>,
}

/// Designs that override those of the settings.
#[derive(Debug, Clone, Serialize)]
pub struct ChosenDesigns {
    /// The files as given.
    pub files: Vec<String>,
    /// The flag, variable or command that chose them.
    #[serde(rename = "from")]
    pub by: String,
}
