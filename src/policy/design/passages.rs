//! Passages: a heading or label that announces files, and directly below it one list, table or code block of paths.

use std::ops::Range;

use super::blocks::{Block, InlineText, ListNode, ListNodeKind};
use super::code;
use super::columns::columns;
use super::design_builder::DesignBuilder;
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
        extra: &options.headings,
        draft,
        has_tasks,
    };
    let mut opener: Option<Opener> = None;
    for (index, block) in outline.blocks.iter().enumerate() {
        let open = opener.take();
        if outline.is_excluded(index) {
            continue;
        }
        let lists_follow = matches!(
            outline.blocks.get(index + 1),
            Some(Block::List(_) | Block::Table(_) | Block::Code(_))
        );
        let is_read = match block {
            Block::Heading(heading) => {
                let text = &heading.content.plain;
                let span = source.line_span(heading.content.span.start);
                match outline.title(index) {
                    Title::Scope(claim) | Title::Passage(claim) if is_plain(text) => {
                        let form = GrantForm::HeadingList;
                        opener = Some(Opener { claim, span, form });
                    }
                    _ if lists_follow && resembles(text) && !heading.content.is_struck() => {
                        reader.unknown(&span);
                    }
                    _ => {}
                }
                file_heading::read(source, heading, reader.draft);
                true
            }
            Block::Paragraph(content) => {
                let (found, is_label) = reader.paragraph(content, outline.blocks.get(index + 1));
                if !is_label && open.is_none() && lists_follow && label::resembles(source, content)
                {
                    reader.unknown(&source.line_span(content.span.start));
                }
                opener = found;
                // A heading that only introduces labels is none that was not read.
                is_label || outline.is_excluded(index + 1)
            }
            Block::List(nodes) => {
                if let Some(open) = &open {
                    reader.list(nodes, 0, 0, open);
                }
                reader.labels(nodes);
                true
            }
            Block::Table(found) => match (&open, columns(found)) {
                (Some(open), Ok(Some(columns))) if columns.is_of_files() || !open.is_label() => {
                    table::passage(source, found, &columns, open.claim, reader.draft);
                    true
                }
                // The reader of typed tables has reported it.
                (open, _) => !open.as_ref().is_some_and(Opener::is_label),
            },
            Block::Code(found) if tree::is_drawn(source, found) => {
                tree::read(source, found, reader.draft);
                true
            }
            Block::Code(found) => match &open {
                Some(open) if code::read(source, found, open.claim, reader.draft) => true,
                Some(open) => {
                    reader.unread(&open.span);
                    true
                }
                None => true,
            },
            // What HTML encloses is reported as such.
            Block::Enclosed(..) => true,
            Block::Other(_) => false,
        };
        let lists_later = || {
            let later = outline.blocks.iter().skip(index + 1);
            later
                .take_while(|block| !matches!(block, Block::Heading(_) | Block::Enclosed(..)))
                .any(|block| matches!(block, Block::List(_) | Block::Table(_)))
        };
        if let Some(open) = open.filter(|open| !is_read && (open.is_label() || lists_later())) {
            reader.unread(&open.span);
        }
    }
}

/// Whether a heading or label that announces nothing looks as if it did.
fn resembles(text: &str) -> bool {
    words::words(text).iter().any(|word| word == "files") && !words::negates(text)
}

/// A heading or label, directly below which files may be listed.
struct Opener {
    claim: Claim,
    span: Range<usize>,
    form: GrantForm,
}

impl Opener {
    fn is_label(&self) -> bool {
        self.form == GrantForm::LabelList
    }
}

struct PassageReader<'r, 'a> {
    source: &'r DesignText<'r>,
    /// The headings of the settings.
    extra: &'r [String],
    draft: &'r mut DesignBuilder<'a>,
    has_tasks: bool,
}

impl PassageReader<'_, '_> {
    /// Reads the label at the start of a paragraph: what it opens, and whether there is one.
    fn paragraph(&mut self, content: &InlineText, next: Option<&Block>) -> (Option<Opener>, bool) {
        if let Some(span) = label::inside(self.source, content, self.extra) {
            self.unread(&span);
        }
        let Some(label) = label::read(self.source, content, self.extra) else {
            return (None, false);
        };
        if let Some(list @ Block::List(_)) = next.filter(|_| !label.items.is_empty()) {
            self.unread(&self.source.line_span(list.start()));
        }
        (self.label(label), true)
    }

    /// Reads the items on the line of a label. Without any, what follows directly counts.
    fn label(&mut self, label: Label) -> Option<Opener> {
        let (source, claim, span) = (self.source, label.claim, label.span);
        if label.items.is_empty() {
            if label.has_more {
                self.unread(&span);
                return None;
            }
            let form = GrantForm::LabelList;
            return Some(Opener { claim, span, form });
        }
        let (form, actions) = (GrantForm::LabelLine, claim.actions());
        self.draft.form(Shape::Line, form, actions, span.clone());
        self.draft.passage(span, |draft| {
            for item in &label.items {
                draft.item(item.read(source, ""), claim);
            }
        });
        None
    }

    /// Reads the labels and tasks in a list, at any depth.
    fn labels(&mut self, nodes: &[ListNode]) {
        let mut excluded: Option<usize> = None;
        for (index, node) in nodes.iter().enumerate() {
            if excluded.is_some_and(|depth| node.depth > depth) || !is_text(node) {
                continue;
            }
            excluded = None;
            let is_item = is_item(node);
            let Some(label) = label::read(self.source, &node.content, self.extra) else {
                let text = self.source.slice(node.content.span.clone()).trim();
                let is_group = is_item && (text.ends_with(':') || text.starts_with(['*', '_']));
                excluded = (is_group && words::excludes(&node.content.plain)).then_some(node.depth);
                if self.has_tasks {
                    task::read(self.source, node, self.draft);
                }
                continue;
            };
            let depth = node.depth + usize::from(is_item);
            let Some(opener) = self.label(label) else {
                continue;
            };
            let is_first =
                |node: &&ListNode| matches!(node.kind, ListNodeKind::Item { is_first: true, .. });
            let next = nodes.get(index + 1).filter(is_first);
            match next.is_some_and(|node| node.depth == depth) {
                true => self.list(nodes, index + 1, depth, &opener),
                false => self.unread(&opener.span),
            }
        }
    }

    /// Reads the items of one list, whose first item is the node `start`.
    fn list(&mut self, nodes: &[ListNode], start: usize, depth: usize, opener: &Opener) {
        let (actions, span) = (opener.claim.actions(), opener.span.clone());
        self.draft
            .form(Shape::List, opener.form, actions, span.clone());
        let (source, extra) = (self.source, self.extra);
        self.draft.passage(span, |draft| {
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

fn is_item(node: &ListNode) -> bool {
    matches!(node.kind, ListNodeKind::Item { .. })
}

fn is_text(node: &ListNode) -> bool {
    is_item(node) || node.kind == ListNodeKind::Paragraph
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
        let below = nodes.get(index + 1..).unwrap_or(&[]);
        let length = below.iter().take_while(|node| node.depth > depth).count();
        let below = below.get(..length).unwrap_or(&[]);
        if let Some(other) = below.iter().find(|node| !is_text(node)) {
            draft.bad_row(vec![odd(source, &other.content)]);
            continue;
        }
        let texts: Vec<&str> = below.iter().map(|node| &*node.content.plain).collect();
        let item = ItemText::new(source, &node.content, node.content.span.clone());
        match item.and_then(|item| item.read(source, &texts.join("\n"))) {
            // The items below may narrow a directory.
            Ok(DesignItem::Paths(item))
                if !texts.is_empty() && item.paths.iter().any(|path| path.text.ends_with('/')) =>
            {
                draft.bad_row(vec![odd(source, &node.content)]);
            }
            Ok(DesignItem::Type(kind)) => {
                let is_list = |node: &&ListNode| node.depth == depth + 1 && is_item(node);
                if let (Some(claim), Some(_)) = (Claim::of(kind), below.first().filter(is_list)) {
                    items(source, nodes, index + 1, depth + 1, claim, extra, draft);
                }
            }
            read => draft.item(read, claim),
        }
    }
}

fn odd(source: &DesignText<'_>, content: &InlineText) -> LocatedProblem {
    let message = "what stands below this item says more about it than guard reads";
    let help = "move it out of the list; write each path in full";
    Problem::bad_row("odd-item", message, help).at(source.line_span(content.span.start))
}
