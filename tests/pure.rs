//! The integration tests that need only the pure modules. `.ci/mutants` runs them together with the unit tests, so
//! src/lib.rs includes this file.

#![allow(clippy::unwrap_used)]

mod design_documents;
mod design_grammar;
pub mod design_support;
mod path_corpus;
mod scope_import_plans;

pub mod common {
    #![allow(dead_code, clippy::unwrap_used)]

    pub mod corpus;
    pub mod documents;
    pub mod random;
    mod table;

    pub use table::table;

    /// The checked-out sources of guard.
    pub const SOURCE: &str = env!("CARGO_MANIFEST_DIR");
}
