//! A heading that announces files.

use std::ops::Range;

use super::blocks::{Heading, Table};
use super::claim::Claim;
use super::columns::Columns;

/// A heading that announces files, with the blocks below it.
pub(super) struct Section<'b> {
    pub(super) heading: &'b Heading,
    /// The indices of the blocks after the heading.
    pub(super) body: Range<usize>,
    pub(super) claim: Claim,
    /// Whether a table with types below it is the whole scope.
    pub(super) is_whole: bool,
    pub(super) tables: Vec<CandidateTable<'b>>,
}

/// A table of files.
pub(super) struct CandidateTable<'b> {
    pub(super) index: usize,
    pub(super) table: &'b Table,
    pub(super) columns: Columns,
    /// The index of the heading directly above.
    pub(super) unit: usize,
}
