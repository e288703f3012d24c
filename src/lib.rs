//! guard judges changes: a change may touch only what its design document
//! names, may not leave the workspace, and may not silently destroy a file.
//!
//! The modules in order; none imports a later one. Those before `system` are pure: they use no disk, no environment,
//! no process and no clock. `tests/architecture.rs` reads this list and checks both.
//!
//! ```text
//! named              enums whose variants have a name
//! finding, error     what guard says
//! change             what is proposed: one path going from an old to a new state
//! path               which paths are safe
//! suggest, trailer   the word that was meant; trailers of a commit message
//! measure            lost share, class, preview of a change
//! approval           a person's consent to one change
//! policy             settings and designs -> scope
//! verdict            the result of a judgement
//! rules              policy and changes -> findings
//! ci                 what a CI system says about the commits to judge
//! system             what each operating system does in its own way
//! threads, disk      work on several cores; writing a file in one step
//! boundary           the directory handle that nothing escapes
//! git                the only code that opens a repository
//! judge              a source -> its verdict
//! report             verdict -> bytes, one file per format
//! gate               effects on a workspace: write, patch, snapshots, approvals, log
//! install            hooks and settings of a repository, and a check that they work
//! cli                arguments -> command -> exit code
//! ```
//!
//! An embedding program builds a [`policy::Policy`], collects
//! [`change::Change`]s and calls [`rules::check`].

// Tests make the files that guard judges.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

#[macro_use]
mod named;

pub mod approval;
pub mod boundary;
pub mod change;
pub mod ci;
pub mod cli;
mod disk;
pub mod error;
pub mod finding;
pub mod gate;
pub mod git;
pub mod install;
pub mod judge;
pub mod measure;
pub mod path;
pub mod policy;
pub mod report;
pub mod rules;
mod suggest;
mod system;
mod threads;
pub mod trailer;
pub mod verdict;
