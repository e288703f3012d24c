//! Paths that a design takes out of the scope, whatever else grants them.

use gix::bstr::BString;

use super::GrantKind;
use crate::finding::Anchor;

named! {
    /// What takes a path out of the scope.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum DenialSource {
        /// `forbidden_paths` or `forbidden_files` in the front matter. It takes away what the rows of its own design,
        /// standing designs and `[scope] always` grant.
        FrontMatter = "front-matter",
        /// A row that says DO NOT MODIFY. It takes away every grant.
        Row = "row",
    }
}

/// A path, directory or glob that a design forbids to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// The path, normalised like a grant's.
    pub path: BString,
    /// The kind of `path`.
    pub kind: GrantKind,
    /// What says so.
    pub source: DenialSource,
    /// The remark of a row on one line, or empty.
    pub description: String,
    /// The place of the path in the document.
    pub anchor: Anchor,
}
