//! Extracts the line of a document that an anchor points to.

use std::ops::Range;

use super::escape;
use crate::finding::Anchor;
use crate::verdict::Texts;

/// Longer marked text is marked only at its start, and as many characters are kept after the mark, so that drawing
/// never handles megabytes.
const SPAN_CHARS: usize = 200;

/// One line of a document, safe to print.
pub(super) struct SnippetLine {
    /// The line without its ending, with hostile characters replaced.
    pub text: String,
    /// The marked bytes of `text`.
    pub span: Range<usize>,
}

/// The line of `anchor`, unless its document is missing or differs from the one that the anchor was taken from.
pub(super) fn line(texts: &Texts, anchor: &Anchor, width: usize) -> Option<SnippetLine> {
    let document = texts.get(&anchor.path)?;
    let before = document.get(..anchor.span.start)?;
    let marked = document.get(anchor.span.clone())?;
    let after = document.get(anchor.span.end..)?;

    let is_end = ['\n', '\r'];
    let before = before.rsplit(is_end).next().unwrap_or_default();
    let first = marked.split(is_end).next().unwrap_or_default();
    let after = if first.len() == marked.len() {
        after.split(is_end).next().unwrap_or_default()
    } else {
        ""
    };

    let mark_max = SPAN_CHARS.min(width.saturating_sub(MARGIN).max(1));
    let rest: String = first.chars().skip(mark_max).chain(after.chars()).collect();
    let before = escape::line(before);
    let marked = escape::line(&first.chars().take(mark_max).collect::<String>());
    let after = escape::line(&escape::clip(&rest, SPAN_CHARS));
    Some(SnippetLine {
        span: before.len()..before.len() + marked.len(),
        text: before + &marked + &after,
    })
}

/// The columns needed next to the line: number, bar and ellipses.
const MARGIN: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Texts {
        Texts::from([("d.md".into(), text.to_owned())])
    }

    fn anchor(span: Range<usize>) -> Anchor {
        Anchor {
            path: "d.md".into(),
            span,
            line: 2,
            column: 1,
            label: String::new(),
        }
    }

    fn cut(text: &str, span: Range<usize>) -> Option<(String, String)> {
        line(&texts(text), &anchor(span), 80)
            .map(|line| (line.text[line.span.clone()].to_owned(), line.text))
    }

    #[test]
    fn the_marked_text_stays_marked_after_hostile_characters_are_replaced() {
        let text = "x\n\u{1b}\u{202e}| `a` |\ny";
        let start = text.find('`').unwrap_or_default();
        let line = cut(text, start..start + 3);
        assert_eq!(line, Some(("`a`".into(), "\u{fffd}\u{fffd}| `a` |".into())));
    }

    #[test]
    fn crlf_and_lone_cr_end_a_line() {
        assert_eq!(cut("x\r\nab\r\ny", 3..4), Some(("a".into(), "ab".into())));
        assert_eq!(cut("x\rab\ry", 2..3), Some(("a".into(), "ab".into())));
    }

    #[test]
    fn a_span_over_lines_is_marked_on_its_first() {
        assert_eq!(cut("ab\ncd\n", 1..5), Some(("b".into(), "ab".into())));
    }

    #[test]
    fn a_span_of_another_text_is_not_shown() {
        assert_eq!(cut("é", 1..2), None);
        assert_eq!(cut("ab", 1..9), None);
        #[expect(clippy::reversed_empty_ranges)]
        let reversed = 2..1;
        assert_eq!(cut("ab", reversed), None);
    }

    #[test]
    fn an_empty_span_at_the_end_of_the_document_is_kept() {
        assert_eq!(cut("ab\n", 3..3), Some((String::new(), String::new())));
    }

    #[test]
    fn a_very_long_mark_and_tail_are_cut() {
        let text = format!("{}{}", "a".repeat(1_000_000), "b".repeat(1_000_000));
        let (marked, line) = cut(&text, 0..1_000_000).unwrap_or_default();
        assert_eq!(marked, "a".repeat(60));
        assert_eq!(line.chars().count(), 60 + 200);
    }
}
