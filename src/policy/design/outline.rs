//! What the headings and bold groups of a document say about the blocks below them.

use std::ops::Range;

use super::blocks::{Block, Heading, InlineText, Table};
use super::columns::Columns;
use super::exclusion;
use super::heading::{Claim, Title, title};
use super::label;
use super::options::DesignOptions;
use super::source::DesignText;
use super::words;

/// The blocks with what their headings say.
pub(super) struct Outline<'b> {
    pub(super) blocks: &'b [Block],
    pub(super) titles: Vec<(usize, &'b Heading, Title)>,
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

/// A heading that announces files, with the blocks below it.
pub(super) struct Section<'b> {
    pub(super) heading: &'b Heading,
    /// The indices of the blocks after the heading.
    pub(super) body: Range<usize>,
    pub(super) claim: Claim,
    pub(super) tables: Vec<CandidateTable<'b>>,
}

/// A table of files.
pub(super) struct CandidateTable<'b> {
    pub(super) index: usize,
    pub(super) table: &'b Table,
    pub(super) columns: Columns,
    /// The index of the heading directly above.
    pub(super) unit: usize,
}

impl<'b> Outline<'b> {
    pub(super) fn new(
        source: &DesignText<'_>,
        blocks: &'b [Block],
        options: &DesignOptions,
    ) -> Self {
        let titles = blocks.iter().enumerate();
        let titles = titles
            .filter_map(|(index, block)| title_of(block, options).map(|(h, t)| (index, h, t)));
        let mut outline = Outline {
            blocks,
            titles: titles.collect(),
            in_scope: vec![false; blocks.len()],
            denied: vec![false; blocks.len()],
            excluded: vec![false; blocks.len()],
            exclusions: Vec::new(),
        };
        for number in 0..outline.titles.len() {
            let (body, (_, _, title)) = (outline.body(number), &outline.titles[number]);
            match title {
                Title::Scope(_) | Title::Passage(_) => mark(&mut outline.in_scope, body),
                Title::Denied => {
                    mark(&mut outline.denied, body.clone());
                    mark(&mut outline.excluded, body);
                }
                Title::Other => {}
            }
        }
        outline.exclusions = outline.excluding_headings();
        let groups = outline.excluding_groups(source, options);
        outline.exclusions.extend(groups);
        for exclusion in &outline.exclusions {
            mark(&mut outline.excluded, exclusion.body.clone());
            if exclusion.is_denial {
                mark(&mut outline.denied, exclusion.body.clone());
            }
        }
        outline
    }

    fn excluding_headings(&self) -> Vec<Exclusion<'b>> {
        let exclusion =
            |(number, (index, heading, title)): (usize, &(usize, &'b Heading, Title))| {
                let content = &heading.content;
                let in_scope = self.is_in_scope(*index);
                let is_title = number == 0 && heading.level == 1;
                let is_denial = content.is_struck_whole()
                    || exclusion::governs(&content.plain, is_title)
                    || in_scope && (content.is_struck() || exclusion::is_in_text(&content.plain));
                let excludes = is_denial && *title == Title::Other
                    || !is_title && words::excludes(&content.plain);
                (excludes && *title != Title::Denied).then(|| Exclusion {
                    content,
                    body: self.body(number),
                    is_denial: is_denial && *title == Title::Other,
                })
            };
        self.titles
            .iter()
            .enumerate()
            .filter_map(exclusion)
            .collect()
    }

    /// Bold paragraphs that exclude, up to the next one or the next heading. Labels of files directly below one belong
    /// to it.
    fn excluding_groups(
        &self,
        source: &DesignText<'_>,
        options: &DesignOptions,
    ) -> Vec<Exclusion<'b>> {
        let line_of = |block: &'b Block| match block {
            Block::Paragraph(content) => bold_line(source, content).map(|line| (content, line)),
            _ => None,
        };
        let is_label = |block: Option<&'b Block>| matches!(block, Some(Block::Paragraph(content)) if label::read(source, content, &options.headings).is_some());
        let mut found = Vec::new();
        for (index, block) in self.blocks.iter().enumerate() {
            let Some((content, line)) = line_of(block) else {
                continue;
            };
            let is_denial = content.is_struck_whole()
                || exclusion::governs(line, false)
                || self.is_in_scope(index) && exclusion::is_in_text(line);
            if !is_denial && !words::excludes(line) {
                continue;
            }
            let has_labels = is_label(self.blocks.get(index + 1));
            let is_end = |block: &&'b Block| {
                heading_of(block).is_some()
                    || line_of(block).is_some() && !(has_labels && is_label(Some(block)))
            };
            let length = self
                .blocks
                .iter()
                .skip(index + 1)
                .take_while(|block| !is_end(block))
                .count();
            found.push(Exclusion {
                content,
                body: index + 1..index + 1 + length,
                is_denial,
            });
        }
        found
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
        let section = |(number, (index, heading, title)): (usize, &(usize, &'b Heading, Title))| {
            match title {
                Title::Scope(claim) if !self.is_denied(*index) => Some(Section {
                    heading,
                    body: self.body(number),
                    claim: *claim,
                    tables: Vec::new(),
                }),
                _ => None,
            }
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
            if index >= inner_end
                && !self.is_denied(index)
                && let Some(block) = self.blocks.get(index)
            {
                found.push((index, unit, block));
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
    Some((
        heading,
        if opens || found == Title::Denied {
            found
        } else {
            Title::Other
        },
    ))
}

/// The bold line of a paragraph. It is often directly above or below other text.
fn bold_line<'a>(source: &DesignText<'a>, content: &InlineText) -> Option<&'a str> {
    let marks = ['*', '_', '~'];
    let mut lines = source.slice(content.span.clone()).lines().map(str::trim);
    let line = lines
        .find(|line| line.starts_with(marks) && line.trim_end_matches(':').ends_with(marks))?;
    Some(line.trim_matches(['*', '_', '~', ':']))
}

fn mark(marks: &mut [bool], range: Range<usize>) {
    if let Some(marks) = marks.get_mut(range) {
        marks.fill(true);
    }
}
