//! The tree that `git commit` writes from an index, as `update_one` in git's cache-tree.c does.
//!
//! A directory whose cached tree is valid and in the object database is that tree, whatever its entries say; every
//! other directory is made of its entries, with the cached trees below it.

use std::collections::HashMap;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::index::extension::Tree as CachedTree;
use gix::objs::tree::{EntryKind, EntryMode};
use gix::objs::{Kind, compute_hash};

use super::file::{DIRECTORY, EntryCursor, IndexFile, IndexRead};
use crate::git::objects::{Blobs, Objects};
use crate::git::tree::{self, MAX_DEPTH};
use crate::path::escaped;

/// The tree of the next commit, and the trees that may not be in the object database yet.
///
/// # Errors
/// The index is damaged.
pub(super) fn committed_tree(index: &IndexFile, objects: &Objects) -> IndexRead<(ObjectId, Blobs)> {
    let cached = index.cached_tree.as_deref();
    let cached = cached.map(|cached| cached_trees(cached, index.hash()));
    let cached = cached.transpose()?;
    let mut builder = TreeBuilder {
        cursor: index.entries()?,
        objects,
        path: BString::default(),
        trees: HashMap::new(),
    };
    let id = match builder.take_cached(cached.as_ref())? {
        Some(id) => id,
        None => builder.run(index.hash(), cached.as_ref())?,
    };
    Ok((id, builder.trees))
}

/// The `TREE` extension of the index: for each directory that did not change since, the tree that git wrote
/// (gitformat-index(5), cache-tree.c).
///
/// # Errors
/// Git does not write it like that.
pub(super) fn cached_trees(extension: &[u8], hash: gix::hash::Kind) -> IndexRead<CachedTree> {
    // A directory takes at least six bytes.
    let memory = extension.len().saturating_mul(size_of::<CachedTree>() / 6);
    let cached = gix::index::extension::tree::decode(extension, hash, Some(memory));
    let cached = cached.filter(|root| root.name.is_empty());
    cached.ok_or_else(|| "its TREE extension is malformed".to_owned())
}

struct TreeBuilder<'a> {
    cursor: EntryCursor<'a>,
    objects: &'a Objects,
    /// The directory at hand, with a slash behind; empty for the root.
    path: BString,
    trees: Blobs,
}

/// A directory that is made of entries.
struct OpenDirectory<'c> {
    /// The length of its path, with the slash behind.
    length: usize,
    cached: Option<&'c CachedTree>,
    /// The tree object so far.
    content: Vec<u8>,
    /// Whether `git add -N` left something out.
    leaves_out: bool,
}

impl TreeBuilder<'_> {
    /// Open directories are on a separate stack, because a hostile path may be deeper than the thread's stack.
    fn run(&mut self, hash: gix::hash::Kind, cached: Option<&CachedTree>) -> IndexRead<ObjectId> {
        let mut above: Vec<OpenDirectory<'_>> = Vec::new();
        let mut open = OpenDirectory::new(0, cached);
        loop {
            self.path.truncate(open.length);
            let current = self.cursor.current();
            let rest = current.and_then(|(path, _)| path.strip_prefix(self.path.as_bytes()));
            let Some(((_, entry), rest)) = current.zip(rest) else {
                // Nothing more is in this directory.
                let is_empty = open.content.is_empty();
                let leaves_out = open.leaves_out;
                let id = self.keep(hash, open.content)?;
                let Some(parent) = above.pop() else {
                    return Ok(id);
                };
                open = parent;
                open.leaves_out |= leaves_out;
                // As for git, `git add -N` alone makes no directory.
                if !(is_empty && leaves_out) {
                    let name = &self.path[open.length..self.path.len() - 1];
                    open.append(DIRECTORY, name, id);
                }
                continue;
            };
            let Some(slash) = rest.find_byte(b'/') else {
                self.file(&mut open)?;
                continue;
            };
            let name = BString::from(&rest[..slash]);
            if entry.mode == DIRECTORY && slash + 1 == rest.len() {
                open.append(DIRECTORY, &name, entry.id);
                self.cursor.advance(1)?;
                continue;
            }
            let cached = open.cached.and_then(|cached| {
                let below = &cached.children;
                let at = below.binary_search_by(|one| one.name.as_slice().cmp(&name));
                below.get(at.ok()?)
            });
            self.path.extend_from_slice(&name);
            self.path.push(b'/');
            if let Some(id) = self.take_cached(cached)? {
                open.append(DIRECTORY, &name, id);
            } else if above.len() >= MAX_DEPTH {
                return Err(format!("directories are nested more than {MAX_DEPTH} deep"));
            } else {
                let below = OpenDirectory::new(self.path.len(), cached);
                above.push(std::mem::replace(&mut open, below));
            }
        }
    }

    /// The cached tree of the directory at `self.path`, if git would use it; the entries that it stands for are
    /// passed over.
    fn take_cached(&mut self, cached: Option<&CachedTree>) -> IndexRead<Option<ObjectId>> {
        let valid = cached.and_then(|cached| Some((cached.num_entries? as usize, cached.id)));
        let Some((count, id)) = valid.filter(|(_, id)| self.objects.has(*id)) else {
            return Ok(None);
        };
        let is_inside = |cursor: &EntryCursor<'_>| {
            let here = cursor.current();
            here.is_some_and(|(here, _)| here.starts_with(&self.path))
        };
        // An index without entries has a tree, too.
        let mut is_right = count == 0 && self.cursor.left() == 0;
        if (1..=self.cursor.left()).contains(&count) {
            self.cursor.advance(count - 1)?;
            is_right = is_inside(&self.cursor);
            self.cursor.advance(1)?;
            is_right &= !is_inside(&self.cursor);
        }
        let wrong = || {
            let place = match self.path.is_empty() {
                true => "the root".to_owned(),
                false => escaped(&self.path).to_string(),
            };
            format!("its TREE extension counts {count} entries in {place}, which is wrong")
        };
        is_right.then_some(Some(id)).ok_or_else(wrong)
    }

    /// Takes a file; of one with a conflict, our side if there is one.
    fn file(&mut self, open: &mut OpenDirectory<'_>) -> IndexRead<()> {
        let Some((path, mut entry)) = self.cursor.current() else {
            return Ok(());
        };
        let path = path.to_owned();
        self.cursor.advance(1)?;
        while let Some((next, other)) = self.cursor.current()
            && next == path
            && entry.stage != 0
            && other.stage > entry.stage
        {
            if entry.stage != 2 {
                entry = other;
            }
            self.cursor.advance(1)?;
        }
        match entry.is_intent_to_add {
            true => open.leaves_out = true,
            false => open.append(entry.mode, &path[open.length..], entry.id),
        }
        Ok(())
    }

    /// Keeps a finished tree.
    fn keep(&mut self, hash: gix::hash::Kind, content: Vec<u8>) -> IndexRead<ObjectId> {
        let id = compute_hash(hash, Kind::Tree, &content).map_err(|error| error.to_string())?;
        // Names are judged like those of any change.
        let fault = tree::fault_in(id, &content, |_| true);
        if let Some((name, why)) = fault.map_err(|error| error.message)? {
            let path = [self.path.as_slice(), &name].concat();
            return Err(format!("{} {why}", escaped(&path)));
        }
        self.trees.insert(id, content);
        Ok(id)
    }
}

impl<'c> OpenDirectory<'c> {
    fn new(length: usize, cached: Option<&'c CachedTree>) -> OpenDirectory<'c> {
        OpenDirectory {
            length,
            cached,
            content: Vec::new(),
            leaves_out: false,
        }
    }

    fn append(&mut self, mode: u32, name: &[u8], id: ObjectId) {
        // The index has no other modes.
        let kind = EntryMode::try_from(mode).map_or(EntryKind::Tree, |mode| mode.kind());
        let kind = kind.as_octal_str().as_bytes();
        for part in [kind, b" ", name, b"\0", id.as_slice()] {
            self.content.extend_from_slice(part);
        }
    }
}
