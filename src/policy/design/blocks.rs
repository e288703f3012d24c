//! Parses Markdown into the blocks that can declare a scope.
//!
//! One pass over the parser's events keeps top-level blocks and the text of lists at any depth: nothing from quotes,
//! footnotes or comments.

use std::ops::Range;

use super::html::Element;

/// A block at the top level of the document.
pub(super) enum Block {
    Heading(Heading),
    Table(Table),
    List(Vec<ListNode>),
    Paragraph(InlineText),
    Code(CodeBlock),
    /// Raw HTML, a quote, a footnote or a rule, none of which declares anything.
    Other(Range<usize>),
    /// A block inside or behind raw HTML, with the outermost open element.
    Enclosed(Box<Block>, Element),
}

impl Block {
    /// The offset of its first line.
    pub(super) fn start(&self) -> usize {
        match self {
            Block::Heading(heading) => heading.content.span.start,
            Block::Table(table) => table.header.span.start,
            Block::List(items) => items.first().map_or(0, |item| item.content.span.start),
            Block::Paragraph(content) => content.span.start,
            Block::Code(code) => code.body.start,
            Block::Other(span) => span.start,
            Block::Enclosed(inner, _) => inner.start(),
        }
    }
}

/// Fenced or indented code.
pub(super) struct CodeBlock {
    /// The info string in lower case; `None` if the code is indented.
    pub(super) info: Option<String>,
    /// The range of its lines.
    pub(super) body: Range<usize>,
}

/// A part of a top-level list, in document order.
pub(super) struct ListNode {
    /// The number of items around it.
    pub(super) depth: usize,
    pub(super) kind: ListNodeKind,
    pub(super) content: InlineText,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListNodeKind {
    /// The first paragraph of an item.
    Item {
        /// Whether it begins with a checkbox.
        is_task: bool,
        /// Whether a list begins with it.
        is_first: bool,
    },
    /// A later paragraph of an item.
    Paragraph,
    /// Something else, such as code or a table.
    Other,
}

pub(super) struct Heading {
    /// 1 to 6.
    pub(super) level: u8,
    pub(super) content: InlineText,
}

#[derive(Default)]
pub(super) struct Table {
    pub(super) span: Range<usize>,
    pub(super) header: TableRow,
    pub(super) rows: Vec<TableRow>,
}

#[derive(Default)]
pub(super) struct TableRow {
    pub(super) span: Range<usize>,
    /// As many as the header has; the parser drops excess cells and adds missing ones.
    pub(super) cells: Vec<InlineText>,
}

/// A run of inline text.
#[derive(Clone, Default)]
pub(super) struct InlineText {
    pub(super) span: Range<usize>,
    /// Everything but plain text, in document order; a link comes before its content.
    pub(super) pieces: Vec<Piece>,
    /// The text as a reader sees it.
    pub(super) plain: String,
    /// Bold or italic text; outer before inner.
    pub(super) emphasis: Vec<Emphasis>,
    /// Whether some text is not struck out.
    pub(super) has_unstruck_text: bool,
    /// Whether a tag could hide part of the text.
    pub(super) is_obscured: bool,
}

/// Bold or italic text.
#[derive(Clone)]
pub(super) struct Emphasis {
    /// Including its marks.
    pub(super) span: Range<usize>,
    /// The number of marks on each side.
    pub(super) marks: usize,
}

#[derive(Clone)]
pub(super) struct Piece {
    pub(super) span: Range<usize>,
    pub(super) kind: PieceKind,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// A code span with its text.
    Code(String),
    /// One tag or comment.
    Html,
    Link {
        text: String,
        target: String,
    },
    Image,
    Struck,
}

impl InlineText {
    pub(super) fn new(span: Range<usize>) -> Self {
        InlineText {
            span,
            ..InlineText::default()
        }
    }

    /// Whether some text is struck out.
    pub(super) fn is_struck(&self) -> bool {
        self.pieces
            .iter()
            .any(|piece| piece.kind == PieceKind::Struck)
    }

    /// Whether all of the text is struck out.
    pub(super) fn is_struck_whole(&self) -> bool {
        self.is_struck() && !self.has_unstruck_text
    }

    pub(super) fn emphasize(&mut self, span: &Range<usize>, marks: usize) {
        let span = span.clone();
        self.emphasis.push(Emphasis { span, marks });
    }

    /// The pieces that begin and the emphasis within a smaller range, without the plain text.
    pub(super) fn within(&self, span: Range<usize>) -> InlineText {
        let mut part = self.clone();
        part.plain.clear();
        part.pieces.retain(|piece| span.contains(&piece.span.start));
        part.emphasis
            .retain(|found| span.start <= found.span.start && found.span.end <= span.end);
        part.span = span;
        part
    }

    /// The text on one line.
    pub(super) fn one_line(&self) -> String {
        self.plain.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::collect::markdown;
    use super::*;

    fn shape(text: &str) -> String {
        markdown(text, 0)
            .blocks
            .iter()
            .map(|block| match block {
                Block::Heading(heading) => format!("h{} {}", heading.level, heading.content.plain),
                Block::Table(table) => {
                    format!("table {}x{}", table.header.cells.len(), table.rows.len())
                }
                Block::List(items) => {
                    format!(
                        "list {}",
                        items
                            .iter()
                            .map(|node| format!(
                                "{}{}",
                                ">".repeat(node.depth),
                                node.content.one_line()
                            ))
                            .collect::<Vec<_>>()
                            .join("|")
                    )
                }
                Block::Paragraph(content) => format!("p {}", content.plain),
                Block::Code(_) => "code".to_owned(),
                Block::Other(_) => "other".to_owned(),
                Block::Enclosed(_, element) => format!("in {}", element.name),
            })
            .collect::<Vec<_>>()
            .join("; ")
    }

    #[test]
    fn only_the_top_level_counts() {
        assert_eq!(shape("> # a\n> | x |\n> |-|\n> | y |\n"), "other");
        assert_eq!(shape("```\n# a\n```\n\n# b"), "code; h1 b");
        assert_eq!(shape("<!--\n# a\n-->\n"), "other");
        assert_eq!(shape("[^1]: x\n    # a\n"), "other");
    }

    #[test]
    fn a_list_keeps_the_text_at_every_depth() {
        let text = "- a `b`\n  - c\n- d\n\n  e\n\n  > q\n\n  # f\n";
        assert_eq!(shape(text), "list a b|>c|d|>e|>|>");
        assert_eq!(
            shape("- # a\n- | x |\n  |-|\n  | y |\n- z\n"),
            "list |>||>|z"
        );
    }

    #[test]
    fn spans_are_offsets_into_the_whole_text() {
        let text = "\u{feff}| `a` |\n|-|\n| **b** `c` |\n";
        let found = markdown(text, 3).blocks;
        let Some(Block::Table(table)) = found.first() else {
            panic!("no table")
        };
        assert_eq!(&text[table.header.cells[0].pieces[0].span.clone()], "`a`");
        assert_eq!(&text[table.rows[0].cells[0].pieces[0].span.clone()], "`c`");
        assert_eq!(table.rows[0].cells[0].plain, "b c");
    }

    #[test]
    fn a_link_knows_its_text_and_target() {
        let found = markdown("[a `b`](c)", 0).blocks;
        let Some(Block::Paragraph(content)) = found.first() else {
            panic!("no paragraph")
        };
        assert!(
            content.pieces[0].kind
                == PieceKind::Link {
                    text: "a b".into(),
                    target: "c".into()
                }
        );
        assert!(content.pieces[1].kind == PieceKind::Code("b".into()));
    }
}
