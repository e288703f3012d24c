//! The only code that opens a repository. It reads in process, without attributes, replace refs or configured programs.
//! git itself runs where `program` is used.

// Git's own files and variables are this module's subject.
#![allow(clippy::disallowed_methods)]

use std::io;
use std::path::Path;

use gix::bstr::ByteSlice;
use gix::error::MetadataValue;

use crate::disk::{self, absolute};
use crate::error::Error;
use crate::path::{escaped, shell_word};

mod checked_out;
mod checkpoint;
mod commits;
mod index;
mod merge;
mod objects;
mod program;
mod range;
mod repository;
mod snapshot;
mod tree;
mod update;
mod work_tree;

pub use checked_out::CheckedOut;
pub use checkpoint::{CHANGE, Checkpoint, CheckpointStore, ObservedChange, differing};
pub use commits::{Commit, Headline, Parents, Range, merge_heads};
pub use index::{Index, staged_changes};
pub use merge::{MergeResult, merge_results};
pub use objects::{Blobs, Objects, blob_id};
pub use program::with_trailers;
pub use repository::{Branch, Repository};
pub use snapshot::{Before, SNAPSHOTS, Snapshot, Snapshots};
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
    let root = match place.ends_with(".git") {
        true => disk::directory_of(&place),
        false => &place,
    };
    let path = show_file(root);
    let command = "git config --global --add safe.directory";
    let word = shell_word(path.as_bytes());
    Error::new(format!("the repository at {path} belongs to another user"))
        .help(format!("if you trust it: {command} {word}"))
}

/// A file name of the platform, for messages.
pub(crate) fn show_file(path: &Path) -> String {
    escaped(path.to_string_lossy().as_bytes().as_bstr()).to_string()
}
