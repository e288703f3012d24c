//! Collects the inline text of one heading, paragraph, cell or list item.

use std::ops::Range;

use super::blocks::{Emphasis, InlineText, Piece, PieceKind};
use super::tag;

#[derive(Default)]
pub(super) struct Inline {
    content: Option<InlineText>,
    /// Open links, images and struck-out text: the index of the piece and the start of its text.
    open: Vec<Option<(usize, usize)>>,
    /// Indices of pieces that an HTML tag strikes out, without an end tag yet.
    strikes: Vec<usize>,
    /// The number of open `~~`.
    struck: usize,
    /// The number of open images; their text does not count.
    images: usize,
}

impl Inline {
    pub(super) fn begin(&mut self, span: Range<usize>) {
        self.strikes.clear();
        self.content = Some(InlineText::new(span));
    }

    pub(super) fn take(&mut self) -> Option<InlineText> {
        let mut content = self.content.take()?;
        for index in self.strikes.drain(..) {
            if let Some(piece) = content.pieces.get_mut(index) {
                piece.span.end = content.span.end;
            }
        }
        Some(content)
    }

    pub(super) fn text(&mut self, text: &str, range: &Range<usize>) {
        let Some(content) = &mut self.content else {
            return;
        };
        content.extend(range);
        if self.images == 0 {
            content.plain.push_str(text);
            let is_struck = self.struck > 0 || !self.strikes.is_empty();
            content.has_unstruck_text |= !is_struck && !text.trim().is_empty();
        }
    }

    pub(super) fn code(&mut self, text: &str, range: &Range<usize>) {
        self.piece(range.clone(), PieceKind::Code(text.to_owned()));
        self.text(text, range);
    }

    /// Reads one tag or comment; `<del>` and similar tags strike out like `~~text~~`.
    pub(super) fn html(&mut self, text: &str, range: &Range<usize>) {
        let tag = tag::tag(text.get(1..).unwrap_or(""));
        if let Some(tag) = tag.as_ref().filter(|tag| tag::strikes(tag)) {
            self.strike(range, tag.is_end);
        } else {
            if let (Some(content), Some(tag)) = (&mut self.content, tag) {
                content.is_obscured |= tag::obscures(&tag);
                let level = tag::heading_level(&tag.name).filter(|_| !tag.is_end);
                content.raw_heading = content.raw_heading.or(level);
            }
            self.piece(range.clone(), PieceKind::Html);
        }
        self.text(" ", range);
    }

    /// Strikes out text up to the HTML end tag or the end of the block.
    fn strike(&mut self, range: &Range<usize>, is_end: bool) {
        if !is_end {
            let index = self.piece(range.clone(), PieceKind::Struck);
            self.strikes.extend(index);
        } else if let (Some(index), Some(content)) = (self.strikes.pop(), &mut self.content)
            && let Some(piece) = content.pieces.get_mut(index)
        {
            piece.span.end = range.end;
        }
    }

    pub(super) fn emphasis(&mut self, span: Range<usize>, marks: usize) {
        if let Some(content) = &mut self.content {
            content.extend(&span);
            content.emphasis.push(Emphasis { span, marks });
        }
    }

    fn piece(&mut self, span: Range<usize>, kind: PieceKind) -> Option<usize> {
        let content = self.content.as_mut()?;
        content.extend(&span);
        content.pieces.push(Piece { span, kind });
        Some(content.pieces.len() - 1)
    }

    /// Starts a link, an image or struck-out text.
    pub(super) fn open(&mut self, span: Range<usize>, kind: PieceKind) {
        self.images += usize::from(kind == PieceKind::Image);
        self.struck += usize::from(kind == PieceKind::Struck);
        let begin = self
            .content
            .as_ref()
            .map_or(0, |content| content.plain.len());
        let index = self.piece(span, kind);
        self.open.push(index.map(|index| (index, begin)));
    }

    pub(super) fn close_image(&mut self) {
        self.images = self.images.saturating_sub(1);
        self.close();
    }

    pub(super) fn close_struck(&mut self) {
        self.struck = self.struck.saturating_sub(1);
        self.close();
    }

    /// Ends the last one opened.
    pub(super) fn close(&mut self) {
        let (Some(Some((index, begin))), Some(content)) = (self.open.pop(), &mut self.content)
        else {
            return;
        };
        let shown = content.plain.get(begin..).unwrap_or("").to_owned();
        if let Some(Piece {
            kind: PieceKind::Link { text, .. },
            ..
        }) = content.pieces.get_mut(index)
        {
            *text = shown;
        }
    }
}

impl InlineText {
    /// Extends the content; a list item's text starts with its first piece.
    fn extend(&mut self, range: &Range<usize>) {
        if self.span.is_empty() {
            self.span = range.clone();
        }
        self.span.end = self.span.end.max(range.end);
    }
}
