//! The `TREE` extension of the index: for each directory that did not change since, the tree that git wrote
//! (gitformat-index(5), cache-tree.c).

use std::ops::Range;

use gix::ObjectId;
use gix::bstr::ByteSlice;

use super::file::IndexRead;

/// The cached trees of all directories.
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
    let (name, numbers) = split_at_byte(rest, 0)?;
    let (numbers, behind) = split_at_byte(numbers, b'\n')?;
    let (entries, below) = split_at_byte(numbers, b' ')?;
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
    let add = |value: usize, byte: &u8| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        value.checked_mul(10)?.checked_add(digit.into())
    };
    (!digits.is_empty())
        .then(|| digits.iter().try_fold(0, add))
        .flatten()
}

/// What is before and behind the first such byte.
fn split_at_byte(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = text.find_byte(byte)?;
    Some((&text[..at], &text[at + 1..]))
}
