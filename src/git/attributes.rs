//! Which paths a commit's own attributes assign to Git LFS.

use std::path::{Path, PathBuf};

use gix::attrs::search::{MetadataCollection, Outcome};
use gix::attrs::{Search, StateRef};
use gix::bstr::{BStr, ByteSlice};
use gix::glob::pattern::Case;

use super::Tree;
use crate::error::{Error, Result};

const FILE: &str = ".gitattributes";

impl Tree<'_> {
    /// Whether the `.gitattributes` files of this tree give `path` the filter `lfs`. Other attributes, such as
    /// `.git/info/attributes`, do not count.
    ///
    /// # Errors
    /// A tree or a `.gitattributes` is missing or damaged.
    pub fn is_kept_by_lfs(&self, path: &BStr) -> Result<bool> {
        let mut known = MetadataCollection::default();
        let mut search = Search::default();
        let directories = path.find_iter("/").map(|slash| path[..=slash].as_bytes());
        // Files in deeper directories win. Macros may only be defined in the root.
        for directory in std::iter::once(&b""[..]).chain(directories) {
            let file = [directory, FILE.as_bytes()].concat();
            let Some(content) = self.read(file.as_bstr())? else {
                continue;
            };
            let source = PathBuf::from(file.to_str_lossy().into_owned());
            let is_top = directory.is_empty();
            search
                .add_patterns_buffer(&content, source, Some(Path::new("")), &mut known, is_top)
                .map_err(|error| {
                    Error::new(format!("{} cannot be read: {error}", file.as_bstr()))
                })?;
        }
        let mut outcome = Outcome::default();
        outcome.initialize_with_selection(&known, ["filter"]);
        search.pattern_matching_relative_path(path, Case::Sensitive, Some(false), &mut outcome);
        Ok(outcome.iter_selected().any(
            |found| matches!(found.assignment.state, StateRef::Value(name) if name.as_bstr() == "lfs"),
        ))
    }
}
