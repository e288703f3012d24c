//! Lists directories as far as guard may read what is in them.

use gix::bstr::{BStr, BString, ByteSlice};

use super::{Failure, Gate, GateResult};
use crate::boundary::{BoundaryError, bytes};
use crate::path::{escaped, normalize_request};
use crate::rules::Access;
use crate::system;

/// A file or directory in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEntry {
    /// Its name, without the directory.
    pub name: BString,
    /// Whether it is a directory.
    pub is_directory: bool,
}

impl Gate<'_> {
    /// What a directory holds and guard may read, sorted by name, without symbolic links. A refusal is recorded.
    ///
    /// # Errors
    /// The path is refused, or it is not a directory that can be read.
    pub fn list_directory(&self, request: &BStr) -> GateResult<Vec<ListedEntry>> {
        self.entries(request).inspect_err(|failure: &Failure| {
            if failure.is_refusal() {
                self.note_refusal("list", request, [], failure);
            }
        })
    }

    fn entries(&self, request: &BStr) -> GateResult<Vec<ListedEntry>> {
        let directory = self.locate_directory(request)?;
        let context = self.context()?;
        let prefix = match directory.is_empty() {
            true => directory.clone(),
            false => {
                context.admit(directory.as_ref(), Access::Read)??;
                [directory.as_bytes(), b"/"].concat().into()
            }
        };
        let failed = |source| {
            let what = format!("read the directory {}", escaped(&directory));
            Failure::from(BoundaryError::Io { what, source })
        };
        let listing = self.boundary.list(directory.as_ref()).map_err(failed)?;
        let mut entries = Vec::new();
        for name in listing.names().map_err(failed)? {
            let Some(metadata) = listing.metadata(name.as_ref()).map_err(failed)? else {
                continue;
            };
            let path: BString = [prefix.as_slice(), &name].concat().into();
            let is_safe = normalize_request(b"/", &path, system::PLATFORM).is_ok();
            if (metadata.is_file() || metadata.is_dir())
                && is_safe
                && context.admit(path.as_ref(), Access::Read)?.is_ok()
            {
                entries.push(ListedEntry {
                    name,
                    is_directory: metadata.is_dir(),
                });
            }
        }
        Ok(entries)
    }

    /// The path of a directory in the workspace; empty for its root.
    fn locate_directory(&self, request: &BStr) -> GateResult<BString> {
        let without_end = |path: &[u8]| {
            let end = path.iter().rposition(|&byte| byte != b'/');
            path[..end.map_or(0, |end| end + 1)].to_vec()
        };
        let asked = without_end(request);
        let root = bytes(&self.absolute("".into()));
        let is_root = (asked.is_empty() && !request.starts_with(b"/"))
            || asked == b"."
            || asked == without_end(&root);
        match is_root {
            true => Ok(BString::default()),
            false => self.locate(asked.as_slice().into()),
        }
    }
}
