//! The tree that `git commit` writes from an index, as `update_one` in git's cache-tree.c does.
//!
//! A directory whose cached tree is valid and in the object database is that tree, whatever its entries say; every
//! other directory is made of its entries, with the cached trees below it.

use std::collections::HashMap;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::objs::{Kind, compute_hash};

use super::file::{DIRECTORY, EntryCursor, IndexFile, IndexRead};
use crate::objects::{Blobs, Objects};
use crate::tree::{self, MAX_DEPTH};
use write_guard_policy::path::escaped;

/// The tree of the next commit, and the trees that may not be in the object database yet.
///
/// # Errors
/// The index is damaged.
pub(super) fn committed_tree(index: &IndexFile, objects: &Objects) -> IndexRead<(ObjectId, Blobs)> {
    let cached = index.cached_tree.as_deref();
    let cached = cached.map(|cached| CachedTrees::parse(cached, index.hash().len_in_bytes()));
    let mut builder = TreeBuilder {
        cursor: index.entries()?,
        cached: cached.transpose()?.unwrap_or_default(),
        objects,
        path: BString::default(),
        trees: HashMap::new(),
    };
    let id = match builder.take_cached(Some(ROOT))? {
        Some(id) => id,
        None => builder.run(index.hash())?,
    };
    Ok((id, builder.trees))
}

struct TreeBuilder<'a> {
    cursor: EntryCursor<'a>,
    cached: CachedTrees<'a>,
    objects: &'a Objects,
    /// The directory at hand, with a slash behind; empty for the root.
    path: BString,
    trees: Blobs,
}

/// A directory that is made of entries.
struct OpenDirectory {
    /// The length of its path, with the slash behind.
    length: usize,
    cached: Option<usize>,
    /// The tree object so far.
    content: Vec<u8>,
    /// Whether `git add -N` left something out.
    leaves_out: bool,
}

impl TreeBuilder<'_> {
    /// Open directories are on a separate stack, because a hostile path may be deeper than the thread's stack.
    fn run(&mut self, hash: gix::hash::Kind) -> IndexRead<ObjectId> {
        let mut above: Vec<OpenDirectory> = Vec::new();
        let mut open = OpenDirectory::new(0, Some(ROOT));
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
            let cached = open.cached.and_then(|at| self.cached.find(at, &name));
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
    fn take_cached(&mut self, cached: Option<usize>) -> IndexRead<Option<ObjectId>> {
        let valid = cached.and_then(|at| *self.cached.nodes.get(at)?);
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
        if is_right {
            return Ok(Some(id));
        }
        let place = if self.path.is_empty() {
            "the root".to_owned()
        } else {
            escaped(&self.path).to_string()
        };
        Err(format!(
            "its TREE extension counts {count} entries in {place}, which is wrong"
        ))
    }

    /// Takes a file; of one with a conflict, our side if there is one.
    fn file(&mut self, open: &mut OpenDirectory) -> IndexRead<()> {
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
        if entry.is_intent_to_add {
            open.leaves_out = true
        } else {
            open.append(entry.mode, &path[open.length..], entry.id)
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

impl OpenDirectory {
    fn new(length: usize, cached: Option<usize>) -> OpenDirectory {
        OpenDirectory {
            length,
            cached,
            content: Vec::new(),
            leaves_out: false,
        }
    }

    fn append(&mut self, mode: u32, name: &[u8], id: ObjectId) {
        // Formatting the number would take longer than all the rest. The index has no other modes.
        let mode: &[u8] = match mode {
            0o100_644 => b"100644 ",
            0o100_755 => b"100755 ",
            0o120_000 => b"120000 ",
            0o160_000 => b"160000 ",
            _ => b"40000 ",
        };
        for part in [mode, name, b"\0", id.as_slice()] {
            self.content.extend_from_slice(part);
        }
    }
}

/// The `TREE` extension of the index: for each directory that did not change since, the tree that git wrote
/// (gitformat-index(5), cache-tree.c).
#[derive(Default)]
pub(super) struct CachedTrees<'a> {
    /// For each directory, how many entries the tree stands for, and the tree; `None` if it is not valid.
    nodes: Vec<Option<(usize, ObjectId)>>,
    /// Where a directory is, by that of its parent and its name.
    places: HashMap<(usize, &'a [u8]), usize>,
}

/// The place of the root.
const ROOT: usize = 0;

impl<'a> CachedTrees<'a> {
    /// Parses the extension.
    ///
    /// # Errors
    /// Git does not write it like that.
    pub(super) fn parse(mut rest: &'a [u8], id_length: usize) -> IndexRead<Self> {
        const MALFORMED: &str = "its TREE extension is malformed";
        let mut cached = CachedTrees::default();
        // The directories around the next one, and how many are still to come in each.
        let mut open: Vec<(usize, usize)> = Vec::new();
        loop {
            let at = cached.nodes.len();
            let (name, valid, below, behind) = node(rest, id_length).ok_or(MALFORMED)?;
            rest = behind;
            cached.nodes.push(valid);
            match open.last_mut() {
                Some((parent, left)) => {
                    *left -= 1;
                    if cached.places.insert((*parent, name), at).is_some() {
                        return Err("its TREE extension names a directory twice".into());
                    }
                }
                None if name.is_empty() => {}
                None => return Err(MALFORMED.into()),
            }
            open.push((at, below));
            while open.pop_if(|(_, left)| *left == 0).is_some() {}
            if open.is_empty() {
                return match rest {
                    [] => Ok(cached),
                    _ => Err(MALFORMED.into()),
                };
            }
        }
    }

    fn find(&self, parent: usize, name: &[u8]) -> Option<usize> {
        self.places.get(&(parent, name)).copied()
    }
}

/// The name of a directory, its tree, how many directories are in it, and what follows.
type CachedNode<'a> = (&'a [u8], Option<(usize, ObjectId)>, usize, &'a [u8]);

fn node(bytes: &[u8], id_length: usize) -> Option<CachedNode<'_>> {
    let (name, numbers) = bytes.split_once_str("\0")?;
    let (numbers, behind) = numbers.split_once_str("\n")?;
    let (entries, below) = numbers.split_once_str(" ")?;
    let below = number(below)?;
    if entries == b"-1" {
        return Some((name, None, below, behind));
    }
    let (id, behind) = behind.split_at_checked(id_length)?;
    let valid = (number(entries)?, ObjectId::try_from(id).ok()?);
    Some((name, Some(valid), below, behind))
}

/// A number in decimal digits, as git writes it; git itself would also read signs and blanks.
fn number(digits: &[u8]) -> Option<usize> {
    let is_plain = digits.iter().all(u8::is_ascii_digit);
    let digits = digits.to_str().ok().filter(|_| is_plain);
    digits?.parse().ok()
}
