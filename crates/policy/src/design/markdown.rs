//! Parses Markdown into the blocks that can declare a scope.
//!
//! One pass over the parser's events keeps the blocks at the top level and the text of lists at any depth: nothing from
//! quotes, footnotes or comments.

use std::iter::Peekable;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

use super::html::{self, Element, OpenElements};
use super::source::{PieceKind, Run};

/// A block at the top level of the document.
pub(super) struct Block {
    /// The offset of its first line.
    pub(super) start: usize,
    pub(super) kind: BlockKind,
    /// The outermost open element, if it is inside or behind raw HTML.
    pub(super) element: Option<Element>,
}

pub(super) enum BlockKind {
    /// With its level, 1 to 6.
    Heading(u8, InlineText),
    Table(Table),
    List(Vec<ListNode>),
    Paragraph(InlineText),
    Code(CodeBlock),
    /// Raw HTML with its range, which declares nothing.
    Html(Range<usize>),
    /// A quote, a footnote or a rule, none of which declares anything.
    Other,
}

impl Block {
    /// What it is outside of raw HTML, in which nothing declares anything.
    pub(super) fn visible(&self) -> &BlockKind {
        match self.element {
            Some(_) => &BlockKind::Other,
            None => &self.kind,
        }
    }
}

/// Fenced or indented code, which declares nothing.
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

#[derive(Default)]
pub(super) struct Table {
    pub(super) header: TableRow,
    pub(super) rows: Vec<TableRow>,
}

#[derive(Default)]
pub(super) struct TableRow {
    pub(super) start: usize,
    /// As many as the header has; the parser drops excess cells and adds missing ones.
    pub(super) cells: Vec<InlineText>,
}

/// A heading, a paragraph, an item or a cell.
#[derive(Default)]
pub(super) struct InlineText {
    pub(super) span: Range<usize>,
    pub(super) run: Run,
    /// The text as a reader sees it, code included.
    pub(super) plain: String,
    /// Text between asterisks, with them.
    pub(super) stars: Vec<Range<usize>>,
    pub(super) is_struck: bool,
    /// Whether all of the text is struck out.
    pub(super) is_struck_whole: bool,
    /// Whether a tag could hide part of the text.
    pub(super) is_obscured: bool,
}

impl InlineText {
    /// The text on one line.
    pub(super) fn one_line(&self) -> String {
        one_line(&self.plain)
    }

    /// A mark of the emphasis at `span`. `_` inside a word belongs to the word: `__init__.py`.
    fn mark(&mut self, text: &str, span: &Range<usize>, mark: Range<usize>, is_literal: bool) {
        let before = text.split_at(span.start).0;
        let behind = text.split_at(span.end).1;
        let is_in_word = before.ends_with(is_in_name) || behind.starts_with(is_in_name);
        let written = text.get(mark.clone()).unwrap_or("");
        if written.starts_with('_') {
            if is_literal || is_in_word {
                self.run.push(written, &mark);
            }
        } else if mark.start == span.start {
            self.stars.push(span.clone());
        }
    }
}

/// The text without line breaks and repeated blanks.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads `text[start..]`: the blocks at the top level. Spans are offsets into the text.
pub(super) fn markdown(text: &str, start: usize) -> Vec<Block> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    let events = Parser::new_ext(text.get(start..).unwrap_or(""), options).into_offset_iter();
    let events = events.map(|(event, range)| (event, range.start + start..range.end + start));
    let mut collector = Collector {
        text,
        events: events.peekable(),
        blocks: Vec::new(),
        elements: OpenElements::default(),
        is_cell: false,
        container_end: 0,
    };
    collector.read();
    collector.blocks
}

struct Collector<'a, I: Iterator<Item = (Event<'a>, Range<usize>)>> {
    text: &'a str,
    events: Peekable<I>,
    blocks: Vec<Block>,
    elements: OpenElements,
    /// Whether the current text is in a cell, where all underscores are literal.
    is_cell: bool,
    /// The end of the last table, list, quote or footnote at the top level.
    container_end: usize,
}

impl<'a, I: Iterator<Item = (Event<'a>, Range<usize>)>> Collector<'a, I> {
    fn read(&mut self) {
        while let Some((event, range)) = self.events.next() {
            let start = range.start;
            let before = self.elements.around().cloned();
            let kind = self.block(event, range);
            let Some(kind) = kind else { continue };
            let start = match &kind {
                BlockKind::Code(code) => code.body.start,
                BlockKind::List(nodes) => nodes.first().map_or(0, |node| node.content.span.start),
                _ => start,
            };
            let is_other = matches!(kind, BlockKind::Html(_) | BlockKind::Other);
            let after = self.elements.around().filter(|_| !is_other);
            let element = before.or_else(|| after.cloned());
            self.blocks.push(Block {
                start,
                kind,
                element,
            });
        }
    }

    fn slice(&self, span: Range<usize>) -> &'a str {
        self.text.get(span).unwrap_or("")
    }

    fn block(&mut self, event: Event<'a>, range: Range<usize>) -> Option<BlockKind> {
        Some(match event {
            Event::Start(Tag::Heading { level, .. }) => {
                BlockKind::Heading(level as u8, self.inline(range))
            }
            Event::Start(Tag::Paragraph) => BlockKind::Paragraph(self.paragraph(range)),
            Event::Start(Tag::Table(_)) => BlockKind::Table(self.table(range)),
            Event::Start(Tag::CodeBlock(kind)) => BlockKind::Code(self.code(kind, range)),
            Event::Start(Tag::HtmlBlock) => {
                // In the document's own text, since offsets into it count.
                let html = self.slice(range.clone());
                self.elements.read(html, range.start, true);
                BlockKind::Html(range)
            }
            Event::Start(Tag::List(_)) => BlockKind::List(self.container(true, range.end)),
            Event::Start(_) => {
                self.container(false, range.end);
                BlockKind::Other
            }
            Event::Rule => BlockKind::Other,
            _ => return None,
        })
    }

    /// Reads the inline text that comes next. That of an item starts with its first piece.
    #[allow(clippy::too_many_lines, reason = "one arm per event")]
    fn inline(&mut self, span: Range<usize>) -> InlineText {
        let mut content = InlineText {
            span,
            is_struck_whole: true,
            ..InlineText::default()
        };
        let mut link = None;
        let mut images = 0_usize;
        let mut struck = 0_usize;
        self.elements.enter();
        while let Some((event, range)) = self.events.next_if(|(event, _)| is_inline(event)) {
            if content.span.is_empty() {
                content.span = range.clone();
            }
            content.span.end = content.span.end.max(range.end);
            // Whether one piece stands for this and more.
            let mut is_inner = link.is_some() || images > 0 || struck > 0;
            let mut kind = None;
            let mut shown = CowStr::Borrowed("");
            let mut read = None;
            match event {
                Event::Text(text) => shown = text,
                Event::SoftBreak | Event::HardBreak => (shown, read) = (" ".into(), Some("\n")),
                Event::Code(text) => {
                    (kind, shown) = (Some(PieceKind::Code(text.to_string())), text);
                }
                Event::InlineHtml(html) => {
                    self.inline_html(&html, range.start);
                    if let Some((_, tag)) = html::next_tag(&html, &mut 0) {
                        content.is_obscured |= !tag.as_ref().is_ok_and(html::Tag::is_harmless);
                        // The rest is struck out, too, since the end tag may be anywhere.
                        struck += usize::from(tag.is_ok_and(|tag| tag.strikes()));
                    }
                    // Readers see the words around a tag as one, unless it breaks the line.
                    if html::is_break(&html) {
                        shown = " ".into();
                    }
                    kind = Some(PieceKind::Html(html.to_string()));
                }
                Event::Start(tag @ (Tag::Emphasis | Tag::Strong)) if !is_inner => {
                    let mark = range.start..range.start + 1 + usize::from(tag == Tag::Strong);
                    content.mark(self.text, &range, mark, self.is_cell);
                }
                Event::End(tag @ (TagEnd::Emphasis | TagEnd::Strong)) if !is_inner => {
                    let mark = range.end - 1 - usize::from(tag == TagEnd::Strong)..range.end;
                    content.mark(self.text, &range, mark, self.is_cell);
                }
                Event::Start(Tag::Strikethrough) => {
                    (struck, kind) = (struck + 1, Some(PieceKind::Struck));
                }
                Event::End(TagEnd::Strikethrough) => struck = struck.saturating_sub(1),
                Event::Start(Tag::Image { .. }) => {
                    (images, kind) = (images + 1, Some(PieceKind::Image));
                }
                Event::End(TagEnd::Image) => images = images.saturating_sub(1),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    link = Some((content.plain.len(), dest_url, is_inner));
                }
                Event::End(TagEnd::Link) => {
                    if let Some((begin, target, is_in_other)) = link.take() {
                        let text = content.plain.get(begin..).unwrap_or("").to_owned();
                        let target = target.to_string();
                        (kind, is_inner) = (Some(PieceKind::Link { text, target }), is_in_other);
                    }
                }
                Event::FootnoteReference(_) | Event::TaskListMarker(_) => {
                    read = Some(self.slice(range.clone()));
                }
                _ => {}
            }
            content.is_struck |= struck > 0;
            if images == 0 {
                content.plain.push_str(&shown);
                content.is_struck_whole &= struck > 0 || shown.trim().is_empty();
            }
            match kind {
                _ if is_inner => {}
                Some(kind) => content.run.push_piece(kind, range),
                None => content.run.push(read.unwrap_or(&shown), &range),
            }
        }
        self.elements.leave();
        content.is_struck_whole &= content.is_struck;
        content.run.end = content.span.end;
        content
    }

    fn inline_html(&mut self, html: &str, at: usize) {
        let before = self.slice(0..at).trim_end_matches([' ', '\t']);
        if at < self.container_end && before.ends_with('\n') {
            // GitHub may end the list, quote or table here.
            self.elements.give_up("", at);
        }
        self.elements.read(html, at, false);
    }

    fn paragraph(&mut self, span: Range<usize>) -> InlineText {
        let content = self.inline(span.clone());
        let text = self.slice(span);
        if text.contains('<') && text.lines().any(is_separator) {
            // GitHub may show a table, in which code ends with its cell.
            self.elements.give_up("", content.span.start);
        }
        content
    }

    fn table(&mut self, Range { start, end }: Range<usize>) -> Table {
        if self.may_continue(start) {
            self.elements.give_up("", start);
            let element = self.elements.around().cloned();
            if let Some(block) = self.blocks.last_mut()
                && std::mem::replace(&mut block.element, element).is_some()
            {
                block.kind = BlockKind::Other;
            }
        }
        (self.is_cell, self.container_end) = (true, end);
        let mut table = Table::default();
        let mut row = TableRow::default();
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::Start(Tag::TableHead | Tag::TableRow) => {
                    let indent = self.slice(0..range.start).rsplit('\n').next().unwrap_or("");
                    if indent.len() > 3 || indent.contains('\t') {
                        // GitHub shows an indented line as code.
                        self.elements.give_up("", range.start);
                    }
                    row.start = range.start;
                }
                Event::Start(Tag::TableCell) => row.cells.push(self.inline(range)),
                Event::End(TagEnd::TableHead) => table.header = std::mem::take(&mut row),
                Event::End(TagEnd::TableRow) => table.rows.push(std::mem::take(&mut row)),
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        self.is_cell = false;
        table
    }

    /// Whether GitHub may read a table as a part of what is above it: a list, or a paragraph with a separator row.
    fn may_continue(&self, table: usize) -> bool {
        let before = self.slice(0..table);
        let above = before.trim_end();
        let gap = before.split_at(above.len()).1;
        let paragraph = match self.blocks.last().map(Block::visible) {
            Some(BlockKind::Paragraph(content)) => self.slice(content.span.clone()),
            _ => "",
        };
        let is_in_container = (1..=self.container_end).contains(&above.len());
        gap.matches('\n').count() < 2 && (is_in_container || paragraph.lines().any(is_separator))
    }

    fn code(&mut self, kind: CodeBlockKind<'_>, span: Range<usize>) -> CodeBlock {
        let info = match kind {
            CodeBlockKind::Fenced(info) => Some(info.trim().to_lowercase()),
            CodeBlockKind::Indented => None,
        };
        let mut body = None;
        while let Some((Event::Text(_), line)) = self.events.next() {
            body.get_or_insert(line.clone()).end = line.end;
        }
        let body = body.unwrap_or(span.start..span.start);
        CodeBlock { info, body }
    }

    /// Reads a block of HTML in a list, quote or footnote, with which its elements end.
    fn html(&mut self, start: usize) {
        let mut html = String::new();
        while let Some((Event::Html(text), _)) = self.events.next() {
            html.push_str(&text);
        }
        self.elements.enter();
        self.elements.read(&html, start, false);
        self.elements.leave();
    }

    /// Reads a list, quote or footnote at the top level. Only a list has nodes.
    fn container(&mut self, is_list: bool, end: usize) -> Vec<ListNode> {
        self.container_end = end;
        let mut nodes = Vec::new();
        // The number of open items, and of open blocks in which nothing counts.
        let mut depth = 0_usize;
        let mut others = usize::from(!is_list);
        let mut is_first = true;
        while (is_list || others > 0)
            && let Some((event, span)) = self.events.next()
        {
            match event {
                Event::Start(Tag::HtmlBlock) => self.html(span.start),
                Event::Start(_) if others > 0 => others += 1,
                Event::End(_) if others > 0 => others -= 1,
                Event::Start(Tag::List(_)) => is_first = true,
                Event::End(TagEnd::List(_)) if depth == 0 => break,
                Event::Start(Tag::Item) => {
                    self.events
                        .next_if(|(next, _)| *next == Event::Start(Tag::Paragraph));
                    let is_task = self
                        .events
                        .next_if(|(next, _)| matches!(next, Event::TaskListMarker(_)))
                        .is_some();
                    nodes.push(ListNode {
                        depth,
                        kind: ListNodeKind::Item { is_task, is_first },
                        content: self.inline(span.start..span.start),
                    });
                    depth += 1;
                    is_first = false;
                }
                Event::End(TagEnd::Item) => depth = depth.saturating_sub(1),
                Event::Start(Tag::Paragraph) => {}
                Event::Start(_) => {
                    nodes.push(ListNode {
                        depth,
                        kind: ListNodeKind::Other,
                        content: InlineText {
                            span,
                            ..InlineText::default()
                        },
                    });
                    others = 1;
                }
                _ => {}
            }
            let content = self.inline(0..0);
            if others == 0 && !content.span.is_empty() {
                nodes.push(ListNode {
                    depth,
                    kind: ListNodeKind::Paragraph,
                    content,
                });
            }
        }
        nodes
    }
}

/// Whether an event belongs to inline text.
fn is_inline(event: &Event<'_>) -> bool {
    let end = match event {
        Event::Start(tag) => tag.to_end(),
        Event::End(end) => *end,
        event => return !matches!(event, Event::Html(_) | Event::Rule),
    };
    use TagEnd::{Emphasis, Image, Link, Strikethrough, Strong};
    matches!(end, Emphasis | Strong | Strikethrough | Link | Image)
}

/// Whether the character is one of those that most names of files consist of.
fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '.' | '_')
}

/// Whether a line could separate a table header from its rows.
fn is_separator(line: &str) -> bool {
    line.contains('-')
        && line.contains('|')
        && line
            .chars()
            .all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> String {
        let blocks = markdown(text, 0);
        let shapes = blocks.iter().map(|block| match block.visible() {
            BlockKind::Heading(level, content) => format!("h{level} {}", content.plain),
            BlockKind::Table(table) => format!("table {}", table.rows.len()),
            BlockKind::List(nodes) => {
                let node = |node: &ListNode| ">".repeat(node.depth) + &node.content.one_line();
                format!(
                    "list {}",
                    nodes.iter().map(node).collect::<Vec<_>>().join("|")
                )
            }
            BlockKind::Paragraph(content) => format!("p {}", content.plain),
            BlockKind::Code(_) => "code".to_owned(),
            BlockKind::Html(_) | BlockKind::Other => "other".to_owned(),
        });
        shapes.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn only_the_top_level_and_the_text_of_lists_count() {
        for (text, expected) in [
            ("> # a\n> | x |\n> |-|\n> | y |\n", "other"),
            ("```\n# a\n```\n\n# b", "code; h1 b"),
            ("<!--\n# a\n-->\n", "other"),
            ("[^1]: x\n    # a\n", "other"),
            (
                "- a `b`\n  - c\n- d\n\n  e\n\n  > q\n\n  # f\n",
                "list a b|>c|d|>e|>|>",
            ),
            ("- # a\n- | x |\n  |-|\n  | y |\n- z\n", "list |>||>|z"),
        ] {
            assert_eq!(shape(text), expected, "{text}");
        }
    }

    #[test]
    fn pieces_know_their_place_and_words_their_underscores() {
        let text = "\u{feff}_A_ **b** [a `c`](d) a/_x_/b &amp; `e`\n";
        let found = markdown(text, 3);
        let Some(BlockKind::Paragraph(content)) = found.first().map(Block::visible) else {
            panic!("no paragraph")
        };
        assert_eq!(content.run.text, "A b \u{fffc} a/_x_/b & \u{fffc}");
        let kinds: Vec<_> = content
            .run
            .pieces
            .iter()
            .map(|piece| &text[piece.span.clone()])
            .collect();
        assert_eq!(kinds, ["[a `c`](d)", "`e`"]);
        let text = "a c".to_owned();
        let target = "d".to_owned();
        assert!(content.run.pieces[0].kind == PieceKind::Link { text, target });
        assert_eq!(content.plain, "A b a c a/x/b & e");
    }
}
