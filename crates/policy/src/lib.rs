//! The policy of guard: a change may touch only what its design document names, may not leave the workspace, and may not
//! silently destroy a file.
//!
//! Bytes go in and findings come out. The crate reads design documents and `guard.toml` into a [`Policy`], decides which
//! paths are safe, measures how much of a file a change destroys, and runs the [`rules`]. It opens no file, starts no
//! program, and asks neither the environment nor a clock: whoever calls it has read everything before.
//!
//! ```
//! use write_guard_policy::design;
//! use write_guard_policy::scope::{Actions, settings::Settings};
//!
//! let text = "
//! ## Files Changed
//!
//! | File | Change Type | Description |
//! |------|-------------|-------------|
//! | `src/utils/lld.rs` | Add | path enforcement |
//! ";
//! let design = design::parse("docs/lld/LLD-188.md".into(), text.as_bytes(), &Settings::default());
//!
//! let grant = &design.grants[0];
//! assert_eq!(grant.path, "src/utils/lld.rs");
//! assert!(grant.actions.contains(Actions::ADD));
//! ```
//!
//! # The modules
//!
//! In order; none imports a later one. `tests/architecture.rs` of the workspace reads this list.
//!
//! ```text
//! named              enums whose variants have a name, and lists of words
//! finding, error     what guard says
//! change             what is proposed: one path going from an old to a new state
//! path               which paths are safe
//! trailer            trailers of a commit message
//! sha256             a digest
//! measure            lost share, class, preview of a change
//! approve            the text of a person's consent to one change
//! scope              settings, and grants with their lookup
//! design             the grammar of designs -> grants; proposed rows
//! policy             settings and designs that judge a change
//! verdict            the result of a judgement
//! hooks              the hooks of git that guard installs, and lines that run guard
//! own_part           what is guard's own in the files that call it
//! rules              policy and changes -> findings
//! ```

// Unit tests read the fixtures.
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types))]
// A test goes step by step, and has its cases in a table.
#![cfg_attr(test, allow(clippy::shadow_unrelated, clippy::too_many_lines))]
#![forbid(unsafe_code)]

#[macro_use]
mod named;

pub mod approve;
pub mod change;
pub mod design;
pub mod error;
pub mod finding;
pub mod hooks;
pub mod measure;
pub mod own_part;
pub mod path;
pub mod policy;
pub mod rules;
pub mod scope;
pub mod sha256;
pub mod trailer;
pub mod verdict;

#[doc(inline)]
pub use change::ProposedChange;
#[doc(inline)]
pub use error::{Error, Result};
#[doc(inline)]
pub use finding::{Finding, Help, Level, Rule};
#[doc(inline)]
pub use policy::Policy;
#[doc(inline)]
pub use verdict::{JudgedChange, Verdict};
