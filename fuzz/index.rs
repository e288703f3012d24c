//! What the target `index` compares with the tree to commit. Only `cargo fuzz` compiles this module.

use gix::bstr::BString;

use super::{Index, state_of};
use crate::change::Kind;
use crate::error::Result;

impl Index {
    /// Every path among the entries that would be committed and its kind, in git's order. Directories that a sparse
    /// index holds as one entry are omitted, because nothing in them changes.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn files(&self) -> Result<Vec<(BString, Kind)>> {
        let mut files = Vec::new();
        self.visit(|path, entry| {
            if let Some(state) = state_of(entry) {
                files.push((path.to_owned(), state.kind));
            }
        })?;
        files.dedup_by(|one, other| one.0 == other.0);
        Ok(files)
    }
}
