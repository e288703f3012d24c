//! What the headings of a document say about the blocks below them.

use std::ops::Range;

use super::DesignOptions;
use super::blocks::{Block, Heading, InlineText};
use super::exclusion;
use super::heading::{Title, title};
use super::label::{self, LabelRole};
use super::section::Section;
use super::source::DesignText;

/// The blocks with what their headings say.
pub(super) struct Map<'b> {
    pub(super) blocks: &'b [Block],
    pub(super) titles: Vec<(usize, &'b Heading, Title)>,
    /// For each block, whether it is in a section about files, excluded or not.
    in_scope: Vec<bool>,
    /// For each block, whether it is below a heading that excludes files.
    denied: Vec<bool>,
    /// For each block, whether only a label of files that stay as they are excludes it.
    mentioned: Vec<bool>,
    /// The headings and labels that exclude what is below without naming files themselves.
    pub(super) exclusions: Vec<Exclusion<'b>>,
}

/// A heading such as "Out of scope", or a bold paragraph that says the same.
pub(super) struct Exclusion<'b> {
    pub(super) content: &'b InlineText,
    /// The indices of the blocks below it.
    pub(super) body: Range<usize>,
    /// Whether it is a label of files that stay as they are: "Existing files (no changes)".
    pub(super) is_mention: bool,
}

impl<'b> Map<'b> {
    pub(super) fn new(
        source: &DesignText<'_>,
        blocks: &'b [Block],
        options: &DesignOptions,
    ) -> Self {
        let titles = blocks
            .iter()
            .enumerate()
            .filter_map(|(index, block)| title_of(block, options).map(|(h, t)| (index, h, t)));
        let mut map = Map {
            blocks,
            titles: titles.collect(),
            in_scope: Vec::new(),
            denied: Vec::new(),
            mentioned: Vec::new(),
            exclusions: Vec::new(),
        };
        map.in_scope = map.below(|title| matches!(title, Title::Scope(_) | Title::Files(_)));
        map.denied = map.below(|title| *title == Title::Denied);
        map.exclusions = map.excluding_headings();
        let labels = map.excluding_labels(source);
        map.exclusions.extend(labels);
        let (mentions, others): (Vec<_>, Vec<_>) = map
            .exclusions
            .iter()
            .partition(|exclusion| exclusion.is_mention);
        for exclusion in others {
            mark(&mut map.denied, exclusion.body.clone());
        }
        map.mentioned = vec![false; blocks.len()];
        for exclusion in mentions {
            for index in exclusion.body.clone() {
                let is_free = map.denied.get(index) == Some(&false);
                mark(&mut map.mentioned, index..index + usize::from(is_free));
            }
        }
        for exclusion in map
            .exclusions
            .iter()
            .filter(|exclusion| exclusion.is_mention)
        {
            mark(&mut map.denied, exclusion.body.clone());
        }
        map
    }

    /// Headings that exclude what is below them.
    fn excluding_headings(&self) -> Vec<Exclusion<'b>> {
        let titles = self.titles.iter().enumerate();
        let excluding = titles.filter(|(number, (index, heading, title))| {
            let content = &heading.content;
            let in_scope = self.is_in_scope(*index);
            let is_title = *number == 0 && heading.level == 1;
            *title == Title::Other
                && (content.is_struck_whole()
                    || exclusion::governs(&content.plain, is_title)
                    || (in_scope && (content.is_struck() || exclusion::is_in(&content.plain))))
        });
        excluding
            .map(|(number, (_, heading, _))| Exclusion {
                content: &heading.content,
                body: self.body(number),
                is_mention: false,
            })
            .collect()
    }

    /// Bold paragraphs that do so, up to the next one or the next heading.
    fn excluding_labels(&self, source: &DesignText<'_>) -> Vec<Exclusion<'b>> {
        let label_of = |block: &'b Block| match block {
            Block::Paragraph(content) => label(source, content).map(|line| (content, line)),
            _ => None,
        };
        let is_end = |block: &'b Block| label_of(block).is_some() || heading_of(block).is_some();
        let mut found = Vec::new();
        for (index, block) in self.blocks.iter().enumerate() {
            let Some((content, line)) = label_of(block) else {
                continue;
            };
            let negates = content.is_struck_whole()
                || exclusion::governs(line, false)
                || (self.is_in_scope(index) && exclusion::is_in(line));
            if negates {
                let behind = self.blocks.iter().skip(index + 1);
                let length = behind.take_while(|block| !is_end(block)).count();
                let named = label::label(source, content);
                let role = named.and_then(|found| label::role(&found.text, &found.notes));
                found.push(Exclusion {
                    content,
                    body: index + 1..index + 1 + length,
                    is_mention: role == Some(LabelRole::Mention) && !content.is_struck(),
                });
            }
        }
        found
    }

    /// Marks the blocks below the chosen headings.
    fn below(&self, is_wanted: impl Fn(&Title) -> bool) -> Vec<bool> {
        let mut marks = vec![false; self.blocks.len()];
        for (number, (_, _, title)) in self.titles.iter().enumerate() {
            if is_wanted(title) {
                mark(&mut marks, self.body(number));
            }
        }
        marks
    }

    /// The blocks below a heading, up to the next one of the same or a higher level.
    fn body(&self, number: usize) -> Range<usize> {
        let Some((index, heading, _)) = self.titles.get(number) else {
            return 0..0;
        };
        let next = self
            .titles
            .iter()
            .skip(number + 1)
            .find(|(_, next, _)| next.level <= heading.level);
        index + 1..next.map_or(self.blocks.len(), |(index, ..)| *index)
    }

    pub(super) fn is_in_scope(&self, index: usize) -> bool {
        self.in_scope.get(index).is_some_and(|&inside| inside)
    }

    pub(super) fn is_denied(&self, index: usize) -> bool {
        self.denied.get(index).is_some_and(|&denied| denied)
    }

    pub(super) fn sections(&self) -> Vec<Section<'b>> {
        let sections = self
            .titles
            .iter()
            .enumerate()
            .filter(|(_, (index, ..))| !self.is_denied(*index));
        sections
            .filter_map(|(number, (_, heading, title))| match title {
                Title::Scope(claim) | Title::Files(claim) => Some(Section {
                    heading,
                    body: self.body(number),
                    claim: *claim,
                    is_whole: matches!(title, Title::Scope(_)),
                    tables: Vec::new(),
                }),
                _ => None,
            })
            .collect()
    }

    /// The blocks of a section outside its subsections, each with the heading directly above.
    pub(super) fn own(
        &self,
        section: &Section<'b>,
    ) -> impl Iterator<Item = (usize, usize, &'b Block)> {
        let mut unit = section.body.start.saturating_sub(1);
        let mut inner_end = 0;
        let mut found = Vec::new();
        for index in section.body.clone() {
            if let Ok(number) = self.titles.binary_search_by_key(&index, |(at, ..)| *at) {
                unit = index;
                let is_scope = self.titles.get(number).is_some_and(|(_, _, title)| {
                    matches!(title, Title::Scope(_) | Title::Files(_))
                });
                if is_scope && index >= inner_end {
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
        found.into_iter()
    }

    /// Whether the block lists files that stay as they are, and nothing else excludes it.
    pub(super) fn is_mention(&self, index: usize) -> bool {
        self.mentioned
            .get(index)
            .is_some_and(|&mentioned| mentioned)
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
    let counts = opens || found == Title::Denied;
    // The title of the document is its topic.
    let is_topic = heading.level == 1 && matches!(found, Title::Files(_) | Title::Marked);
    let counts = counts && !is_topic;
    Some((heading, if counts { found } else { Title::Other }))
}

/// The bold first line of a paragraph. A label is often directly above or below other text.
fn label<'a>(source: &DesignText<'a>, content: &InlineText) -> Option<&'a str> {
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
