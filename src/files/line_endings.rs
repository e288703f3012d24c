//! Line endings: agents see and send lines that end with LF, whatever the file has.

use std::borrow::Cow;
use std::ops::Range;

use gix::bstr::ByteSlice;

/// The line ending that most lines of a text have.
pub(super) fn ending_of(text: &[u8]) -> &'static [u8] {
    let all = text.find_iter("\n").count();
    let crlf = text.find_iter("\r\n").count();
    if crlf * 2 > all { b"\r\n" } else { b"\n" }
}

/// A text in which every line ends with LF, and where its bytes stand in the original.
pub(crate) struct PlainLines<'a> {
    text: Cow<'a, [u8]>,
    /// The places of the LFs in `text` that are CRLF in the original, in order.
    crlf: Vec<usize>,
}

impl<'a> PlainLines<'a> {
    pub(crate) fn of(original: &'a [u8]) -> PlainLines<'a> {
        if !original.contains_str("\r\n") {
            return PlainLines {
                text: Cow::Borrowed(original),
                crlf: Vec::new(),
            };
        }
        let mut text = Vec::with_capacity(original.len());
        let mut crlf = Vec::new();
        for (at, &byte) in original.iter().enumerate() {
            if byte == b'\r' && original.get(at + 1) == Some(&b'\n') {
                crlf.push(text.len());
            } else {
                text.push(byte);
            }
        }
        PlainLines {
            text: Cow::Owned(text),
            crlf,
        }
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The bytes of the original that a part of the text stands for.
    pub(crate) fn in_original(&self, part: Range<usize>) -> Range<usize> {
        self.place(part.start)..self.place(part.end)
    }

    fn place(&self, at: usize) -> usize {
        at + self.crlf.partition_point(|&ending| ending < at)
    }
}

/// A text with LF at the end of every line.
pub(crate) fn plain(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// A new text with the line endings of the lines that it replaces, or else of most lines in the file. In a file of one
/// line without an end, it stays as it is.
pub(super) fn with_endings_of<'t>(text: &'t str, replaced: &[u8], file: &[u8]) -> Cow<'t, [u8]> {
    let like = if replaced.contains(&b'\n') {
        replaced
    } else {
        file
    };
    if !like.contains(&b'\n') || !text.contains('\n') {
        return Cow::Borrowed(text.as_bytes());
    }
    Cow::Owned(plain(text).as_bytes().replace("\n", ending_of(like)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_text_stands_for_its_bytes_in_the_original() {
        let original = b"one\r\ntwo\nthree\r\n\rx\r";
        let lines = PlainLines::of(original);
        assert_eq!(lines.text(), b"one\ntwo\nthree\n\rx\r");
        for (part, bytes) in [
            (&b"one\n"[..], &b"one\r\n"[..]),
            (b"\ntwo", b"\r\ntwo"),
            (b"two\nthree", b"two\nthree"),
            (b"three\n\rx\r", b"three\r\n\rx\r"),
            (b"one\ntwo\nthree\n", b"one\r\ntwo\nthree\r\n"),
        ] {
            let start = lines.text().find(part).unwrap_or(usize::MAX);
            let range = lines.in_original(start..start + part.len());
            assert_eq!(original[range].as_bstr(), bytes.as_bstr());
        }
    }

    #[test]
    fn new_lines_end_as_those_that_they_replace() {
        for (text, replaced, file, expected) in [
            ("a\nb", "x", "1\r\n2\r\n", "a\r\nb"),
            ("a\r\nb", "x", "1\r\n2\r\n", "a\r\nb"),
            ("a\r\nb", "x", "1\n2\n", "a\nb"),
            ("a\nb\n", "1\r\n", "1\r\n2\n3\n", "a\r\nb\r\n"),
            ("a\nb\n", "2\n", "1\r\n2\n3\r\n", "a\nb\n"),
            ("a\r\nb\n", "x", "x", "a\r\nb\n"),
            ("a", "x\r\n", "x\r\n", "a"),
        ] {
            let new = with_endings_of(text, replaced.as_bytes(), file.as_bytes());
            assert_eq!(new.as_bstr(), expected);
        }
    }
}
