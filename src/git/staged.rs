//! Computes what `git commit` would record: the differences between HEAD's tree and the index.
//!
//! A directory whose cached tree id equals HEAD's is skipped. Only ids are compared, so it does not matter if a
//! cached tree is missing from the object database (as with `git commit PATH`); git itself commits the cached ids.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::vec::IntoIter;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::{Entry, extension::Tree as CachedTree};

use super::index::{Index, is_committed, state_of};
use super::tree::{self, TreeWalk};
use super::{Objects, Tree};
use crate::change::{Change, State};
use crate::error::{Error, Result};
use crate::path::escaped;

/// The changes from the tree of `head` to the index, in path order, without rename detection.
///
/// # Errors
/// A tree is missing or damaged, or the index is unsorted or has conflicts.
pub fn staged_changes(index: &Index, head: &Tree<'_>, objects: &Objects) -> Result<Vec<Change>> {
    super::index::refuse_conflicts(index)?;
    let mut staged = Staged {
        index,
        objects,
        path: BString::default(),
        buffer: Vec::new(),
        changes: Vec::new(),
    };
    let rest = staged.compare(head.id())?;
    if let Some(entry) = rest.first() {
        return Err(unsorted(index.path_of(entry)));
    }
    Ok(staged.changes)
}

struct Staged<'a> {
    index: &'a Index,
    objects: &'a Objects,
    /// The current directory, with its trailing slash; empty for the root.
    path: BString,
    buffer: Vec<u8>,
    changes: Vec<Change>,
}

/// The next item of the index in the current directory.
enum Next<'a> {
    File(&'a Entry, &'a BStr),
    /// A directory; its entries follow.
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

/// A directory being compared.
struct ComparedDirectory<'a> {
    /// The remaining entries of HEAD.
    old: Peekable<IntoIter<tree::TreeEntry>>,
    cached: Option<&'a CachedTree>,
    /// The previous index entry, and whether it is a directory.
    previous: Option<(&'a BStr, bool)>,
    /// The length of the directory's path.
    prefix: usize,
}

impl<'a> ComparedDirectory<'a> {
    /// Whether `next` sorts after the previous entry, which it then replaces.
    fn follows(&mut self, next: &Next<'a>) -> bool {
        let (name, is_tree) = (next.name(), next.is_tree());
        let before = self.previous.replace((name, is_tree));
        before.is_none_or(|(other, other_is_tree)| {
            tree::name_order(other, other_is_tree, name, is_tree) == Ordering::Less
        })
    }

    fn cached_child(&self, name: &BStr) -> Option<&'a CachedTree> {
        self.cached?
            .children
            .iter()
            .find(|child| child.name[..] == name[..])
    }
}

impl<'a> Staged<'a> {
    /// Compares the whole index and returns the entries after it. Unfinished directories are on a separate stack,
    /// because a hostile path may be deeper than the thread's stack.
    fn compare(&mut self, head: ObjectId) -> Result<&'a [Entry]> {
        let mut entries = self.index.entries();
        let mut levels = Vec::new();
        levels.extend(self.enter(Some(head), self.index.cached_root(), &mut entries)?);
        while let Some(level) = levels.last_mut() {
            self.path.truncate(level.prefix);
            let next = self.next(entries)?;
            let order = match (level.old.peek(), &next) {
                (_, None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => tree::name_order(&a.name, a.is_tree, b.name(), b.is_tree()),
            };
            let Some(next) = next.filter(|_| order != Ordering::Less) else {
                match level.old.next() {
                    Some(entry) => self.gone(&entry)?,
                    None => drop(levels.pop()),
                }
                continue;
            };
            if !level.follows(&next) {
                return Err(unsorted(self.index.path_of(&entries[0])));
            }
            let before = match order {
                Ordering::Equal => level.old.next().map(|entry| entry.state),
                _ => None,
            };
            match next {
                Next::File(entry, name) => {
                    entries = &entries[1..];
                    self.file(entry, name, before);
                }
                Next::Sparse(entry, name) => {
                    self.refuse_file_at(name)?;
                    entries = &entries[1..];
                    self.trees(name, before.map(|state| state.id), Some(entry.id))?;
                }
                Next::Directory(name) => {
                    self.refuse_file_at(name)?;
                    let cached = level.cached_child(name);
                    self.path.extend_from_slice(name);
                    self.path.push(b'/');
                    let below = self.enter(before.map(|state| state.id), cached, &mut entries)?;
                    levels.extend(below);
                }
            }
        }
        Ok(entries)
    }

    /// The directory at `self.path`, if it must be compared; otherwise skips its entries.
    fn enter(
        &mut self,
        old: Option<ObjectId>,
        cached: Option<&'a CachedTree>,
        entries: &mut &'a [Entry],
    ) -> Result<Option<ComparedDirectory<'a>>> {
        if let Some(rest) = self.skip_unchanged(old, cached, entries) {
            *entries = rest;
            return Ok(None);
        }
        let old = match old {
            Some(id) => tree::entries(self.objects, id, &mut self.buffer)?,
            None => Vec::new(),
        };
        Ok(Some(ComparedDirectory {
            old: old.into_iter().peekable(),
            cached,
            previous: None,
            prefix: self.path.len(),
        }))
    }

    fn file(&mut self, entry: &Entry, name: &BStr, old: Option<State>) {
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

    /// Refuses a path that is both file and directory; git cannot make a tree of that.
    fn refuse_file_at(&self, directory: &BStr) -> Result<()> {
        let path = self.join(directory);
        if self.index.has_entry(path.as_ref()) {
            return Err(Error::new(format!(
                "the index is damaged: {} is both a file and a directory",
                escaped(&path)
            ))
            .help("remove one of them with `git rm --cached`"));
        }
        Ok(())
    }

    /// The entries after this directory, if the cached tree shows that it is unchanged.
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
        // The counts in a damaged extension may be anything.
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

    /// Handles an entry of HEAD that the index lacks.
    fn gone(&mut self, entry: &tree::TreeEntry) -> Result<()> {
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

    /// Compares the trees of the directory `name`, of which the index has no single files.
    fn trees(&mut self, name: &BStr, old: Option<ObjectId>, new: Option<ObjectId>) -> Result<()> {
        let mut walk = TreeWalk::new(self.objects, &mut self.changes);
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

pub(super) fn unsorted(path: &BStr) -> Error {
    Error::new(format!(
        "the index is damaged: {} is out of order",
        escaped(path)
    ))
    .help(
        "rebuild it with `git read-tree HEAD` (staged changes are lost) or restore it from a copy",
    )
}
