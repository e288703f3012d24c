//! The git repository as guard reads it: index, trees, refs, ranges, merges, work tree and checkpoints.
//!
//! The only code that opens a repository. It reads in process, without attributes, replace refs or configured programs.
//! git itself runs where `program` is used. Files are opened through a [`boundary`] that nothing escapes.
//!
//! # The modules
//!
//! In order; none imports a later one. `tests/architecture.rs` of the workspace reads this list.
//!
//! ```text
//! system             what each operating system does in its own way
//! disk               writing a file in one step
//! boundary           the directory handle that nothing escapes
//! submodules         the format of `.gitmodules`
//! objects            blobs and trees by their ids
//! tree               a tree, and the changes between two
//! program            running git itself
//! repository         opening a repository; its configuration and branch
//! commits            commits, and what they say
//! merge              what git makes of a merge
//! update             what a push or a fetch would move
//! range              the commits of a range
//! recent             the commits of a branch since a time
//! index              what the next commit would hold
//! checked_out        the files that git would check out
//! work_tree          what is in the work tree but not in the index
//! snapshot           refs that keep a content
//! stored             a content as git would store it
//! checkpoint         what a command changed, by what was there before
//! ```

// Git's own files and variables are this crate's subject, as are the files of the workspace.
#![allow(clippy::disallowed_methods)]
// A test goes step by step, and has its cases in a table.
#![cfg_attr(test, allow(clippy::shadow_unrelated, clippy::too_many_lines))]

use std::io;
use std::path::Path;

use gix::bstr::ByteSlice;
use gix::error::MetadataValue;

use crate::disk::absolute;
use write_guard_policy::error::Error;
use write_guard_policy::path::{escaped, shell_word};

pub mod boundary;
mod checked_out;
mod checkpoint;
mod commits;
pub mod disk;
mod index;
mod merge;
mod objects;
mod program;
mod range;
mod recent;
mod repository;
mod snapshot;
mod stored;
mod submodules;
pub mod system;
mod tree;
mod update;
mod work_tree;

pub use checked_out::CheckedOut;
pub use checkpoint::{
    Back, CHANGE, Checkpoint, CheckpointStore, ObservedChange, OwnLoss, Recorded, Unreached,
    differing,
};
pub use commits::{Commit, Headline, Parents, Range, merge_heads, repeated_by_rebase};
pub use index::{Index, staged_changes};
pub use merge::{MergeResult, merge_results};
pub use objects::{Blobs, Objects, state_of};
pub use program::with_trailers;
pub use repository::{Branch, Repository};
pub use snapshot::{Before, SNAPSHOTS, Snapshot, Snapshots};
pub use submodules::submodules;
pub use system::{find_program, find_shell, real_path, show_file};
pub use tree::{Tree, changes_between, is_in_any, tree_of_changes};
pub use update::{PushSide, TargetBranch, Update};
pub use work_tree::WorkTree;

/// An error from gix as a sentence.
fn failed(what: impl Into<String>) -> impl Fn(gix::Error) -> Error {
    let what = what.into();
    move |error| Error::new(format!("{what}: {}", cause(&error)))
}

/// The innermost cause of an error, on one line; gix's outer messages describe internal steps.
fn cause(error: &gix::Error) -> String {
    let text = error.probable_cause().to_string();
    let shown = escaped(text.as_bytes().as_bstr()).to_string();
    // "Is a directory" does not say which path; gix stores that separately.
    match error.metadata_merged().get("path") {
        Some(MetadataValue::Path(path)) if !text.contains(&*path.to_string_lossy()) => {
            format!("{}: {shown}", show_file(path))
        }
        _ => shown,
    }
}

fn cannot_open(dir: &Path, error: gix::Error) -> Error {
    use gix::discover::upwards::Error as Discover;
    let here = show_file(dir);
    if let Some(discover) = error.downcast_any_ref::<Discover>() {
        return match discover {
            Discover::NoTrustedGitRepository { candidate, .. } => foreign(candidate),
            _ => Error::new(format!("{here} is not in a git repository"))
                .help("run guard inside a work tree, or name one with `guard -C DIR`"),
        };
    }
    // What the system denies is an error of input and output; what gix denies, for its owner, is none.
    if error.is_permission_denied() && error.downcast_any_ref::<io::Error>().is_none() {
        return foreign(dir);
    }
    failed(format!("the repository at {here} cannot be opened"))(error)
}

/// Of a work tree, git compares the root with `safe.directory`.
fn foreign(place: &Path) -> Error {
    let place = absolute(place);
    let root = if place.ends_with(".git") {
        disk::directory_of(&place)
    } else {
        &place
    };
    let path = show_file(root);
    let command = "git config --global --add safe.directory";
    let word = shell_word(path.as_bytes());
    Error::new(format!("the repository at {path} belongs to another user"))
        .help(format!("if you trust it: {command} {word}"))
}
