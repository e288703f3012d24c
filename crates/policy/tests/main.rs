//! The integration tests of the policy. One program, because linking one per file took most of the time.

// Tests read the fixtures, print figures, and fail by a panic.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used
)]
// A test goes step by step, with a new `output` for each, and has its cases in a table.
#![allow(clippy::shadow_unrelated, clippy::too_many_lines)]

mod design_documents;
mod design_grammar;
mod design_hostile;
mod design_labelled;
mod design_properties;
mod measure_precision;
mod path_corpus;
mod scope_import_plans;
