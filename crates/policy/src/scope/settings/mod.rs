//! `guard.toml`: keys, defaults and parser.

mod keys;
mod read;
#[cfg(test)]
mod tests;
mod weakened;

pub(crate) use keys::TEST_PATTERNS;
pub use keys::{Authority, Missing, ProtectTests, ValueKind};
pub use keys::{EXPIRY, FILE, KEYS, Key, LEVELS, MAX_SIZE, RULES, SECTIONS, Settings};
pub use read::{KeyPlaces, parse, parse_with_places};
pub use weakened::weakened;
