//! What the headings and bold groups of a document say about the blocks below them.

use std::collections::BTreeSet;

use super::headings::{Title, file_type, label, title};
use super::{Block, BlockKind, DesignBuilder, DesignText, InlineText};
use super::{problem, table, words};

/// The blocks with what their headings say.
pub(super) struct Outline<'b> {
    pub(super) blocks: &'b [Block],
    /// For each block, where it is.
    pub(super) places: Vec<BlockPlace<'b>>,
}

/// Where a block is.
#[derive(Clone, Copy, Default)]
pub(super) struct BlockPlace<'b> {
    /// What the block says, if it is a heading.
    pub(super) title: Title,
    /// The index of the heading directly above.
    pub(super) heading: Option<usize>,
    /// The index of the heading of the innermost section about files, excluded or not.
    pub(super) section: Option<usize>,
    /// Whether it is in a section about files that are not to be changed.
    is_forbidden: bool,
    /// The outermost heading or bold group that excludes passages without naming files.
    exclusion: Option<&'b InlineText>,
    /// The outermost one that also excludes tables.
    denial: Option<&'b InlineText>,
}

/// The level of a bold group, which every heading ends.
const GROUP: u8 = 7;

impl<'b> BlockPlace<'b> {
    /// Whether a heading or bold group excludes the tables there.
    pub(super) fn is_denied(&self) -> bool {
        self.is_forbidden || self.denial.is_some()
    }

    /// Whether a heading or bold group excludes the passages there.
    pub(super) fn is_excluded(&self) -> bool {
        self.is_forbidden || self.exclusion.is_some()
    }
}

impl<'b> Outline<'b> {
    pub(super) fn new(source: &DesignText<'b>, blocks: &'b [Block]) -> Outline<'b> {
        let mut places = Vec::with_capacity(blocks.len());
        let is_label = |block: &Block| matches!(block.visible(), BlockKind::Paragraph(content) if label(source, content).is_some());
        let is_heading = |block: &Block| matches!(block.kind, BlockKind::Heading(..));
        let first = blocks.iter().position(is_heading);
        // The open headings and bold groups: level, and the place below each.
        let mut open: Vec<(u8, BlockPlace<'b>)> = Vec::new();
        let mut keeps_labels = false;
        for (index, block) in blocks.iter().enumerate() {
            let opener = opener(source, block);
            // Labels may belong to a bold group, which another bold line ends.
            if let Some((end, ..)) = opener
                && !(end == GROUP && keeps_labels && is_label(block))
            {
                open.truncate(open.partition_point(|(level, _)| *level < end));
            }
            let mut place = open.last().map(|(_, place)| *place).unwrap_or_default();
            place.title = title_of(source, block);
            places.push(place);
            let Some((level, content, text)) = opener else {
                continue;
            };
            let is_title = level == 1 && first == Some(index);
            let is_denial = place.title == Title::Other
                && (content.is_struck_whole
                    || words::governs(text, is_title)
                    || place.section.is_some() && level < GROUP && content.is_struck
                    || place.section.is_some() && words::negates(text));
            let excludes = place.title != Title::Denied && !is_title && words::excludes(text);
            let mut below = place;
            if is_denial || excludes {
                keeps_labels = blocks.get(index + 1).is_some_and(is_label);
                below.exclusion.get_or_insert(content);
            }
            if is_denial {
                below.denial.get_or_insert(content);
            }
            if level < GROUP {
                below.heading = Some(index);
            }
            match place.title {
                Title::Scope(_) | Title::Passage(_) => below.section = Some(index),
                Title::Denied => below.is_forbidden = true,
                Title::Other => {}
            }
            open.push((level, below));
        }
        Outline { blocks, places }
    }

    /// Whether a place is below a heading, at any depth.
    pub(super) fn is_below(&self, place: &BlockPlace<'_>, heading: usize) -> bool {
        let above = |&heading: &usize| self.places[heading].heading;
        std::iter::successors(place.heading, above).any(|above| above == heading)
    }

    /// Reports tables and lists in raw HTML or below excluding headings, once per cause. Beside a table with types,
    /// headings that exclude only passages are no news.
    pub(super) fn report_unread(&self, draft: &mut DesignBuilder<'_>) {
        let source = draft.source;
        let is_label = |content: &InlineText| label(source, content).is_some();
        // Whether a block would be part of the scope elsewhere.
        let declares = |block: &Block, place: &BlockPlace<'_>| match &block.kind {
            BlockKind::Heading(_, content) => {
                let said = title(&content.plain, &source.options.headings);
                matches!(said, Title::Scope(_) | Title::Passage(_))
                    || file_type(content).is_some() && !content.is_struck_whole
            }
            BlockKind::Table(table) => {
                place.section.is_some() && !matches!(table::columns(table), Ok(None))
            }
            BlockKind::List(nodes) => {
                place.section.is_some() || nodes.iter().any(|node| is_label(&node.content))
            }
            BlockKind::Paragraph(content) => is_label(content),
            BlockKind::Code(_) | BlockKind::Other => false,
        };
        let mut causes = BTreeSet::new();
        for (block, place) in self.blocks.iter().zip(&self.places) {
            let cause = match draft.design.is_typed {
                true => place.denial,
                false => place.exclusion,
            };
            let counts = matches!(block.kind, BlockKind::Table(_)) && !place.is_denied();
            let (at, problem) = match (&block.element, cause.filter(|_| !counts)) {
                (Some(element), _) => {
                    let line = source.lines.line(element.start);
                    let problem = match element.name.as_str() {
                        "" => problem::unclear(line),
                        name => problem::raw_html(name, line),
                    };
                    (element.start, problem)
                }
                (None, Some(cause)) => (cause.span.start, problem::excluded(cause.one_line())),
                (None, None) => continue,
            };
            if declares(block, place) && causes.insert(at) {
                draft.fault(problem.at(source.line_span(block.start)));
            }
        }
    }
}

/// What a heading says. One that is struck out, hidden or in raw HTML starts nothing.
fn title_of(source: &DesignText<'_>, block: &Block) -> Title {
    let BlockKind::Heading(_, content) = &block.kind else {
        return Title::Other;
    };
    let opens = block.element.is_none() && !content.is_struck && !content.is_obscured;
    match title(&content.plain, &source.options.headings) {
        said if opens || said == Title::Denied => said,
        _ => Title::Other,
    }
}

/// The level, content and text of a heading, also in raw HTML, or of the bold line of a paragraph, which is often
/// directly above or below other text.
fn opener<'b>(source: &DesignText<'b>, block: &'b Block) -> Option<(u8, &'b InlineText, &'b str)> {
    if let BlockKind::Heading(level, content) = &block.kind {
        return Some((*level, content, &content.plain));
    }
    let BlockKind::Paragraph(content) = block.visible() else {
        return None;
    };
    let marks = ['*', '_', '~'];
    let is_bold =
        |line: &&str| line.starts_with(marks) && line.trim_end_matches(':').ends_with(marks);
    let mut lines = source.slice(content.span.clone()).lines().map(str::trim);
    let line = lines.find(is_bold)?;
    Some((GROUP, content, line.trim_matches(['*', '_', '~', ':'])))
}
