//! The text of a document: decodes it, and turns byte offsets into anchors. And its inline text as a reader of paths sees
//! it: emphasis is transparent, escapes and references are resolved, and each code span, link, image or tag is one
//! character.

use std::ops::Range;

use bstr::{BStr, BString};

use super::{Problem, problem};
use crate::finding::{Anchor, TextLines};
use crate::scope::settings::Settings;

/// The text of one document, as read.
pub(super) struct DesignText<'a> {
    pub(super) path: &'a BStr,
    pub(super) text: &'a str,
    pub(super) options: &'a Settings,
    pub(super) lines: TextLines<'a>,
}

impl<'a> DesignText<'a> {
    pub(super) fn new(path: &'a BStr, text: &'a str, options: &'a Settings) -> Self {
        DesignText {
            path,
            text,
            options,
            lines: TextLines::new(text),
        }
    }

    /// The text of a range, or nothing if it does not fall on character boundaries.
    pub(super) fn slice(&self, span: Range<usize>) -> &'a str {
        self.text.get(span).unwrap_or("")
    }

    /// The range of the line at a byte offset, trimmed and without its ending.
    pub(super) fn line_span(&self, offset: usize) -> Range<usize> {
        self.trim(self.lines.range(self.lines.line(offset)))
    }

    /// The range without outer white space.
    pub(super) fn trim(&self, span: Range<usize>) -> Range<usize> {
        let text = self.slice(span.clone());
        let start = span.start + (text.len() - text.trim_start().len());
        start..start + text.trim().len()
    }

    /// The range of a part of the text.
    pub(super) fn span_of(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr().addr() - self.text.as_ptr().addr();
        start..start + part.len()
    }

    pub(super) fn anchor(&self, span: Range<usize>) -> Anchor {
        let (line, column) = self.lines.position(span.start);
        Anchor {
            path: BString::from(self.path),
            line,
            column,
            span,
            label: String::new(),
        }
    }
}

/// Decodes a document into its text and the reason why it cannot be read further.
pub(super) fn decode(bytes: &[u8]) -> (String, Option<Problem>) {
    let problem = if let Err(error) = std::str::from_utf8(bytes) {
        let at = error.valid_up_to();
        Some(problem::not_utf8().at(at..at))
    } else {
        let next_bytes = bytes.iter().skip(1).chain([&0]);
        let at = bytes
            .iter()
            .zip(next_bytes)
            .position(|(byte, next)| *byte == 0 || *byte == b'\r' && *next != b'\n');
        at.map(|at| problem::hidden_bytes().at(at..at))
    };
    // Everything before an invalid byte keeps its offset.
    (String::from_utf8_lossy(bytes).into_owned(), problem)
}

/// What stands for a piece in [`Run::text`].
pub(super) const PIECE: char = '\u{fffc}';

/// Anything but text.
#[derive(Clone)]
pub(super) struct Piece {
    /// Its place in the text.
    at: usize,
    /// Including its marks.
    pub(super) span: Range<usize>,
    pub(super) kind: PieceKind,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// A code span with its text.
    Code(String),
    Link {
        text: String,
        target: String,
    },
    /// One tag or comment.
    Html(String),
    Image,
    Struck,
}

/// Text in which every byte knows its place in the document.
#[derive(Clone, Default)]
pub(super) struct Run {
    pub(super) text: String,
    /// For each byte of the text, its offset in the document.
    offsets: Vec<usize>,
    /// The offset of the end.
    pub(super) end: usize,
    /// One for each [`PIECE`].
    pub(super) pieces: Vec<Piece>,
}

impl Run {
    /// Adds the text that the document has at `span`.
    pub(super) fn push(&mut self, text: &str, span: &Range<usize>) {
        let is_as_written = text.len() == span.len();
        for (at, c) in text.char_indices().filter(|(_, c)| *c != PIECE) {
            self.text.push(c);
            let bytes = (at..at + c.len_utf8()).map(|byte| {
                if is_as_written {
                    span.start + byte
                } else {
                    span.start
                }
            });
            self.offsets.extend(bytes);
        }
    }

    pub(super) fn push_piece(&mut self, kind: PieceKind, span: Range<usize>) {
        let at = self.text.len();
        self.text.push(PIECE);
        self.offsets.extend([span.start; PIECE.len_utf8()]);
        self.pieces.push(Piece { at, span, kind });
    }

    /// The pieces before a place in the text.
    pub(super) fn pieces_before(&self, at: usize) -> &[Piece] {
        let count = self.pieces.partition_point(|piece| piece.at < at);
        &self.pieces[..count]
    }

    /// The piece at a place in the text.
    pub(super) fn piece(&self, at: usize) -> Option<&Piece> {
        let found = self.pieces.binary_search_by_key(&at, |piece| piece.at);
        found.ok().and_then(|number| self.pieces.get(number))
    }

    /// The offset in the document.
    pub(super) fn offset(&self, at: usize) -> usize {
        self.offsets.get(at).copied().unwrap_or(self.end)
    }

    /// The range in the document from the first character that is no blank.
    pub(super) fn span(&self) -> Range<usize> {
        let blanks = self.text.len() - self.text.trim_start().len();
        self.offset(blanks)..self.offset(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_span_has_no_ending() {
        let options = Settings::default();
        let source = DesignText::new(BStr::new("d.md"), "a\n  bc  \r\nd", &options);
        assert_eq!(source.line_span(5), 4..6);
    }

    fn fault(bytes: &[u8]) -> Option<(&'static str, usize)> {
        decode(bytes)
            .1
            .map(|fault| (fault.reason, fault.span.start))
    }

    #[test]
    fn encodings() {
        assert_eq!(fault(b"a\xe9b"), Some(("non-utf8", 1)));
        assert_eq!(fault(b"\xff\xfea\0"), Some(("non-utf8", 0)));
        assert_eq!(fault("\u{feff}ä\r\n".as_bytes()), None);
    }

    #[test]
    fn line_endings() {
        assert_eq!(fault(b"a\r\r\nb"), Some(("hidden-bytes", 1)));
        assert_eq!(fault(b"a\r\nb\nc\r\n"), None);
        assert_eq!(fault(b"a\r\nb\nc\rd"), Some(("hidden-bytes", 6)));
        assert_eq!(fault(b"a\nb\r"), Some(("hidden-bytes", 3)));
        assert_eq!(fault(b"a\nb\0c\r"), Some(("hidden-bytes", 3)));
    }
    #[test]
    fn columns_count_characters_in_any_order() {
        let settings = Settings::default();
        let text = "| `é` | b |\n| c |\n";
        let source = DesignText::new("d.md".into(), text, &settings);
        let place = |part: &str| {
            let start = text.find(part).unwrap_or_default();
            let anchor = source.anchor(start..start + part.len());
            (anchor.line, anchor.column)
        };
        for part in ["b |", "`é`", "b |", "c |", "`é`"] {
            let expected = match part {
                "`é`" => (1, 3),
                "b |" => (1, 9),
                _ => (2, 3),
            };
            assert_eq!(place(part), expected);
        }
    }
}
