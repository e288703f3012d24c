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
mod table;

pub use table::table;

/// The checked-out sources of guard.
pub const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
