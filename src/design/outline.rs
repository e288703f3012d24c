//! What the headings and bold groups of a document say about the blocks below them.

use std::collections::BTreeSet;

use super::headings::{Title, file_type, label, title};
use super::{Actions, Block, BlockKind, DesignBuilder, DesignText, InlineText};
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
    /// The heading below which a table with types is the scope, if no subsection about files is closer.
    pub(super) section: Option<Section>,
    /// Whether it is in a section about files, excluded or not.
    is_in_scope: bool,
    /// Whether it is in a section about files that are not to be changed.
    is_forbidden: bool,
    /// The outermost heading or bold group that excludes passages without naming files.
    exclusion: Option<&'b InlineText>,
    /// The outermost one that also excludes tables.
    denial: Option<&'b InlineText>,
}

/// The level of a bold group, which every heading ends.
const GROUP: u8 = 7;

/// A heading below which a table with types is the scope.
#[derive(Clone, Copy)]
pub(super) struct Section {
    /// The index of the heading.
    pub(super) index: usize,
    /// What a row without a type grants.
    pub(super) untyped: Actions,
}

impl<'b> BlockPlace<'b> {
    /// Whether a heading or bold group excludes the tables there.
    pub(super) fn is_denied(&self) -> bool {
        self.is_forbidden || self.denial.is_some()
    }

    /// Whether a heading or bold group excludes the passages there.
    pub(super) fn is_excluded(&self) -> bool {
        self.is_forbidden || self.exclusion.is_some()
    }

    /// The place below a heading or bold group that excludes passages, and perhaps tables.
    fn excluded_by(mut self, content: &'b InlineText, is_denial: bool) -> BlockPlace<'b> {
        self.exclusion = self.exclusion.or(Some(content));
        self.denial = self.denial.or(Some(content).filter(|_| is_denial));
        self
    }
}

impl<'b> Outline<'b> {
    pub(super) fn new(source: &DesignText<'_>, blocks: &'b [Block]) -> Outline<'b> {
        let mut places = Vec::with_capacity(blocks.len());
        let is_label = |block: &Block| matches!(block.visible(), BlockKind::Paragraph(content) if label(source, content).is_some());
        // The open headings and bold groups: level, and the place below each.
        let mut open: Vec<(u8, BlockPlace<'b>)> = Vec::new();
        let (mut is_first, mut keeps_labels) = (true, false);
        for (index, block) in blocks.iter().enumerate() {
            let (heading, line) = (heading_of(block), bold_line(source, block));
            // Labels may belong to a bold group, which another bold line ends.
            let ends_group = line.is_some() && !(keeps_labels && is_label(block));
            let end = heading.map(|(level, _)| level);
            let end = end.or(Some(GROUP).filter(|_| ends_group));
            open.retain(|(level, _)| end.is_none_or(|end| *level < end));
            let place = open.last().map(|(_, place)| *place);
            let mut place = place.unwrap_or_default();
            if let Some((level, content)) = heading {
                let is_title = std::mem::replace(&mut is_first, false) && level == 1;
                // One that is struck out, hidden or in raw HTML starts nothing.
                let opens = block.element.is_none() && !content.is_struck && !content.is_obscured;
                let title = match title(&content.plain, &source.options.headings) {
                    said if opens || said == Title::Denied => said,
                    _ => Title::Other,
                };
                let mut below = below(content, title, place, is_title);
                below.heading = Some(index);
                if let Title::Scope(untyped) = title
                    && !place.is_denied()
                {
                    below.section = Some(Section { index, untyped });
                }
                open.push((level, below));
                place.title = title;
            } else if let Some((content, line)) = line {
                let is_denial = content.is_struck_whole()
                    || words::governs(line, false)
                    || place.is_in_scope && words::negates(line);
                if is_denial || words::excludes(line) {
                    keeps_labels = blocks.get(index + 1).is_some_and(is_label);
                    open.push((GROUP, place.excluded_by(content, is_denial)));
                }
            }
            places.push(place);
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
        let (source, is_typed) = (draft.source, draft.design.is_typed);
        let is_label = |content: &InlineText| label(source, content).is_some();
        // Whether a block would be part of the scope elsewhere.
        let declares = |block: &Block, place: &BlockPlace<'_>| match &block.kind {
            BlockKind::Heading(_, content) => {
                title(&content.plain, &source.options.headings).is_files()
                    || file_type(content).is_some() && !content.is_struck_whole()
            }
            BlockKind::Table(table) => {
                place.is_in_scope && !matches!(table::columns(table), Ok(None))
            }
            BlockKind::List(nodes) => {
                place.is_in_scope || nodes.iter().any(|node| is_label(&node.content))
            }
            BlockKind::Paragraph(content) => is_label(content),
            BlockKind::Code(_) | BlockKind::Other => false,
        };
        let mut causes = BTreeSet::new();
        for (block, place) in self.blocks.iter().zip(&self.places) {
            let cause = match is_typed {
                true => place.denial,
                false => place.exclusion,
            };
            let counts = matches!(block.kind, BlockKind::Table(_)) && !place.is_denied();
            let (at, problem) = match (&block.element, cause.filter(|_| !counts)) {
                (Some(element), _) => {
                    let line = source.line(element.start);
                    let problem = match element.name.as_str() {
                        "" => problem::unclear(line),
                        name => problem::raw_html(name, line),
                    };
                    (element.start, problem)
                }
                (None, Some(cause)) => (cause.span.start, problem::excluded(cause.one_line())),
                (None, None) => continue,
            };
            if !causes.contains(&at) && declares(block, place) {
                causes.insert(at);
                draft.fault(problem.at(source.line_span(block.start)));
            }
        }
    }
}

/// The place below a heading at `place`.
fn below<'b>(
    content: &'b InlineText,
    title: Title,
    mut place: BlockPlace<'b>,
    is_title: bool,
) -> BlockPlace<'b> {
    let is_in_scope = place.is_in_scope;
    if title.is_files() {
        (place.is_in_scope, place.section) = (true, None);
    }
    place.is_forbidden |= title == Title::Denied;
    let is_denial = title == Title::Other
        && (content.is_struck_whole()
            || words::governs(&content.plain, is_title)
            || is_in_scope && (content.is_struck || words::negates(&content.plain)));
    let excludes = title != Title::Denied && !is_title && words::excludes(&content.plain);
    match is_denial || excludes {
        true => place.excluded_by(content, is_denial),
        false => place,
    }
}

/// The heading in a block, also inside raw HTML.
fn heading_of(block: &Block) -> Option<(u8, &InlineText)> {
    match &block.kind {
        BlockKind::Heading(level, content) => Some((*level, content)),
        _ => None,
    }
}

/// The bold line of a paragraph. It is often directly above or below other text.
fn bold_line<'a, 'b>(
    source: &DesignText<'a>,
    block: &'b Block,
) -> Option<(&'b InlineText, &'a str)> {
    let BlockKind::Paragraph(content) = block.visible() else {
        return None;
    };
    let marks = ['*', '_', '~'];
    let is_bold =
        |line: &&str| line.starts_with(marks) && line.trim_end_matches(':').ends_with(marks);
    let mut lines = source.slice(content.span.clone()).lines().map(str::trim);
    let line = lines.find(is_bold)?;
    Some((content, line.trim_matches(['*', '_', '~', ':'])))
}
