//! Reads input up to a limit, because it may never end; paths are separated as for git's `--stdin` and `-z`.

use std::io::{self, BufRead, BufReader, Read};

use gix::bstr::{BStr, BString};

use crate::error::{Error, Result};
use crate::path::escaped;

/// The whole input, or `None` if it has more than `limit` bytes.
pub(super) fn whole(input: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut content = Vec::new();
    input.take(limit + 1).read_to_end(&mut content)?;
    Ok((content.len() as u64 <= limit).then_some(content))
}

/// All of an input; messages call it `what`.
///
/// # Errors
/// It cannot be opened or read, or is larger than `limit`.
pub(super) fn read(what: &str, opened: io::Result<impl Read>, limit: u64) -> Result<Vec<u8>> {
    opened
        .and_then(|input| whole(input, limit))
        .map_err(|error| Error::new(format!("{what} cannot be read: {error}")))?
        .ok_or_else(|| Error::new(format!("{what} has more than {limit} bytes")))
}

/// The refs on standard input; a line takes about 200 bytes.
pub(super) fn refs() -> Result<Vec<u8>> {
    const MAX_REFS: u64 = 64 << 20;
    let input = Ok(io::stdin().lock());
    read("the list of refs on standard input", input, MAX_REFS)
}

/// The longest path that guard reads. No system has longer ones.
const MAX_PATH: usize = 64 << 10;
/// The largest list that guard reads as a whole.
const MAX_LIST: usize = 64 << 20;

/// Reads a list of paths that may be written while it is read.
pub(super) struct PathList<R> {
    input: BufReader<R>,
    /// Whether each path ends with NUL. Otherwise a path is a line, quoted where git would quote it.
    is_nul: bool,
}

impl<R: Read> PathList<R> {
    pub(super) fn new(input: R, is_nul: bool) -> PathList<R> {
        PathList {
            input: BufReader::with_capacity(MAX_PATH, input),
            is_nul,
        }
    }

    /// Waits for a path. Returns it with those that arrived at the same time, as they were written; none at the end.
    ///
    /// # Errors
    /// The input cannot be read, or a path is too long.
    pub(super) fn wait(&mut self) -> Result<Vec<BString>> {
        let mut batch = Vec::from_iter(self.next()?);
        while self.input.buffer().contains(&self.end()) {
            batch.extend(self.next()?);
        }
        Ok(batch)
    }

    /// The whole list.
    ///
    /// # Errors
    /// As for [`PathList::wait`], the list is too long, or a line is badly quoted.
    pub(super) fn whole(mut self) -> Result<Vec<BString>> {
        let mut paths = Vec::new();
        let mut length = 0;
        while let Some(written) = self.next()? {
            length += written.len() + 1;
            if length > MAX_LIST {
                return Err(Error::new(format!(
                    "the list of paths on standard input has more than {MAX_LIST} bytes"
                ))
                .help("split it, or use --format jsonl without --output"));
            }
            paths.push(self.path(written.as_ref())?);
        }
        Ok(paths)
    }

    /// The path that is written so.
    ///
    /// # Errors
    /// A line starts with a double quote, but is not a quoted path.
    pub(super) fn path(&self, written: &BStr) -> Result<BString> {
        if self.is_nul || !written.starts_with(b"\"") {
            return Ok(written.to_owned());
        }
        match gix::quote::ansi_c::undo(written) {
            Ok((path, read)) if read == written.len() => Ok(path.into_owned()),
            _ => Err(
                Error::new(format!("badly quoted path: {}", escaped(written)))
                    .help("quote it as git does, or end each path with NUL and add -z"),
            ),
        }
    }

    fn next(&mut self) -> Result<Option<BString>> {
        let end = self.end();
        let mut written = Vec::new();
        let limit = MAX_PATH as u64 + 1;
        let read = (&mut self.input).take(limit).read_until(end, &mut written);
        read.map_err(|error: io::Error| {
            Error::new(format!(
                "the paths on standard input cannot be read: {error}"
            ))
        })?;
        match written.pop() {
            None => return Ok(None),
            Some(last) if last == end => {}
            // The last path needs no end.
            Some(last) if written.len() < MAX_PATH => written.push(last),
            Some(_) => {
                return Err(Error::new(format!(
                    "a path on standard input has more than {MAX_PATH} bytes"
                ))
                .help("end each path with a newline, or with NUL and add -z"));
            }
        }
        if !self.is_nul && written.ends_with(b"\r") {
            written.pop();
        }
        Ok(Some(written.into()))
    }

    fn end(&self) -> u8 {
        match self.is_nul {
            true => 0,
            false => b'\n',
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn paths(input: &[u8], is_nul: bool) -> Vec<BString> {
        PathList::new(input, is_nul).whole().unwrap()
    }

    #[test]
    fn paths_are_separated_as_git_separates_them() {
        assert_eq!(paths(b"a b\n\nc\r\n d", false), ["a b", "", "c", " d"]);
        assert_eq!(paths(b"a\nb\0c\r\0", true), ["a\nb", "c\r"]);
        assert_eq!(paths(b"", false), [""; 0]);
    }

    #[test]
    fn a_quoted_line_is_unquoted() {
        assert_eq!(paths(b"\"a\\nb\\303\\244\"\n", false), ["a\nb\u{e4}"]);
        assert_eq!(paths(b"\"a\"\0", true), ["\"a\""]);
        for bad in ["\"a", "\"a\"b", "\"a\\q\""] {
            assert!(
                PathList::new(bad.as_bytes(), false).whole().is_err(),
                "{bad}"
            );
        }
    }

    #[test]
    fn endless_input_is_not_read_without_limit() {
        assert!(PathList::new(io::repeat(b'a'), false).wait().is_err());
        assert!(PathList::new(io::repeat(b'\n'), false).whole().is_err());
        let longest = vec![b'a'; MAX_PATH];
        assert_eq!(paths(&longest, false), [longest]);
    }

    #[test]
    fn endless_input_is_rejected() {
        assert_eq!(whole(&b"abc"[..], 3).unwrap(), Some(b"abc".to_vec()));
        assert_eq!(whole(io::repeat(b'a'), 3).unwrap(), None);
    }
}
