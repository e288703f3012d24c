//! Paths that a commit or the index records as submodules, checked out or not.

use gix::bstr::{BStr, BString, ByteSlice};

use super::{Index, Repository, Tree};
use crate::change::Kind;
use crate::error::Result;
use crate::path::fold;

impl Repository {
    /// The submodule at or around a path, by HEAD's tree or the index. Case is ignored for the index: on some file
    /// systems `SUB/a` is below `sub`.
    ///
    /// # Errors
    /// HEAD's tree or the index cannot be read.
    pub(crate) fn submodule_of(&self, head: &Tree<'_>, path: &BStr) -> Result<Option<BString>> {
        for end in path.find_iter("/").chain([path.len()]) {
            let above = path[..end].as_bstr();
            let found = head.get(above)?;
            if found.is_some_and(|found| found.kind == Kind::Submodule) {
                return Ok(Some(above.to_owned()));
            }
        }
        let folded = fold(path);
        let holds = |link: &&BString| {
            let rest = folded.strip_prefix(fold(link.as_ref()).as_bytes());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        Ok(self.index_gitlinks()?.iter().find(holds).cloned())
    }

    /// The submodules of the index, including conflicts; read once, because requests ask for many paths.
    fn index_gitlinks(&self) -> Result<&[BString]> {
        if let Some(known) = self.gitlinks.get() {
            return Ok(known);
        }
        let links = Index::open(self)?.gitlinks().to_vec();
        Ok(self.gitlinks.get_or_init(|| links))
    }
}
