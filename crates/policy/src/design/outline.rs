//! What the headings of a document say about the blocks below them.

use super::exclusion::{excludes, names_document};
use super::headings::{self, Announcement};
use super::{Block, BlockKind, DesignText, InlineText};

/// The blocks with what their headings say.
pub(super) struct Outline<'b> {
    pub(super) blocks: &'b [Block],
    /// For each block, where it is.
    pub(super) places: Vec<BlockPlace>,
}

/// Where a block is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BlockPlace {
    /// What the block announces, if it is a heading or a label.
    pub(super) announces: Option<Announcement>,
    /// The index of the heading directly above.
    pub(super) heading: Option<usize>,
    /// The index of the innermost heading above that announces files.
    pub(super) section: Option<usize>,
    /// The index of the outermost heading, or bold line, that excludes the block.
    pub(super) exclusion: Option<usize>,
    /// The index of the outermost heading that names a document: what is below it describes that document.
    pub(super) described: Option<usize>,
}

impl BlockPlace {
    /// Whether what the block declares is no row, because of a heading above or its own words.
    pub(super) fn is_excluded(&self) -> bool {
        self.excluded_by().is_some()
    }

    /// The index of the heading, or bold line, because of which nothing is a row.
    pub(super) fn excluded_by(&self) -> Option<usize> {
        self.exclusion.or(self.described)
    }
}

/// The level of a bold line, which every heading ends.
const BOLD_LINE: u8 = 7;

/// A heading or bold line whose section is open.
struct OpenHeading {
    level: u8,
    below: BlockPlace,
}

impl<'b> Outline<'b> {
    pub(super) fn new(source: &DesignText<'b>, blocks: &'b [Block]) -> Outline<'b> {
        let extra = &source.options.headings;
        let first_heading = blocks
            .iter()
            .position(|block| matches!(block.kind, BlockKind::Heading(..)));
        let mut places = Vec::with_capacity(blocks.len());
        let mut open: Vec<OpenHeading> = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let label = label_of(source, block);
            let announced = label.and_then(|label| headings::of_label(label, extra));
            let opener = match &block.kind {
                BlockKind::Heading(level, content) => Some((*level, content)),
                // A label belongs to the bold line above it.
                BlockKind::Paragraph(content) if announced.is_none() && label.is_some() => {
                    Some((BOLD_LINE, content))
                }
                _ => None,
            };
            if let Some((level, _)) = opener {
                open.retain(|heading| heading.level < level);
            }
            let mut place = open
                .last()
                .map_or_else(BlockPlace::default, |top| top.below);
            place.announces = announced;
            let Some((level, content)) = opener else {
                // A label that excludes, such as "Files to modify (dropped):".
                if announced.is_some() && label.is_some_and(|label| excludes(label, false)) {
                    place.exclusion.get_or_insert(index);
                }
                places.push(place);
                continue;
            };
            let is_title = level == 1 && first_heading == Some(index);
            let mut below = place;
            if content.is_struck_whole || excludes(&content.plain, is_title) {
                below.exclusion.get_or_insert(index);
            }
            if !is_title && names_document(&content.plain) {
                below.described.get_or_insert(index);
            }
            if level < BOLD_LINE {
                below.heading = Some(index);
                place.announces = headings::of_heading(&content.plain, extra)
                    .filter(|_| is_visible_heading(block, content));
            }
            if place.announces.is_some() {
                below.section = Some(index);
                place.exclusion = below.exclusion;
                place.described = below.described;
            }
            below.announces = None;
            places.push(place);
            open.push(OpenHeading { level, below });
        }
        Outline { blocks, places }
    }

    /// Whether a place is below a heading, at any depth.
    pub(super) fn is_below(&self, place: &BlockPlace, heading: usize) -> bool {
        let mut above = place.heading;
        while let Some(index) = above {
            if index == heading {
                return true;
            }
            above = self.places[index].heading;
        }
        false
    }

    /// The headings around a place that announce files, the innermost first.
    pub(super) fn sections_around(&self, place: &BlockPlace) -> Vec<usize> {
        let mut sections = Vec::new();
        let mut above = place.section;
        while let Some(index) = above {
            sections.push(index);
            above = self.places[index].section;
        }
        sections
    }
}

/// A heading that is struck out, hidden or in raw HTML announces nothing.
fn is_visible_heading(block: &Block, content: &InlineText) -> bool {
    block.element.is_none() && !content.is_struck && !content.is_obscured
}

/// What ends a label: the colon of ASCII, and the full-width one of East Asian texts.
const COLONS: [char; 2] = [':', '：'];

/// The text of a paragraph that is one line, bold or with a colon at its end: `**Files:**`, `Files:`.
pub(super) fn label_of<'b>(source: &DesignText<'b>, block: &'b Block) -> Option<&'b str> {
    let BlockKind::Paragraph(content) = block.visible() else {
        return None;
    };
    let line = source.slice(content.span.clone()).trim();
    if line.contains('\n') || content.is_struck || content.is_obscured {
        return None;
    }
    let bare = line.trim_end_matches(COLONS).trim_end();
    let is_bold = ["**", "__"].iter().any(|mark| {
        let inner = bare
            .strip_prefix(mark)
            .and_then(|rest| rest.strip_suffix(mark));
        inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(mark))
    });
    let text = content.plain.trim();
    (is_bold || text.ends_with(COLONS)).then(|| text.trim_end_matches(COLONS))
}

#[cfg(test)]
mod tests {
    use super::super::markdown::markdown;
    use super::*;
    use crate::scope::settings::Settings;

    /// For the last block of a text, whether it is in a section about files, and the block that excludes it.
    fn last_place(text: &str) -> (bool, Option<usize>) {
        let settings = Settings::default();
        let source = DesignText::new("d.md".into(), text, &settings);
        let blocks = markdown(text, 0);
        let outline = Outline::new(&source, &blocks);
        let last = outline.places.last().copied().unwrap_or_default();
        (last.section.is_some(), last.excluded_by())
    }

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level() {
        for (headings, expected) in [
            (&["# P", "## Files Changed"][..], (true, None)),
            (&["# P", "## Files Changed", "### Parser"], (true, None)),
            (&["# P", "## Files Changed", "## Parser"], (false, None)),
            (&["# P", "### Files Changed", "## Parser"], (false, None)),
            (&["# P", "## Files Changed", "### Later"], (true, Some(2))),
            (
                &["# P", "## Rejected", "### Files Changed"],
                (true, Some(1)),
            ),
            (&["# P", "## Rejected", "## Files Changed"], (true, None)),
            (&["# Rejected", "## Files Changed"], (true, Some(0))),
            (&["# Do not panic", "## Files Changed"], (true, None)),
            (
                &["# P", "# Do not panic", "## Files Changed"],
                (true, Some(1)),
            ),
            (&["# a.md", "## Files Changed"], (true, None)),
            (
                &["# P", "## New: a.md", "### Files Changed"],
                (true, Some(1)),
            ),
            (&["# P", "## Files Changed", "**Later**"], (true, Some(2))),
            (
                &["# P", "## Files Changed", "**Later**", "**Files:**"],
                (true, Some(2)),
            ),
            (
                &["# P", "## Files Changed", "**Later**", "### Parser"],
                (true, None),
            ),
            (&["# P", "## ~~Files Changed~~"], (false, Some(1))),
            (&["# P", "> ## Files Changed"], (false, None)),
            (&["# P", "- ## Files Changed"], (false, None)),
        ] {
            let text = format!("{}\n\ntext\n", headings.join("\n\n"));
            assert_eq!(last_place(&text), expected, "{text}");
        }
    }

    #[test]
    fn a_label_is_one_line_that_is_bold_or_ends_in_a_colon() {
        let settings = Settings::default();
        for (text, label) in [
            ("**Files:**", Some("Files")),
            ("**Files**:", Some("Files")),
            ("__Files__", Some("Files")),
            ("Files to modify:", Some("Files to modify")),
            ("Files：", Some("Files")),
            ("Files", None),
            ("**Files:** x", None),
            ("**Files** and **more**", None),
            ("Text.\n**Files:**", None),
            ("~~**Files:**~~", None),
        ] {
            let source = DesignText::new("d.md".into(), text, &settings);
            let blocks = markdown(text, 0);
            let found = blocks.first().and_then(|block| label_of(&source, block));
            assert_eq!(found, label, "{text}");
        }
    }
}
