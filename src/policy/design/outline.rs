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
    pub(super) places: Vec<Place>,
    /// The headings below which a table with types is the scope.
    pub(super) sections: Vec<Section<'b>>,
    /// The headings and bold paragraphs that exclude files without naming them.
    exclusions: Vec<&'b InlineText>,
}

/// Where a block is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// What the block says, if it is a heading.
    pub(super) title: Title,
    /// The index of the heading directly above.
    pub(super) heading: usize,
    /// The number of the section, if no subsection about files is closer.
    pub(super) section: Option<usize>,
    /// Whether it is in a section about files, excluded or not.
    is_in_scope: bool,
    /// Whether a heading or bold group excludes the tables there.
    pub(super) is_denied: bool,
    /// Whether a heading or bold group excludes the passages there.
    pub(super) is_excluded: bool,
    /// The number of the outermost exclusion, and of the outermost one that also excludes tables.
    exclusion: Option<usize>,
    denial: Option<usize>,
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

impl Place {
    /// The place below a heading or bold group that excludes passages, and perhaps tables.
    fn excluded_by(mut self, number: usize, is_denial: bool) -> Place {
        (self.is_excluded, self.exclusion) = (true, self.exclusion.or(Some(number)));
        if is_denial {
            (self.is_denied, self.denial) = (true, self.denial.or(Some(number)));
        }
        self
    }
}

impl<'b> Outline<'b> {
    pub(super) fn new(source: &DesignText<'_>, blocks: &'b [Block]) -> Outline<'b> {
        let mut outline = Outline {
            blocks,
            places: Vec::with_capacity(blocks.len()),
            sections: Vec::new(),
            exclusions: Vec::new(),
        };
        let is_label = |block: &Block| matches!(block, Block::Paragraph(content) if label(source, content).is_some());
        let top = Place {
            title: Title::Other,
            heading: 0,
            section: None,
            is_in_scope: false,
            is_denied: false,
            is_excluded: false,
            exclusion: None,
            denial: None,
        };
        // The open headings: level, and the place below each.
        let mut open: Vec<(u8, Place)> = Vec::new();
        // The bold paragraph that excludes what follows, and whether labels belong to it.
        let mut group: Option<(Place, bool)> = None;
        let mut is_first = true;
        for (index, block) in blocks.iter().enumerate() {
            let line = bold_line(source, block);
            if let Some(heading) = heading_of(block) {
                group = None;
                open.retain(|(level, _)| *level < heading.level);
                let place = open.last().map_or(top, |(_, place)| *place);
                let title = title_of(source, block, heading);
                let is_title = std::mem::replace(&mut is_first, false) && heading.level == 1;
                let below = outline.below(index, heading, title, place, is_title);
                open.push((heading.level, below));
                outline.places.push(Place { title, ..place });
                continue;
            }
            group =
                group.filter(|(_, has_labels)| line.is_none() || *has_labels && is_label(block));
            let around = open.last().map_or(top, |(_, place)| *place);
            let place = group.map_or(around, |(place, _)| place);
            outline.places.push(place);
            if let Some((content, line)) = line {
                let is_denial = content.is_struck_whole()
                    || words::governs(line, false)
                    || place.is_in_scope && words::negates(line);
                if is_denial || words::excludes(line) {
                    let below = place.excluded_by(outline.exclusions.len(), is_denial);
                    group = Some((below, blocks.get(index + 1).is_some_and(is_label)));
                    outline.exclusions.push(content);
                }
            }
        }
        for section in &mut outline.sections {
            let level = |block: &Block| heading_of(block).map_or(7, |heading| heading.level);
            let own = blocks.get(section.index).map_or(7, level);
            let mut behind =
                (section.index + 1..blocks.len()).filter(|&at| level(&blocks[at]) <= own);
            section.end = behind.next().unwrap_or(blocks.len());
        }
        outline
    }

    /// The place below a heading at `place`.
    fn below(
        &mut self,
        index: usize,
        heading: &'b Heading,
        title: Title,
        place: Place,
        is_title: bool,
    ) -> Place {
        let content = &heading.content;
        let mut below = Place {
            heading: index,
            is_in_scope: place.is_in_scope || title.is_files(),
            ..place
        };
        if title.is_files() {
            below.section = None;
        }
        if let Title::Scope(untyped) = title
            && !place.is_denied
        {
            below.section = Some(self.sections.len());
            self.sections.push(Section {
                index,
                end: 0,
                content,
                untyped,
            });
        }
        if title == Title::Denied {
            (below.is_denied, below.is_excluded) = (true, true);
            return below;
        }
        let is_denial = title == Title::Other
            && (content.is_struck_whole()
                || words::governs(&content.plain, is_title)
                || place.is_in_scope && (content.is_struck || words::negates(&content.plain)));
        if is_denial || !is_title && words::excludes(&content.plain) {
            below = below.excluded_by(self.exclusions.len(), is_denial);
            self.exclusions.push(content);
        }
        below
    }

    /// Reports tables and lists in raw HTML or below excluding headings, once per cause. Beside a table with types,
    /// headings that exclude only passages are no news.
    pub(super) fn unread(&self, source: &DesignText<'_>, is_typed: bool) -> Vec<Problem> {
        let is_label = |content: &InlineText| label(source, content).is_some();
        // Whether a block would be part of the scope elsewhere.
        let declares = |block: &Block, place: &Place| match block {
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
        let (mut elements, mut exclusions) = (BTreeSet::new(), BTreeSet::new());
        for (block, place) in self.blocks.iter().zip(&self.places) {
            let line = source.line_span(block.start());
            if let Block::Enclosed(inner, element) = block {
                if declares(inner, place) && elements.insert(element.start) {
                    problems.push(enclosed(source, element).at(line));
                }
                continue;
            }
            let number = if is_typed {
                place.denial
            } else {
                place.exclusion
            };
            let counts = matches!(block, Block::Table(_)) && !place.is_denied;
            if let Some(number) = number
                && !counts
                && declares(block, place)
                && exclusions.insert(number)
            {
                let text = escaped(&self.exclusions[number].one_line());
                let message = format!(
                    "nothing below `{text}` is granted: it is struck out, or it excludes files"
                );
                let help = "to grant it, move it below a heading such as `## Files Changed`";
                problems.push(Problem::unread("excluded", &message, help).at(line));
            }
        }
        problems
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
    let message = format!("this is not granted: {what}");
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
