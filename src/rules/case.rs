//! What the rules look at.

use std::collections::HashMap;

use gix::bstr::{BStr, BString};

use crate::approve::Approval;
use crate::change::{Change, Kind, State};
use crate::measure::{Kept, Measured};
use crate::path::{Platform, TreeView};
use crate::policy::Policy;

/// A change with everything that the rules read.
#[derive(Debug, Clone)]
pub struct MeasuredChange {
    /// The change.
    pub change: Change,
    /// The old version to compare with: that of the path, or of the path it was renamed from.
    pub compared: Option<State>,
    /// What it destroys; `None` if a text that governs nothing surely stays text and below the thresholds, and nobody
    /// asked for more.
    pub measured: Option<Measured>,
    /// Where Rename rows move a deleted path to, if the same change adds or modifies a file there.
    pub new_ends: Vec<RenameTarget>,
    /// Where lines of a large file went that is not lost for that reason, or not as much.
    pub moved_to: Vec<MovedTo>,
    /// Both versions, old and new, of a file whose content is itself a rule
    /// ([`super::wants_content`]) or a link's target; empty where a side is missing.
    pub content: Option<Box<(Vec<u8>, Vec<u8>)>>,
}

impl MeasuredChange {
    /// The path.
    pub fn path(&self) -> &BStr {
        self.change.path.as_ref()
    }
}

/// Another file of the same change that gains lines which a file loses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedTo {
    /// Its path.
    pub path: BString,
    /// The number of lines.
    pub lines: usize,
}

/// The new path of a Rename row whose old path is deleted.
#[derive(Debug, Clone, PartialEq)]
pub struct RenameTarget {
    /// Its path.
    pub path: BString,
    /// What it keeps of the old file.
    pub kept: Kept,
}

/// What is known about the merge base.
#[derive(Debug, Clone, Default)]
pub enum MergeBase {
    /// There is no target branch to compare with.
    #[default]
    Unknown,
    /// What it holds at the paths that [`super::needs_merge_base`] asked for.
    Known(HashMap<BString, Option<State>>),
}

impl MergeBase {
    /// The state at `path`: `None` if unknown, `Some(None)` if there was nothing.
    pub fn get(&self, path: &BStr) -> Option<Option<State>> {
        match self {
            MergeBase::Unknown => None,
            MergeBase::Known(states) => states.get(path).copied(),
        }
    }
}

/// The resulting tree.
pub trait ResultTree: TreeView {
    /// Calls `visit` at least for every path that equals, contains or is below a changed path when case is ignored.
    /// Directories come, if at all, after those above them; the order is otherwise unspecified.
    fn for_each(&self, visit: &mut dyn FnMut(&BStr, Kind));
}

/// The input of one judgement.
pub struct Case<'a> {
    /// The platform whose path rules apply.
    pub platform: Platform,
    /// The policy.
    pub policy: &'a Policy,
    /// The changes.
    pub changes: &'a [MeasuredChange],
    /// The resulting tree.
    pub result: &'a dyn ResultTree,
    /// The merge base.
    pub merge_base: &'a MergeBase,
    /// The approvals that count here, without expired ones and, in a range, without unsigned ones.
    pub approvals: &'a [Approval],
}

impl Case<'_> {
    /// The approval of this change.
    pub fn approval(&self, change: &Change) -> Option<&Approval> {
        self.approvals
            .iter()
            .find(|approval| approval.is_for(change))
    }
}

/// The access that a request wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read the content.
    Read,
    /// To change the content.
    Write,
}
