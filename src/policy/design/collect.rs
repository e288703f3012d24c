//! Collects the top-level blocks from the parser's events.

use std::iter::Peekable;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::blocks::{
    Block, CodeBlock, Emphasis, Heading, InlineText, ListNode, ListNodeKind, Piece, PieceKind,
    Table, TableRow,
};
use super::html::{self, OpenElements};

/// What one pass over a document finds; spans are offsets into its text.
pub(super) struct Markdown {
    /// The blocks at the top level.
    pub(super) blocks: Vec<Block>,
    /// The contents of the `<files>` tags of tasks.
    pub(super) tags: Vec<Range<usize>>,
}

/// Reads `text[start..]`.
pub(super) fn markdown(text: &str, start: usize) -> Markdown {
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
        is_inside: false,
        container_end: 0,
    };
    collector.read();
    Markdown {
        blocks: collector.blocks,
        tags: collector.elements.files,
    }
}

struct Collector<'a, I: Iterator<Item = (Event<'a>, Range<usize>)>> {
    text: &'a str,
    events: Peekable<I>,
    blocks: Vec<Block>,
    elements: OpenElements,
    /// Whether the current text is in a table, list, quote or footnote.
    is_inside: bool,
    /// The end of the last list, quote or footnote at the top level.
    container_end: usize,
}

impl<'a, I: Iterator<Item = (Event<'a>, Range<usize>)>> Collector<'a, I> {
    fn read(&mut self) {
        while let Some((event, range)) = self.events.next() {
            let mut around = self.elements.around().cloned();
            let Some(block) = self.block(event, range) else {
                continue;
            };
            self.is_inside = false;
            if !matches!(block, Block::Other(_)) {
                around = around.or_else(|| self.elements.around().cloned());
            }
            self.blocks.push(match around {
                Some(element) => Block::Enclosed(Box::new(block), element),
                None => block,
            });
        }
    }

    fn block(&mut self, event: Event<'a>, range: Range<usize>) -> Option<Block> {
        Some(match event {
            Event::Start(Tag::Heading { level, .. }) => Block::Heading(Heading {
                level: level as u8,
                content: self.inline(range),
            }),
            Event::Start(Tag::Paragraph) => Block::Paragraph(self.paragraph(range)),
            Event::Start(Tag::Table(_)) => Block::Table(self.table(range)),
            Event::Start(Tag::CodeBlock(kind)) => Block::Code(self.code(kind, range)),
            Event::Start(Tag::HtmlBlock) => {
                self.html(range.clone());
                Block::Other(range)
            }
            Event::Start(tag) => {
                self.is_inside = true;
                self.container_end = range.end;
                match tag {
                    Tag::List(_) => Block::List(self.list()),
                    _ => {
                        self.skip();
                        Block::Other(range)
                    }
                }
            }
            Event::Rule => Block::Other(range),
            _ => return None,
        })
    }

    /// Reads the inline text that comes next. That of an item starts with its first piece.
    fn inline(&mut self, span: Range<usize>) -> InlineText {
        let mut content = InlineText::new(span);
        let (mut first, mut link, mut images, mut struck) = (None, None, 0_usize, 0_usize);
        let mut is_deleted = false;
        self.elements.enter();
        while let Some((event, range)) = self.events.next_if(|(event, _)| is_inline(event)) {
            first.get_or_insert(range.start);
            if content.span.is_empty() {
                content.span = range.clone();
            }
            content.span.end = content.span.end.max(range.end);
            let (kind, text) = match event {
                Event::Text(text) => (None, text),
                Event::SoftBreak | Event::HardBreak => (None, " ".into()),
                Event::Code(text) => (Some(PieceKind::Code(text.to_string())), text),
                Event::InlineHtml(html) => {
                    self.inline_html(&html, range.start);
                    let tag = html::next_tag(&html, &mut 0).map(|(_, tag)| tag);
                    let strikes = matches!(&tag, Some(Ok(tag)) if tag.strikes());
                    is_deleted |= strikes;
                    content.is_obscured |=
                        !strikes && tag.is_some_and(|tag| !tag.is_ok_and(|tag| tag.is_harmless()));
                    (Some(PieceKind::Html), " ".into())
                }
                Event::Start(Tag::Strikethrough) => {
                    struck += 1;
                    (Some(PieceKind::Struck), "".into())
                }
                Event::Start(Tag::Image { .. }) => {
                    images += 1;
                    (Some(PieceKind::Image), "".into())
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    link = Some(content.pieces.len());
                    let (text, target) = (String::new(), dest_url.to_string());
                    (Some(PieceKind::Link { text, target }), "".into())
                }
                event => {
                    let span = range.clone();
                    match event {
                        Event::Start(Tag::Emphasis) => {
                            content.emphasis.push(Emphasis { span, marks: 1 });
                        }
                        Event::Start(Tag::Strong) => {
                            content.emphasis.push(Emphasis { span, marks: 2 });
                        }
                        Event::End(TagEnd::Strikethrough) => struck = struck.saturating_sub(1),
                        Event::End(TagEnd::Image) => images = images.saturating_sub(1),
                        Event::End(TagEnd::Link) => link = None,
                        _ => {}
                    }
                    (None, "".into())
                }
            };
            if images == 0 {
                content.plain.push_str(&text);
                content.has_unstruck_text |= struck == 0 && !text.trim().is_empty();
                let piece = link.and_then(|link| content.pieces.get_mut(link));
                if let Some(PieceKind::Link { text: shown, .. }) =
                    piece.map(|piece| &mut piece.kind)
                {
                    shown.push_str(&text);
                }
            }
            let span = range;
            content.pieces.extend(kind.map(|kind| Piece { span, kind }));
        }
        self.elements.leave();
        if is_deleted {
            // All of it, since the end tag may be anywhere.
            content.has_unstruck_text = false;
            let span = first.unwrap_or(0)..content.span.end;
            let kind = PieceKind::Struck;
            content.pieces.insert(0, Piece { span, kind });
        }
        content
    }

    fn inline_html(&mut self, html: &str, at: usize) {
        let before = self.text.get(..at).unwrap_or("");
        // At a tag that begins a line, GitHub may end the list, quote or table.
        if self.is_inside && before.trim_end_matches([' ', '\t']).ends_with('\n') {
            self.elements.give_up("", at);
        }
        self.elements.inline(html, at);
    }

    fn paragraph(&mut self, span: Range<usize>) -> InlineText {
        let content = self.inline(span.clone());
        let text = self.text.get(span).unwrap_or("");
        if text.contains('<') && text.lines().any(is_separator) {
            // GitHub may show a table, in which code ends with its cell.
            self.elements.give_up("", content.span.start);
        }
        content
    }

    fn table(&mut self, span: Range<usize>) -> Table {
        self.is_inside = true;
        if self.may_continue(span.start) {
            self.elements.give_up("", span.start);
            if let (Some(block), Some(element)) = (self.blocks.pop(), self.elements.around()) {
                let element = element.clone();
                self.blocks.push(Block::Enclosed(Box::new(block), element));
            }
        }
        let mut table = Table {
            span,
            ..Table::default()
        };
        let mut row = TableRow::default();
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::Start(Tag::TableHead | Tag::TableRow) => {
                    // GitHub shows an indented line as code.
                    let line = self.text.get(line_start(self.text, range.start)..);
                    let indent = line
                        .unwrap_or("")
                        .split(|c| !matches!(c, ' ' | '\t'))
                        .next();
                    if indent.is_some_and(|indent| indent.len() > 3 || indent.contains('\t')) {
                        self.elements.give_up("", range.start);
                    }
                    row.span = range;
                }
                Event::Start(Tag::TableCell) => row.cells.push(self.inline(range)),
                Event::End(TagEnd::TableHead) => table.header = std::mem::take(&mut row),
                Event::End(TagEnd::TableRow) => table.rows.push(std::mem::take(&mut row)),
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        table
    }

    /// Whether GitHub may read a table as a part of what is above it: a list, or a paragraph with a separator row.
    fn may_continue(&self, table: usize) -> bool {
        let before = self.text.get(..line_start(self.text, table)).unwrap_or("");
        let above = before.trim_end();
        let is_adjacent = before
            .get(above.len()..)
            .unwrap_or("")
            .matches('\n')
            .count()
            < 2;
        let paragraph = match self.blocks.last() {
            Some(Block::Paragraph(content)) => self.text.get(content.span.clone()).unwrap_or(""),
            _ => "",
        };
        let is_in_container = !above.is_empty() && above.len() <= self.container_end;
        is_adjacent && (is_in_container || paragraph.lines().any(is_separator))
    }

    fn code(&mut self, kind: CodeBlockKind<'_>, span: Range<usize>) -> CodeBlock {
        let info = match kind {
            CodeBlockKind::Fenced(info) => Some(info.trim().to_lowercase()),
            CodeBlockKind::Indented => None,
        };
        let mut body = span.start..span.start;
        while let Some((Event::Text(_), range)) = self.events.next() {
            let start = if body.is_empty() {
                range.start
            } else {
                body.start
            };
            body = start..range.end;
        }
        CodeBlock { info, body }
    }

    fn html(&mut self, span: Range<usize>) {
        let mut html = String::new();
        while let Some((Event::Html(text), _)) = self.events.next() {
            html.push_str(&text);
        }
        if self.is_inside {
            self.elements.enter();
            self.elements.inline(&html, span.start);
            self.elements.leave();
        } else {
            // In the document's own text, since offsets into it count.
            let html = self.text.get(span.clone()).unwrap_or("");
            self.elements.block(html, span.start);
        }
    }

    /// Reads the nodes of a list at the top level.
    fn list(&mut self) -> Vec<ListNode> {
        let mut nodes = Vec::new();
        let (mut lists, mut depth, mut is_first) = (1_usize, 0_usize, true);
        while lists > 0 {
            let text = self.inline(0..0);
            if !text.span.is_empty() {
                nodes.push(node(depth, ListNodeKind::Paragraph, text));
            }
            match self.events.next() {
                None => break,
                Some((Event::Start(Tag::List(_)), _)) => (lists, is_first) = (lists + 1, true),
                Some((Event::End(TagEnd::List(_)), _)) => lists -= 1,
                Some((Event::Start(Tag::Item), range)) => {
                    self.events
                        .next_if(|(event, _)| matches!(event, Event::Start(Tag::Paragraph)));
                    let checkbox = self
                        .events
                        .next_if(|(event, _)| matches!(event, Event::TaskListMarker(_)));
                    let is_task = checkbox.is_some();
                    let kind = ListNodeKind::Item { is_task, is_first };
                    nodes.push(node(depth, kind, self.inline(range.start..range.start)));
                    (depth, is_first) = (depth + 1, false);
                }
                Some((Event::End(TagEnd::Item), _)) => depth = depth.saturating_sub(1),
                Some((Event::Start(Tag::CodeBlock(kind)), range)) => {
                    self.code(kind, range.clone());
                    nodes.push(node(depth, ListNodeKind::Code, InlineText::new(range)));
                }
                Some((Event::Start(Tag::HtmlBlock), range)) => self.html(range),
                Some((Event::Start(Tag::Paragraph), _)) => {}
                Some((Event::Start(_), range)) => {
                    self.skip();
                    nodes.push(node(depth, ListNodeKind::Other, InlineText::new(range)));
                }
                Some(_) => {}
            }
        }
        nodes
    }

    /// Passes over the current block, all but its raw HTML.
    fn skip(&mut self) {
        let mut depth = 1_usize;
        while depth > 0 {
            self.inline(0..0);
            match self.events.next() {
                None => break,
                Some((Event::Start(Tag::HtmlBlock), range)) => self.html(range),
                Some((Event::Start(_), _)) => depth += 1,
                Some((Event::End(_), _)) => depth -= 1,
                Some(_) => {}
            }
        }
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

fn node(depth: usize, kind: ListNodeKind, content: InlineText) -> ListNode {
    ListNode {
        depth,
        kind,
        content,
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |end| end + 1)
}

/// Whether a line could separate a table header from its rows.
fn is_separator(line: &str) -> bool {
    let is_mark = |c| matches!(c, '|' | '-' | ':' | ' ' | '\t');
    line.contains('-') && line.contains('|') && line.chars().all(is_mark)
}
