//! What the tests of several packages share: documents and paths of `fixtures/`, and numbers that look random.

// A helper of a test fails by a panic.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::unwrap_used
)]

pub mod corpus;
pub mod designs;
mod documents;
pub mod random;
pub mod system;
mod table;

pub use table::table;

/// Consent to the deletion of a file, unsigned, as JSON: the unit tests of a package have its types anew.
pub const APPROVAL: &str = r#"{
    "id": "00112233445566778899aabbccddeeff",
    "path": "src/state.py",
    "old": "1111111111111111111111111111111111111111",
    "new": null,
    "design": "docs/LLD-1.md",
    "who": "person@example.org",
    "when": 1700000000,
    "how": "terminal",
    "reason": "a new format",
    "expires": 1800000000,
    "signature": null
}"#;

/// The checked-out sources of guard.
pub const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
