//! What a restore puts back at a path.

use gix::bstr::BString;

use super::undone::digest;
use crate::finding::Rule;
use crate::git::Repository;

/// What is put back at one path.
#[derive(Debug, Clone)]
pub struct Restore {
    /// The id of the snapshot.
    pub snapshot: String,
    /// What was there.
    pub former: Former,
    /// The number of the record of guard's own last operation there, where this undoes it.
    pub undoes: Option<u64>,
}

/// What was at a path.
#[derive(Debug, Clone)]
pub enum Former {
    /// A file.
    Content {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether it could be run.
        is_executable: bool,
    },
    /// No file.
    Absent,
    /// No file; what is there now was at this path, and goes back to it.
    From(BString),
}

impl Former {
    /// The blob id of the file that comes back.
    pub(super) fn digest(&self, repo: &Repository) -> Option<String> {
        match self {
            Former::Content { bytes, .. } => digest(repo, Some(bytes)),
            Former::Absent | Former::From(_) => None,
        }
    }
}

impl Restore {
    /// Whether an undo may leave a rule aside: the state that comes back is not this change's doing.
    pub(super) fn passes(&self, rule: Rule) -> bool {
        let is_of_the_step = matches!(
            rule,
            Rule::OutOfScope | Rule::ActionNotGranted | Rule::DestructiveChange
        );
        self.undoes.is_some() && is_of_the_step
    }
}
