//! Inline text as a reader of paths sees it: emphasis is transparent, escapes and references are resolved, and each code
//! span, link, image or tag is one character.

use std::ops::Range;

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
    /// Text outside of Markdown, such as a line of a code block.
    pub(super) fn plain(text: &str, start: usize) -> Run {
        let mut run = Run::default();
        let span = start..start + text.len();
        run.push(text, &span);
        run.end = span.end;
        run
    }

    /// Adds the text that the document has at `span`.
    pub(super) fn push(&mut self, text: &str, span: &Range<usize>) {
        let is_as_written = text.len() == span.len();
        for (at, c) in text.char_indices().filter(|(_, c)| *c != PIECE) {
            self.text.push(c);
            let bytes = (at..at + c.len_utf8()).map(|byte| match is_as_written {
                true => span.start + byte,
                false => span.start,
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

    /// A part of [`Run::text`].
    pub(super) fn part(&self, part: &str) -> Run {
        let start = part.as_ptr().addr() - self.text.as_ptr().addr();
        let range = start..start + part.len();
        let number = |at: usize| self.pieces.partition_point(|piece| piece.at < at);
        let pieces = &self.pieces[number(range.start)..number(range.end)];
        let moved = pieces.iter().cloned().map(|piece| Piece {
            at: piece.at - range.start,
            ..piece
        });
        Run {
            pieces: moved.collect(),
            end: self.offset(range.end),
            offsets: self.offsets[range].to_vec(),
            text: part.to_owned(),
        }
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
