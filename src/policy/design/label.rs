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
    let marks = ["**", "__"];
    let is_bold = marks.iter().any(|mark| {
        line.len() > 4 && line.starts_with(mark) && line.trim_end_matches(':').ends_with(mark)
    });
    let may_be = is_bold || line.contains(':');
    let item = may_be.then(|| ItemText::new(source, content, span.clone()).ok())??;
    let (head, rest) = item.split_colon();
    if rest.is_none() && !is_bold {
        return None;
    }
    let head = head.text();
    let (phrase, note) = match head.split_once('(') {
        Some((phrase, note)) => (phrase, Some(note.trim().strip_suffix(')')?)),
        None => (head.as_str(), None),
    };
    let of_phrase = heading::label(phrase.trim(), extra)?;
    let claim = match note.map(str::trim) {
        None => of_phrase,
        Some(number) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            of_phrase
        }
        Some(note) => Claim::of(kind::of_note(note)?)?,
    };
    let items = rest.map(ItemText::split_semicolons).unwrap_or_default();
    Some(Label {
        claim,
        items,
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
    let mut start = content.span.start;
    for line in source.slice(content.span.clone()).split_inclusive('\n') {
        let at = start;
        start += line.len();
        let marks = ['*', '_', ' '];
        let head = line
            .trim_start_matches(marks)
            .split_once(':')
            .map(|(head, _)| head.trim_matches(marks));
        if at > content.span.start && head.is_some_and(|head| heading::label(head, extra).is_some())
        {
            return Some(source.line_span(at));
        }
    }
    None
}

/// Whether a paragraph begins like a label: a bold line or one with a colon that has the word "files".
pub(super) fn resembles(source: &DesignText<'_>, content: &InlineText) -> bool {
    let line = source.slice(source.line_span(content.span.start));
    let head = line.split(':').next().unwrap_or("");
    (line.starts_with(['*', '_']) || line.ends_with(':'))
        && words::words(head).iter().any(|word| word == "files")
}
