//! `guard.toml`: what can be set, its defaults, and reading it.

mod keys;
mod kind;
mod lists;
mod read;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::finding::Level;

pub use keys::{KEYS, Key, SECTIONS, Settings};
pub use kind::ValueKind;
pub use read::{KeyPlace, KeyPlaces, parse, parse_with_places};

/// The file's path, at the workspace root.
pub const FILE: &str = "guard.toml";

/// The table whose keys are the names of the rules.
pub const RULES: &str = "rules";

/// What that table says of a rule; `None` is off.
pub const LEVELS: [(&str, Option<Level>); 4] = [
    ("off", None),
    ("note", Some(Level::Note)),
    ("warning", Some(Level::Warning)),
    ("error", Some(Level::Error)),
];

/// What happens on a branch that no design belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// guard cannot judge: exit code 2.
    Block,
    /// The scope rules do not apply; all others do.
    Skip,
}

/// Which version of a design counts in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Authority {
    /// The designs at the range's head; rows that the range added are listed.
    Head,
    /// The designs at the merge base; rows that the range added grant nothing.
    Base,
}
