//! Reads input up to a limit, because it may never end; paths are separated as for git's `--stdin` and `-z`.

use std::io::{self, Read};

use gix::bstr::{BString, ByteSlice};

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

/// The paths of a list. Each ends with NUL, or is a line, quoted where git would quote it; the last needs no end.
///
/// # Errors
/// The list cannot be read or is too long, or a line is badly quoted.
pub(super) fn paths(list: impl Read, is_nul: bool) -> Result<Vec<BString>> {
    const MAX_LIST: u64 = 64 << 20;
    let list = read("the list of paths on standard input", Ok(list), MAX_LIST)?;
    let end = if is_nul { 0 } else { b'\n' };
    let mut paths: Vec<&[u8]> = list.split(|byte| *byte == end).collect();
    paths.pop_if(|rest| rest.is_empty());
    let paths = paths.into_iter().map(|path| match is_nul {
        true => Ok(path.into()),
        false => unquoted(path.strip_suffix(b"\r").unwrap_or(path)),
    });
    paths.collect()
}

fn unquoted(line: &[u8]) -> Result<BString> {
    if !line.starts_with(b"\"") {
        return Ok(line.into());
    }
    match gix::quote::ansi_c::undo(line.as_bstr()) {
        Ok((path, read)) if read == line.len() => Ok(path.into_owned()),
        _ => Err(Error::new(format!("badly quoted path: {}", escaped(line)))
            .help("quote it as git does, or end each path with NUL and add -z")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn paths(input: &[u8], is_nul: bool) -> Vec<BString> {
        super::paths(input, is_nul).unwrap()
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
            assert!(super::paths(bad.as_bytes(), false).is_err(), "{bad}");
        }
    }

    #[test]
    fn endless_input_is_rejected() {
        assert_eq!(whole(&b"abc"[..], 3).unwrap(), Some(b"abc".to_vec()));
        assert_eq!(whole(io::repeat(b'a'), 3).unwrap(), None);
    }
}
