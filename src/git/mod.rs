//! The only code that opens a repository. It reads in process, without attributes, replace refs or configured programs.
//! git itself runs where `program` is used.

// Git's own files and variables are this module's subject.
#![allow(clippy::disallowed_methods)]

mod checked_out;
mod checkpoint;
mod commits;
mod config_env;
mod errors;
mod index;
mod loose;
mod merge;
mod objects;
mod parents;
mod private_objects;
mod program;
mod range;
mod repository;
mod snapshot;
mod snapshot_chain;
mod tree;
mod update;
mod work_tree;
mod work_trees;

pub use checked_out::CheckedOut;
pub use checkpoint::{CHANGE, Checkpoint, CheckpointStore, ObservedChange};
pub use commits::{Commit, Headline, History};
use errors::failed;
pub(crate) use errors::show_file;
pub use index::{FlaggedEntry, Index, staged_changes};
pub use merge::{MergeResult, Merges};
pub use objects::{Blobs, Objects, Recorded};
pub use parents::Parents;
pub use range::{Range, fetch_command};
pub use repository::{Branch, Repository};
pub use snapshot::{Before, SNAPSHOTS};
pub use snapshot_chain::{Pruned, Snapshot, Snapshots};
pub use tree::{Tree, changes_between, tree_of_changes};
pub use update::{PushSide, TargetBranch, Update};
pub use work_trees::WorkTree;
