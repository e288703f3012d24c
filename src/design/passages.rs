//! Passages: a heading or label that announces files, and directly below it one list, table or code block of paths.

use std::ops::Range;

use super::headings::{Label, Title, is_plain, label, label_inside, read_file, resembles_label};
use super::{Actions, Block, BlockKind, BlockPlace, DesignBuilder, GrantForm, InlineText};
use super::{ListNode, ListNodeKind, Outline, Row, RowAction};
use super::{code, item, problem, table, words};

/// Reads the passages among the blocks. The tables that start at `known`, in order, have been read before.
pub(super) fn read(outline: &Outline<'_>, known: &[usize], draft: &mut DesignBuilder<'_>) {
    use BlockKind::{Code, Heading, List, Other, Paragraph, Table};
    let source = draft.source;
    let mut opener: Option<Label> = None;
    for (index, (block, place)) in outline.blocks.iter().zip(&outline.places).enumerate() {
        let open = opener.take();
        if place.is_excluded() {
            continue;
        }
        let later = &outline.blocks[index + 1..];
        let next = later.first().map(Block::visible);
        let lists_follow = matches!(next, Some(List(_) | Table(_) | Code(_)));
        let line = source.line_span(block.start);
        let is_below_label = matches!(&open, Some(open) if open.form == GrantForm::LabelList);
        let is_read = match (block.visible(), &open) {
            (Heading(_, content), _) => {
                match place.title {
                    Title::Scope(untyped) | Title::Passage(untyped) if is_plain(&content.plain) => {
                        opener = Some(Label {
                            untyped,
                            items: Vec::new(),
                            span: line,
                            has_more: false,
                            form: GrantForm::HeadingList,
                        });
                    }
                    _ if lists_follow && resembles(&content.plain) && !content.is_struck => {
                        draft.fault(problem::unknown_label().at(line));
                    }
                    _ => {}
                }
                read_file(content, draft);
                true
            }
            (Paragraph(content), _) => {
                if let Some(span) = label_inside(source, content) {
                    unread(span, draft);
                }
                let found = label(source, content);
                let has_items = found.as_ref().is_some_and(|label| !label.items.is_empty());
                if has_items && matches!(next, Some(List(_))) {
                    unread(source.line_span(later[0].start), draft);
                }
                let is_unknown = open.is_none() && lists_follow && found.is_none();
                if is_unknown && resembles_label(source, content) {
                    draft.fault(problem::unknown_label().at(line));
                }
                let below = outline.places.get(index + 1);
                // A heading that only introduces labels is none that was not read.
                let is_read = found.is_some() || below.is_some_and(BlockPlace::is_excluded);
                opener = found.and_then(|label| items_of_label(label, draft));
                is_read
            }
            (List(nodes), open) => {
                if let Some(open) = open {
                    list(nodes, open, draft);
                }
                labels(nodes, draft);
                true
            }
            (Table(found), Some(open)) => match table::columns(found) {
                _ if known.binary_search(&found.header.start).is_ok() => true,
                Ok(Some(columns)) if columns.is_of_files() || !is_below_label => {
                    draft.passage(table::header(source, found), |draft| {
                        table::read(found, &columns, open.untyped, draft);
                    });
                    true
                }
                // The reader of typed tables has reported it.
                _ => !is_below_label,
            },
            (Code(found), open) => {
                if code::is_tree(source, found) {
                    code::read_tree(found, draft);
                } else if let Some(open) = open
                    && !code::read(found, open.untyped, draft)
                {
                    unread(open.span.clone(), draft);
                }
                true
            }
            (Table(_), None) => true,
            // What HTML encloses is reported as such.
            (Other, _) => block.element.is_some(),
        };
        if let Some(open) = open.filter(|_| !is_read) {
            let is_end =
                |block: &&Block| block.element.is_some() || matches!(block.kind, Heading(..));
            let mut section = later.iter().take_while(|block| !is_end(block));
            if is_below_label || section.any(|block| matches!(block.kind, List(_) | Table(_))) {
                unread(open.span, draft);
            }
        }
    }
}

/// Whether a heading that announces nothing looks as if it did.
fn resembles(text: &str) -> bool {
    words::words(text).contains(&"files".into()) && !words::negates(text)
}

/// Reads the items on the line of a label. Without any, what follows directly counts, and the label is returned.
fn items_of_label(label: Label, draft: &mut DesignBuilder<'_>) -> Option<Label> {
    match (label.items.as_slice(), label.has_more) {
        ([], false) => return Some(label),
        ([], true) => unread(label.span, draft),
        (items, _) => {
            let (untyped, span) = (label.untyped, label.span);
            draft.form = GrantForm::LabelLine;
            draft.passage(span, |draft| {
                for item in items {
                    draft.item(item::read(draft.source, item, untyped, ""));
                }
            });
        }
    }
    None
}

/// Reads the labels and tasks in a list, at any depth.
fn labels(nodes: &[ListNode], draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let has_tasks = source.options.tasks || item::is_task_list(source.path);
    let mut excluded: Option<usize> = None;
    for (index, node) in nodes.iter().enumerate() {
        if excluded.is_some_and(|depth| node.depth > depth) || node.kind == ListNodeKind::Other {
            continue;
        }
        excluded = None;
        let is_item = matches!(node.kind, ListNodeKind::Item { .. });
        let Some(label) = label(source, &node.content) else {
            let text = source.slice(node.content.span.clone()).trim();
            let is_group = is_item && (text.ends_with(':') || text.starts_with(['*', '_']));
            excluded = (is_group && words::excludes(&node.content.plain)).then_some(node.depth);
            if has_tasks {
                item::read_task(node, draft);
            }
            continue;
        };
        let depth = node.depth + usize::from(is_item);
        let Some(opener) = items_of_label(label, draft) else {
            continue;
        };
        let below = &nodes[index + 1..];
        let is_first = |kind| matches!(kind, ListNodeKind::Item { is_first: true, .. });
        match below.first() {
            Some(next) if next.depth == depth && is_first(next.kind) => list(below, &opener, draft),
            _ => unread(opener.span, draft),
        }
    }
}

/// Reads the list that begins with these nodes.
fn list(nodes: &[ListNode], opener: &Label, draft: &mut DesignBuilder<'_>) {
    let (untyped, span) = (opener.untyped, opener.span.clone());
    draft.form = opener.form;
    draft.passage(span, |draft| items(nodes, untyped, draft));
}

/// Reads the items of the list that begins with these nodes.
fn items(nodes: &[ListNode], untyped: Actions, draft: &mut DesignBuilder<'_>) {
    let (source, mut has_boxes) = (draft.source, None);
    let depth = nodes.first().map_or(0, |node| node.depth);
    for group in nodes.chunk_by(|_, next| next.depth > depth) {
        let [node, below @ ..] = group else { break };
        let ListNodeKind::Item { is_task, is_first } = node.kind else {
            break;
        };
        let is_other_list = has_boxes.is_some_and(|boxes: bool| is_first || is_task && !boxes);
        if node.depth < depth || is_other_list {
            break;
        }
        has_boxes = has_boxes.or(Some(is_task));
        if label(source, &node.content).is_some() {
            continue;
        }
        if let Some(other) = below.iter().find(|node| node.kind == ListNodeKind::Other) {
            odd(&other.content, draft);
            continue;
        }
        let is_wide = |row: &Row| row.paths.iter().any(|path| path.text.ends_with('/'));
        let texts: Vec<&str> = below.iter().map(|node| &*node.content.plain).collect();
        match item::read(source, &node.content.run, untyped, &texts.join("\n")) {
            // The items below may narrow a directory.
            Ok(row) if !below.is_empty() && is_wide(&row) => odd(&node.content, draft),
            Ok(row) if row.paths.is_empty() => {
                if let RowAction::Grant(actions) = row.kind {
                    items(below, actions, draft);
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
