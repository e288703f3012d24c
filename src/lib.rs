//! guard judges changes: a change may touch only what its design document
//! names, may not leave the workspace, and may not silently destroy a file.
//!
//! The modules follow one flow, and none imports a later one:
//!
//! ```text
//! path, finding          words that everything else uses
//! system                 what each operating system does in its own way
//! disk, suggest, threads writing a file in one step; the word that was meant; work on several cores
//! boundary               the directory handle that nothing escapes
//! change                 what is proposed: one path going from an old to a new state
//! measure                lost share, class, preview of a change
//! policy                 settings + designs -> scope
//! verdict                the result of a judgement: plain data
//! rules                  policy and changes in, findings out; pure
//! ci                     what a CI system says of the commits to judge; pure
//! git                    the only code that opens a repository
//! judge                  one pipeline: policy, changes and rules -> verdict
//! report                 verdict -> bytes, one file per format
//! install                hooks and settings of a repository, and a check that they work
//! cli                    arguments -> verb -> exit code
//! ```
//!
//! An embedding program builds a [`policy::Policy`], collects
//! [`change::Change`]s and calls [`rules::check`].

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
