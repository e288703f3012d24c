//! The tree that `git commit` writes from an index, as `update_one` in git's cache-tree.c does.
//!
//! A directory whose cached tree is valid and in the object database is that tree, whatever its entries say; every
//! other directory is made of its entries, with the cached trees below it.

use std::cmp::Ordering;
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
    let cached = cached.transpose()?.unwrap_or_default();
    let mut builder = TreeBuilder {
        cursor: index.entries()?,
        cached: &cached,
        objects,
        path: BString::default(),
        trees: HashMap::new(),
    };
    let root = (!cached.nodes.is_empty()).then_some(ROOT);
    let id = match builder.take_cached(root)? {
        Some(id) => id,
        None => builder.run(index.hash(), root)?,
    };
    Ok((id, builder.trees))
}

struct TreeBuilder<'a> {
    cursor: EntryCursor<'a>,
    cached: &'a CachedTrees<'a>,
    objects: &'a Objects,
    /// The directory at hand, with a slash behind; empty for the root.
    path: BString,
    trees: Blobs,
}

/// A directory that is made of entries.
struct OpenDirectory<'a> {
    /// The length of its path, with the slash behind.
    length: usize,
    /// The directories in it that have a cached tree, valid or not.
    cached: CachedDirectories<'a>,
    /// The tree object so far.
    content: Vec<u8>,
    /// Whether `git add -N` left something out.
    leaves_out: bool,
}

impl<'a> TreeBuilder<'a> {
    /// Open directories are on a separate stack, because a hostile path may be deeper than the thread's stack.
    fn run(&mut self, hash: gix::hash::Kind, root: Option<usize>) -> IndexRead<ObjectId> {
        let mut above: Vec<OpenDirectory<'a>> = Vec::new();
        let mut open = OpenDirectory::new(0, self.cached.in_directory(root)?);
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
            let name = &rest[..slash];
            if entry.mode == DIRECTORY && slash + 1 == rest.len() {
                open.append(DIRECTORY, name, entry.id);
                self.cursor.advance(1)?;
                continue;
            }
            let cached = find(&open.cached, name);
            self.path.extend_from_slice(name);
            self.path.push(b'/');
            if let Some(id) = self.take_cached(cached)? {
                let taken = &self.path[open.length..self.path.len() - 1];
                open.append(DIRECTORY, taken, id);
            } else if above.len() >= MAX_DEPTH {
                return Err(format!("directories are nested more than {MAX_DEPTH} deep"));
            } else {
                let cached = self.cached.in_directory(cached)?;
                let below = OpenDirectory::new(self.path.len(), cached);
                above.push(std::mem::replace(&mut open, below));
            }
        }
    }

    /// Whether the next entry is in the directory at `self.path`.
    fn is_inside(&self) -> bool {
        let here = self.cursor.current();
        here.is_some_and(|(path, _)| path.starts_with(&self.path))
    }

    /// The cached tree of the directory at `self.path`, if git would use it; the entries that it stands for are
    /// passed over.
    fn take_cached(&mut self, cached: Option<usize>) -> IndexRead<Option<ObjectId>> {
        let valid = cached.and_then(|at| self.cached.valid(at));
        let Some((count, id)) = valid.filter(|(_, id)| self.objects.has(*id)) else {
            return Ok(None);
        };
        // An index without entries has a tree, too.
        let mut is_right = count == 0 && self.cursor.left() == 0;
        if (1..=self.cursor.left()).contains(&count) {
            self.cursor.advance(count - 1)?;
            is_right = self.is_inside();
            self.cursor.advance(1)?;
            is_right &= !self.is_inside();
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
    fn file(&mut self, open: &mut OpenDirectory<'a>) -> IndexRead<()> {
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

impl<'a> OpenDirectory<'a> {
    fn new(length: usize, cached: CachedDirectories<'a>) -> OpenDirectory<'a> {
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
/// (gitformat-index(5), cache-tree.c). Most directories are only passed over, so nothing but their places is kept.
#[derive(Default)]
pub(super) struct CachedTrees<'a> {
    /// Each directory, followed by those in it.
    nodes: Vec<CachedNode<'a>>,
}

struct CachedNode<'a> {
    name: &'a [u8],
    /// How many entries its tree stands for, and the bytes of the tree's id; `None` if it is not valid.
    valid: Option<(usize, &'a [u8])>,
    /// The place of the next directory that is not in this one.
    end: usize,
}

/// The directories in another one: names and places, in the order of [`order`].
type CachedDirectories<'a> = Vec<(&'a [u8], usize)>;

/// The place of the root.
const ROOT: usize = 0;

impl<'a> CachedTrees<'a> {
    /// Parses the extension.
    ///
    /// # Errors
    /// Git does not write it like that.
    pub(super) fn parse(mut rest: &'a [u8], id_length: usize) -> IndexRead<Self> {
        const MALFORMED: &str = "its TREE extension is malformed";
        let mut nodes: Vec<CachedNode<'a>> = Vec::new();
        // The directories around the next one, and how many are still to come in each.
        let mut open: Vec<(usize, usize)> = Vec::new();
        loop {
            let at = nodes.len();
            let (node, below, behind) = node(rest, id_length).ok_or(MALFORMED)?;
            rest = behind;
            match open.last_mut() {
                Some((_, left)) => *left -= 1,
                None if node.name.is_empty() => {}
                None => return Err(MALFORMED.into()),
            }
            nodes.push(node);
            open.push((at, below));
            while let Some((done, _)) = open.pop_if(|(_, left)| *left == 0) {
                nodes[done].end = nodes.len();
            }
            if open.is_empty() {
                return match rest {
                    [] => Ok(CachedTrees { nodes }),
                    _ => Err(MALFORMED.into()),
                };
            }
        }
    }

    /// How many entries the tree of a directory stands for, and its id, if it is valid.
    fn valid(&self, at: usize) -> Option<(usize, ObjectId)> {
        let (count, id) = self.nodes[at].valid?;
        Some((count, ObjectId::try_from(id).ok()?))
    }

    /// The directories in the one at this place.
    ///
    /// # Errors
    /// Two have the same name.
    fn in_directory(&self, parent: Option<usize>) -> IndexRead<CachedDirectories<'a>> {
        let Some(parent) = parent else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        let mut at = parent + 1;
        let end = self.nodes[parent].end;
        while at < end {
            found.push((self.nodes[at].name, at));
            at = self.nodes[at].end;
        }
        // They are, if git wrote them.
        found.sort_by(|(one, _), (other, _)| order(one, other));
        if found.windows(2).any(|two| two[0].0 == two[1].0) {
            return Err("its TREE extension names a directory twice".into());
        }
        Ok(found)
    }
}

/// Git's order of the directories in a cached tree.
fn order(one: &[u8], other: &[u8]) -> Ordering {
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

/// The place of the directory with this name.
fn find(directories: &CachedDirectories<'_>, name: &[u8]) -> Option<usize> {
    let at = directories.binary_search_by(|(other, _)| order(other, name));
    Some(directories[at.ok()?].1)
}

/// A directory without its end, how many directories are in it, and what follows.
fn node(bytes: &[u8], id_length: usize) -> Option<(CachedNode<'_>, usize, &[u8])> {
    let name = &bytes[..bytes.find_byte(0)?];
    let numbers = &bytes[name.len() + 1..];
    let (entries, numbers) = match numbers.strip_prefix(b"-1 ") {
        Some(below) => (None, below),
        None => number(numbers, b' ').map(|(count, behind)| (Some(count), behind))?,
    };
    let (below, behind) = number(numbers, b'\n')?;
    let (id, behind) = match entries {
        Some(_) => behind.split_at_checked(id_length)?,
        None => (&b""[..], behind),
    };
    let node = CachedNode {
        name,
        valid: entries.map(|count| (count, id)),
        end: 0,
    };
    Some((node, below, behind))
}

/// A number in decimal digits up to `end`, as git writes it, and what follows; git itself would also read signs and
/// blanks.
fn number(bytes: &[u8], end: u8) -> Option<(usize, &[u8])> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                value = value
                    .checked_mul(10)?
                    .checked_add(usize::from(byte - b'0'))?;
            }
            byte if *byte == end && at > 0 => return Some((value, &bytes[at + 1..])),
            _ => return None,
        }
    }
    None
}
