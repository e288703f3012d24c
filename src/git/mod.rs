//! The only code that opens a repository. It reads everything in process, without attributes, replace refs or
//! configured programs.

// Git's own files and variables are this module's subject.
#![allow(clippy::disallowed_methods)]

mod attributes;
mod branch;
mod branch_config;
mod case_collisions;
mod checked_out;
mod checkpoint;
mod commit;
mod config_env;
mod durable;
mod errors;
mod gitlinks;
mod history;
mod hooks;
mod index;
mod loose;
mod merge;
mod merge_lines;
mod names;
mod objects;
mod own_work_tree;
mod parents;
mod quarantine;
mod range;
mod remembered;
mod repository;
mod snapshot;
mod snapshot_chain;
mod spares;
mod stage;
mod tree;
mod update;
mod work_tree;
mod work_trees;

pub use branch::Branch;
pub use case_collisions::visit_case_collisions;
pub use checked_out::CheckedOut;
pub use checkpoint::{CHANGE, Checkpoint, CheckpointStore, ObservedChange};
pub use commit::{Commit, Headline};
pub use durable::SNAPSHOTS;
use errors::failed;
pub(crate) use errors::show_file;
pub use history::History;
pub use hooks::HooksDirectory;
pub use index::{Index, staged_changes};
pub use merge::{MergeResult, Merges};
pub use objects::{Blobs, Objects, Recorded};
pub use parents::Parents;
pub use range::{Range, fetch_command};
pub use repository::Repository;
pub use snapshot::Before;
pub use snapshot_chain::{Pruned, Snapshot, Snapshots};
pub use tree::{Tree, changes_between};
pub use update::{PushSide, TargetBranch, Update};
pub(crate) use work_tree::IgnoreRules;
pub use work_trees::WorkTree;
