//! The integration tests that need programs which `tests/run` installs, or that take long: `tests/run` runs them, and
//! `cargo test` does not. `tests/run --test external NAME::` runs one file.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]
// A test goes step by step, with a new `output` for each, and has its cases in a table.
#![allow(clippy::shadow_unrelated, clippy::too_many_lines)]

mod common;

mod design_rendered;
mod features;
mod frameworks;
mod generated_merges;
mod growth;
mod hook_matrix;
mod langgraph;
mod limits;
mod managed_files;
mod mcp_clients;
mod one_answer_managers;
mod packages;
mod review_browser;
mod routes;
mod smoke;
