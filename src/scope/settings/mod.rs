//! `guard.toml`: keys, defaults and parser.

mod keys;
mod read;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::finding::Level;

pub(crate) use keys::test_patterns;
pub use keys::{KEYS, Key, SECTIONS, Settings};
pub use read::{KeyPlace, KeyPlaces, ValueKind, parse, parse_with_places};

/// The largest file that requests read or write, in bytes.
pub const MAX_SIZE: u64 = 20_000_000;

/// How long an unused approval stays valid, in seconds.
pub const EXPIRY: u64 = 14 * read::DAY;

/// The path of the file.
pub const FILE: &str = "guard.toml";

/// The table whose keys are rule names.
pub const RULES: &str = "rules";

/// The levels that this table accepts; `None` is off.
pub const LEVELS: [(&str, Option<Level>); 4] = [
    ("off", None),
    ("note", Some(Level::Note)),
    ("warning", Some(Level::Warning)),
    ("error", Some(Level::Error)),
];

/// What happens on a branch without a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// guard exits with 2.
    Block,
    /// The scope rules are skipped.
    Skip,
}

/// Which listed tests stay as they are once they exist, unless their row says Modify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProtectTests {
    /// Committed ones, for requests.
    Requests,
    /// All that exist, for requests; committed ones, for commits.
    Always,
    /// None.
    Off,
}

/// Which version of a design counts in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Authority {
    /// The version at the head of the range; added rows are listed.
    Head,
    /// The version at the merge base; added rows grant nothing.
    Base,
}
