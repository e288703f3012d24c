//! Passages: a heading or label that announces files, and directly below it one list, table or code block of paths.

use std::ops::Range;

use super::headings::{Label, Title, is_plain, label, label_inside, resembles_label};
use super::{
    Actions, Block, BlockKind, DesignBuilder, GrantForm, InlineText, ListNode, ListNodeKind,
};
use super::{Outline, Row, RowAction, Shape};
use super::{code, file_heading, item, problem, table, task, tree, words};

/// Reads the passages among the blocks. The tables that start at `known`, in order, have been read before.
pub(super) fn read(outline: &Outline<'_>, known: &[usize], draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let is_list =
        |block: &Block| matches!(block.visible(), BlockKind::List(_) | BlockKind::Table(_));
    let mut opener: Option<Label> = None;
    for (index, (block, place)) in outline.blocks.iter().zip(&outline.places).enumerate() {
        let open = opener.take();
        if place.is_excluded() {
            continue;
        }
        let later = || outline.blocks.iter().skip(index + 1);
        let next = later().next();
        let lists_follow =
            next.is_some_and(|next| is_list(next) || matches!(next.visible(), BlockKind::Code(_)));
        let is_label = open
            .as_ref()
            .is_some_and(|open| open.form == GrantForm::LabelList);
        let is_read = match (block.visible(), &open) {
            (BlockKind::Heading(_, content), _) => {
                let (text, span) = (&content.plain, content.span.start);
                match place.title {
                    Title::Scope(untyped) | Title::Passage(untyped) if is_plain(text) => {
                        opener = Some(Label::heading(untyped, source.line_span(span)));
                    }
                    _ if lists_follow && resembles(text) && !content.is_struck => {
                        draft.fault(problem::unknown_label().at(source.line_span(span)));
                    }
                    _ => {}
                }
                file_heading::read(content, draft);
                true
            }
            (BlockKind::Paragraph(content), _) => {
                let found = label(source, content);
                let (is_found, is_silent) = (found.is_some(), open.is_none() && lists_follow);
                opener = paragraph(content, found, next, draft);
                if !is_found && is_silent && resembles_label(source, content) {
                    let line = source.line_span(content.span.start);
                    draft.fault(problem::unknown_label().at(line));
                }
                let below = outline.places.get(index + 1);
                // A heading that only introduces labels is none that was not read.
                is_found || below.is_some_and(|below| below.is_excluded())
            }
            (BlockKind::List(nodes), open) => {
                if let Some(open) = open {
                    list(nodes, 0, 0, open, draft);
                }
                labels(nodes, draft);
                true
            }
            (BlockKind::Table(found), Some(_))
                if known.binary_search(&found.header.start).is_ok() =>
            {
                true
            }
            (BlockKind::Table(found), Some(open)) => match table::columns(found) {
                Ok(Some(columns)) if columns.is_of_files() || !is_label => {
                    draft.passage(table::header(source, found), |draft| {
                        table::read(found, &columns, open.untyped, draft);
                    });
                    true
                }
                // The reader of typed tables has reported it.
                _ => !is_label,
            },
            (BlockKind::Code(found), _) if tree::is_drawn(source, found) => {
                tree::read(found, draft);
                true
            }
            (BlockKind::Code(found), Some(open)) => {
                if !code::read(found, open.untyped, draft) {
                    unread(open.span.clone(), draft);
                }
                true
            }
            // What HTML encloses is reported as such.
            (BlockKind::Other, _) => block.element.is_some(),
            (BlockKind::Table(_) | BlockKind::Code(_), _) => true,
        };
        let is_end = |block: &&Block| {
            block.element.is_some() || matches!(block.kind, BlockKind::Heading(..))
        };
        let lists_later = || later().take_while(|block| !is_end(block)).any(is_list);
        if let Some(open) = open.filter(|_| !is_read && (is_label || lists_later())) {
            unread(open.span, draft);
        }
    }
}

/// Whether a heading that announces nothing looks as if it did.
fn resembles(text: &str) -> bool {
    words::words(text).contains(&"files".into()) && !words::negates(text)
}

/// Reads what a paragraph says with its label: what it opens.
fn paragraph(
    content: &InlineText,
    label: Option<Label>,
    next: Option<&Block>,
    draft: &mut DesignBuilder<'_>,
) -> Option<Label> {
    if let Some(span) = label_inside(draft.source, content) {
        unread(span, draft);
    }
    let label = label?;
    if let Some(next) = next.filter(|_| !label.items.is_empty())
        && matches!(next.visible(), BlockKind::List(_))
    {
        unread(draft.source.line_span(next.start), draft);
    }
    items_of_label(label, draft)
}

/// Reads the items on the line of a label. Without any, what follows directly counts, and the label is returned.
fn items_of_label(label: Label, draft: &mut DesignBuilder<'_>) -> Option<Label> {
    if label.items.is_empty() && label.has_more {
        unread(label.span, draft);
        return None;
    }
    if label.items.is_empty() {
        return Some(label);
    }
    let (untyped, span) = (label.untyped, label.span);
    draft.form(Shape::Line, GrantForm::LabelLine, untyped, span.clone());
    draft.passage(span, |draft| {
        for item in &label.items {
            draft.item(item::read(draft.source, item, untyped, ""));
        }
    });
    None
}

/// Reads the labels and tasks in a list, at any depth.
fn labels(nodes: &[ListNode], draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let has_tasks = source.options.tasks || task::is_task_list(source.path);
    let mut excluded: Option<usize> = None;
    for (index, node) in nodes.iter().enumerate() {
        if excluded.is_some_and(|depth| node.depth > depth) || !is_text(node) {
            continue;
        }
        excluded = None;
        let is_item = is_item(node);
        let Some(label) = label(source, &node.content) else {
            let text = source.slice(node.content.span.clone()).trim();
            let is_group = is_item && (text.ends_with(':') || text.starts_with(['*', '_']));
            excluded = (is_group && words::excludes(&node.content.plain)).then_some(node.depth);
            if has_tasks {
                task::read(node, draft);
            }
            continue;
        };
        let depth = node.depth + usize::from(is_item);
        let Some(opener) = items_of_label(label, draft) else {
            continue;
        };
        let is_first =
            |node: &&ListNode| matches!(node.kind, ListNodeKind::Item { is_first: true, .. });
        let next = nodes.get(index + 1).filter(is_first);
        match next.is_some_and(|node| node.depth == depth) {
            true => list(nodes, index + 1, depth, &opener, draft),
            false => unread(opener.span, draft),
        }
    }
}

/// Reads the items of one list, whose first item is the node `start`.
fn list(
    nodes: &[ListNode],
    start: usize,
    depth: usize,
    opener: &Label,
    draft: &mut DesignBuilder<'_>,
) {
    let (untyped, span) = (opener.untyped, opener.span.clone());
    draft.form(Shape::List, opener.form, untyped, span.clone());
    draft.passage(span, |draft| items(nodes, start, depth, untyped, draft));
}

/// Reads the items at a depth, up to the end of their list.
fn items(
    nodes: &[ListNode],
    start: usize,
    depth: usize,
    untyped: Actions,
    draft: &mut DesignBuilder<'_>,
) {
    let (source, mut has_boxes) = (draft.source, None);
    for (index, node) in nodes.iter().enumerate().skip(start) {
        if node.depth > depth {
            continue;
        }
        let ListNodeKind::Item { is_task, is_first } = node.kind else {
            break;
        };
        let is_other_list = is_first && index > start || is_task && has_boxes == Some(false);
        if node.depth < depth || is_other_list {
            break;
        }
        has_boxes = has_boxes.or(Some(is_task));
        if label(source, &node.content).is_some() {
            continue;
        }
        let below = nodes.get(index + 1..).unwrap_or(&[]);
        let length = below.iter().take_while(|node| node.depth > depth).count();
        let below = below.get(..length).unwrap_or(&[]);
        if let Some(other) = below.iter().find(|node| !is_text(node)) {
            odd(&other.content, draft);
            continue;
        }
        let is_wide = |row: &Row| row.paths.iter().any(|path| path.text.ends_with('/'));
        let texts: Vec<&str> = below.iter().map(|node| &*node.content.plain).collect();
        match item::read(source, &node.content.run, untyped, &texts.join("\n")) {
            // The items below may narrow a directory.
            Ok(row) if !below.is_empty() && is_wide(&row) => odd(&node.content, draft),
            Ok(row) if row.paths.is_empty() => {
                let is_list = |node: &ListNode| node.depth == depth + 1 && is_item(node);
                if let RowAction::Grant(actions) = row.kind
                    && below.first().is_some_and(is_list)
                {
                    items(nodes, index + 1, depth + 1, actions, draft);
                }
            }
            read => draft.item(read),
        }
    }
}

fn odd(content: &InlineText, draft: &mut DesignBuilder<'_>) {
    let line = draft.source.line_span(content.span.start);
    draft.bad_row(vec![problem::odd_item().at(line)]);
}

fn unread(span: Range<usize>, draft: &mut DesignBuilder<'_>) {
    draft.fault(problem::unread_passage().at(span));
}

fn is_item(node: &ListNode) -> bool {
    matches!(node.kind, ListNodeKind::Item { .. })
}

fn is_text(node: &ListNode) -> bool {
    is_item(node) || node.kind == ListNodeKind::Paragraph
}
