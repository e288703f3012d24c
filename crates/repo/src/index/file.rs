//! The file format of the index (gitformat-index(5)): one pass over the entries finds what concerns all of them and
//! where the extensions begin; single entries are decoded when they are needed. The file is read in pieces, because
//! memory for all of it would cost more time than the pass.

use std::cell::RefCell;
use std::io::{Read, Seek, SeekFrom};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::hash::Kind as HashKind;

/// The result of reading; the error says in what way the index is damaged.
pub(super) type IndexRead<T> = Result<T, String>;

/// The size of the header.
const HEADER: usize = 12;
/// The size of an entry before its object id: ten 32-bit numbers.
const STAT: usize = 40;
/// An upper bound of what may be NUL before the path: those numbers, an id of SHA-256, both fields of flags, and the number
/// of bytes to take off the path before. The next NUL ends the path, or is behind it.
const FIXED: usize = STAT + 32 + 4 + 5;
/// The offset of the mode.
const MODE: usize = 24;
/// Flags: there is a second flags field.
const EXTENDED: u16 = 0x4000;
/// Flags: the stage.
const STAGE: u16 = 0x3000;
/// Flags: the length of the path; all bits set mean that it is longer than they can tell.
const LENGTH: u16 = 0x0fff;
/// Second flags: a sparse checkout leaves the file out.
const SKIP_WORKTREE: u16 = 0x4000;
/// Second flags: from `git add -N`.
const INTENT_TO_ADD: u16 = 0x2000;
/// Second flags: those that guard knows.
const KNOWN_FLAGS: u16 = SKIP_WORKTREE | INTENT_TO_ADD;
/// The longest path that guard reads. Git's prefix compression would let a small file hold many long paths.
const LONGEST_PATH: usize = 8 << 10;
/// No entry is longer.
const LONGEST_ENTRY: usize = LONGEST_PATH + 128;
/// So many bytes are read after a jump.
const READ_AFTER_JUMP: usize = 4 << 10;
/// So many bytes are read at once; more leaves the processor's caches.
const READ_AT_ONCE: usize = 64 << 10;
/// After how many entries a position is noted, from which reading can start.
const BLOCK: usize = 32;
/// The mode of a directory that a sparse index holds as one entry.
pub(super) const DIRECTORY: u32 = 0o040_000;

/// Where the bytes of an index are. Git replaces the file as a whole, so an open one does not change.
pub(super) trait IndexSource: Read + Seek {}

impl<T: Read + Seek> IndexSource for T {}

/// An index whose entries can be read one by one.
pub(super) struct IndexFile {
    source: RefCell<Box<dyn IndexSource>>,
    /// The number of bytes.
    length: usize,
    hash: HashKind,
    version: u32,
    count: usize,
    blocks: Vec<EntryBlock>,
    /// The `TREE` extension.
    pub(super) cached_tree: Option<Vec<u8>>,
    /// Whether most entries are in another file, as `git update-index --split-index` keeps them.
    pub(super) is_split: bool,
    /// The paths with conflicts.
    pub(super) unmerged: Vec<BString>,
    /// The submodules.
    pub(super) gitlinks: Vec<BString>,
}

/// A position from which entries can be decoded.
struct EntryBlock {
    offset: usize,
    /// The path before it, which version 4 builds on.
    previous: Box<[u8]>,
}

/// The fields of an entry besides its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexEntry {
    pub(super) mode: u32,
    pub(super) id: ObjectId,
    /// 0, or in a conflict 1 for the common ancestor, 2 for ours, 3 for theirs.
    pub(super) stage: u16,
    /// From `git add -N`: not committed.
    pub(super) is_intent_to_add: bool,
}

impl IndexFile {
    /// Passes once over the entries and extensions. The checksum is not computed, as git does not either.
    ///
    /// # Errors
    /// The bytes are not an index, or one that git does not write.
    pub(super) fn read(
        mut source: impl IndexSource + 'static,
        hash: HashKind,
    ) -> IndexRead<IndexFile> {
        let length = source.seek(SeekFrom::End(0)).map_err(text)?;
        let mut index = IndexFile {
            source: RefCell::new(Box::new(source)),
            length: usize::try_from(length).map_err(text)?,
            hash,
            version: 0,
            count: 0,
            blocks: Vec::new(),
            cached_tree: None,
            is_split: false,
            unmerged: Vec::new(),
            gitlinks: Vec::new(),
        };
        let header = index.bytes(0, HEADER)?;
        if !header.starts_with(b"DIRC") {
            return Err("it does not begin with DIRC".into());
        }
        index.version = u32_at(&header, 4)?;
        index.count = usize::try_from(u32_at(&header, 8)?).map_err(text)?;
        if !(2..=4).contains(&index.version) {
            return Err(format!("version {} is unknown", index.version));
        }
        let end = index.pass()?;
        index.extensions(end)?;
        Ok(index)
    }

    /// Fills `buffer` from `offset`.
    fn fill(&self, offset: usize, buffer: &mut [u8]) -> IndexRead<()> {
        let mut source = self.source.borrow_mut();
        let found = source.seek(SeekFrom::Start(offset as u64));
        found.and_then(|_| source.read_exact(buffer)).map_err(text)
    }

    fn bytes(&self, offset: usize, size: usize) -> IndexRead<Vec<u8>> {
        let mut bytes = vec![0; size];
        self.fill(offset, &mut bytes)?;
        Ok(bytes)
    }

    /// The hash function of the object ids.
    pub(super) fn hash(&self) -> HashKind {
        self.hash
    }

    /// Reads the entries from the first one.
    pub(super) fn entries(&self) -> IndexRead<EntryCursor<'_>> {
        let mut cursor = EntryCursor::new(self);
        cursor.load()?;
        Ok(cursor)
    }

    /// Passes over all entries and returns the offset behind them.
    fn pass(&mut self) -> IndexRead<usize> {
        let mut blocks = Vec::new();
        let mut unmerged = Vec::new();
        let mut gitlinks = Vec::new();
        let mut cursor = EntryCursor::new(self);
        while cursor.at < self.count {
            if cursor.at.is_multiple_of(BLOCK) {
                // Paths of other versions do not build on those before them.
                let previous = match cursor.index.version {
                    4 => cursor.path.as_slice(),
                    _ => b"",
                };
                blocks.push(EntryBlock {
                    offset: cursor.next,
                    previous: previous.into(),
                });
            }
            let block_end = (cursor.at / BLOCK + 1) * BLOCK;
            if let Some(entry) = cursor.step(block_end.min(self.count))? {
                if entry.stage != 0 {
                    unmerged.push(cursor.path.clone());
                }
                if entry.mode == 0o160_000 {
                    gitlinks.push(cursor.path.clone());
                }
            }
        }
        unmerged.dedup();
        let end = cursor.next;
        (self.blocks, self.unmerged, self.gitlinks) = (blocks, unmerged, gitlinks);
        Ok(end)
    }

    /// Reads the extensions from `start` to the checksum.
    fn extensions(&mut self, start: usize) -> IndexRead<()> {
        let end = self.length.checked_sub(self.hash.len_in_bytes());
        let end = end.filter(|end| start <= *end);
        let end = end.ok_or("it ends in the middle of an entry")?;
        let mut offset = start;
        while offset < end {
            let header = self.bytes(offset, 8)?;
            let size = usize::try_from(u32_at(&header, 4)?).map_err(text)?;
            let body = offset + 8;
            offset = body.saturating_add(size);
            if offset > end {
                return Err("it ends in the middle of an extension".into());
            }
            match &header[..4] {
                b"TREE" if self.cached_tree.is_some() => {
                    return Err("it has two TREE extensions".into());
                }
                b"TREE" => self.cached_tree = Some(self.bytes(body, size)?),
                b"link" => self.is_split = true,
                b"sdir" => {}
                b"IEOT" => self.check_offsets(&self.bytes(body, size)?)?,
                // Git finds the extensions by it, if it reads with several threads.
                b"EOIE" => {
                    if u32_at(&self.bytes(body, size)?, 0)? as usize != start {
                        return Err("its EOIE extension points elsewhere".into());
                    }
                }
                name if name[0].is_ascii_uppercase() => {}
                name => {
                    let name = write_guard_policy::path::escaped(name);
                    return Err(format!("guard does not know its extension {name}"));
                }
            }
        }
        Ok(())
    }

    /// Git starts its threads at the offsets in `IEOT`. There they must meet the same entries as a reader of all.
    fn check_offsets(&self, table: &[u8]) -> IndexRead<()> {
        let mut cursor = self.entries()?;
        for block in table.get(4..).unwrap_or_default().chunks(8) {
            let offset = u32_at(block, 0)?;
            let count = u32_at(block, 4)?;
            if offset as usize != cursor.start || !cursor.is_independent {
                return Err("its IEOT extension contradicts the entries".into());
            }
            cursor.advance(count as usize)?;
        }
        match cursor.current {
            None => Ok(()),
            Some(_) => Err("its IEOT extension contradicts the entries".into()),
        }
    }
}

/// Reads entries in order, and passes over those that do not matter.
pub(super) struct EntryCursor<'a> {
    index: &'a IndexFile,
    /// The number of the current entry; while passing, of the next one.
    at: usize,
    current: Option<IndexEntry>,
    /// A piece of the file, its offset and its length.
    buffer: Vec<u8>,
    piece: usize,
    filled: usize,
    /// The offset of the entry that was decoded last.
    start: usize,
    /// The offset of the next entry.
    next: usize,
    /// The path of the entry that was decoded last.
    path: BString,
    /// Whether it does not build on the path before it.
    is_independent: bool,
}

impl<'a> EntryCursor<'a> {
    fn new(index: &'a IndexFile) -> Self {
        EntryCursor {
            index,
            at: 0,
            current: None,
            buffer: vec![0; READ_AT_ONCE],
            piece: 0,
            filled: 0,
            start: HEADER,
            next: HEADER,
            path: BString::default(),
            is_independent: true,
        }
    }

    /// Makes the bytes of the next entry available, and returns where they begin in the buffer.
    fn refill(&mut self) -> IndexRead<usize> {
        let here = self.next.checked_sub(self.piece);
        let here = here.filter(|here| *here <= self.filled);
        let left = self.index.length.saturating_sub(self.next);
        if let Some(here) = here
            && let bytes = &self.buffer[here..self.filled]
            && (bytes.len() >= left.min(LONGEST_ENTRY) || bytes.iter().skip(FIXED).any(|b| *b == 0))
        {
            return Ok(here);
        }
        let size = here.map_or(READ_AFTER_JUMP, |_| READ_AT_ONCE).min(left);
        self.index.fill(self.next, &mut self.buffer[..size])?;
        (self.piece, self.filled) = (self.next, size);
        self.refill()
    }

    /// Passes over up to `most` entries of files without anything special, and returns how many.
    fn pass_plain(&mut self, most: usize) -> IndexRead<usize> {
        if self.index.version == 4 {
            return Ok(0);
        }
        let here = self.refill()?;
        let bytes = &self.buffer[here..self.filled];
        let flags_at = STAT + self.index.hash.len_in_bytes();
        let mut passed = 0;
        let mut offset = 0;
        while passed < most
            && let Some(entry) = bytes.get(offset..)
            && let Some(&[a, b, c, d]) = entry.get(MODE..MODE + 4)
            && let Some(&[high, low]) = entry.get(flags_at..flags_at + 2)
        {
            let mode = u32::from_be_bytes([a, b, c, d]);
            let flags = u16::from_be_bytes([high, low]);
            let length = flags & LENGTH;
            let is_plain = matches!(mode, 0o100_644 | 0o100_755 | 0o120_000)
                && flags & (STAGE | EXTENDED) == 0
                && length != LENGTH;
            let size = flags_at + 2 + usize::from(length);
            if !is_plain || entry.len() < size {
                break;
            }
            offset += padded(size);
            passed += 1;
        }
        self.next += offset;
        Ok(passed)
    }

    /// Passes over entries of files without anything special up to the one with this number, or else decodes one.
    fn step(&mut self, end: usize) -> IndexRead<Option<IndexEntry>> {
        let passed = self.pass_plain(end - self.at)?;
        self.at += passed.max(1);
        match passed {
            0 => self.decode().map(Some),
            _ => Ok(None),
        }
    }

    /// Decodes the next entry.
    fn decode(&mut self) -> IndexRead<IndexEntry> {
        let here = self.refill()?;
        let bytes = &self.buffer[here..self.filled];
        let version = self.index.version;
        let id_length = self.index.hash.len_in_bytes();
        let mut name_at = STAT + id_length + 2;
        let mode = mode_of(bytes)?;
        let id = bytes.get(STAT..STAT + id_length).unwrap_or_default();
        let id = ObjectId::try_from(id).map_err(text)?;
        let flags = u16_at(bytes, name_at - 2)?;
        let mut more_flags = 0;
        if flags & EXTENDED != 0 {
            more_flags = u16_at(bytes, name_at)?;
            name_at += 2;
        }
        if more_flags & !KNOWN_FLAGS != 0 {
            return Err("an entry has flags that guard does not know".into());
        }
        let mut kept = 0;
        let mut name = bytes.get(name_at..).unwrap_or_default();
        if version == 4 {
            let (dropped, length) = varint(name)?;
            let rest = self.path.len().checked_sub(dropped);
            kept = rest.ok_or("a path drops more than the path before it has")?;
            name_at += length;
            name = &name[length..];
        }
        // Git goes by the number in the flags, and in version 4 and for long paths by the NUL.
        let told = flags & LENGTH;
        let length = if version == 4 || told == LENGTH {
            name.find_byte(0).unwrap_or(LONGEST_ENTRY)
        } else {
            usize::from(told)
        };
        if kept + length > LONGEST_PATH {
            return Err(format!("a path is longer than {LONGEST_PATH} bytes"));
        }
        let name = name.get(..length);
        self.path.truncate(kept);
        self.path
            .extend_from_slice(name.ok_or("it ends in the middle of an entry")?);
        if usize::from(told) != self.path.len().min(LENGTH.into()) {
            return Err("a path is not as long as its entry tells".into());
        }
        if (mode == DIRECTORY) != self.path.ends_with(b"/") || self.path.contains(&0) {
            let path = write_guard_policy::path::escaped(&self.path);
            return Err(format!("the mode of {path} does not fit its name"));
        }
        self.start = self.next;
        self.next += match version {
            4 => name_at + length + 1,
            _ => padded(name_at + length),
        };
        self.is_independent = kept == 0;
        Ok(IndexEntry {
            mode,
            id,
            stage: (flags & STAGE) >> 12,
            is_intent_to_add: more_flags & INTENT_TO_ADD != 0,
        })
    }

    /// The current entry and its path; `None` at the end.
    pub(super) fn current(&self) -> Option<(&BStr, IndexEntry)> {
        self.current.map(|entry| (self.path.as_bstr(), entry))
    }

    /// How many entries are left, with the current one.
    pub(super) fn left(&self) -> usize {
        self.index.count - self.at
    }

    /// Moves on by `count` entries, at most to the end.
    pub(super) fn advance(&mut self, count: usize) -> IndexRead<()> {
        if count == 0 {
            return Ok(());
        }
        let target = self.at + count.min(self.left());
        let block = self.index.blocks.get(target / BLOCK);
        if target / BLOCK > self.at / BLOCK
            && let Some(block) = block
        {
            self.at = target / BLOCK * BLOCK;
            self.next = block.offset;
            self.path = block.previous.to_vec().into();
        } else {
            self.at += 1;
        }
        while self.at < target && target < self.index.count {
            self.step(target)?;
        }
        self.at = target;
        self.load()
    }

    /// Decodes the current entry.
    fn load(&mut self) -> IndexRead<()> {
        self.current = match self.left() {
            0 => None,
            _ => Some(self.decode()?),
        };
        Ok(())
    }
}

/// The size of an entry with one to eight NULs, a multiple of eight.
fn padded(length: usize) -> usize {
    (length + 8) / 8 * 8
}

/// A number in groups of seven bits and its length, as in pack offsets (gitformat-pack(5)).
fn varint(bytes: &[u8]) -> IndexRead<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        if at > 0 {
            value = (value + 1) << 7;
        }
        value |= usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Ok((value, at + 1));
        }
    }
    Err("a path has an endless number".into())
}

/// The mode of an entry, if git has such a mode.
fn mode_of(entry: &[u8]) -> IndexRead<u32> {
    match u32_at(entry, MODE)? {
        mode @ (0o100_644 | 0o100_755 | 0o120_000 | 0o160_000 | DIRECTORY) => Ok(mode),
        mode => Err(format!("an entry has the invalid mode {mode:o}")),
    }
}

fn u32_at(bytes: &[u8], at: usize) -> IndexRead<u32> {
    Ok(u32::from_be_bytes(array_at(bytes, at)?))
}

fn u16_at(bytes: &[u8], at: usize) -> IndexRead<u16> {
    Ok(u16::from_be_bytes(array_at(bytes, at)?))
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> IndexRead<[u8; N]> {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk);
    Ok(*found.ok_or("it ends too early")?)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
