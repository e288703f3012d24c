//! Looks at directories as far as guard may read what is in them, and creates them.

use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::Map;

use super::failure::not_found;
use super::perform::record;
use super::{Failure, FailureKind, Gate, GateResult};
use crate::boundary::{BoundaryError, Listing, bytes};
use crate::finding::Rule;
use crate::judge::OperationContext;
use crate::path::{escaped, normalize_request};
use crate::policy::GrantKind;
use crate::rules::Access;
use crate::system;

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEntry {
    /// The path in the workspace.
    pub path: BString,
    /// What it is.
    pub kind: EntryKind,
    /// The size of a file in bytes.
    pub size: u64,
    /// When it was last changed, in seconds since 1970, if the system says so.
    pub modified: Option<i64>,
    /// Whether its owner may write it.
    pub is_writable: bool,
}

named! {
    /// What a name in a directory is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum EntryKind {
        /// A regular file.
        File = "file",
        /// A directory.
        Directory = "directory",
    }
}

impl Gate<'_> {
    /// The path of a directory in the workspace; empty for its root.
    ///
    /// # Errors
    /// It is not a path in the workspace.
    pub fn locate_directory(&self, request: &BStr) -> GateResult<BString> {
        let root = bytes(&self.absolute("".into()));
        let without_end = |path: &[u8]| {
            let end = path.iter().rposition(|&byte| byte != b'/');
            path[..end.map_or(0, |end| end + 1)].to_vec()
        };
        let asked = without_end(request);
        let is_root = (asked.is_empty() && !request.starts_with(b"/"))
            || asked == b"."
            || asked == without_end(&root);
        match is_root {
            true => Ok(BString::default()),
            false => self.locate(asked.as_slice().into()),
        }
    }

    /// What a directory holds and guard may read, sorted by name.
    ///
    /// # Errors
    /// The path is refused, or it is not a directory that can be read.
    pub fn list_directory(&self, request: &BStr) -> GateResult<Vec<ListedEntry>> {
        let list = || {
            let path = self.locate_directory(request)?;
            let context = self.context()?;
            if !path.is_empty() {
                context.admit(path.as_ref(), Access::Read)??;
            }
            self.entries(&context, path.as_ref())
        };
        list().inspect_err(|failure: &Failure| {
            if failure.is_refusal() {
                self.note_refusal("list", request, [], failure);
            }
        })
    }

    /// What a directory and those below it hold and guard may read, as long as `visit` wants more. If `visit` answers
    /// false for a directory, it is left out. A directory below that cannot be read is passed over.
    ///
    /// # Errors
    /// As for [`Gate::list_directory`].
    pub fn walk(
        &self,
        request: &BStr,
        most: usize,
        visit: &mut dyn FnMut(&ListedEntry) -> bool,
    ) -> GateResult<Completeness> {
        let context = self.context()?;
        let mut left = self.list_directory(request)?;
        left.reverse();
        let mut seen = 0;
        while let Some(entry) = left.pop() {
            if seen == most {
                return Ok(Completeness::Cut);
            }
            seen += 1;
            if visit(&entry) && entry.kind == EntryKind::Directory {
                let below = self.entries(&context, entry.path.as_ref());
                left.extend(below.unwrap_or_default().into_iter().rev());
            }
        }
        Ok(Completeness::Whole)
    }

    /// One file or directory that guard may read.
    ///
    /// # Errors
    /// The path is refused, or nothing is there.
    pub fn entry(&self, request: &BStr) -> GateResult<ListedEntry> {
        let look = || {
            let path = self.locate_directory(request)?;
            if path.is_empty() {
                return Ok(ListedEntry {
                    path,
                    kind: EntryKind::Directory,
                    size: 0,
                    modified: None,
                    is_writable: true,
                });
            }
            self.context()?.admit(path.as_ref(), Access::Read)??;
            let (parent, name) = split(path.as_ref());
            let listing = self.open_directory(parent)?;
            let entry = described(&listing, parent, name);
            entry?.ok_or_else(|| not_found(path.as_ref()))
        };
        look().inspect_err(|failure: &Failure| {
            if failure.is_refusal() {
                self.note_refusal("read", request, [], failure);
            }
        })
    }

    /// Creates a directory with its parents, for files that the design names. Git keeps no empty directories, so there
    /// is nothing to back up. The answer is its path, and whether it is new.
    ///
    /// # Errors
    /// The path is refused, or the directory cannot be created.
    pub fn create_directory(&self, request: &BStr) -> GateResult<(BString, bool)> {
        let path = self.directory_to_create(request).inspect_err(|failure| {
            self.note_refusal("create-directory", request, [], failure);
        })?;
        let is_there = self.boundary.list(path.as_ref()).is_ok();
        if !is_there {
            let _alone = self.alone()?;
            let mut facts = Map::new();
            facts.insert("path".into(), escaped(&path).to_string().into());
            record(&self.log, "directory", facts)?;
            self.boundary.make_directory(path.as_ref())?;
        }
        Ok((path, !is_there))
    }

    fn directory_to_create(&self, request: &BStr) -> GateResult<BString> {
        let path = self.locate_directory(request)?;
        if path.is_empty() {
            return Ok(path);
        }
        let context = self.context()?;
        context.admit(path.as_ref(), Access::Write)??;
        let inside: BString = [path.as_slice(), b"/"].concat().into();
        let Some(scope) = self.scope() else {
            return Ok(path);
        };
        let may_hold = scope.grants().iter().any(|grant| {
            let granted: &[u8] = &grant.path;
            match grant.kind {
                GrantKind::File => granted.starts_with(&inside),
                GrantKind::Directory => {
                    let whole = [granted, b"/"].concat();
                    inside.starts_with(&whole) || whole.starts_with(&inside)
                }
                GrantKind::Glob => {
                    let wild = granted.iter().position(|byte| b"*?[{".contains(byte));
                    let literal = &granted[..wild.unwrap_or(granted.len())];
                    inside.starts_with(literal) || literal.starts_with(&inside)
                }
            }
        });
        if may_hold {
            return Ok(path);
        }
        let message = format!(
            "the design names no file in the directory {}",
            escaped(&path)
        );
        let mut failure = Failure::new(FailureKind::Refused, message).help(
            "guard scope show lists the granted files; guard creates the directories of a file that it writes",
        );
        failure = failure.detail("rule", Rule::OutOfScope.id());
        Err(failure)
    }

    fn open_directory(&self, path: &BStr) -> GateResult<Listing> {
        self.boundary.list(path).map_err(|source| {
            let what = format!("read the directory {}", escaped(path));
            BoundaryError::Io { what, source }.into()
        })
    }

    fn entries(
        &self,
        context: &OperationContext<'_, '_>,
        path: &BStr,
    ) -> GateResult<Vec<ListedEntry>> {
        let listing = self.open_directory(path)?;
        let names = listing.names().map_err(|source| {
            let what = format!("read the directory {}", escaped(path));
            Failure::from(BoundaryError::Io { what, source })
        })?;
        let mut entries = Vec::new();
        for name in names {
            let Some(entry) = described(&listing, path, name.as_ref())? else {
                continue;
            };
            let is_safe = normalize_request(b"/", &entry.path, system::PLATFORM).is_ok();
            if is_safe && context.admit(entry.path.as_ref(), Access::Read)?.is_ok() {
                entries.push(entry);
            }
        }
        Ok(entries)
    }
}

/// Whether a walk saw everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// It did.
    Whole,
    /// There was more than the limit.
    Cut,
}

/// A name of an open directory; `None` if it is neither file nor directory, such as a symbolic link.
fn described(listing: &Listing, parent: &BStr, name: &BStr) -> GateResult<Option<ListedEntry>> {
    let path: BString = match parent.is_empty() {
        true => name.to_owned(),
        false => [parent.as_bytes(), b"/", name.as_bytes()].concat().into(),
    };
    let metadata = listing.metadata(name).map_err(|source| {
        let what = format!("look at {}", escaped(&path));
        Failure::from(BoundaryError::Io { what, source })
    })?;
    Ok(metadata.and_then(|metadata| {
        let kind = match metadata.file_type() {
            kind if kind.is_file() => EntryKind::File,
            kind if kind.is_dir() => EntryKind::Directory,
            _ => return None,
        };
        let modified = metadata.modified().ok().map(|time| time.into_std());
        let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Some(ListedEntry {
            path,
            kind,
            size: if kind == EntryKind::File {
                metadata.len()
            } else {
                0
            },
            modified: since.and_then(|since| i64::try_from(since.as_secs()).ok()),
            is_writable: !metadata.permissions().readonly(),
        })
    }))
}

fn split(path: &BStr) -> (&BStr, &BStr) {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(slash) => (path[..slash].into(), path[slash + 1..].into()),
        None => ("".into(), path),
    }
}
