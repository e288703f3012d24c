//! Markdown -> the few blocks that can hold a scope.
//!
//! One pass over the parser's events. Only what stands at the top level of
//! the document is kept: nothing out of quotes, footnotes, fences, comments,
//! and of lists no more than the text of each item.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A block at the top level of the document.
pub(super) enum Block {
    Heading(Heading),
    Table(Table),
    List(Vec<Content>),
    Paragraph(Content),
    /// Fenced or indented code.
    Code(Range<usize>),
}

pub(super) struct Heading {
    /// 1 to 6.
    pub(super) level: u8,
    pub(super) content: Content,
}

pub(super) struct Table {
    pub(super) span: Range<usize>,
    pub(super) header: Row,
    pub(super) rows: Vec<Row>,
}

#[derive(Default)]
pub(super) struct Row {
    pub(super) span: Range<usize>,
    /// As many as the header has; the parser drops excess cells and invents missing ones.
    pub(super) cells: Vec<Content>,
}

/// A run of inline text.
#[derive(Default)]
pub(super) struct Content {
    pub(super) span: Range<usize>,
    /// What is not plain text, in the order of the document; a link stands before what it holds.
    pub(super) pieces: Vec<Piece>,
    /// The text as a reader sees it.
    pub(super) plain: String,
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

impl Content {
    fn new(span: Range<usize>) -> Self {
        Content {
            span,
            ..Content::default()
        }
    }

    /// Whether a part of the text is struck out.
    pub(super) fn is_struck(&self) -> bool {
        self.pieces
            .iter()
            .any(|piece| piece.kind == PieceKind::Struck)
    }

    /// The content within a smaller range; its plain text is not narrowed.
    pub(super) fn part(&self, span: Range<usize>) -> Content {
        let inside = |piece: &&Piece| piece.span.start >= span.start && piece.span.end <= span.end;
        Content {
            pieces: self.pieces.iter().filter(inside).cloned().collect(),
            plain: self.plain.clone(),
            span,
        }
    }

    /// The text on one line.
    pub(super) fn one_line(&self) -> String {
        self.plain.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// The top-level blocks of `text[start..]`; spans are offsets into `text`.
pub(super) fn blocks(text: &str, start: usize) -> Vec<Block> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    let body = text.get(start..).unwrap_or("");
    let mut collector = Collector::default();
    for (event, range) in Parser::new_ext(body, options).into_offset_iter() {
        collector.event(event, range.start + start..range.end + start);
    }
    collector.blocks
}

#[derive(Default)]
struct Collector {
    blocks: Vec<Block>,
    /// How many containers are open.
    depth: usize,
    /// The inline text being read.
    content: Option<Content>,
    /// Open links, images and struck text: index of the piece and where its text begins.
    open: Vec<Option<(usize, usize)>>,
    table: Option<Table>,
    row: Option<Row>,
    /// The items of a list at the top level.
    items: Option<Vec<Content>>,
}

/// Depth inside an item of a top-level list.
const ITEM: usize = 2;

impl Collector {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text, &range),
            Event::Code(text) => {
                self.piece(range.clone(), PieceKind::Code(text.to_string()));
                self.text(&text, &range);
            }
            Event::InlineHtml(_) => {
                self.piece(range.clone(), PieceKind::Html);
                self.text(" ", &range);
            }
            Event::SoftBreak | Event::HardBreak => self.text(" ", &range),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        let top = self.depth == 0;
        match tag {
            Tag::Heading { .. } | Tag::Paragraph if top => self.content = Some(Content::new(range)),
            Tag::Paragraph => {}
            Tag::Table(_) if top => {
                self.table = Some(Table {
                    span: range,
                    header: Row::default(),
                    rows: Vec::new(),
                });
            }
            Tag::TableHead | Tag::TableRow if self.table.is_some() => {
                self.row = Some(Row {
                    span: range,
                    cells: Vec::new(),
                });
            }
            Tag::TableCell if self.row.is_some() => self.content = Some(Content::new(range)),
            Tag::List(_) => {
                self.close_item();
                if top {
                    self.items = Some(Vec::new());
                }
                self.depth += 1;
            }
            Tag::Item => {
                self.depth += 1;
                if self.depth == ITEM && self.items.is_some() {
                    self.content = Some(Content::new(range.start..range.start));
                }
            }
            Tag::CodeBlock(_) => {
                self.close_item();
                if top {
                    self.blocks.push(Block::Code(range));
                }
                self.depth += 1;
            }
            Tag::Link { dest_url, .. } => {
                self.open_piece(
                    range,
                    PieceKind::Link {
                        text: String::new(),
                        target: dest_url.to_string(),
                    },
                );
            }
            Tag::Image { .. } => self.open_piece(range, PieceKind::Image),
            Tag::Strikethrough => self.open_piece(range, PieceKind::Struck),
            Tag::BlockQuote(_) | Tag::HtmlBlock | Tag::FootnoteDefinition(_) => {
                self.close_item();
                self.depth += 1;
            }
            Tag::Heading { .. } | Tag::Table(_) => self.close_item(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) if self.depth == 0 => {
                if let Some(content) = self.content.take() {
                    self.blocks.push(Block::Heading(Heading {
                        level: number(level),
                        content,
                    }));
                }
            }
            TagEnd::Paragraph if self.depth == 0 => {
                if let Some(content) = self.content.take() {
                    self.blocks.push(Block::Paragraph(content));
                }
            }
            TagEnd::Paragraph => self.close_item(),
            TagEnd::TableCell => {
                if let (Some(row), Some(content)) = (&mut self.row, self.content.take()) {
                    row.cells.push(content);
                }
            }
            TagEnd::TableHead => {
                if let (Some(table), Some(row)) = (&mut self.table, self.row.take()) {
                    table.header = row;
                }
            }
            TagEnd::TableRow => {
                if let (Some(table), Some(row)) = (&mut self.table, self.row.take()) {
                    table.rows.push(row);
                }
            }
            TagEnd::Table => self.blocks.extend(self.table.take().map(Block::Table)),
            TagEnd::Item => {
                self.close_item();
                self.depth -= 1;
            }
            TagEnd::List(_) => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.blocks.extend(self.items.take().map(Block::List));
                }
            }
            TagEnd::CodeBlock
            | TagEnd::BlockQuote(_)
            | TagEnd::HtmlBlock
            | TagEnd::FootnoteDefinition => {
                self.depth -= 1;
            }
            TagEnd::Link | TagEnd::Image | TagEnd::Strikethrough => self.close_piece(),
            _ => {}
        }
    }

    /// An item of a top-level list is its first paragraph; what follows belongs to nobody.
    fn close_item(&mut self) {
        if self.depth == ITEM
            && let (Some(items), Some(content)) = (&mut self.items, self.content.take())
        {
            items.push(content);
        }
    }

    fn text(&mut self, text: &str, range: &Range<usize>) {
        let item = self.depth == ITEM;
        if let Some(content) = &mut self.content {
            if item && content.span.is_empty() {
                content.span = range.clone();
            }
            content.span.end = content.span.end.max(range.end);
            content.plain.push_str(text);
        }
    }

    fn piece(&mut self, span: Range<usize>, kind: PieceKind) -> Option<usize> {
        let item = self.depth == ITEM;
        let content = self.content.as_mut()?;
        if item && content.span.is_empty() {
            content.span = span.clone();
        }
        content.span.end = content.span.end.max(span.end);
        content.pieces.push(Piece { span, kind });
        Some(content.pieces.len() - 1)
    }

    fn open_piece(&mut self, span: Range<usize>, kind: PieceKind) {
        let begin = self
            .content
            .as_ref()
            .map_or(0, |content| content.plain.len());
        let index = self.piece(span, kind);
        self.open.push(index.map(|index| (index, begin)));
    }

    fn close_piece(&mut self) {
        let Some(Some((index, begin))) = self.open.pop() else {
            return;
        };
        let Some(content) = &mut self.content else {
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

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> String {
        blocks(text, 0)
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
                            .map(Content::one_line)
                            .collect::<Vec<_>>()
                            .join("|")
                    )
                }
                Block::Paragraph(content) => format!("p {}", content.plain),
                Block::Code(_) => "code".to_owned(),
            })
            .collect::<Vec<_>>()
            .join("; ")
    }

    #[test]
    fn only_the_top_level_counts() {
        assert_eq!(shape("> # a\n> | x |\n> |-|\n> | y |\n"), "");
        assert_eq!(shape("```\n# a\n```\n\n# b"), "code; h1 b");
        assert_eq!(shape("<!--\n# a\n-->\n"), "");
        assert_eq!(shape("[^1]: x\n    # a\n"), "");
    }

    #[test]
    fn a_list_keeps_the_first_paragraph_of_each_item() {
        assert_eq!(shape("- a `b`\n  - c\n- d\n\n  e\n\n  # f\n"), "list a b|d");
        assert_eq!(shape("- # a\n- | x |\n  |-|\n  | y |\n- z\n"), "list ||z");
    }

    #[test]
    fn spans_are_offsets_into_the_whole_text() {
        let text = "\u{feff}| `a` |\n|-|\n| **b** `c` |\n";
        let found = blocks(text, 3);
        let Some(Block::Table(table)) = found.first() else {
            panic!("no table")
        };
        assert_eq!(&text[table.header.cells[0].pieces[0].span.clone()], "`a`");
        assert_eq!(&text[table.rows[0].cells[0].pieces[0].span.clone()], "`c`");
        assert_eq!(table.rows[0].cells[0].plain, "b c");
    }

    #[test]
    fn a_link_knows_its_text_and_target() {
        let found = blocks("[a `b`](c)", 0);
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
