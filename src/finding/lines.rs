//! The lines of a document: turns byte offsets into lines and columns.

use std::cell::Cell;
use std::ops::Range;

/// A text and where its lines start.
pub(crate) struct TextLines<'a> {
    pub(crate) text: &'a str,
    /// The byte offsets of line starts; the first one is after a BOM.
    starts: Vec<usize>,
    /// The start of the last line that a column was asked for, an offset in it, and the characters before that.
    column: Cell<(usize, usize, usize)>,
}

/// UTF-8's byte order mark.
const BOM: &str = "\u{feff}";

impl<'a> TextLines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let first = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let others = text.match_indices('\n').map(|(at, _)| at + 1);
        TextLines {
            text,
            starts: std::iter::once(first).chain(others).collect(),
            column: Cell::default(),
        }
    }

    /// The 1-based line at a byte offset.
    pub(crate) fn line(&self, offset: usize) -> usize {
        let line = self.starts.partition_point(|&start| start <= offset);
        line.max(1)
    }

    /// The byte range of a 1-based line, with its ending. A BOM is not part of it.
    pub(crate) fn range(&self, line: usize) -> Range<usize> {
        let start = |line: usize| self.starts.get(line).copied();
        start(line - 1).unwrap_or(0)..start(line).unwrap_or(self.text.len())
    }

    /// The 1-based line and column at a byte offset, the column in characters. A line may hold many paths, mostly in
    /// order, so the last column asked for is remembered.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.line(offset);
        let start = self.range(line).start;
        let (from, known) = match self.column.get() {
            (of, from, known) if of == start && (start..=offset).contains(&from) => (from, known),
            _ => (start, 0),
        };
        let text = self.text.get(from..offset).unwrap_or("");
        let found = known + text.chars().count();
        self.column.set((start, offset, found));
        (line, found + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_skip_the_bom() {
        let lines = TextLines::new("\u{feff}äb\r\nc");
        assert_eq!(lines.position(5), (1, 2));
        assert_eq!(lines.position(3), (1, 1));
        assert_eq!(lines.position(8), (2, 1));
        assert_eq!(lines.range(1), 3..8);
    }
}
