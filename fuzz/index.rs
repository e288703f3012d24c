//! What the target `index` compares with the tree to commit. Only `cargo fuzz` compiles this module.

use gix::bstr::BString;

use super::file::DIRECTORY;
use super::{Index, damaged};
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
        let mut walk = || {
            let mut cursor = self.file.entries()?;
            while let Some((path, entry)) = cursor.current() {
                if !entry.is_intent_to_add && entry.mode != DIRECTORY {
                    files.push((path.to_owned(), Kind::from_mode(entry.mode)));
                }
                cursor.advance(1)?;
            }
            Ok(())
        };
        walk().map_err(|why: String| damaged(&self.shown, why))?;
        files.dedup_by(|one, other| one.0 == other.0);
        Ok(files)
    }
}
