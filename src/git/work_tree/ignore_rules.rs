//! Whether git ignores single paths of the work tree.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::State as IndexState;

use super::ignored::{self, Around, GitignoreFiles, Ignored};
use crate::boundary::Boundary;
use crate::error::{Error, Result};
use crate::git::{Index, Repository};
use crate::path::escaped;

/// The largest `.gitignore` that is read for a path.
const MAX_SIZE: u64 = 16 << 20;

/// Answers whether git ignores paths.
pub(crate) struct IgnoreRules<'a> {
    repo: &'a Repository,
    root: &'a Boundary,
    ignored: Ignored,
    index: OnceCell<IndexState>,
    /// The patterns of each directory, and whether git ignores it.
    known: RefCell<HashMap<BString, (Around, bool)>>,
}

impl<'a> IgnoreRules<'a> {
    /// # Errors
    /// The configured patterns cannot be read.
    pub(crate) fn new(repo: &'a Repository, root: &'a Boundary) -> Result<IgnoreRules<'a>> {
        Ok(IgnoreRules {
            repo,
            root,
            ignored: Ignored::new(repo)?,
            index: OnceCell::new(),
            known: RefCell::default(),
        })
    }

    /// Whether git ignores a path, which need not exist. It tracks neither the path nor anything in it.
    ///
    /// # Errors
    /// A `.gitignore` or the index cannot be read.
    pub(crate) fn is_ignored(&self, path: &BStr, is_directory: bool) -> Result<bool> {
        let (patterns, parent_is_ignored) = self.directory(parent(path))?;
        let is_ignored =
            parent_is_ignored || self.ignored.is_ignored(&patterns, path, is_directory);
        Ok(is_ignored && !self.is_tracked(path)?)
    }

    fn is_tracked(&self, path: &BStr) -> Result<bool> {
        if self.index.get().is_none() {
            let _ = self.index.set(Index::decode(self.repo)?);
        }
        let Some(index) = self.index.get() else {
            return Ok(true);
        };
        let inside = BString::from([path.as_bytes(), b"/"].concat());
        let below = index.prefixed_entries(inside.as_bstr());
        Ok(index.entry_by_path(path).is_some() || below.is_some_and(|entries| !entries.is_empty()))
    }

    /// The patterns in a directory, and whether git ignores it.
    fn directory(&self, path: &BStr) -> Result<(Around, bool)> {
        let mut missing = Vec::new();
        let mut next = path;
        let mut state = loop {
            if let Some(known) = self.known.borrow().get(next) {
                break known.clone();
            }
            missing.push(next);
            if next.is_empty() {
                break (None, false);
            }
            next = parent(next);
        };
        while let Some(directory) = missing.pop() {
            let (around, outer_is_ignored) = &state;
            let is_ignored = !directory.is_empty()
                && (*outer_is_ignored || self.ignored.is_ignored(around, directory, true));
            let own = match is_ignored {
                true => None,
                false => self.patterns(directory, around)?,
            };
            state = (own.or_else(|| around.clone()), is_ignored);
            self.known
                .borrow_mut()
                .insert(directory.to_owned(), state.clone());
        }
        Ok(state)
    }

    fn patterns(&self, directory: &BStr, around: &Around) -> Result<Around> {
        let Ok(listing) = self.root.list(directory) else {
            return Ok(None);
        };
        let name = BStr::new(ignored::FILE);
        let failed = |error| {
            let directory = escaped(directory);
            Error::new(format!(
                "the .gitignore in {directory}/ cannot be read: {error}"
            ))
            .help("make it readable: it contains ignore patterns")
        };
        let metadata = listing.metadata(name).map_err(failed)?;
        if !metadata.is_some_and(|metadata| metadata.is_file()) {
            return Ok(None);
        }
        let content = listing.read(name, MAX_SIZE).map_err(failed)?;
        let files = GitignoreFiles::new(directory, &content, around)?;
        Ok(Some(Rc::new(files)))
    }
}

fn parent(path: &BStr) -> &BStr {
    path[..path.rfind_byte(b'/').unwrap_or(0)].as_bstr()
}
