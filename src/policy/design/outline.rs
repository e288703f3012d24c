//! What the headings and bold groups of a document say about the blocks below them.

use std::ops::Range;

use super::blocks::{Block, Heading, InlineText};
use super::heading::{Claim, Title, title};
use super::label;
use super::options::DesignOptions;
use super::source::DesignText;
use super::words;

/// The blocks with what their headings say.
pub(super) struct Outline<'b> {
    pub(super) blocks: &'b [Block],
    titles: Vec<(usize, &'b Heading, Title)>,
    /// For each block, whether it is in a section about files, excluded or not.
    in_scope: Vec<bool>,
    /// For each block, whether a heading or bold group excludes the tables below it.
    denied: Vec<bool>,
    /// For each block, whether a heading or bold group excludes the passages below it.
    excluded: Vec<bool>,
    /// What excludes files without naming them itself.
    pub(super) exclusions: Vec<Exclusion<'b>>,
}

/// A heading such as "Out of scope", or a bold paragraph that says the same.
pub(super) struct Exclusion<'b> {
    pub(super) content: &'b InlineText,
    /// The indices of the blocks below it.
    pub(super) body: Range<usize>,
    /// Whether it also excludes tables.
    pub(super) is_denial: bool,
}

/// A heading below which a table with types is the scope.
pub(super) struct Section<'b> {
    pub(super) heading: &'b Heading,
    /// The indices of the blocks after the heading.
    pub(super) body: Range<usize>,
    pub(super) claim: Claim,
}

impl<'b> Outline<'b> {
    pub(super) fn new(
        source: &DesignText<'_>,
        blocks: &'b [Block],
        options: &DesignOptions,
    ) -> Self {
        let titles = blocks.iter().enumerate();
        let titles = titles.filter_map(|(index, block)| {
            title_of(block, options).map(|(heading, title)| (index, heading, title))
        });
        let unmarked = vec![false; blocks.len()];
        let mut outline = Outline {
            blocks,
            titles: titles.collect(),
            in_scope: unmarked.clone(),
            denied: unmarked.clone(),
            excluded: unmarked,
            exclusions: Vec::new(),
        };
        let titles = outline.titles.iter().enumerate();
        let bodies = titles.map(|(number, (_, _, title))| (outline.body(number), *title));
        for (body, title) in bodies.collect::<Vec<_>>() {
            match title {
                Title::Scope(_) | Title::Passage(_) => outline.in_scope[body].fill(true),
                Title::Denied => {
                    outline.denied[body.clone()].fill(true);
                    outline.excluded[body].fill(true);
                }
                Title::Other => {}
            }
        }
        let exclusions = (0..blocks.len()).filter_map(|at| outline.exclusion(source, options, at));
        outline.exclusions = exclusions.collect();
        for exclusion in &outline.exclusions {
            outline.excluded[exclusion.body.clone()].fill(true);
            if exclusion.is_denial {
                outline.denied[exclusion.body.clone()].fill(true);
            }
        }
        outline
    }

    /// What a heading or bold group excludes.
    fn exclusion(
        &self,
        source: &DesignText<'_>,
        options: &DesignOptions,
        index: usize,
    ) -> Option<Exclusion<'b>> {
        let in_scope = self.in_scope.get(index) == Some(&true);
        let block = self.blocks.get(index)?;
        let Some(heading) = heading_of(block) else {
            let (content, line) = bold_line(source, block)?;
            let is_denial = content.is_struck_whole()
                || words::governs(line, false)
                || in_scope && words::negates(line);
            return (is_denial || words::excludes(line)).then(|| Exclusion {
                content,
                body: self.group(source, options, index),
                is_denial,
            });
        };
        let number = self
            .titles
            .binary_search_by_key(&index, |(at, ..)| *at)
            .ok()?;
        let (content, title) = (&heading.content, self.title(index));
        let is_title = number == 0 && heading.level == 1;
        let is_denial = title == Title::Other
            && (content.is_struck_whole()
                || words::governs(&content.plain, is_title)
                || in_scope && (content.is_struck() || words::negates(&content.plain)));
        let excludes = is_denial || !is_title && words::excludes(&content.plain);
        (excludes && title != Title::Denied).then(|| Exclusion {
            content,
            body: self.body(number),
            is_denial,
        })
    }

    /// The blocks below a bold paragraph, up to the next one or the next heading. Labels of files directly below it
    /// belong to it.
    fn group(
        &self,
        source: &DesignText<'_>,
        options: &DesignOptions,
        index: usize,
    ) -> Range<usize> {
        let is_label = |block: &Block| matches!(block, Block::Paragraph(content) if label::read(source, content, &options.headings).is_some());
        let below = self.blocks.get(index + 1..).unwrap_or(&[]);
        let has_labels = below.first().is_some_and(is_label);
        let is_end = |block: &Block| {
            heading_of(block).is_some()
                || bold_line(source, block).is_some() && !(has_labels && is_label(block))
        };
        let length = below.iter().take_while(|block| !is_end(block)).count();
        index + 1..index + 1 + length
    }

    /// The blocks below a heading, up to the next one of the same or a higher level.
    fn body(&self, number: usize) -> Range<usize> {
        let Some((index, heading, _)) = self.titles.get(number) else {
            return 0..0;
        };
        let mut later = self.titles.iter().skip(number + 1);
        let next = later.find(|(_, next, _)| next.level <= heading.level);
        index + 1..next.map_or(self.blocks.len(), |(index, ..)| *index)
    }

    pub(super) fn is_in_scope(&self, index: usize) -> bool {
        self.in_scope.get(index) == Some(&true)
    }

    /// Whether the tables at a block are excluded.
    pub(super) fn is_denied(&self, index: usize) -> bool {
        self.denied.get(index) == Some(&true)
    }

    /// Whether the passages at a block are excluded.
    pub(super) fn is_excluded(&self, index: usize) -> bool {
        self.excluded.get(index) == Some(&true)
    }

    /// The sections in which a table with types is the scope.
    pub(super) fn sections(&self) -> Vec<Section<'b>> {
        let titles = self.titles.iter().enumerate();
        let section =
            |(number, (index, heading, title)): (usize, &(_, &'b Heading, Title))| match *title {
                Title::Scope(claim) if !self.is_denied(*index) => Some(Section {
                    heading,
                    body: self.body(number),
                    claim,
                }),
                _ => None,
            };
        titles.filter_map(section).collect()
    }

    /// The blocks of a section outside its subsections that announce files, each with the heading directly above.
    pub(super) fn own(&self, section: &Section<'b>) -> Vec<(usize, usize, &'b Block)> {
        let mut unit = section.body.start.saturating_sub(1);
        let mut inner_end = 0;
        let mut found = Vec::new();
        for index in section.body.clone() {
            if let Ok(number) = self.titles.binary_search_by_key(&index, |(at, ..)| *at) {
                unit = index;
                if index >= inner_end && self.title(index).is_files() {
                    inner_end = self.body(number).end;
                }
            }
            if index >= inner_end && !self.is_denied(index) {
                found.extend(self.blocks.get(index).map(|block| (index, unit, block)));
            }
        }
        found
    }

    /// What the heading at a block says.
    pub(super) fn title(&self, block: usize) -> Title {
        let found = self.titles.binary_search_by_key(&block, |(at, ..)| *at);
        let title = found.ok().and_then(|number| self.titles.get(number));
        title.map_or(Title::Other, |(_, _, title)| *title)
    }
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
fn title_of<'b>(block: &'b Block, options: &DesignOptions) -> Option<(&'b Heading, Title)> {
    let heading = heading_of(block)?;
    let content = &heading.content;
    let found = title(&content.plain, &options.headings);
    let opens = matches!(block, Block::Heading(_)) && !content.is_struck() && !content.is_obscured;
    let is_heard = opens || found == Title::Denied;
    Some((heading, if is_heard { found } else { Title::Other }))
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
    Some((
        content,
        lines.find(is_bold)?.trim_matches(['*', '_', '~', ':']),
    ))
}
