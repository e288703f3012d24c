//! What `git commit` would record: the index against the tree of HEAD.
//!
//! A directory whose cached tree id equals the one in HEAD is skipped. Only ids are compared, so a cached
//! tree that is not in the object database (`git commit PATH` names such) does no harm, and git itself
//! commits what the cached ids say.

use std::cmp::Ordering;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::{Entry, extension::Tree as CachedTree};

use super::index::{Index, is_committed, state_of};
use super::tree::{self, Walk};
use super::{Objects, Tree};
use crate::change::Change;
use crate::error::{Error, Result};
use crate::path::show;

/// The changes from the tree of `head` to the index, in path order; renames are not explained here.
///
/// # Errors
/// A tree is missing or damaged, the index is not sorted as git sorts it, or holds conflicts.
pub fn staged_changes(index: &Index, head: &Tree<'_>, objects: &Objects) -> Result<Vec<Change>> {
    super::index::refuse_conflicts(index)?;
    let mut staged = Staged {
        index,
        objects,
        path: BString::default(),
        buffer: Vec::new(),
        changes: Vec::new(),
    };
    let rest = staged.directory(Some(head.id()), index.cached_root(), index.entries())?;
    if let Some(entry) = rest.first() {
        return Err(unsorted(index.path_of(entry)));
    }
    Ok(staged.changes)
}

struct Staged<'a> {
    index: &'a Index,
    objects: &'a Objects,
    /// The directory being compared, with its trailing slash; empty for the root.
    path: BString,
    buffer: Vec<u8>,
    changes: Vec<Change>,
}

/// What the index holds next in the directory being compared.
enum Next<'a> {
    File(&'a Entry, &'a BStr),
    /// A directory by name; its entries are still ahead.
    Directory(&'a BStr),
    /// A directory that a sparse index holds as one entry.
    Sparse(&'a Entry, &'a BStr),
}

impl<'a> Next<'a> {
    fn name(&self) -> &'a BStr {
        match self {
            Next::File(_, name) | Next::Directory(name) | Next::Sparse(_, name) => name,
        }
    }

    fn is_tree(&self) -> bool {
        !matches!(self, Next::File(..))
    }
}

impl<'a> Staged<'a> {
    /// Compares the directory at `self.path` and returns the entries behind it.
    fn directory(
        &mut self,
        old: Option<ObjectId>,
        cached: Option<&CachedTree>,
        mut entries: &'a [Entry],
    ) -> Result<&'a [Entry]> {
        if let Some(rest) = self.skip_unchanged(old, cached, entries) {
            return Ok(rest);
        }
        let mut old = match old {
            Some(id) => tree::entries(self.objects, id, &mut self.buffer)?,
            None => Vec::new(),
        }
        .into_iter()
        .peekable();
        let mut previous: Option<(&BStr, bool)> = None;
        loop {
            let next = self.next(entries)?;
            let order = match (old.peek(), &next) {
                (None, None) => return Ok(entries),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => tree::name_order(&a.name, a.is_tree, b.name(), b.is_tree()),
            };
            if order == Ordering::Less {
                if let Some(entry) = old.next() {
                    self.gone(&entry)?;
                }
                continue;
            }
            if let Some(next) = &next {
                let key = (next.name(), next.is_tree());
                if let Some(previous) = previous
                    && tree::name_order(previous.0, previous.1, key.0, key.1) != Ordering::Less
                {
                    return Err(unsorted(self.index.path_of(&entries[0])));
                }
                previous = Some(key);
            }
            let before = if order == Ordering::Equal {
                old.next()
            } else {
                None
            };
            match next {
                None => return Ok(entries),
                Some(Next::File(entry, name)) => {
                    entries = &entries[1..];
                    let old = before.map(|entry| entry.state);
                    let new = is_committed(entry).then(|| state_of(entry));
                    if old != new {
                        let path = self.join(name);
                        self.changes.push(Change {
                            path,
                            old,
                            new,
                            renamed: None,
                        });
                    }
                }
                Some(Next::Sparse(entry, name)) => {
                    self.refuse_file_at(name)?;
                    entries = &entries[1..];
                    self.trees(name, before.map(|entry| entry.state.id), Some(entry.id))?;
                }
                Some(Next::Directory(name)) => {
                    self.refuse_file_at(name)?;
                    let cached = cached.and_then(|cached| {
                        cached
                            .children
                            .iter()
                            .find(|child| child.name[..] == name[..])
                    });
                    let length = self.path.len();
                    self.path.extend_from_slice(name);
                    self.path.push(b'/');
                    entries =
                        self.directory(before.map(|entry| entry.state.id), cached, entries)?;
                    self.path.truncate(length);
                }
            }
        }
    }

    /// A path that is a file and a directory at once; git makes no tree of that.
    fn refuse_file_at(&self, directory: &BStr) -> Result<()> {
        let path = self.join(directory);
        if self.index.has_entry(path.as_ref()) {
            return Err(Error::new(format!(
                "the index is damaged: {} is both a file and a directory",
                show(&path)
            ))
            .help("take one of them out with `git rm --cached`"));
        }
        Ok(())
    }

    /// The entries behind this directory, if the cached tree says that it is as it was.
    fn skip_unchanged(
        &self,
        old: Option<ObjectId>,
        cached: Option<&CachedTree>,
        entries: &'a [Entry],
    ) -> Option<&'a [Entry]> {
        let cached = cached?;
        let count = usize::try_from(cached.num_entries?).ok()?;
        if Some(cached.id) != old || count > entries.len() {
            return None;
        }
        let (inside, behind) = entries.split_at(count);
        // The counts of a damaged extension may be off by any amount.
        let below = |entry: Option<&Entry>| {
            entry.is_some_and(|entry| self.index.path_of(entry).starts_with(&self.path))
        };
        let exact = inside.is_empty() || below(inside.first()) && below(inside.last());
        (exact && !below(behind.first())).then_some(behind)
    }

    /// The next file or directory below `self.path`.
    fn next(&self, entries: &'a [Entry]) -> Result<Option<Next<'a>>> {
        let Some(entry) = entries.first() else {
            return Ok(None);
        };
        let path = self.index.path_of(entry);
        let Some(rest) = path.strip_prefix(self.path.as_slice()) else {
            return Ok(None);
        };
        Ok(Some(match rest.find_byte(b'/') {
            None => Next::File(entry, rest.as_bstr()),
            Some(slash) if slash + 1 == rest.len() && entry.mode.is_sparse() => {
                Next::Sparse(entry, rest[..slash].as_bstr())
            }
            Some(slash) => Next::Directory(rest[..slash].as_bstr()),
        }))
    }

    /// An entry of HEAD that the index lacks.
    fn gone(&mut self, entry: &tree::Entry) -> Result<()> {
        if entry.is_tree {
            return self.trees(entry.name.as_ref(), Some(entry.state.id), None);
        }
        let path = self.join(entry.name.as_ref());
        self.changes.push(Change {
            path,
            old: Some(entry.state),
            new: None,
            renamed: None,
        });
        Ok(())
    }

    /// Compares the trees of the directory `name`, none of whose files is in the index itself.
    fn trees(&mut self, name: &BStr, old: Option<ObjectId>, new: Option<ObjectId>) -> Result<()> {
        let mut walk = Walk::new(self.objects, &mut self.changes);
        walk.path.extend_from_slice(&self.path);
        walk.path.extend_from_slice(name);
        walk.path.push(b'/');
        walk.pair(old, new)
    }

    fn join(&self, name: &BStr) -> BString {
        let mut path = self.path.clone();
        path.extend_from_slice(name);
        path
    }
}

fn unsorted(path: &BStr) -> Error {
    Error::new(format!(
        "the index is damaged: {} is out of order",
        show(path)
    ))
    .help(
        "rebuild it with `git read-tree HEAD` (staged changes are lost) or restore it from a copy",
    )
}
