//! Labels: a bold line, or one that ends in a colon, that announces files: `**Files to modify:**`.

use std::ops::Range;

use super::blocks::InlineText;
use super::heading::{self, Claim};
use super::item::ItemText;
use super::kind;
use super::source::DesignText;
use super::words;

/// A label at the start of a paragraph or list item.
pub(super) struct Label {
    pub(super) claim: Claim,
    /// The items on its line.
    pub(super) items: Vec<ItemText>,
    /// The place of the label.
    pub(super) span: Range<usize>,
    /// Whether more lines of the paragraph follow.
    pub(super) has_more: bool,
}

/// The label at the start of a paragraph or list item; `extra` are the headings of the settings.
pub(super) fn read(
    source: &DesignText<'_>,
    content: &InlineText,
    extra: &[String],
) -> Option<Label> {
    let whole = source.trim(content.span.clone());
    let text = source.slice(whole.clone());
    let length = text.find('\n').unwrap_or(text.len());
    let span = source.trim(whole.start..whole.start + length);
    let line = source.slice(span.clone());
    let is_bold = line.len() > 4
        && ["**", "__"]
            .iter()
            .any(|mark| line.starts_with(mark) && line.trim_end_matches(':').ends_with(mark));
    if !is_bold && !line.contains(':') {
        return None;
    }
    let item = ItemText::new(source, content, span.clone()).ok()?;
    let (head, rest) = item.split_colon();
    if rest.is_none() && !is_bold {
        return None;
    }
    let (phrase, note) = match head.text().split_once('(') {
        Some((phrase, note)) => (phrase, Some(note.trim().strip_suffix(')')?.trim())),
        None => (head.text(), None),
    };
    let claim = heading::label(phrase.trim(), extra)?;
    let is_number = |note: &&str| !note.is_empty() && note.bytes().all(|c| c.is_ascii_digit());
    let claim = match note.filter(|note| !is_number(note)) {
        Some(note) => Claim::of(kind::of_note(note)?)?,
        None => claim,
    };
    Some(Label {
        claim,
        items: rest.map(ItemText::split_semicolons).unwrap_or_default(),
        span,
        has_more: length < text.len(),
    })
}

/// The place of a label in the middle of a paragraph, where it announces nothing.
pub(super) fn inside(
    source: &DesignText<'_>,
    content: &InlineText,
    extra: &[String],
) -> Option<Range<usize>> {
    let marks = ['*', '_', ' '];
    let is_label = |line: &str| {
        let head = line.trim_start_matches(marks).split_once(':');
        head.is_some_and(|(head, _)| heading::label(head.trim_matches(marks), extra).is_some())
    };
    let text = source.slice(content.span.clone());
    let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
    let found = breaks.filter_map(|at| Some((at, text.get(at..)?.lines().next()?)));
    let (at, _) = found.into_iter().find(|(_, line)| is_label(line))?;
    Some(source.line_span(content.span.start + at))
}

/// Whether a paragraph begins like a label: a bold line or one with a colon that has the word "files".
pub(super) fn resembles(source: &DesignText<'_>, content: &InlineText) -> bool {
    let line = source.slice(source.line_span(content.span.start));
    let head = line.split(':').next().unwrap_or("");
    (line.starts_with(['*', '_']) || line.ends_with(':'))
        && words::words(head).iter().any(|word| word == "files")
}
