//! Links to the rows of the design table.

use std::collections::HashSet;

use super::markup::html;
use crate::finding::Anchor;
use crate::report::{escape, scope::place};

/// The rows that the table shows.
#[derive(Default)]
pub(super) struct RowIds(HashSet<String>);

impl RowIds {
    pub(super) fn add(&mut self, anchor: &Anchor) {
        self.0.insert(row_id(anchor));
    }

    /// A line of a design, as a link if the table shows it: a finding may point to another line.
    pub(super) fn place(&self, anchor: &Anchor) -> String {
        let shown = html(&escape::clip(&place(&anchor.path, anchor.line), 300));
        let id = row_id(anchor);
        match self.0.contains(&id) {
            true => format!("<a href=\"#{id}\"><bdi>{shown}</bdi></a>"),
            false => format!("<bdi>{shown}</bdi>"),
        }
    }
}

/// The id of the row in the table: the path has characters that an id must not have.
pub(super) fn row_id(anchor: &Anchor) -> String {
    let hash = anchor.path.iter().fold(5381_u32, |hash, &byte| {
        hash.wrapping_mul(33) ^ u32::from(byte)
    });
    format!("r{hash:x}-{}", anchor.line)
}
