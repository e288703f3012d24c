//! The file format of the index (gitformat-index(5)): one pass over the entries finds what concerns all of them and
//! where the extensions begin; single entries are decoded when they are needed.

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::hash::Kind as HashKind;

use super::source::{IndexSource, SourceWindow};

/// The result of reading; the error says in what way the index is damaged.
pub(super) type IndexRead<T> = Result<T, String>;

/// The size of the header.
const HEADER: u64 = 12;
/// The size of an entry before its object id: ten 32-bit numbers.
const STAT: usize = 40;
/// The offset of the mode.
const MODE: usize = 24;
/// Flags: the file counts as unchanged.
const ASSUME_VALID: u16 = 0x8000;
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
/// The longest path that guard reads. Git's prefix compression would let a small file hold many long paths.
const LONGEST_PATH: usize = 8 << 10;
/// The size of the longest entry whose length its flags tell.
const LONGEST_PLAIN: usize = STAT + 32 + 2 + 4096 + 8;
/// After how many entries a position is noted, from which reading can start.
const BLOCK: usize = 64;
/// The mode of a directory that a sparse index holds as one entry.
pub(super) const DIRECTORY: u32 = 0o040_000;

/// An index whose entries can be read one by one.
pub(super) struct IndexFile {
    source: IndexSource,
    hash: HashKind,
    version: u32,
    count: usize,
    blocks: Vec<EntryBlock>,
    /// The `TREE` extension.
    pub(super) cached_tree: Option<Vec<u8>>,
    /// Whether most entries are in another file, as `git update-index --split-index` keeps them.
    pub(super) is_split: bool,
    /// Whether some directories are one entry each.
    pub(super) is_sparse: bool,
    /// The paths with conflicts.
    pub(super) unmerged: Vec<BString>,
    /// The submodules.
    pub(super) gitlinks: Vec<BString>,
}

/// A position from which entries can be decoded.
struct EntryBlock {
    offset: u64,
    /// The path before it, which version 4 builds on.
    previous: Box<[u8]>,
}

/// The fields of an entry besides its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexEntry {
    pub(super) mode: u32,
    pub(super) id: ObjectId,
    /// 0, or in a conflict 1 for the common ancestor, 2 for ours, 3 for theirs.
    pub(super) stage: u8,
    pub(super) is_assumed_valid: bool,
    pub(super) skips_worktree: bool,
    /// From `git add -N`: not committed.
    pub(super) is_intent_to_add: bool,
}

/// The fixed part of an entry.
struct FixedFields {
    mode: u32,
    flags: u16,
    more_flags: u16,
    /// The offset of the path, from the start of the entry.
    path_at: usize,
}

impl IndexFile {
    /// Without any entry.
    pub(super) fn empty(hash: HashKind) -> IndexFile {
        IndexFile {
            source: IndexSource::Memory(Vec::new()),
            hash,
            version: 2,
            count: 0,
            blocks: Vec::new(),
            cached_tree: None,
            is_split: false,
            is_sparse: false,
            unmerged: Vec::new(),
            gitlinks: Vec::new(),
        }
    }

    /// Passes once over the entries and extensions. The checksum is not computed, as git does not either.
    ///
    /// # Errors
    /// The bytes are not an index, or one that git does not write.
    pub(super) fn read(source: IndexSource, hash: HashKind) -> IndexRead<IndexFile> {
        let mut index = IndexFile {
            source,
            ..IndexFile::empty(hash)
        };
        let end = index.pass()?;
        index.unmerged.dedup();
        index.extensions(end)?;
        Ok(index)
    }

    /// Which hash the object ids are.
    pub(super) fn hash(&self) -> HashKind {
        self.hash
    }

    /// Reads the entries from the first one.
    pub(super) fn entries(&self) -> IndexRead<EntryCursor<'_>> {
        let mut cursor = EntryCursor {
            index: self,
            window: SourceWindow::new(&self.source),
            at: 0,
            start: HEADER,
            end: HEADER,
            path: BString::default(),
            is_independent: true,
            current: None,
        };
        cursor.decode()?;
        Ok(cursor)
    }

    /// Passes over all entries and returns the offset behind them.
    fn pass(&mut self) -> IndexRead<u64> {
        let mut window = SourceWindow::new(&self.source);
        let header = window.from(0, 12).map_err(text)?;
        if header.get(..4) != Some(b"DIRC") {
            return Err("it does not begin with DIRC".into());
        }
        self.version = u32_at(header, 4)?;
        self.count = usize::try_from(u32_at(header, 8)?).map_err(text)?;
        if !(2..=4).contains(&self.version) {
            return Err(format!("version {} is unknown", self.version));
        }
        let mut path = BString::default();
        let mut offset = HEADER;
        let mut at = 0;
        while at < self.count {
            if at % BLOCK == 0 {
                self.blocks.push(EntryBlock {
                    offset,
                    previous: path.as_slice().into(),
                });
            }
            if self.version < 4 {
                let most = (BLOCK - at % BLOCK).min(self.count - at);
                let bytes = window.from(offset, LONGEST_PLAIN).map_err(text)?;
                let (passed, length) = pass_plain(self.hash, bytes, most);
                at += passed;
                offset += length as u64;
                if passed > 0 {
                    continue;
                }
            }
            let fixed = FixedFields::read(&mut window, offset, self.hash)?;
            (offset, _) = read_path(&mut window, offset, &fixed, self.version, &mut path)?;
            if fixed.flags & STAGE != 0 {
                self.unmerged.push(path.clone());
            }
            if fixed.mode == 0o160_000 {
                self.gitlinks.push(path.clone());
            }
            self.is_sparse |= fixed.mode == DIRECTORY;
            if self.version < 4 {
                path.clear();
            }
            at += 1;
        }
        Ok(offset)
    }

    /// Reads the extensions from `start` to the checksum.
    fn extensions(&mut self, start: u64) -> IndexRead<()> {
        let end = self
            .source
            .len()
            .checked_sub(self.hash.len_in_bytes() as u64)
            .filter(|end| start <= *end)
            .ok_or("it ends in the middle of an entry")?;
        let mut window = SourceWindow::new(&self.source);
        let mut offsets = None;
        let mut offset = start;
        while offset < end {
            let header = window.from(offset, 8).map_err(text)?;
            let (name, size): ([u8; 4], _) = (array_at(header, 0)?, u32_at(header, 4)?);
            let body = offset + 8;
            offset = body + u64::from(size);
            if offset > end {
                return Err("it ends in the middle of an extension".into());
            }
            match &name {
                b"TREE" if self.cached_tree.is_some() => {
                    return Err("it has two TREE extensions".into());
                }
                b"TREE" => self.cached_tree = Some(whole(&mut window, body, size)?),
                b"link" => self.is_split = true,
                b"sdir" => {}
                b"IEOT" => offsets = Some(whole(&mut window, body, size)?),
                // Git finds the extensions by it, if it reads with several threads.
                b"EOIE" => {
                    let told = u32_at(window.from(body, 4).map_err(text)?, 0)?;
                    if u64::from(told) != start {
                        return Err("its EOIE extension points elsewhere".into());
                    }
                }
                name if name[0].is_ascii_uppercase() => {}
                name => {
                    return Err(format!(
                        "guard does not know its extension {}",
                        crate::path::escaped(name)
                    ));
                }
            }
        }
        match offsets {
            Some(offsets) => self.check_offsets(&offsets),
            None => Ok(()),
        }
    }

    /// Git starts its threads at the offsets in `IEOT`. There they must meet the same entries as a reader of all.
    fn check_offsets(&self, table: &[u8]) -> IndexRead<()> {
        let wrong = || "its IEOT extension contradicts the entries".to_owned();
        let mut cursor = self.entries()?;
        for block in table.get(4..).ok_or_else(wrong)?.chunks(8) {
            let (offset, count) = (u32_at(block, 0)?, u32_at(block, 4)?);
            if u64::from(offset) != cursor.start || !cursor.is_independent {
                return Err(wrong());
            }
            cursor.advance(usize::try_from(count).map_err(text)?)?;
        }
        match cursor.current() {
            None => Ok(()),
            Some(_) => Err(wrong()),
        }
    }
}

impl FixedFields {
    /// Reads those of the entry at `offset`.
    fn read(window: &mut SourceWindow<'_>, offset: u64, hash: HashKind) -> IndexRead<FixedFields> {
        let flags_at = STAT + hash.len_in_bytes();
        let bytes = window.from(offset, flags_at + 4).map_err(text)?;
        let mode = u32_at(bytes, MODE)?;
        let flags = u16_at(bytes, flags_at)?;
        if !matches!(
            mode,
            0o100_644 | 0o100_755 | 0o120_000 | 0o160_000 | DIRECTORY
        ) {
            return Err(format!("an entry has the invalid mode {mode:o}"));
        }
        let (more_flags, path_at) = match flags & EXTENDED {
            0 => (0, flags_at + 2),
            _ => (u16_at(bytes, flags_at + 2)?, flags_at + 4),
        };
        if more_flags & !(SKIP_WORKTREE | INTENT_TO_ADD) != 0 {
            return Err("an entry has flags that guard does not know".into());
        }
        Ok(FixedFields {
            mode,
            flags,
            more_flags,
            path_at,
        })
    }
}

/// Passes over up to `most` entries of files without anything special, and returns how many and their length.
fn pass_plain(hash: HashKind, bytes: &[u8], most: usize) -> (usize, usize) {
    let flags_at = STAT + hash.len_in_bytes();
    let (mut passed, mut offset) = (0, 0);
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
    (passed, offset)
}

/// Reads entries in order, and passes over those that do not matter.
pub(super) struct EntryCursor<'a> {
    index: &'a IndexFile,
    window: SourceWindow<'a>,
    /// The number of the current entry.
    at: usize,
    /// Its offset, and that of the next one.
    start: u64,
    end: u64,
    /// Its path, or the one before it until it is decoded.
    path: BString,
    /// Whether it does not build on the path before it.
    is_independent: bool,
    current: Option<IndexEntry>,
}

impl EntryCursor<'_> {
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
        let target = self.at.saturating_add(count).min(self.index.count);
        if target == self.at {
            return Ok(());
        }
        self.at += 1;
        if target / BLOCK > self.at / BLOCK
            && let Some(block) = self.index.blocks.get(target / BLOCK)
        {
            self.at = target / BLOCK * BLOCK;
            self.end = block.offset;
            self.path = block.previous.to_vec().into();
        }
        while self.at < target {
            let (passed, length) = if self.index.version < 4 {
                let bytes = self.window.from(self.end, LONGEST_PLAIN).map_err(text)?;
                pass_plain(self.index.hash, bytes, target - self.at)
            } else {
                (0, 0)
            };
            self.at += passed;
            self.end += length as u64;
            if passed == 0 {
                self.decode()?;
                self.at += 1;
            }
        }
        self.decode()
    }

    /// Moves forward to the first entry that is not before `path`.
    pub(super) fn seek(&mut self, path: &BStr) -> IndexRead<()> {
        // Paths are often close to each other.
        for _ in 0..BLOCK {
            if self.current().is_none_or(|(here, _)| here >= path) {
                return Ok(());
            }
            self.advance(1)?;
        }
        let (mut low, mut high) = (self.at / BLOCK, self.index.blocks.len());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            match self.first_of(middle)?.as_slice() <= path.as_bytes() {
                true => low = middle,
                false => high = middle,
            }
        }
        if low > self.at / BLOCK {
            self.advance(low * BLOCK - self.at)?;
        }
        while self.current().is_some_and(|(here, _)| here < path) {
            self.advance(1)?;
        }
        Ok(())
    }

    /// The path of the first entry of a block.
    fn first_of(&self, block: usize) -> IndexRead<BString> {
        let mut window = SourceWindow::new(&self.index.source);
        let Some(block) = self.index.blocks.get(block) else {
            return Err("it has fewer entries than it tells".into());
        };
        let mut path = BString::from(block.previous.to_vec());
        let fixed = FixedFields::read(&mut window, block.offset, self.index.hash)?;
        let version = self.index.version;
        read_path(&mut window, block.offset, &fixed, version, &mut path)?;
        Ok(path)
    }

    /// Decodes the entry at `self.end`.
    fn decode(&mut self) -> IndexRead<()> {
        self.start = self.end;
        self.current = None;
        if self.at >= self.index.count {
            return Ok(());
        }
        let (index, start, window) = (self.index, self.start, &mut self.window);
        let fixed = FixedFields::read(window, start, index.hash)?;
        let (end, kept) = read_path(window, start, &fixed, index.version, &mut self.path)?;
        self.end = end;
        self.is_independent = kept == 0;
        if (fixed.mode == DIRECTORY) != self.path.ends_with(b"/") || self.path.contains(&0) {
            let path = crate::path::escaped(&self.path);
            return Err(format!("the mode of {path} does not fit its name"));
        }
        let bytes = window.from(start, fixed.path_at).map_err(text)?;
        let id = bytes.get(STAT..STAT + index.hash.len_in_bytes());
        self.current = Some(IndexEntry {
            mode: fixed.mode,
            id: ObjectId::try_from(id.unwrap_or_default()).map_err(text)?,
            stage: u8::try_from((fixed.flags & STAGE) >> 12).unwrap_or_default(),
            is_assumed_valid: fixed.flags & ASSUME_VALID != 0,
            skips_worktree: fixed.more_flags & SKIP_WORKTREE != 0,
            is_intent_to_add: fixed.more_flags & INTENT_TO_ADD != 0,
        });
        Ok(())
    }
}

/// The size of an entry with one to eight NULs, a multiple of eight.
fn padded(length: usize) -> usize {
    (length + 8) / 8 * 8
}

/// Replaces `path`, that of the previous entry, and returns the offset of the next entry, and how much of the previous
/// path is kept.
fn read_path(
    window: &mut SourceWindow<'_>,
    offset: u64,
    fixed: &FixedFields,
    version: u32,
    path: &mut BString,
) -> IndexRead<(u64, usize)> {
    let too_long = || format!("a path is longer than {LONGEST_PATH} bytes");
    let start = offset + fixed.path_at as u64;
    if version == 4 {
        let (dropped, length) = varint(window.from(start, 10).map_err(text)?)?;
        let kept = path.len().checked_sub(dropped);
        let kept = kept.ok_or("a path drops more than the path before it has")?;
        let rest = window.until_nul(start + length as u64, LONGEST_PATH);
        let rest = rest.map_err(text)?.ok_or_else(too_long)?;
        path.truncate(kept);
        path.extend_from_slice(rest);
        if path.len() > LONGEST_PATH {
            return Err(too_long());
        }
        // Git goes by the number in the flags, and guard by the NUL.
        if usize::from(fixed.flags & LENGTH) != path.len().min(LENGTH.into()) {
            return Err("a path is not as long as its entry tells".into());
        }
        return Ok((start + (length + rest.len()) as u64 + 1, kept));
    }
    let length = usize::from(fixed.flags & LENGTH);
    let name = if length == usize::from(LENGTH) {
        let found = window.until_nul(start, LONGEST_PATH).map_err(text)?;
        found.ok_or_else(too_long)?
    } else {
        let found = window.from(start, length).map_err(text)?;
        let found = found.get(..length);
        found.ok_or("it ends in the middle of an entry")?
    };
    path.clear();
    path.extend_from_slice(name);
    Ok((offset + padded(fixed.path_at + name.len()) as u64, 0))
}

/// A number in groups of seven bits and its length, as in pack offsets (gitformat-pack(5)).
fn varint(bytes: &[u8]) -> IndexRead<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        let group = usize::from(byte & 0x7f);
        value = if at == 0 {
            group
        } else {
            ((value + 1) << 7) | group
        };
        if byte & 0x80 == 0 {
            return Ok((value, at + 1));
        }
    }
    Err("a path has an endless number".into())
}

/// The body of an extension.
fn whole(window: &mut SourceWindow<'_>, offset: u64, size: u32) -> IndexRead<Vec<u8>> {
    let size = usize::try_from(size).map_err(text)?;
    let found = window.from(offset, size).map_err(text)?;
    let body = found.get(..size);
    Ok(body
        .ok_or("it ends in the middle of an extension")?
        .to_vec())
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
