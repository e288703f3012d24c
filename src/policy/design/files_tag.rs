//! `<files>` tags in the tasks of a plan: `<task><files>src/a.ts, src/b.ts</files>…`.
//!
//! The tags stand in raw HTML for Markdown, with any indentation, so the lines of the text are read.

use std::ops::Range;

use super::bare_path::is_bare_path;
use super::claim::Claim;
use super::design_builder::{DesignBuilder, Row};
use super::form::Shape;
use super::kind::{self, RowAction};
use super::negation::negation;
use super::placeholder::is_placeholder;
use super::problem::Problem;
use super::source::DesignText;
use super::tag::{Tag, tag};
use super::written_path::WrittenPath;
use crate::finding::Rule;
use crate::policy::GrantForm;

/// Elements around tasks. Others may hide what they hold.
const UNITS: &[&str] = &["task", "feature", "step", "unit", "wave", "checkpoint"];
/// Elements whose content readers may not see.
const HIDING: &[&str] = &[
    "details", "template", "script", "style", "svg", "del", "s", "strike", "textarea", "title",
    "iframe", "noscript", "xmp", "select", "object", "dialog",
];

/// The `<files>` elements in tasks: the range of each one's content.
pub(super) fn find(source: &DesignText<'_>, start: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let (mut units, mut hidden): (usize, Vec<String>) = (0, Vec::new());
    let mut is_comment = false;
    let mut open: Option<usize> = None;
    for (span, line) in source.lines() {
        if span.start < start {
            continue;
        }
        if let Some(mark) = fence_of(line).filter(|_| !is_comment) {
            match fence {
                None => fence = Some((mark.0, mark.1)),
                Some((c, length)) if c == mark.0 && mark.1 >= length && mark.2 => fence = None,
                Some(_) => {}
            }
            continue;
        }
        if fence.is_some() {
            continue;
        }
        let mut cursor = 0;
        while let Some(rest) = line.get(cursor..) {
            if is_comment {
                let Some(end) = rest.find("-->") else { break };
                is_comment = false;
                cursor += end + 3;
                continue;
            }
            let Some(at) = rest.find(['<', '`']) else {
                break;
            };
            cursor += at;
            let rest = line.get(cursor..).unwrap_or("");
            if rest.starts_with('`') {
                // Code up to the next backtick.
                let code = rest.get(1..).and_then(|rest| rest.find('`'));
                cursor += code.map_or(1, |end| end + 2);
                continue;
            }
            if rest.starts_with("<!--") {
                is_comment = true;
                cursor += 4;
                continue;
            }
            let Some(next) = tag(rest.get(1..).unwrap_or("")) else {
                cursor += 1;
                continue;
            };
            let (begin, end) = (span.start + cursor, span.start + cursor + 1 + next.length);
            cursor += 1 + next.length;
            match (next.name.as_str(), next.is_end) {
                ("files", false) => {
                    let alone = line.get(..begin - span.start).unwrap_or("").trim();
                    let is_first = alone.is_empty() || alone.ends_with('>');
                    let counts = units > 0 && hidden.is_empty() && is_first && !hides(&next);
                    open = counts.then_some(end);
                }
                ("files", true) => {
                    if let Some(start) = open.take() {
                        found.push(start..begin);
                    }
                }
                (name, is_end) if UNITS.contains(&name) => {
                    open = None;
                    units = if is_end {
                        units.saturating_sub(1)
                    } else {
                        units + 1
                    };
                    if hides(&next) && !is_end {
                        hidden.push(name.to_owned());
                    }
                }
                (name, false) if HIDING.contains(&name) || hides(&next) => {
                    hidden.push(name.to_owned())
                }
                (name, true) => {
                    if let Some(at) = hidden.iter().rposition(|other| other == name) {
                        hidden.truncate(at);
                    }
                }
                _ => {}
            }
        }
    }
    found
}

fn hides(tag: &Tag<'_>) -> bool {
    let attributes = tag.attributes.to_ascii_lowercase();
    ["hidden", "style"].iter().any(|name| {
        attributes
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| word == *name)
            && !attributes.contains(&format!("\"{name}"))
    })
}

/// The mark of a fence, its length, and whether nothing follows it.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let text = line.trim();
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text.chars().take_while(|c| *c == mark).count();
    let rest = text.get(length..)?;
    (length >= 3 && !rest.contains('`')).then_some((mark, length, rest.trim().is_empty()))
}

/// Grants the files of one element.
pub(super) fn read(source: &DesignText<'_>, content: &Range<usize>, draft: &mut DesignBuilder<'_>) {
    let line = source.line_span(content.start);
    draft.form(Shape::Tag, GrantForm::FilesTag, Claim::Any.actions(), line);
    for piece in pieces(source, content.clone()) {
        read_piece(source, piece, draft);
    }
}

fn read_piece(source: &DesignText<'_>, piece: Range<usize>, draft: &mut DesignBuilder<'_>) {
    let text = source.slice(piece.clone());
    let first = text.split_whitespace().next().unwrap_or("");
    let bare = first.trim_matches(['`', '"', '\'', '*', ',']);
    let rest = text.get(first.len()..).unwrap_or("").trim();
    if is_placeholder(bare) || negation(text).is_some() || text.starts_with('(') || is_none(text) {
        draft.bad_row(vec![
            Problem::placeholder("no-file", "no file", "name the files").at(piece),
        ]);
        return;
    }
    let alternative = rest
        .strip_prefix("(or ")
        .and_then(|rest| rest.split([' ', ')', ',']).next())
        .map(|path| path.trim_matches('`'))
        .filter(|path| is_bare_path(path, true));
    let is_alone = rest.is_empty() || rest.starts_with(['(', '-', '—', '–', '#', '[']);
    let lists_more = rest
        .split_whitespace()
        .all(|word| is_bare_path(word.trim_matches('`'), true));
    if !is_bare_path(bare, is_alone || lists_more) || !is_alone && !lists_more {
        let message = format!("`{}` is not a path", super::problem::escaped(text));
        let help = "write paths, separated by commas";
        return draft
            .fault(Problem::new(Rule::DesignUnread, "unread-tag", message, help).at(piece));
    }
    let note = rest.trim_start_matches(['(', '-', '—', '–', '#', '[', ' ']);
    let kind = match kind::parse(note) {
        _ if rest.is_empty() || alternative.is_some() => RowAction::Grant(Claim::Any.actions()),
        Some(found) if found.bare || found.kind == RowAction::Mention => found.kind,
        _ if note.to_lowercase().starts_with("read") || kind::denies(note) => RowAction::Mention,
        _ => RowAction::Grant(Claim::Any.actions()),
    };
    let words = std::iter::once(bare).chain(alternative);
    let more = rest.split_whitespace().filter(|_| lists_more && !is_alone);
    let path = |text: &str| WrittenPath {
        text: text.trim_matches('`').to_owned(),
        span: piece.clone(),
        ..WrittenPath::default()
    };
    let kind = if kind == RowAction::Rename {
        RowAction::Grant(Claim::Any.actions())
    } else {
        kind
    };
    for text in words.chain(more) {
        draft.row(Row {
            paths: vec![path(text)],
            prose: false,
            kind,
            directory: false,
            change_type: String::new(),
            description: note.trim_end_matches([')', ']']).to_owned(),
        });
    }
}

fn is_none(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["none", "n/a", "no files", "no file", "nothing"]
        .iter()
        .any(|word| {
            lower.strip_prefix(word).is_some_and(|rest| {
                !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_'))
            })
        })
}

/// The parts between commas and line ends, outside parentheses and braces.
fn pieces(source: &DesignText<'_>, content: Range<usize>) -> Vec<Range<usize>> {
    let text = source.slice(content.clone());
    let (mut pieces, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (index, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            '\n' => depth = 0,
            _ => {}
        }
        if c == '\n' || depth == 0 && matches!(c, ',' | ';') {
            pieces.push(start..index);
            start = index + 1;
        }
    }
    pieces.push(start..text.len());
    let trimmed = pieces.into_iter().map(|piece| {
        let piece = source.trim(content.start + piece.start..content.start + piece.end);
        let text = source.slice(piece.clone());
        let text = text
            .strip_prefix(['-', '*'])
            .filter(|rest| rest.starts_with(' '))
            .unwrap_or(text);
        source.trim(piece.end - text.len()..piece.end)
    });
    trimmed.filter(|piece| !piece.is_empty()).collect()
}
