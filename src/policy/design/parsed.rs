//! What a design says besides its grants: paths that it only mentions, and its faults.

use gix::bstr::BString;

use crate::finding::{Anchor, Help, Rule};

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
