//! Reads parts of an index without holding all of it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

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

    /// Fills `buffer` from `offset`, and returns how much of it; less only at the end.
    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        match self {
            IndexSource::File(file, _) => {
                let mut file = file;
                file.seek(SeekFrom::Start(offset))?;
                while filled < buffer.len() {
                    match file.read(&mut buffer[filled..]) {
                        Ok(0) => break,
                        Ok(count) => filled += count,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
            }
            IndexSource::Memory(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let rest = bytes.get(start..).unwrap_or_default();
                filled = rest.len().min(buffer.len());
                buffer[..filled].copy_from_slice(&rest[..filled]);
            }
        }
        Ok(filled)
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
        let mut at = offset
            .checked_sub(self.start)
            .map_or(usize::MAX, |at| usize::try_from(at).unwrap_or(usize::MAX));
        if at > self.filled || self.filled - at < wanted {
            self.move_to(offset, wanted)?;
            at = 0;
        }
        Ok(&self.buffer[at..self.filled])
    }

    fn move_to(&mut self, offset: u64, wanted: usize) -> io::Result<()> {
        let at = offset
            .checked_sub(self.start)
            .and_then(|at| usize::try_from(at).ok());
        let kept = match at.filter(|at| *at <= self.filled) {
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
        self.filled = kept + self.source.read(offset + kept as u64, rest)?;
        Ok(())
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
