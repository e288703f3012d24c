//! guard judges changes: a change may touch only what its design document
//! names, may not leave the workspace, and may not silently destroy a file.
//!
//! The items below are the interface of the library. They judge what is staged in a [`Repository`], what a range of
//! its commits changes, or changes in memory, as here:
//!
//! ```
//! use write_guard::{Format, Policy, ProposedChange, Rule};
//!
//! let design = "
//! ## Files Changed
//!
//! | File | Change Type | Description |
//! |------|-------------|-------------|
//! | `src/utils/lld.rs` | Add | path enforcement |
//! ";
//! let policy = Policy::from_texts("", &[("docs/lld/LLD-188.md", design)])?;
//! let verdict = policy.judge(&[ProposedChange::add("src/core/lld.rs", "fn enforce() {}\n")])?;
//!
//! assert!(!verdict.is_accepted());
//! let finding = &verdict.findings[0];
//! assert_eq!(finding.rule, Rule::OutOfScope);
//! assert!(finding.closest.as_ref().is_some_and(|path| path == "src/utils/lld.rs"));
//! verdict.write(Format::Human, &mut std::io::stdout())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How the crate is built
//!
//! The modules in order; none imports a later one. Those before `system` are pure: they use no disk, no environment,
//! no process and no clock. `tests/architecture.rs` reads this list and checks both.
//!
//! ```text
//! named              enums whose variants have a name, and lists of words
//! finding, error     what guard says
//! change             what is proposed: one path going from an old to a new state
//! path               which paths are safe
//! trailer            trailers of a commit message
//! sha256             a digest
//! measure            lost share, class, preview of a change
//! approve            a person's consent to one change
//! scope              settings, and grants with their lookup
//! design             the grammar of designs -> grants; proposed rows
//! policy             settings and designs that judge a change
//! verdict            the result of a judgement
//! rules              policy and changes -> findings
//! ci                 what a CI system says about the commits to judge
//! system             what each operating system does in its own way
//! disk               writing a file in one step
//! ssh_keygen         signing approvals, and verifying their signatures
//! boundary           the directory handle that nothing escapes
//! git                the only code that opens a repository
//! judge              a source -> its verdict
//! report             verdict -> bytes, one file per format
//! files              effects on a workspace: write, patch, snapshots, approvals, log
//! agents             tool call of a coding agent -> answer, one file per agent
//! mcp                the file operations as tools of an MCP server
//! api                the interface of the library
//! setup              hooks and settings of a repository, and a check that they work
//! cli                arguments -> command -> exit code
//! ```

// Tests make the files that guard judges.
#![cfg_attr(test, allow(clippy::disallowed_methods))]
// `--cfg guard_pure` leaves out `system` and what comes after it: a build that takes seconds, for .ci/mutants.
#![cfg_attr(guard_pure, allow(dead_code, unused_imports))]

#[macro_use]
mod named;
#[cfg(test)]
#[path = "../tests/common/random.rs"]
mod random;
#[cfg(test)]
#[cfg(guard_pure)]
extern crate self as write_guard;
#[cfg(test)]
#[cfg(guard_pure)]
#[path = "../tests/pure.rs"]
mod pure_tests;
#[cfg(test)]
#[cfg(guard_pure)]
use pure_tests::{common, design_support};

#[cfg(not(guard_pure))]
mod agents;
#[cfg(not(guard_pure))]
mod api;
#[doc(hidden)]
pub mod approve;
#[cfg(not(guard_pure))]
#[doc(hidden)]
pub mod boundary;
#[doc(hidden)]
pub mod change;
mod ci;
#[cfg(not(guard_pure))]
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod design;
#[cfg(not(guard_pure))]
mod disk;
mod error;
#[cfg(not(guard_pure))]
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod finding;
#[cfg(fuzzing)]
#[path = "../fuzz/inside.rs"]
pub mod fuzzing;
#[cfg(not(guard_pure))]
#[doc(hidden)]
pub mod git;
#[cfg(not(guard_pure))]
#[doc(hidden)]
pub mod judge;
#[cfg(not(guard_pure))]
#[cfg(feature = "mcp")]
mod mcp;
#[doc(hidden)]
pub mod measure;
#[doc(hidden)]
pub mod path;
#[doc(hidden)]
pub mod policy;
#[cfg(not(guard_pure))]
mod report;
mod rules;
#[doc(hidden)]
pub mod scope;
#[cfg(not(guard_pure))]
mod setup;
mod sha256;
#[cfg(not(guard_pure))]
mod ssh_keygen;
#[cfg(not(guard_pure))]
mod system;
mod trailer;
mod verdict;

#[doc(inline)]
pub use change::ProposedChange;
#[doc(inline)]
pub use error::Error;
#[doc(inline)]
pub use finding::{Finding, Help, Level, Rule};
#[cfg(not(guard_pure))]
#[doc(inline)]
pub use git::Repository;
#[doc(inline)]
pub use policy::Policy;
#[cfg(not(guard_pure))]
#[doc(inline)]
pub use report::Format;
#[doc(inline)]
pub use verdict::{JudgedChange, Verdict};
