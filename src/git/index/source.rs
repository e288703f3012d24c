//! Reads parts of an index without holding all of it.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use gix::bstr::ByteSlice;

/// Where the bytes of an index are.
pub(super) enum IndexSource {
    /// A file and its length. Git replaces it as a whole, so an open one does not change.
    File(File, u64),
    /// In memory.
    Memory(Vec<u8>),
}

impl IndexSource {
    /// A file.
    pub(super) fn file(file: File) -> io::Result<IndexSource> {
        let length = file.metadata()?.len();
        Ok(IndexSource::File(file, length))
    }

    /// The number of bytes.
    pub(super) fn len(&self) -> u64 {
        match self {
            IndexSource::File(_, length) => *length,
            IndexSource::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Fills `buffer` from `offset`.
    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        match self {
            IndexSource::File(file, _) => {
                let mut file = file;
                file.seek(SeekFrom::Start(offset))?;
                file.read_exact(buffer)
            }
            IndexSource::Memory(bytes) => {
                let mut rest = Cursor::new(bytes);
                rest.set_position(offset);
                rest.read_exact(buffer)
            }
        }
    }
}

/// What the first read after a jump reads: about one block of entries.
const FIRST: usize = 8 << 10;
/// What reads grow to while they follow each other; more leaves the processor's caches.
const MOST: usize = 64 << 10;

/// A part of a source in memory, which moves along with the reader.
pub(super) struct SourceWindow<'a> {
    source: &'a IndexSource,
    /// The offset of the first byte in memory.
    start: u64,
    buffer: Vec<u8>,
    /// How much of the buffer holds bytes.
    filled: usize,
    next: usize,
}

impl<'a> SourceWindow<'a> {
    pub(super) fn new(source: &'a IndexSource) -> Self {
        SourceWindow {
            source,
            start: 0,
            buffer: Vec::new(),
            filled: 0,
            next: FIRST,
        }
    }

    /// The bytes from `offset`: at least `wanted`, unless the source ends before.
    pub(super) fn from(&mut self, offset: u64, wanted: usize) -> io::Result<&[u8]> {
        let at = offset.checked_sub(self.start);
        let mut at = at.and_then(|at| usize::try_from(at).ok());
        at = at.filter(|at| *at <= self.filled);
        if at.is_none_or(|at| self.filled - at < wanted) {
            self.move_to(offset, at, wanted)?;
            at = None;
        }
        Ok(&self.buffer[at.unwrap_or(0)..self.filled])
    }

    /// Moves the first byte to `offset`, which is `at` in memory.
    fn move_to(&mut self, offset: u64, at: Option<usize>, wanted: usize) -> io::Result<()> {
        let kept = match at {
            Some(at) => {
                self.next = (self.next * 2).min(MOST);
                self.buffer.copy_within(at..self.filled, 0);
                self.filled - at
            }
            None => {
                self.next = FIRST;
                0
            }
        };
        self.start = offset;
        let rest = usize::try_from(self.source.len().saturating_sub(offset)).unwrap_or(usize::MAX);
        let size = wanted.max(kept + self.next).min(rest).max(kept);
        if self.buffer.len() < size {
            self.buffer.resize(size, 0);
        }
        let rest = &mut self.buffer[kept..size];
        self.filled = size;
        self.source.read(offset + kept as u64, rest)
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
