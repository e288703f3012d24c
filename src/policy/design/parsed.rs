//! A parsed design: its grants, the paths that it only mentions, and its faults.

use gix::bstr::BString;

use super::form::Form;
use crate::finding::{Anchor, Help, Rule};
use crate::policy::Grant;

/// A parsed design document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Design {
    /// The path of the document in the repository.
    pub path: BString,
    /// The text with its BOM, for excerpts. In a document that is not UTF-8, invalid bytes are replaced.
    pub text: String,
    /// The grants in document order.
    pub grants: Vec<Grant>,
    /// Paths that are named but not granted.
    pub mentions: Vec<Mention>,
    /// The faults in document order.
    pub faults: Vec<DesignFault>,
    /// Its tables and lists, and how their rows are written.
    pub forms: Vec<Form>,
    pub(super) is_typed: bool,
}

impl Design {
    /// Whether a table with a type column is the scope: it is then also the scope of the other documents of its
    /// directory.
    pub fn is_typed(&self) -> bool {
        self.is_typed
    }
}

/// A path in a row such as `Exists` or `Verify`: named, not granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The path as written, normalised like a grant's.
    pub path: BString,
    /// The type as written.
    pub change_type: String,
    /// The path's place in the document.
    pub anchor: Anchor,
}

/// A problem in a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignFault {
    /// One of the `design-…` rules.
    pub rule: Rule,
    /// One sentence without a full stop; names in it are escaped.
    pub message: String,
    /// What to write instead.
    pub help: Vec<Help>,
    /// The place; `None` only for a document without text.
    pub anchor: Option<Anchor>,
    /// A stable word for machines, such as `dotdot` or `truncated-row`.
    pub reason: &'static str,
}
