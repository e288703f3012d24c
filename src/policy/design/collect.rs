//! Collects the top-level blocks from the parser's events.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::blocks::{
    Block, CodeBlock, Heading, InlineText, ListNode, ListNodeKind, PieceKind, Table, TableEnd,
    TableRow,
};
use super::files_tag::FilesTags;
use super::html::{Element, HtmlPart, OpenElements};
use super::inline::Inline;
use super::lines::{is_indented, is_separator, line_at, line_start, until_blank};

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
    let body = text.get(start..).unwrap_or("");
    let mut collector = Collector {
        text,
        ..Collector::default()
    };
    for (event, range) in Parser::new_ext(body, options).into_offset_iter() {
        collector.event(event, range.start + start..range.end + start);
    }
    Markdown {
        blocks: collector.blocks,
        tags: collector.tags.found,
    }
}

#[derive(Default)]
struct Collector<'a> {
    text: &'a str,
    blocks: Vec<Block>,
    elements: OpenElements,
    tags: FilesTags,
    /// The code block at the top level that is being read.
    code: Option<CodeBlock>,
    /// The element around the current block.
    around: Option<Element>,
    /// The current raw HTML block and its start.
    html: Option<(String, usize)>,
    html_end: usize,
    /// The line of the last inline tag; it may hold many.
    line: Range<usize>,
    /// The end of the last top-level list or quote.
    container_end: usize,
    /// The number of open containers.
    depth: usize,
    inline: Inline,
    table: Option<Table>,
    row: Option<TableRow>,
    /// The nodes of a top-level list.
    nodes: Option<Vec<ListNode>>,
    /// The node whose text is being read.
    node: Option<(usize, ListNodeKind)>,
    /// Whether the next item is the first of its list.
    is_first: bool,
    /// The number of open items of the top-level list.
    open_items: usize,
    /// The number of open containers in the list that are neither lists nor items.
    foreign: usize,
}

impl Collector<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) if code.body.is_empty() => code.body = range,
                Some(code) => code.body.end = range.end,
                None => self.inline.text(&text, &range),
            },
            Event::Code(text) => self.inline.code(&text, &range),
            Event::Html(text) => {
                if let Some((html, _)) = &mut self.html {
                    html.push_str(&text);
                }
            }
            Event::InlineHtml(text) => {
                self.tags.html(&text, range.start, false);
                if !self.line.contains(&range.start) {
                    let start = line_start(self.text, range.start);
                    self.line = start..start + line_at(self.text, range.start).len();
                }
                let whole = self.text.get(self.line.clone()).unwrap_or("");
                let line = whole.trim();
                let is_alone = self.depth > 0 && line == &*text;
                if is_alone && !whole.starts_with("  ") {
                    // GitHub starts an HTML block here, outside the quote or list.
                    self.elements.give_up(range.start);
                } else if is_alone || (self.table.is_some() && line.starts_with('<')) {
                    // GitHub may end a table at a line that starts with a tag.
                    self.elements.alone(&text, range.start);
                } else {
                    self.elements.inline(&text, range.start);
                }
                self.inline.html(&text, &range);
            }
            Event::SoftBreak | Event::HardBreak => self.inline.text(" ", &range),
            Event::TaskListMarker(_) => {
                if let Some((_, ListNodeKind::Item { is_task, .. })) = &mut self.node {
                    *is_task = true;
                }
            }
            Event::Rule if self.depth == 0 => self.push(Block::Other(range)),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        let top = self.depth == 0;
        if top && self.table.is_none() && !is_inline(&tag) {
            self.around = self.elements.around().cloned();
        }
        if top
            && matches!(
                tag,
                Tag::List(_) | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_)
            )
        {
            self.container_end = range.end;
        }
        match &tag {
            Tag::Heading { .. } | Tag::Paragraph => self.elements.enter(HtmlPart::Text),
            // GitHub shows the lines after a cut as a paragraph.
            Tag::TableCell if self.table.as_ref().is_some_and(|table| table.cut.is_some()) => {
                self.elements.enter(HtmlPart::Text);
            }
            Tag::TableCell => self.elements.enter(HtmlPart::Cell),
            Tag::Item | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_) => {
                self.elements.enter(HtmlPart::Container);
            }
            _ => {}
        }
        match tag {
            Tag::Heading { .. } | Tag::Paragraph if top => self.inline.begin(range),
            Tag::Paragraph => self.open_node(range, ListNodeKind::Paragraph),
            Tag::Table(_) if top => {
                self.table = Some(Table {
                    span: range,
                    header: TableRow::default(),
                    rows: Vec::new(),
                    cut: None,
                });
            }
            Tag::TableHead | Tag::TableRow if self.table.is_some() => self.open_row(range),
            Tag::TableCell if self.row.is_some() => self.inline.begin(range),
            Tag::List(_) => {
                self.close_item();
                if top {
                    self.nodes = Some(Vec::new());
                    (self.open_items, self.foreign) = (0, 0);
                }
                self.is_first = true;
                self.depth += 1;
            }
            Tag::Item => {
                self.depth += 1;
                let start = range.start;
                let kind = ListNodeKind::Item {
                    is_task: false,
                    is_first: std::mem::take(&mut self.is_first),
                };
                self.open_node(start..start, kind);
                if self.foreign == 0 {
                    self.open_items += 1;
                }
            }
            Tag::CodeBlock(kind) => {
                self.other(&range, ListNodeKind::Code);
                if top {
                    let info = match kind {
                        CodeBlockKind::Fenced(info) => Some(info.trim().to_lowercase()),
                        CodeBlockKind::Indented => None,
                    };
                    let body = range.start..range.start;
                    self.code = Some(CodeBlock { info, body });
                }
                self.depth += 1;
                self.foreign += 1;
            }
            Tag::Link { dest_url, .. } => {
                self.inline.open(
                    range,
                    PieceKind::Link {
                        text: String::new(),
                        target: dest_url.to_string(),
                    },
                );
            }
            Tag::Image { .. } => self.inline.open(range, PieceKind::Image),
            Tag::Strikethrough => self.inline.open(range, PieceKind::Struck),
            Tag::Emphasis => self.inline.emphasis(range, 1),
            Tag::Strong => self.inline.emphasis(range, 2),
            Tag::HtmlBlock => {
                self.close_item();
                if top {
                    self.push(Block::Other(range.clone()));
                }
                self.html = Some((String::new(), range.start));
                self.html_end = range.end;
                self.depth += 1;
                self.foreign += 1;
            }
            Tag::BlockQuote(_) | Tag::FootnoteDefinition(_) => {
                self.other(&range, ListNodeKind::Other);
                if top {
                    self.push(Block::Other(range));
                }
                self.depth += 1;
                self.foreign += 1;
            }
            Tag::Heading { .. } | Tag::Table(_) => self.other(&range, ListNodeKind::Other),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_)
            | TagEnd::Paragraph
            | TagEnd::TableCell
            | TagEnd::Item
            | TagEnd::BlockQuote(_)
            | TagEnd::FootnoteDefinition => self.elements.leave(),
            _ => {}
        }
        match tag {
            TagEnd::Heading(level) if self.depth == 0 => {
                if let Some(content) = self.inline.take() {
                    let level = level as u8;
                    self.push(Block::Heading(Heading { level, content }));
                }
            }
            TagEnd::Paragraph if self.depth == 0 => {
                if let Some(content) = self.inline.take() {
                    self.paragraph(content);
                }
            }
            TagEnd::Paragraph => self.close_item(),
            TagEnd::TableCell => {
                let content = self.inline.take();
                if let (Some(row), Some(content)) = (&mut self.row, content) {
                    row.cells.push(content);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let (Some(table), Some(row)) = (&mut self.table, self.row.take()) {
                    match tag {
                        TagEnd::TableHead => table.header = row,
                        _ => table.rows.push(row),
                    }
                }
            }
            TagEnd::Table => {
                if let Some(mut table) = self.table.take() {
                    let start = table.span.start;
                    let cut = if self.is_second_header(&table) {
                        Some(TableEnd::SecondHeader)
                    } else {
                        self.continues_container(start)
                            .then_some(TableEnd::Continued)
                    };
                    if let Some(cut) = cut {
                        // Up to the next empty line, GitHub may read text where this parser reads code.
                        let rest = until_blank(self.text, start);
                        self.elements.block(rest, start);
                        // The text may continue in these lines.
                        if let (TableEnd::Continued, Some(Block::List(nodes))) =
                            (&cut, self.blocks.last_mut())
                        {
                            nodes.pop();
                        }
                        table.rows.clear();
                        table.cut = Some((start, cut));
                    }
                    self.push(Block::Table(table));
                }
            }
            TagEnd::Item => {
                self.close_item();
                self.depth -= 1;
                if self.foreign == 0 {
                    self.open_items = self.open_items.saturating_sub(1);
                }
            }
            TagEnd::List(_) => {
                self.depth -= 1;
                if self.depth == 0
                    && let Some(nodes) = self.nodes.take()
                {
                    self.push(Block::List(nodes));
                }
            }
            TagEnd::HtmlBlock => {
                self.depth -= 1;
                self.foreign = self.foreign.saturating_sub(1);
                self.html_block();
            }
            TagEnd::CodeBlock if self.code.is_some() => {
                self.depth -= 1;
                self.foreign = self.foreign.saturating_sub(1);
                if let Some(code) = self.code.take() {
                    self.push(Block::Code(code));
                }
            }
            TagEnd::CodeBlock | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition => {
                self.depth -= 1;
                self.foreign = self.foreign.saturating_sub(1);
            }
            TagEnd::Link => self.inline.close(),
            TagEnd::Strikethrough => self.inline.close_struck(),
            TagEnd::Image => self.inline.close_image(),
            _ => {}
        }
    }

    /// Whether the previous line belongs to a list or quote that this line may continue.
    fn continues_container(&self, at: usize) -> bool {
        let before = self.text.get(..line_start(self.text, at)).unwrap_or("");
        let before = before.strip_suffix('\n').unwrap_or(before);
        let before = before.strip_suffix('\r').unwrap_or(before);
        let start = line_start(self.text, before.len());
        let above = before.get(start..).unwrap_or("");
        !above.trim().is_empty() && start < self.container_end
    }

    /// Whether the table begins in a paragraph that already contains a separator row.
    fn is_second_header(&self, table: &Table) -> bool {
        let Some(Block::Paragraph(before)) = self.blocks.last() else {
            return false;
        };
        let span = before.span.clone();
        let between = self.text.get(span.end..table.span.start).unwrap_or("");
        between.matches('\n').count() < 2
            && self
                .text
                .get(span)
                .is_some_and(|text| text.lines().any(is_separator))
    }

    /// Keeps a block with the element around it.
    fn push(&mut self, block: Block) {
        self.blocks.push(match self.around.clone() {
            Some(element) => Block::Enclosed(Box::new(block), element),
            None => block,
        });
    }

    fn paragraph(&mut self, content: InlineText) {
        let text = self.text.get(content.span.clone()).unwrap_or("");
        if text.lines().any(is_separator) {
            // GitHub may show a table, in which code ends with its cell.
            self.elements.block(text, content.span.start);
        }
        match content.raw_heading {
            Some(level) => self.blocks.push(raw_heading(level, content)),
            None => self.push(Block::Paragraph(content)),
        }
    }

    /// Reads a whole block of raw HTML.
    fn html_block(&mut self) {
        let Some((html, start)) = self.html.take() else {
            return;
        };
        if self.depth == 0 {
            // In the document's own text, since offsets into it count.
            let end = self.html_end;
            self.tags
                .html(self.text.get(start..end).unwrap_or(""), start, true);
        }
        let headings = self.elements.block(&html, start).into_iter();
        if self.depth == 0 {
            self.blocks.extend(headings.map(|found| {
                let end = self.text.len().min(found.start + 1);
                let content = InlineText {
                    plain: found.text,
                    ..InlineText::new(found.start..end)
                };
                raw_heading(found.level, content)
            }));
        }
    }

    /// Starts a row, or records that the table ends before it.
    fn open_row(&mut self, span: Range<usize>) {
        let cut = if is_indented(self.text, span.start) {
            Some(TableEnd::Indented)
        } else if self.around.is_none() {
            self.elements.around().cloned().map(TableEnd::Enclosed)
        } else {
            None
        };
        let Some(table) = &mut self.table else {
            return;
        };
        if let Some(cut) = cut
            && table.cut.is_none()
        {
            if matches!(cut, TableEnd::Indented) {
                let rest = until_blank(self.text, span.start);
                self.elements.block(rest, span.start);
            }
            table.cut = Some((span.start, cut));
        }
        if table.cut.is_none() {
            self.row = Some(TableRow {
                span,
                cells: Vec::new(),
            });
        }
    }

    /// Starts the text of a node of the list, unless it continues the item's first paragraph.
    fn open_node(&mut self, span: Range<usize>, kind: ListNodeKind) {
        let depth = self.open_items;
        if kind == ListNodeKind::Paragraph && self.node.is_some() {
            return;
        }
        // An earlier item may have left an element open.
        let is_free = self.around.is_some() || self.elements.around().is_none();
        if self.nodes.is_some() && self.foreign == 0 && is_free {
            self.node = Some((depth, kind));
            self.inline.begin(span);
        }
    }

    /// Ends the text of a node of the list.
    fn close_item(&mut self) {
        if self.foreign > 0 {
            return;
        }
        let Some((depth, kind)) = self.node.take() else {
            return;
        };
        if let (Some(nodes), Some(content)) = (&mut self.nodes, self.inline.take()) {
            nodes.push(ListNode {
                depth,
                kind,
                content,
            });
        }
    }

    /// Records something else in the list.
    fn other(&mut self, span: &Range<usize>, kind: ListNodeKind) {
        self.close_item();
        if self.foreign == 0
            && let Some(nodes) = &mut self.nodes
        {
            nodes.push(ListNode {
                depth: self.open_items,
                kind,
                content: InlineText::new(span.clone()),
            });
        }
    }
}

fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Link { .. } | Tag::Image { .. } | Tag::Strikethrough | Tag::Emphasis | Tag::Strong
    )
}

/// An HTML heading. It ends a section but never starts one.
fn raw_heading(level: u8, content: InlineText) -> Block {
    let element = Element {
        name: format!("h{level}"),
        start: content.span.start,
    };
    let heading = Block::Heading(Heading { level, content });
    Block::Enclosed(Box::new(heading), element)
}
