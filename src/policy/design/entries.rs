//! The lines of a document in order, each with the depth of the lists around it.

use std::ops::Range;

use super::blocks::{Block, Heading, InlineText, ListNode, ListNodeKind, Table};
use super::source::DesignText;

/// One heading, table, code block or line.
pub(super) struct Entry<'b> {
    /// The index of the top-level block.
    pub(super) block: usize,
    /// The number of list items around it.
    pub(super) level: usize,
    pub(super) kind: PassageKind<'b>,
}

pub(super) enum PassageKind<'b> {
    Heading(&'b Heading),
    Line(TextLine),
    Table(&'b Table),
    Code(Range<usize>),
    Other,
}

/// A line of text with its continuation.
pub(super) struct TextLine {
    pub(super) content: InlineText,
    /// Whether an item begins with it.
    pub(super) item: Option<ListItem>,
    /// Whether a paragraph begins with it.
    pub(super) is_first: bool,
}

#[derive(Clone, Copy)]
pub(super) struct ListItem {
    pub(super) is_task: bool,
    pub(super) is_first: bool,
}

/// The entries of all visible blocks.
pub(super) fn entries<'b>(source: &DesignText<'_>, blocks: &'b [Block]) -> Vec<Entry<'b>> {
    let mut entries = Vec::new();
    for (block, found) in blocks.iter().enumerate() {
        let mut push = |level, kind| entries.push(Entry { block, level, kind });
        match found {
            Block::Heading(heading) => push(0, PassageKind::Heading(heading)),
            Block::Table(table) => push(0, PassageKind::Table(table)),
            Block::Code(span) => push(0, PassageKind::Code(span.clone())),
            Block::Paragraph(content) => {
                for (number, (span, _)) in lines(source, content).into_iter().enumerate() {
                    let content = content.within(span);
                    push(0, line(content, None, number == 0));
                }
            }
            Block::List(nodes) => nodes
                .iter()
                .for_each(|node| of_node(source, node, &mut push)),
            Block::Enclosed(..) => push(0, PassageKind::Other),
        }
    }
    entries
}

fn line<'b>(content: InlineText, item: Option<ListItem>, is_first: bool) -> PassageKind<'b> {
    PassageKind::Line(TextLine {
        content,
        item,
        is_first,
    })
}

fn of_node<'b>(
    source: &DesignText<'_>,
    node: &'b ListNode,
    push: &mut impl FnMut(usize, PassageKind<'b>),
) {
    let content = &node.content;
    match node.kind {
        ListNodeKind::Item { is_task, is_first } => {
            let item = ListItem { is_task, is_first };
            for (number, (span, is_indented)) in lines(source, content).into_iter().enumerate() {
                // Markdown takes a line without indentation as a part of the item above; authors do not.
                let inner = usize::from(number > 0 && is_indented);
                let kind = line(
                    content.within(span),
                    (number == 0).then_some(item),
                    number == 0,
                );
                push(node.depth + inner, kind);
            }
        }
        ListNodeKind::Paragraph => {
            for (number, (span, _)) in lines(source, content).into_iter().enumerate() {
                push(node.depth, line(content.within(span), None, number == 0));
            }
        }
        ListNodeKind::Code => push(node.depth, PassageKind::Code(content.span.clone())),
        ListNodeKind::Other => push(node.depth, PassageKind::Other),
    }
}

/// The ranges of a text's lines, each with whether it is indented deeper than the line where the text begins. A line
/// that does not begin with a label continues the one before.
fn lines(source: &DesignText<'_>, content: &InlineText) -> Vec<(Range<usize>, bool)> {
    let span = source.trim(content.span.clone());
    let text = source.slice(span.clone());
    let own = source.indentation(span.start);
    let mut found = Vec::new();
    let mut start = 0;
    let mut is_indented = false;
    for (newline, _) in text.match_indices('\n') {
        let rest = text.get(newline + 1..).unwrap_or("");
        if begins_with_label(rest.trim_start_matches([' ', '\t'])) {
            found.push((span.start + start..span.start + newline, is_indented));
            start = newline + 1;
            is_indented = source.indentation(span.start + start) > own;
        }
    }
    found.push((span.start + start..span.end, is_indented));
    found
}

/// `**…` or `Word:`.
fn begins_with_label(text: &str) -> bool {
    if text.starts_with("**") || text.starts_with("__") {
        return true;
    }
    let line = text.split('\n').next().unwrap_or("");
    let end = line
        .char_indices()
        .take(40)
        .find(|(_, c)| matches!(c, ':' | '：'));
    end.is_some_and(|(colon, _)| {
        let words = line.get(..colon).unwrap_or("");
        words.starts_with(char::is_alphabetic)
            && words
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '/' | '-' | '(' | ')'))
    })
}
