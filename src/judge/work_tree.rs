//! The work tree as the tree that the rules look at.

use std::path::Path;

use gix::bstr::BStr;

use crate::boundary::{Boundary, BoundaryView};
use crate::change::Kind;
use crate::error::{Error, Result};
use crate::rules::ResultTree;

/// Opens the work tree below `root`.
///
/// # Errors
/// It is not there, or cannot be opened.
pub(super) fn work_tree(root: &Path) -> Result<Boundary> {
    Boundary::open(root).map_err(|error| Error::new(error.to_string()))
}

/// The disk lists no files: whoever wants all asks the index. A request is about one path; its neighbours are
/// judged when it is committed.
impl ResultTree for BoundaryView<'_> {
    fn for_each(&self, _visit: &mut dyn FnMut(&BStr, Kind)) {}
}
