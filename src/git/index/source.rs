//! Reads parts of an index without holding all of it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use gix::bstr::ByteSlice;

/// Where the bytes of an index are.
pub(super) enum IndexSource {
    /// A file. Git replaces it as a whole, so an open one does not change.
    File(File),
    /// In memory.
    Memory(Vec<u8>),
}

impl IndexSource {
    /// The number of bytes.
    pub(super) fn len(&self) -> io::Result<u64> {
        match self {
            IndexSource::File(file) => Ok(file.metadata()?.len()),
            IndexSource::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// Appends up to `wanted` bytes from `offset` to `buffer`.
    fn read(&self, offset: u64, wanted: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
        match self {
            IndexSource::File(file) => {
                let mut file = file;
                file.seek(SeekFrom::Start(offset))?;
                file.take(wanted as u64).read_to_end(buffer)?;
            }
            IndexSource::Memory(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let rest = bytes.get(start..).unwrap_or_default();
                buffer.extend_from_slice(&rest[..wanted.min(rest.len())]);
            }
        }
        Ok(())
    }
}

/// What the first read after a jump reads: about one block of entries.
const FIRST: usize = 16 << 10;
/// What reads grow to while they follow each other.
const MOST: usize = 256 << 10;

/// A part of a source in memory, which moves along with the reader.
pub(super) struct SourceWindow<'a> {
    source: &'a IndexSource,
    /// The offset of the first byte in memory.
    start: u64,
    buffer: Vec<u8>,
    next: usize,
}

impl<'a> SourceWindow<'a> {
    pub(super) fn new(source: &'a IndexSource) -> Self {
        SourceWindow {
            source,
            start: 0,
            buffer: Vec::new(),
            next: FIRST,
        }
    }

    /// The bytes from `offset`: at least `wanted`, unless the source ends before.
    pub(super) fn from(&mut self, offset: u64, wanted: usize) -> io::Result<&[u8]> {
        let mut at = offset
            .checked_sub(self.start)
            .map_or(usize::MAX, |at| usize::try_from(at).unwrap_or(usize::MAX));
        if at > self.buffer.len() || self.buffer.len() - at < wanted {
            self.move_to(offset, wanted)?;
            at = 0;
        }
        Ok(&self.buffer[at..])
    }

    fn move_to(&mut self, offset: u64, wanted: usize) -> io::Result<()> {
        let end = self.start + self.buffer.len() as u64;
        let kept = match offset.checked_sub(self.start) {
            Some(at) if offset <= end => {
                self.next = (self.next * 2).min(MOST);
                self.buffer
                    .drain(..usize::try_from(at).unwrap_or(usize::MAX));
                self.buffer.len()
            }
            _ => {
                self.next = FIRST;
                self.buffer.clear();
                0
            }
        };
        self.start = offset;
        let missing = wanted.saturating_sub(kept).max(self.next);
        self.source
            .read(offset + kept as u64, missing, &mut self.buffer)
    }

    /// The bytes from `offset` to the next NUL, which must follow within `most` bytes.
    pub(super) fn until_nul(&mut self, offset: u64, most: usize) -> io::Result<Option<&[u8]>> {
        let mut wanted = 128;
        loop {
            let found = self.from(offset, wanted)?;
            let (length, end) = (found.len(), found.find_byte(0));
            if let Some(end) = end.filter(|end| *end <= most) {
                return Ok(Some(&self.from(offset, end)?[..end]));
            }
            if length < wanted || wanted > most {
                return Ok(None);
            }
            wanted = length * 2;
        }
    }
}
