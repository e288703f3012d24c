//! The tests that only `.ci/long` runs, by `tests/run --test long`: they trace system calls, cut the power of a disk,
//! mount file systems, or install the programs of agents. What is missing for that (strace, root, mkfs.ext4, ntfs-3g, npm)
//! is a counted skip.

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

mod faults;
mod file_race;
mod ignoring_case;
mod log_growth;
mod power_cut;
mod real_agents;
mod system_calls;
