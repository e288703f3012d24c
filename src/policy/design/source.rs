//! The text of a document with its lines: turns byte offsets into anchors.

use std::cell::Cell;
use std::ops::Range;

use gix::bstr::{BStr, BString, ByteSlice};

use crate::finding::Anchor;

/// UTF-8's byte order mark.
pub(super) const BOM: &str = "\u{feff}";

/// The text of one document, as read.
pub(super) struct DesignText<'a> {
    path: &'a BStr,
    text: &'a str,
    /// The byte offsets of line starts; the first one is after a BOM.
    lines: Vec<usize>,
    /// The start of the last line that a column was asked for, an offset in it, and the characters before that.
    column: Cell<(usize, usize, usize)>,
}

impl<'a> DesignText<'a> {
    pub(super) fn new(path: &'a BStr, text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut lines = vec![if text.starts_with(BOM) { BOM.len() } else { 0 }];
        let mut at = 0;
        while let Some(found) = bytes[at..].find_byteset(b"\r\n") {
            at += found + 1;
            if bytes.get(at - 1..=at) != Some(&b"\r\n"[..]) {
                lines.push(at);
            }
        }
        DesignText {
            path,
            text,
            lines,
            column: Cell::default(),
        }
    }

    pub(super) fn path(&self) -> &'a BStr {
        self.path
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// The start of the text after a BOM.
    pub(super) fn start(&self) -> usize {
        self.lines.first().copied().unwrap_or(0)
    }

    /// The text of a range, or nothing if it does not fall on character boundaries.
    pub(super) fn slice(&self, span: Range<usize>) -> &'a str {
        self.text.get(span).unwrap_or("")
    }

    /// The 1-based line at a byte offset.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|&start| start <= offset).max(1)
    }

    /// The range of the line at a byte offset, trimmed and without its ending.
    pub(super) fn line_span(&self, offset: usize) -> Range<usize> {
        let line = self.line(offset);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        let end = self.lines.get(line).copied().unwrap_or(self.text.len());
        self.trim(start..end)
    }

    /// The range without outer white space.
    pub(super) fn trim(&self, span: Range<usize>) -> Range<usize> {
        let text = self.slice(span.clone());
        let start = span.start + (text.len() - text.trim_start().len());
        start..start + text.trim().len()
    }

    /// The lines of the document with their ranges, endings excluded.
    pub(super) fn lines(&self) -> impl Iterator<Item = (Range<usize>, &'a str)> + '_ {
        let ends = self.lines.iter().skip(1).copied();
        self.lines
            .iter()
            .copied()
            .zip(ends.chain([self.text.len()]))
            .map(|(start, end)| {
                let text = self.slice(start..end).trim_end_matches(['\n', '\r']);
                (start..start + text.len(), text)
            })
    }

    /// The number of characters from the start of a line. A line may hold many paths, mostly in order.
    fn characters(&self, start: usize, end: usize) -> usize {
        let count = |from| self.slice(from..end).chars().count();
        let (line, offset, known) = self.column.get();
        let found = match line == start && offset <= end && offset >= start {
            true => known + count(offset),
            false => count(start),
        };
        self.column.set((start, end, found));
        found
    }

    pub(super) fn anchor(&self, span: Range<usize>, label: impl Into<String>) -> Anchor {
        let line = self.line(span.start);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        Anchor {
            path: BString::from(self.path),
            column: self.characters(start, span.start) + 1,
            line,
            span,
            label: label.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_skip_the_bom() {
        let source = DesignText::new(BStr::new("d.md"), "\u{feff}äb\r\nc");
        let anchor = source.anchor(5..6, "");
        assert_eq!((anchor.line, anchor.column), (1, 2));
        let anchor = source.anchor(8..9, "");
        assert_eq!((anchor.line, anchor.column), (2, 1));
    }

    #[test]
    fn every_line_ending_ends_a_line() {
        let source = DesignText::new(BStr::new("d.md"), "a\nb\r\nc\rd");
        let lines: Vec<_> = source.lines().map(|(_, text)| text).collect();
        assert_eq!(lines, ["a", "b", "c", "d"]);
        assert_eq!(source.line(7), 4);
    }

    #[test]
    fn a_line_span_has_no_ending() {
        let source = DesignText::new(BStr::new("d.md"), "a\n  bc  \r\nd");
        assert_eq!(source.line_span(5), 4..6);
    }
}
