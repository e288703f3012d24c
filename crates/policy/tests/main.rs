//! The integration tests of the policy. One program, because linking one per file took most of the time.

// Tests read the fixtures, print figures, and fail by a panic.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used
)]

mod design_documents;
mod design_grammar;
mod design_hostile;
mod design_labelled;
mod design_properties;
mod measure_precision;
mod path_corpus;
mod scope_import_plans;
