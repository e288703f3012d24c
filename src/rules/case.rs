//! What the rules look at.

use std::collections::HashMap;

use gix::bstr::{BStr, BString};

use crate::approval::Approval;
use crate::change::{Change, Kind, State};
use crate::measure::{Kept, Measured};
use crate::path::TreeView;
use crate::policy::Policy;
use crate::policy::settings::Settings;

/// A change with everything that the rules look at.
#[derive(Debug, Clone)]
pub struct MeasuredChange {
    /// What is proposed.
    pub change: Change,
    /// How much it destroys.
    pub measured: Measured,
    /// Where Rename rows move a deleted path to, as far as the same change adds or modifies something there.
    pub new_ends: Vec<NewEnd>,
    /// Both versions, old and new, of a file whose content is itself a rule
    /// ([`super::wants_content`]) or a link's target; empty where a side is missing.
    pub content: Option<Box<(Vec<u8>, Vec<u8>)>>,
}

impl MeasuredChange {
    /// The path, which every rule needs.
    pub fn path(&self) -> &BStr {
        self.change.path.as_ref()
    }
}

/// The new end of a Rename row whose old end is deleted.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEnd {
    /// Its path.
    pub path: BString,
    /// What it keeps of the old end.
    pub kept: Kept,
}

/// What is known of the tree where this piece of work began.
#[derive(Debug, Clone, Default)]
pub enum MergeBase {
    /// There is no target branch to compare with.
    #[default]
    Unknown,
    /// What it holds at the paths that [`super::needs_merge_base`] asked for.
    Known(HashMap<BString, Option<State>>),
}

impl MergeBase {
    /// What was at `path`; `None` where nothing is known, `Some(None)` where nothing was.
    pub fn get(&self, path: &BStr) -> Option<Option<State>> {
        match self {
            MergeBase::Unknown => None,
            MergeBase::Known(states) => states.get(path).copied(),
        }
    }
}

/// The resulting tree, as the rules see it.
pub trait ResultTree: TreeView {
    /// Calls `visit` with every path of the result that is one with a changed path where case does not count, or
    /// leads to one or is below one; with others too, if that is cheaper. In any order.
    fn for_each(&self, visit: &mut dyn FnMut(&BStr, Kind));
}

/// Everything that one judgement looks at.
pub struct Case<'a> {
    /// What the changes are judged by.
    pub policy: &'a Policy,
    /// What is proposed.
    pub changes: &'a [MeasuredChange],
    /// What the proposal leads to.
    pub result: &'a dyn ResultTree,
    /// Where this piece of work began.
    pub merge_base: &'a MergeBase,
    /// The consent that counts here: expired approvals, and in a range unsigned ones, are left out.
    pub approvals: &'a [Approval],
}

impl Case<'_> {
    /// The consent to this change.
    pub fn approval(&self, change: &Change) -> Option<&Approval> {
        self.approvals
            .iter()
            .find(|approval| approval.is_for(change))
    }
}

/// What a request wants of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its content.
    Read,
    /// To change it.
    Write,
}

/// A request for a path, before anything there is opened.
pub struct PathRequest<'a> {
    /// The settings in force.
    pub settings: &'a Settings,
    /// The path, free of links.
    pub path: &'a BStr,
    /// What it wants there.
    pub access: Access,
}
