//! guard judges changes: a change may touch only what its design document
//! names, may not leave the workspace, and may not silently destroy a file.
//!
//! The items below are the interface of the library. They judge what is staged in a [`Repository`], what a range of
//! its commits changes, or changes in memory, as here:
//!
//! ```
//! use write_guard::{Format, Policy, ProposedChange, Rule, judge_changes};
//!
//! let design = "
//! ## Files Changed
//!
//! | File | Change Type | Description |
//! |------|-------------|-------------|
//! | `src/utils/lld.rs` | Add | path enforcement |
//! ";
//! let policy = Policy::from_texts("", &[("docs/lld/LLD-188.md", design)])?;
//! let change = ProposedChange::add("src/core/lld.rs", "fn enforce() {}\n");
//! let verdict = judge_changes(&policy, &[change])?;
//!
//! assert!(!verdict.is_accepted());
//! let finding = &verdict.findings[0];
//! assert_eq!(finding.rule, Rule::OutOfScope);
//! assert!(finding.closest.as_ref().is_some_and(|path| path == "src/utils/lld.rs"));
//! Format::Human.write(&verdict, &mut std::io::stdout())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How the crate is built
//!
//! `write_guard_policy` judges and `write_guard_repo` reads; what they know is described there. A feature of the program
//! is a folder. In order; none imports a later one, but `approvals`, which `judge` asks whether a signature counts and
//! `files` whom to ask. No file imports itself through others. `tests/architecture.rs` reads this list and checks it.
//!
//! ```text
//! features           what a build may lack
//! ci                 what a CI system says about the commits to judge
//! judge              a source -> its verdict
//! report             verdict -> bytes, one file per format
//! files              effects on a workspace: write, patch, snapshots, log
//! approvals          a person's consent: hold, ask, sign, verify, use up
//! attempts           what was refused, and what followed
//! observe            what a command changed
//! agents             tool call of a coding agent -> answer
//! mcp                the file operations as tools of an MCP server
//! api                the interface of the library
//! setup              hooks and settings of a repository, and a check that they work
//! cli                arguments -> command -> exit code
//! ```

// Tests make the files that guard judges.
#![cfg_attr(test, allow(clippy::disallowed_methods))]
// A test goes step by step, and has its cases in a table.
#![cfg_attr(test, allow(clippy::shadow_unrelated, clippy::too_many_lines))]

#[doc(hidden)]
pub mod agents;
mod api;
#[doc(hidden)]
pub mod approvals;
mod attempts;
mod ci;
#[doc(hidden)]
pub mod cli;
#[cfg(not(all(feature = "extend", feature = "mcp")))]
mod features;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod judge;
#[cfg(feature = "mcp")]
#[doc(hidden)]
pub mod mcp;
mod observe;
mod report;
mod setup;

pub use api::{judge_changes, judge_range, judge_staged, load_policy};
#[doc(inline)]
pub use report::Format;
#[doc(inline)]
pub use write_guard_policy::{
    Error, Finding, Help, JudgedChange, Level, Policy, ProposedChange, Rule, Verdict,
};
#[doc(inline)]
pub use write_guard_repo::Repository;
