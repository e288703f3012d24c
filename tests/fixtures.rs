//! One test per repository of `fixtures/repos`: `cargo test --test fixtures merge` runs those with this word in the name.
//!
//! With `GUARD_BEFORE=PROGRAM`, another guard must answer the same, byte for byte: for changes that should change nothing.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]
// A test goes step by step, with a new `output` for each, and has its cases in a table.
#![allow(clippy::shadow_unrelated, clippy::too_many_lines)]

mod advice;
mod before;
mod common;
mod repositories;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // As in the other test programs.
    if arguments.test_threads.is_none() {
        let threads = std::env::var("RUST_TEST_THREADS");
        arguments.test_threads = threads.ok().and_then(|number| number.parse().ok());
    }
    let mut trials = repositories::trials();
    trials.extend(before::trials());
    trials.extend(advice::trials());
    let conclusion = libtest_mimic::run(&arguments, trials);
    let is_whole = !arguments.list && !arguments.ignored && conclusion.num_filtered_out == 0;
    if is_whole && !(repositories::commits_enough() && advice::follows_enough()) {
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}
