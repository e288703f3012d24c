//! The tree that `git commit` writes from an index, as `update_one` in git's cache-tree.c does.
//!
//! A directory whose cached tree is valid and in the object database is that tree, whatever its entries say; every
//! other directory is made of its entries, with the cached trees below it.

use std::collections::HashMap;
use std::ops::Range;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::hash::Kind as HashKind;
use gix::objs::{Kind, compute_hash};

use super::file::{DIRECTORY, EntryCursor, IndexEntry, IndexFile, IndexRead};
use crate::git::objects::{Blobs, Objects};
use crate::git::tree::{self, MAX_DEPTH};
use crate::path::escaped;

/// The tree of the next commit.
pub(super) struct CommittedTree {
    /// Its id.
    pub(super) id: ObjectId,
    /// The trees that may not be in the object database yet, by id.
    pub(super) trees: Blobs,
    /// The directories taken from cached trees, each with a slash behind; the root is empty.
    pub(super) from_cache: Vec<BString>,
}

/// Computes the tree.
///
/// # Errors
/// The index is damaged.
pub(super) fn committed_tree(
    index: &IndexFile,
    cached: Option<&CachedTrees<'_>>,
    objects: &Objects,
) -> IndexRead<CommittedTree> {
    let mut builder = TreeBuilder {
        cursor: index.entries()?,
        cached,
        objects,
        hash: index.hash(),
        path: BString::default(),
        trees: HashMap::new(),
        from_cache: Vec::new(),
    };
    let id = builder.run()?;
    Ok(CommittedTree {
        id,
        trees: builder.trees,
        from_cache: builder.from_cache,
    })
}

struct TreeBuilder<'a> {
    cursor: EntryCursor<'a>,
    cached: Option<&'a CachedTrees<'a>>,
    objects: &'a Objects,
    hash: HashKind,
    /// The current directory, with a slash behind; empty for the root.
    path: BString,
    trees: Blobs,
    from_cache: Vec<BString>,
}

/// A directory that is made of entries.
struct DirectoryBuilder<'a> {
    /// Where its name begins in the path.
    name_at: usize,
    /// The length of the path with the slash.
    length: usize,
    cached: Option<CachedChildren<'a>>,
    /// The tree object so far.
    content: Vec<u8>,
    /// Whether `git add -N` left something out.
    leaves_out: bool,
}

/// What comes next in a directory.
enum NextItem {
    /// Nothing.
    End,
    /// A file, a link or a submodule.
    File,
    /// A directory with this path.
    Directory(BString),
    /// A directory that is one entry.
    Sparse(BString, IndexEntry),
}

impl<'a> TreeBuilder<'a> {
    /// Open directories are on a separate stack, because a hostile path may be deeper than the thread's stack.
    fn run(&mut self) -> IndexRead<ObjectId> {
        if let Some(id) = self.take_cached(0)? {
            return Ok(id);
        }
        let mut open = vec![self.enter(0, Some(0))?];
        loop {
            let Some(level) = open.last_mut() else {
                return Err("it has no root".into());
            };
            self.path.truncate(level.length);
            match self.next() {
                NextItem::File => self.file(level)?,
                NextItem::Sparse(path, entry) => {
                    append(level, DIRECTORY, &path[level.length..], entry.id);
                    self.cursor.advance(1)?;
                }
                NextItem::Directory(path) => {
                    let name_at = level.length;
                    let node = level
                        .cached
                        .as_ref()
                        .and_then(|cached| cached.find(&path[name_at..]));
                    self.path = path;
                    self.path.push(b'/');
                    if let Some(id) = node.map_or(Ok(None), |node| self.take_cached(node))? {
                        let name = &self.path[name_at..self.path.len() - 1];
                        append(level, DIRECTORY, name, id);
                    } else if open.len() > MAX_DEPTH {
                        return Err(format!("directories are nested more than {MAX_DEPTH} deep"));
                    } else {
                        open.push(self.enter(name_at, node)?);
                    }
                }
                NextItem::End => {
                    let Some(done) = open.pop() else { continue };
                    let is_empty = done.content.is_empty();
                    let (name_at, leaves_out) = (done.name_at, done.leaves_out);
                    let id = self.finish(done.content)?;
                    match open.last_mut() {
                        // As for git, `git add -N` alone makes no directory.
                        Some(parent) if is_empty && leaves_out => parent.leaves_out = true,
                        Some(parent) => {
                            parent.leaves_out |= leaves_out;
                            let name = &self.path[name_at..self.path.len() - 1];
                            append(parent, DIRECTORY, name, id);
                        }
                        None if self.cursor.left() > 0 => {
                            let rest = self.cursor.current().map_or(&[][..], |(path, _)| path);
                            let rest = escaped(rest);
                            return Err(format!("{rest} is a duplicate or unsorted entry"));
                        }
                        None => return Ok(id),
                    }
                }
            }
        }
    }

    fn next(&self) -> NextItem {
        let Some((path, entry)) = self.cursor.current() else {
            return NextItem::End;
        };
        let Some(rest) = path.strip_prefix(self.path.as_slice()) else {
            return NextItem::End;
        };
        let name_at = self.path.len();
        match rest.find_byte(b'/') {
            None => NextItem::File,
            Some(slash) => {
                let directory = path[..name_at + slash].into();
                match entry.mode == DIRECTORY && slash + 1 == rest.len() {
                    true => NextItem::Sparse(directory, entry),
                    false => NextItem::Directory(directory),
                }
            }
        }
    }

    /// Begins the directory at `self.path`.
    fn enter(&self, name_at: usize, node: Option<usize>) -> IndexRead<DirectoryBuilder<'a>> {
        let children = |node| self.cached.map(|cached| cached.children(node)).transpose();
        Ok(DirectoryBuilder {
            name_at,
            length: self.path.len(),
            cached: node.map_or(Ok(None), children)?,
            content: Vec::new(),
            leaves_out: false,
        })
    }

    /// The cached tree of the directory at `self.path`, if git would use it; the entries that it stands for are
    /// passed over.
    fn take_cached(&mut self, node: usize) -> IndexRead<Option<ObjectId>> {
        let valid = self.cached.and_then(|cached| cached.valid(node));
        let Some((count, id)) = valid.filter(|(_, id)| self.objects.has(*id)) else {
            return Ok(None);
        };
        let (is_root, left) = (self.path.is_empty(), self.cursor.left());
        let mut is_right = match is_root {
            true => count == left,
            false => (1..=left).contains(&count),
        };
        if is_right {
            self.cursor.advance(count.saturating_sub(1))?;
            let ends_inside = self.is_inside();
            self.cursor.advance(1)?;
            is_right = is_root || ends_inside && !self.is_inside();
        }
        if !is_right {
            let place = match is_root {
                true => "the root".to_owned(),
                false => escaped(&self.path).to_string(),
            };
            return Err(format!(
                "its TREE extension counts {count} entries in {place}, which is wrong"
            ));
        }
        self.from_cache.push(self.path.clone());
        Ok(Some(id))
    }

    /// Whether the current entry is in the directory at `self.path`.
    fn is_inside(&self) -> bool {
        let here = self.cursor.current();
        here.is_some_and(|(here, _)| here.starts_with(&self.path))
    }

    /// Takes a file; of one with a conflict, our side if there is one.
    fn file(&mut self, level: &mut DirectoryBuilder<'_>) -> IndexRead<()> {
        let Some((path, mut entry)) = self.cursor.current() else {
            return Ok(());
        };
        let path = path.to_owned();
        self.cursor.advance(1)?;
        while let Some((_, other)) = self
            .cursor
            .current()
            .filter(|(next, other)| *next == path && entry.stage != 0 && other.stage > entry.stage)
        {
            if entry.stage != 2 {
                entry = other;
            }
            self.cursor.advance(1)?;
        }
        match entry.is_intent_to_add {
            true => level.leaves_out = true,
            false => append(level, entry.mode, &path[level.length..], entry.id),
        }
        Ok(())
    }

    /// Keeps a finished tree.
    fn finish(&mut self, content: Vec<u8>) -> IndexRead<ObjectId> {
        let id =
            compute_hash(self.hash, Kind::Tree, &content).map_err(|error| error.to_string())?;
        // Names are judged like those of any change.
        let checked = tree::check_order(id, &content, |_| true);
        if let Err((name, why)) = checked.map_err(|error| error.message)? {
            let path = [self.path.as_slice(), &name].concat();
            return Err(format!("{} {why}", escaped(&path)));
        }
        self.trees.insert(id, content);
        Ok(id)
    }
}

fn append(level: &mut DirectoryBuilder<'_>, mode: u32, name: &[u8], id: ObjectId) {
    // Formatting the number would take longer than all the rest. The index has no other modes.
    let mode: &[u8] = match mode {
        0o100_644 => b"100644 ",
        0o100_755 => b"100755 ",
        0o120_000 => b"120000 ",
        0o160_000 => b"160000 ",
        _ => b"40000 ",
    };
    let content = &mut level.content;
    content.extend_from_slice(mode);
    content.extend_from_slice(name);
    content.push(0);
    content.extend_from_slice(id.as_slice());
}

/// The `TREE` extension of the index: for each directory that did not change since, the tree that git wrote
/// (gitformat-index(5), cache-tree.c).
pub(super) struct CachedTrees<'a> {
    content: &'a [u8],
    /// Each directory is followed by those below it.
    nodes: Vec<CachedDirectory>,
}

/// One directory.
struct CachedDirectory {
    name: Range<usize>,
    /// How many entries the tree stands for, and the tree; `None` if it is not valid.
    valid: Option<(usize, ObjectId)>,
    /// The node after those below this one.
    end: usize,
}

impl<'a> CachedTrees<'a> {
    /// Parses the extension.
    ///
    /// # Errors
    /// Git does not write it like that.
    pub(super) fn parse(content: &'a [u8], id_length: usize) -> IndexRead<Self> {
        let mut nodes: Vec<CachedDirectory> = Vec::new();
        // The open directories, and how many below each are still to come.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut rest = content;
        loop {
            let at = content.len() - rest.len();
            let (node, below, behind) =
                node(rest, at, id_length).ok_or("its TREE extension is malformed")?;
            rest = behind;
            open.push((nodes.len(), below));
            nodes.push(node);
            while let Some((closed, 0)) = open.last().copied() {
                nodes[closed].end = nodes.len();
                open.pop();
            }
            match open.last_mut() {
                Some((_, left)) => *left -= 1,
                None if rest.is_empty() && nodes[0].name.is_empty() => break,
                None => return Err("its TREE extension is malformed".into()),
            }
        }
        Ok(CachedTrees { content, nodes })
    }

    /// The number of entries of the directory and its tree, if that is valid.
    pub(super) fn valid(&self, node: usize) -> Option<(usize, ObjectId)> {
        self.nodes.get(node)?.valid
    }

    /// The directories in a directory.
    ///
    /// # Errors
    /// Two have the same name.
    pub(super) fn children(&self, parent: usize) -> IndexRead<CachedChildren<'_>> {
        let end = self.nodes.get(parent).map_or(0, |node| node.end);
        let mut nodes = Vec::new();
        let mut at = parent + 1;
        while at < end {
            nodes.push(at);
            at = self.nodes[at].end;
        }
        nodes.sort_unstable_by_key(|&node| self.name(node));
        let is_double = |pair: &[usize]| self.name(pair[0]) == self.name(pair[1]);
        match nodes.windows(2).any(is_double) {
            true => Err("its TREE extension names a directory twice".into()),
            false => Ok(CachedChildren { of: self, nodes }),
        }
    }

    fn name(&self, node: usize) -> &[u8] {
        &self.content[self.nodes[node].name.clone()]
    }
}

/// The cached trees in one directory, sorted by name.
pub(super) struct CachedChildren<'a> {
    of: &'a CachedTrees<'a>,
    nodes: Vec<usize>,
}

impl CachedChildren<'_> {
    /// The cached tree of this name.
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        let found = self
            .nodes
            .binary_search_by(|&node| self.of.name(node).cmp(name));
        Some(self.nodes[found.ok()?])
    }
}

/// The first directory in `rest`, which begins at offset `at`; how many are in it, and what follows.
fn node(rest: &[u8], at: usize, id_length: usize) -> Option<(CachedDirectory, usize, &[u8])> {
    let (name, numbers) = rest.split_once_str("\0")?;
    let (numbers, behind) = numbers.split_once_str("\n")?;
    let (entries, below) = numbers.split_once_str(" ")?;
    let (valid, behind) = if entries == b"-1" {
        (None, behind)
    } else {
        let (id, behind) = behind.split_at_checked(id_length)?;
        (
            Some((number(entries)?, ObjectId::try_from(id).ok()?)),
            behind,
        )
    };
    let node = CachedDirectory {
        name: at..at + name.len(),
        valid,
        end: 0,
    };
    Some((node, number(below)?, behind))
}

/// A number in decimal digits, as git writes it; git itself would also read signs and blanks.
fn number(digits: &[u8]) -> Option<usize> {
    let is_plain = digits.iter().all(u8::is_ascii_digit);
    let digits = digits.to_str().ok().filter(|_| is_plain);
    digits?.parse().ok()
}
