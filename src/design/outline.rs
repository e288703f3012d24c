//! What the headings and bold groups of a document say about the blocks below them.

use std::collections::BTreeSet;

use super::headings::{Title, label, title};
use super::html::Element;
use super::{
    Actions, Block, DesignText, Heading, InlineText, Problem, escaped, file_heading, table, words,
};

/// The blocks with what their headings say.
pub(super) struct Outline<'b> {
    pub(super) blocks: &'b [Block],
    /// For each block, where it is.
    pub(super) places: Vec<BlockPlace<'b>>,
    /// The headings below which a table with types is the scope.
    pub(super) sections: Vec<Section<'b>>,
}

/// Where a block is.
#[derive(Clone, Copy, Default)]
pub(super) struct BlockPlace<'b> {
    /// What the block says, if it is a heading.
    pub(super) title: Title,
    /// The index of the heading directly above.
    pub(super) heading: usize,
    /// The number of the section, if no subsection about files is closer.
    pub(super) section: Option<usize>,
    /// Whether it is in a section about files, excluded or not.
    is_in_scope: bool,
    /// Whether it is in a section about files that are not to be changed.
    is_forbidden: bool,
    /// The outermost heading or bold group that excludes passages without naming files.
    exclusion: Option<&'b InlineText>,
    /// The outermost one that also excludes tables.
    denial: Option<&'b InlineText>,
}

/// A heading below which a table with types is the scope.
pub(super) struct Section<'b> {
    /// The index of the heading.
    pub(super) index: usize,
    /// The index of the first block behind the section.
    pub(super) end: usize,
    pub(super) content: &'b InlineText,
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
        let (mut places, mut sections) = (Vec::with_capacity(blocks.len()), Vec::new());
        let is_label = |block: &Block| matches!(block, Block::Paragraph(content) if label(source, content).is_some());
        // The open headings: level, and the place below each.
        let mut open: Vec<(u8, BlockPlace<'b>)> = Vec::new();
        // The bold paragraph that excludes what follows, and whether labels belong to it.
        let mut group: Option<(BlockPlace<'b>, bool)> = None;
        let mut is_first = true;
        for (index, block) in blocks.iter().enumerate() {
            if let Some(heading) = heading_of(block) {
                group = None;
                open.retain(|(level, _)| *level < heading.level);
                let place = open
                    .last()
                    .map_or(BlockPlace::default(), |(_, place)| *place);
                let title = title_of(source, block, heading);
                let is_title = std::mem::replace(&mut is_first, false) && heading.level == 1;
                let mut below = below(heading, title, place, is_title);
                below.heading = index;
                if let Title::Scope(untyped) = title
                    && !place.is_denied()
                {
                    below.section = Some(sections.len());
                    sections.push(Section {
                        index,
                        end: 0,
                        content: &heading.content,
                        untyped,
                    });
                }
                open.push((heading.level, below));
                places.push(BlockPlace { title, ..place });
                continue;
            }
            let line = bold_line(source, block);
            group = group.filter(|(_, labels)| line.is_none() || *labels && is_label(block));
            let around = open
                .last()
                .map_or(BlockPlace::default(), |(_, place)| *place);
            let place = group.map_or(around, |(place, _)| place);
            places.push(place);
            if let Some((content, line)) = line {
                let is_denial = content.is_struck_whole()
                    || words::governs(line, false)
                    || place.is_in_scope && words::negates(line);
                if is_denial || words::excludes(line) {
                    let has_labels = blocks.get(index + 1).is_some_and(is_label);
                    group = Some((place.excluded_by(content, is_denial), has_labels));
                }
            }
        }
        let level = |block: &Block| heading_of(block).map_or(7, |heading| heading.level);
        for section in &mut sections {
            let own = level(&blocks[section.index]);
            let mut behind = section.index + 1..blocks.len();
            let behind = behind.find(|&at| level(&blocks[at]) <= own);
            section.end = behind.unwrap_or(blocks.len());
        }
        Outline {
            blocks,
            places,
            sections,
        }
    }

    /// Reports tables and lists in raw HTML or below excluding headings, once per cause. Beside a table with types,
    /// headings that exclude only passages are no news.
    pub(super) fn unread(&self, source: &DesignText<'_>, is_typed: bool) -> Vec<Problem> {
        let is_label = |content: &InlineText| label(source, content).is_some();
        // Whether a block would be part of the scope elsewhere.
        let declares = |block: &Block, place: &BlockPlace<'_>| match block {
            Block::Heading(heading) => {
                title(&heading.content.plain, &source.options.headings).is_files()
                    || file_heading::type_of(heading).is_some()
                        && !heading.content.is_struck_whole()
            }
            Block::Table(table) => place.is_in_scope && !matches!(table::columns(table), Ok(None)),
            Block::List(nodes) => {
                place.is_in_scope || nodes.iter().any(|node| is_label(&node.content))
            }
            Block::Paragraph(content) => is_label(content),
            Block::Code(_) | Block::Other(_) | Block::Enclosed(..) => false,
        };
        let mut problems = Vec::new();
        let mut causes = BTreeSet::new();
        for (block, place) in self.blocks.iter().zip(&self.places) {
            let line = source.line_span(block.start());
            if let Block::Enclosed(inner, element) = block {
                if declares(inner, place) && causes.insert(element.start) {
                    problems.push(enclosed(source, element).at(line));
                }
                continue;
            }
            let cause = [place.exclusion, place.denial][usize::from(is_typed)];
            let counts = matches!(block, Block::Table(_)) && !place.is_denied();
            if let Some(cause) = cause.filter(|_| !counts && declares(block, place))
                && causes.insert(cause.span.start)
            {
                let text = escaped(&cause.one_line());
                let message = format!(
                    "nothing below `{text}` is allowed: it is struck out, or it excludes files"
                );
                let help = "to allow it, move it below a heading such as `## Files Changed`";
                problems.push(Problem::unread("excluded", &message, help).at(line));
            }
        }
        problems
    }
}

/// The place below a heading at `place`.
fn below<'b>(
    heading: &'b Heading,
    title: Title,
    mut place: BlockPlace<'b>,
    is_title: bool,
) -> BlockPlace<'b> {
    let content = &heading.content;
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

fn enclosed(source: &DesignText<'_>, element: &Element) -> Problem {
    let line = source.line(element.start);
    let what = match element.name.as_str() {
        "" => format!("GitHub may show the document from line {line} on in another way"),
        name => {
            let name = escaped(name);
            format!("it is inside or behind the HTML element `<{name}>` of line {line}")
        }
    };
    let message = format!("this is not allowed: {what}");
    let help = "write it outside of HTML; close tags and comments where they begin; put an empty line above a table, and no indentation before its rows";
    Problem::unread("raw-html", &message, help)
}

/// The heading in a block, also inside raw HTML.
fn heading_of(block: &Block) -> Option<&Heading> {
    match block {
        Block::Heading(heading) => Some(heading),
        Block::Enclosed(block, _) => heading_of(block),
        _ => None,
    }
}

/// What a heading says; one that is struck out, hidden or in raw HTML starts nothing.
fn title_of(source: &DesignText<'_>, block: &Block, heading: &Heading) -> Title {
    let content = &heading.content;
    let found = title(&content.plain, &source.options.headings);
    let opens = matches!(block, Block::Heading(_)) && !content.is_struck && !content.is_obscured;
    match opens || found == Title::Denied {
        true => found,
        false => Title::Other,
    }
}

/// The bold line of a paragraph. It is often directly above or below other text.
fn bold_line<'a, 'b>(
    source: &DesignText<'a>,
    block: &'b Block,
) -> Option<(&'b InlineText, &'a str)> {
    let Block::Paragraph(content) = block else {
        return None;
    };
    let marks = ['*', '_', '~'];
    let is_bold =
        |line: &&str| line.starts_with(marks) && line.trim_end_matches(':').ends_with(marks);
    let mut lines = source.slice(content.span.clone()).lines().map(str::trim);
    let line = lines.find(is_bold)?;
    Some((content, line.trim_matches(['*', '_', '~', ':'])))
}
