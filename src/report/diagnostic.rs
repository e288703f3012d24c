//! One finding, drawn like a rustc diagnostic that points into the design.

use std::ops::Range;

use annotate_snippets::{
    AnnotationKind, Group, Level as Drawn, Origin, Padding, Renderer, Snippet,
};
use gix::bstr::{BStr, BString, ByteSlice};

use super::target::Style;
use super::texts::{self, message};
use write_guard_policy::finding::{Anchor, Finding, Help, Level};
use write_guard_policy::path::escaped;
use write_guard_policy::verdict::Texts;

/// One finding as drawn by annotate-snippets, without a final newline.
pub(super) fn drawn(finding: &Finding, texts: &Texts, style: &Style) -> String {
    let level = match finding.level {
        Level::Error => Drawn::ERROR,
        Level::Warning => Drawn::WARNING,
        Level::Note => Drawn::NOTE,
    };
    let title = level
        .primary_title(message(&finding.message))
        .id(finding.rule.id());
    let mut group = Group::with_title(title);
    if let Some(anchor) = &finding.design {
        let known = texts.get(&anchor.path).map(String::as_str);
        group = place(group, anchor, finding.text.as_deref().or(known), style);
    }
    for help in help_blocks(&finding.steps()) {
        group = group.element(Drawn::HELP.message(help));
    }
    let renderer = if style.color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.term_width(style.width).render(&[group])
}

fn place<'a>(
    group: Group<'a>,
    anchor: &Anchor,
    document: Option<&str>,
    style: &Style,
) -> Group<'a> {
    let path = escaped(&from_here(anchor.path.as_bstr(), style.prefix.as_ref())).to_string();
    let quoted = document.and_then(|document| quoted_line(document, anchor, style.width));
    let Some((text, span)) = quoted else {
        let origin = Origin::path(path)
            .line(anchor.line)
            .char_column(anchor.column);
        return group.element(origin).element(Padding);
    };
    let mut mark = AnnotationKind::Primary.span(span);
    if !anchor.label.is_empty() {
        mark = mark.label(message(&anchor.label));
    }
    group.element(
        Snippet::source(text)
            .path(path)
            .line_start(anchor.line)
            .annotation(mark),
    )
}

/// The path relative to the directory `prefix`; both are relative to the workspace.
fn from_here(path: &BStr, prefix: Option<&BString>) -> BString {
    let here = prefix.map_or(&b""[..], |prefix| prefix.trim_end_with(|c| c == '/'));
    let below = path
        .strip_prefix(here)
        .and_then(|rest| rest.strip_prefix(b"/"));
    match below {
        _ if here.is_empty() => path.into(),
        Some(rest) => rest.into(),
        None => {
            let up = "../".repeat(here.split_str("/").count());
            [up.as_bytes(), path].concat().into()
        }
    }
}

/// The maximum lines of help, rows of a design apart.
const HELP_LINES: usize = 20;

/// One text per step: a sentence, then text to paste.
pub(super) fn help_blocks(help: &[Help]) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let most = HELP_LINES + help.iter().filter(|line| line.is_row()).count();
    for line in help.iter().take(most) {
        let text = message(line);
        match blocks.last_mut() {
            Some(block) if line.is_to_paste() => {
                block.push('\n');
                block.push_str(&text);
            }
            _ => blocks.push(text),
        }
    }
    if help.len() > most {
        let more = help.len() - most;
        blocks.push(format!(
            "… and {more} more lines (use --format json for all)"
        ));
    }
    blocks
}

/// Longer marked text is marked only at its start, and as many characters are kept after the mark, so that drawing
/// never handles megabytes.
const SPAN_CHARS: usize = 200;

/// The line of `anchor`, safe to print, and what to mark in it, unless its document differs from the one that
/// the anchor was taken from.
fn quoted_line(document: &str, anchor: &Anchor, width: usize) -> Option<(String, Range<usize>)> {
    let marked = document.get(anchor.span.clone())?;
    let (before, rest) = document.split_at(anchor.span.start);

    let is_end = ['\n', '\r'];
    let before = before.rsplit(is_end).next().unwrap_or_default();
    let rest = rest.split(is_end).next().unwrap_or_default();
    let mark_max = SPAN_CHARS.min(width.saturating_sub(MARGIN).max(1));
    let marked = marked.len().min(rest.len());
    let marked = rest[..marked].chars().take(mark_max);
    let marked: usize = marked.map(char::len_utf8).sum();
    let (marked, after) = rest.split_at(marked);
    let [before, marked, after] =
        [before, marked, &texts::clip(after, SPAN_CHARS)].map(texts::line);
    let span = before.len()..before.len() + marked.len();
    Some((before + &marked + &after, span))
}

/// The columns needed next to the line: number, bar and ellipses.
const MARGIN: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

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
        quoted_line(text, &anchor(span), 80).map(|(text, span)| (text[span].to_owned(), text))
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
