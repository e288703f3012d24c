//! Passages: a heading or label that announces files, and directly below it one list, table or code block of paths.

use std::ops::Range;

use super::blocks::{Block, InlineText, ListNode, ListNodeKind};
use super::code;
use super::columns::columns;
use super::design_builder::DesignBuilder;
use super::exclusion;
use super::file_heading;
use super::form::Shape;
use super::heading::{Claim, Title, is_plain};
use super::item::{DesignItem, ItemText};
use super::label::{self, Label};
use super::options::DesignOptions;
use super::outline::Outline;
use super::problem::{LocatedProblem, Problem};
use super::source::DesignText;
use super::table;
use super::task;
use super::tree;
use super::words;
use crate::finding::Rule;
use crate::policy::GrantForm;

/// Reads the passages among the blocks.
pub(super) fn read(
    source: &DesignText<'_>,
    outline: &Outline<'_>,
    options: &DesignOptions,
    draft: &mut DesignBuilder<'_>,
) {
    let has_tasks = options.tasks || task::is_task_list(source.path());
    let mut reader = PassageReader {
        source,
        options,
        draft,
        has_tasks,
    };
    let mut opener: Option<Opener> = None;
    for (index, block) in outline.blocks.iter().enumerate() {
        let open = opener.take();
        if outline.is_excluded(index) {
            continue;
        }
        match block {
            Block::Heading(heading) => {
                let is_opener = is_plain(&heading.content.plain);
                opener = match outline.title(index) {
                    Title::Scope(claim) | Title::Passage(claim) if is_opener => Some(Opener {
                        claim,
                        span: source.line_span(heading.content.span.start),
                        form: GrantForm::HeadingList,
                    }),
                    _ => None,
                };
                let text = &heading.content.plain;
                let has_word = words::words(text).iter().any(|word| word == "files");
                let is_unknown =
                    has_word && !exclusion::is_in_text(text) && !heading.content.is_struck();
                if opener.is_none() && is_unknown && lists_follow(outline, index) {
                    reader.unknown(&source.line_span(heading.content.span.start));
                }
                file_heading::read(source, heading, reader.draft);
            }
            Block::Paragraph(content) => {
                let found = label::read(source, content, &options.headings);
                match (&found, open) {
                    // A heading that only introduces labels is none that was not read.
                    (None, Some(open))
                        if open.form == GrantForm::LabelList
                            || lists_later(outline, index) && !outline.is_excluded(index + 1) =>
                    {
                        reader.unread(&open.span);
                    }
                    (None, None)
                        if label::resembles(source, content) && lists_follow(outline, index) =>
                    {
                        reader.unknown(&source.line_span(content.span.start));
                    }
                    _ => {}
                }
                if let Some(span) = label::inside(source, content, &options.headings) {
                    reader.unread(&span);
                }
                if found.as_ref().is_some_and(|label| !label.items.is_empty())
                    && let Some(list @ Block::List(_)) = outline.blocks.get(index + 1)
                {
                    reader.unread(&source.line_span(list.start()));
                }
                opener = found.and_then(|label| reader.label(label));
            }
            Block::List(nodes) => {
                if let Some(open) = &open {
                    reader.list(nodes, 0, 0, open);
                }
                reader.labels(nodes);
            }
            Block::Table(found) => {
                if let Some(open) = open {
                    match columns(found) {
                        Ok(Some(columns))
                            if columns.is_of_files() || open.form == GrantForm::HeadingList =>
                        {
                            table::passage(source, found, &columns, open.claim, reader.draft);
                        }
                        Err(problem) if open.form == GrantForm::LabelList => {
                            reader.draft.fault(problem.at(open.span))
                        }
                        _ if open.form == GrantForm::LabelList => reader.unread(&open.span),
                        // The reader of typed tables has reported it.
                        _ => {}
                    }
                }
            }
            Block::Code(found) => match open {
                _ if tree::is_drawn(source, found) => tree::read(source, found, reader.draft),
                Some(open) if !code::read(source, found, open.claim, reader.draft) => {
                    reader.unread(&open.span)
                }
                _ => {}
            },
            // What HTML encloses is reported as such.
            Block::Enclosed(..) => {}
            Block::Other(_) => {
                if let Some(open) = open
                    .filter(|open| open.form == GrantForm::LabelList || lists_later(outline, index))
                {
                    reader.unread(&open.span);
                }
            }
        }
    }
}

/// Whether a block before the next heading may list files.
fn lists_later(outline: &Outline<'_>, index: usize) -> bool {
    let later = outline.blocks.iter().skip(index + 1);
    let mut later =
        later.take_while(|block| !matches!(block, Block::Heading(_) | Block::Enclosed(..)));
    later.any(|block| matches!(block, Block::List(_) | Block::Table(_)))
}

/// Whether the next block may list files.
fn lists_follow(outline: &Outline<'_>, index: usize) -> bool {
    matches!(
        outline.blocks.get(index + 1),
        Some(Block::List(_) | Block::Table(_) | Block::Code(_))
    )
}

/// A heading or label, directly below which files may be listed.
struct Opener {
    claim: Claim,
    span: Range<usize>,
    form: GrantForm,
}

struct PassageReader<'r, 'a> {
    source: &'r DesignText<'r>,
    options: &'r DesignOptions,
    draft: &'r mut DesignBuilder<'a>,
    has_tasks: bool,
}

impl PassageReader<'_, '_> {
    /// Reads the items on the line of a label. Without any, what follows directly counts.
    fn label(&mut self, label: Label) -> Option<Opener> {
        let Label {
            claim,
            items,
            span,
            has_more,
        } = label;
        if items.is_empty() {
            if has_more {
                self.unread(&span);
                return None;
            }
            return Some(Opener {
                claim,
                span,
                form: GrantForm::LabelList,
            });
        }
        let source = self.source;
        self.draft.form(
            Shape::Line,
            GrantForm::LabelLine,
            claim.actions(),
            span.clone(),
        );
        self.draft.passage(span, |draft| {
            for item in &items {
                draft.item(item.read(source, ""), claim);
            }
        });
        None
    }

    /// Reads the labels and tasks in a list, at any depth.
    fn labels(&mut self, nodes: &[ListNode]) {
        let mut excluded: Option<usize> = None;
        for (index, node) in nodes.iter().enumerate() {
            if excluded.is_some_and(|depth| node.depth > depth) {
                continue;
            }
            excluded = None;
            let is_item = matches!(node.kind, ListNodeKind::Item { .. });
            if !is_item && node.kind != ListNodeKind::Paragraph {
                continue;
            }
            let Some(label) = label::read(self.source, &node.content, &self.options.headings)
            else {
                if is_item
                    && is_group(self.source, &node.content)
                    && words::excludes(&node.content.plain)
                {
                    excluded = Some(node.depth);
                }
                if self.has_tasks {
                    task::read(self.source, node, self.draft);
                }
                continue;
            };
            let depth = node.depth + usize::from(is_item);
            let Some(opener) = self.label(label) else {
                continue;
            };
            let is_list = |node: &ListNode| {
                node.depth == depth
                    && matches!(node.kind, ListNodeKind::Item { is_first: true, .. })
            };
            match nodes.get(index + 1) {
                Some(next) if is_list(next) => self.list(nodes, index + 1, depth, &opener),
                _ => self.unread(&opener.span),
            }
        }
    }

    /// Reads the items of one list, whose first item is the node `start`.
    fn list(&mut self, nodes: &[ListNode], start: usize, depth: usize, opener: &Opener) {
        let source = self.source;
        self.draft.form(
            Shape::List,
            opener.form,
            opener.claim.actions(),
            opener.span.clone(),
        );
        let extra = &self.options.headings;
        self.draft.passage(opener.span.clone(), |draft| {
            items(source, nodes, start, depth, opener.claim, extra, draft)
        });
    }

    fn unknown(&mut self, span: &Range<usize>) {
        let message = "this looks like a list of files, but it is not one of the headings and labels that announce one";
        let help = "write `**Files:**`, or a heading such as `## Files Changed`";
        let problem = Problem::new(Rule::DesignUnread, "unknown-label", message, help);
        self.draft.fault(problem.at(span.clone()));
    }

    fn unread(&mut self, span: &Range<usize>) {
        let message =
            "this announces files, but no list, table or code block of paths follows directly";
        let help = "put the list directly below, without a sentence in between";
        let problem = Problem::new(Rule::DesignUnread, "unread-passage", message, help);
        self.draft.fault(problem.at(span.clone()));
    }
}

/// Whether an item is a heading for those below it.
fn is_group(source: &DesignText<'_>, content: &InlineText) -> bool {
    let text = source.slice(content.span.clone()).trim();
    text.ends_with(':') || text.starts_with(['*', '_'])
}

/// Reads the items at a depth, up to the end of their list.
fn items(
    source: &DesignText<'_>,
    nodes: &[ListNode],
    start: usize,
    depth: usize,
    claim: Claim,
    extra: &[String],
    draft: &mut DesignBuilder<'_>,
) {
    let mut has_boxes = None;
    for (index, node) in nodes.iter().enumerate().skip(start) {
        if node.depth > depth {
            continue;
        }
        let ListNodeKind::Item { is_task, is_first } = node.kind else {
            break;
        };
        if node.depth < depth || is_first && index > start || is_task && has_boxes == Some(false) {
            break;
        }
        has_boxes = has_boxes.or(Some(is_task));
        if label::read(source, &node.content, extra).is_some() {
            continue;
        }
        let below = nodes
            .iter()
            .skip(index + 1)
            .take_while(|node| node.depth > depth);
        let is_text = |node: &&ListNode| {
            matches!(
                node.kind,
                ListNodeKind::Item { .. } | ListNodeKind::Paragraph
            )
        };
        if let Some(other) = below.clone().find(|node| !is_text(node)) {
            draft.bad_row(vec![odd(source, other.content.span.clone())]);
            continue;
        }
        let texts: Vec<&str> = below.map(|node| node.content.plain.as_str()).collect();
        let item = ItemText::new(source, &node.content, node.content.span.clone());
        match item.and_then(|item| item.read(source, &texts.join("\n"))) {
            // The items below may narrow a directory.
            Ok(DesignItem::Paths(item))
                if !texts.is_empty() && item.paths.iter().any(|path| path.text.ends_with('/')) =>
            {
                draft.bad_row(vec![odd(source, node.content.span.clone())]);
            }
            Ok(DesignItem::Type(kind)) => {
                let Some(claim) = Claim::of(kind) else {
                    continue;
                };
                let is_list = nodes.get(index + 1).is_some_and(|node| {
                    node.depth == depth + 1 && matches!(node.kind, ListNodeKind::Item { .. })
                });
                if is_list {
                    items(source, nodes, index + 1, depth + 1, claim, extra, draft);
                }
            }
            read => draft.item(read, claim),
        }
    }
}

fn odd(source: &DesignText<'_>, span: Range<usize>) -> LocatedProblem {
    let message = "what stands below this item says more about it than guard reads";
    let help = "move it out of the list; write each path in full";
    Problem::bad_row("odd-item", message, help).at(source.line_span(span.start))
}
