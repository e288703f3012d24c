//! The state that a restore brings back.

use gix::bstr::BString;

use super::undone_operation::digest;
use crate::finding::Rule;
use crate::git::Repository;

/// The state to restore at one path.
#[derive(Debug, Clone)]
pub struct Restore {
    /// The id of the snapshot.
    pub snapshot: String,
    /// The previous state.
    pub previous: PreviousContent,
    /// The number of the log record of guard's last operation there, if this undoes it.
    pub undoes: Option<u64>,
}

/// The previous state of a path.
#[derive(Debug, Clone)]
pub enum PreviousContent {
    /// A file.
    Content {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether it was executable.
        is_executable: bool,
    },
    /// No file.
    Absent,
    /// No file; the file that is there now goes back to this path.
    From(BString),
}

impl PreviousContent {
    /// The blob id of the restored file.
    pub(super) fn digest(&self, repo: &Repository) -> Option<String> {
        match self {
            PreviousContent::Content { bytes, .. } => digest(repo, Some(bytes)),
            PreviousContent::Absent | PreviousContent::From(_) => None,
        }
    }
}

impl Restore {
    /// Whether an undo may skip a rule, because the restored state existed before.
    pub(super) fn passes(&self, rule: Rule) -> bool {
        let is_of_the_step = matches!(
            rule,
            Rule::OutOfScope | Rule::ActionNotGranted | Rule::DestructiveChange
        );
        self.undoes.is_some() && is_of_the_step
    }
}
