//! Headings that name one file each: `#### [MODIFY] [name](path)`.

use super::bare_path::is_bare_path;
use super::blocks::{Heading, InlineText, PieceKind};
use super::cell::{self, Paths};
use super::design_builder::{DesignBuilder, Row};
use super::exclusion::words;
use super::kind::{self, Type};
use super::link::decode;
use super::problem::{LocatedProblem, link_mismatch};
use super::source::DesignText;
use super::written_path::WrittenPath;

/// The type in brackets at the start of such a heading.
pub(super) fn type_of(heading: &Heading) -> Option<(Type, String)> {
    let (label, rest) = heading
        .content
        .plain
        .trim()
        .strip_prefix('[')?
        .split_once(']')?;
    // The label is one word; "[Add] Files" without a path is prose.
    if rest.trim().is_empty() || label.contains(char::is_whitespace) {
        return None;
    }
    kind::parse(label).map(|found| (found, label.to_owned()))
}

/// Whether a heading names the file that the text below it changes: "File: `src/a.rs`", "Create `src/a.rs`". A path
/// alone counts with a note such as "(new)", or where the headings around it announce files.
pub(super) fn names_file(source: &DesignText<'_>, heading: &Heading, inside: bool) -> bool {
    let content = name(source, heading);
    let text = source.slice(content.span.clone());
    let (lead, rest) = match text.find(['`', '[']) {
        Some(at) => text.split_at(at),
        None => match text.rfind(|c: char| c.is_whitespace() || c == ':') {
            _ if !text.contains(' ') => ("", text),
            _ => {
                let at = text.char_indices().find(|(index, _)| {
                    let word = text
                        .get(*index..)
                        .unwrap_or("")
                        .split_whitespace()
                        .next()
                        .unwrap_or("");
                    text.get(..*index)
                        .is_none_or(|before| before.is_empty() || before.ends_with(' '))
                        && word.contains('/')
                        && is_bare_path(word, false)
                });
                text.split_at(at.map_or(text.len(), |(index, _)| index))
            }
        },
    };
    let path = match rest.strip_prefix('`') {
        Some(code) => code.split('`').next().unwrap_or(""),
        None => rest.split_whitespace().next().unwrap_or(""),
    };
    if !path.contains('/')
        || path.contains(char::is_whitespace)
        || !is_bare_path(path.trim_end_matches('*'), true)
    {
        return false;
    }
    let quotes = usize::from(rest.starts_with('`'));
    let behind = rest
        .get(path.len() + quotes..)
        .unwrap_or("")
        .trim_matches(['`', ' ', '*']);
    let is_marked = behind.strip_prefix(['(', '[']).is_some_and(|note| {
        let note = note.trim_end_matches([')', ']']);
        kind::parse(note).is_some_and(|found| found.kind != kind::RowAction::Mention)
    });
    let said = words(lead);
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    match *said {
        [] => {
            is_marked
                || inside && (behind.is_empty() || behind.starts_with(['(', '-', '—', '–', ':']))
        }
        ["file" | "files"]
        | [
            "new" | "modified" | "deleted" | "create" | "modify" | "update" | "delete" | "edit"
            | "add" | "remove" | "新建" | "修改" | "创建" | "删除",
        ]
        | [
            "new" | "modified" | "deleted" | "create" | "modify" | "update" | "delete" | "edit"
            | "add",
            "file",
        ] => behind.is_empty() || behind.starts_with(['(', '[', '-', '—', '–', ':']),
        _ => false,
    }
}

/// The heading's text without its number and the word "File".
pub(super) fn name(source: &DesignText<'_>, heading: &Heading) -> InlineText {
    let span = source.trim(heading.content.span.clone());
    let text = source.slice(span.clone());
    let text = text.trim_start_matches(['#', ' ']);
    let text = text.split_once(" ##").map_or(text, |(text, _)| text);
    let start = span.end
        - source
            .slice(span.clone())
            .trim_start_matches(['#', ' '])
            .len();
    let number = text.len()
        - text
            .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')'))
            .len();
    let number = if text.get(number..).is_some_and(|rest| rest.starts_with(' ')) {
        number
    } else {
        0
    };
    let begin = start + number;
    let span = source.trim(begin..start + text.len());
    heading.content.within(span)
}

/// Grants the file of such a heading.
pub(super) fn read(
    source: &DesignText<'_>,
    heading: &Heading,
    found: Type,
    label: String,
    draft: &mut DesignBuilder<'_>,
) {
    match path(source, &heading.content) {
        Ok(Paths { paths, prose }) => draft.row(Row {
            paths,
            prose,
            kind: found.kind,
            directory: found.directory,
            change_type: label,
            description: String::new(),
        }),
        Err(problem) => draft.bad_row(vec![problem]),
    }
}

fn path(source: &DesignText<'_>, content: &InlineText) -> Result<Paths, LocatedProblem> {
    let link = content.pieces.iter().find_map(|piece| match &piece.kind {
        PieceKind::Link { text, target } => Some((piece.span.clone(), text, target)),
        _ => None,
    });
    if let Some((span, text, target)) = link {
        let target = decode(target);
        let target = target.strip_prefix("file://").unwrap_or(&target).to_owned();
        let name = text.trim();
        if target == name || target.ends_with(&format!("/{name}")) {
            return Ok(Paths {
                paths: vec![WrittenPath {
                    text: target,
                    span,
                    ..WrittenPath::default()
                }],
                prose: false,
            });
        }
        return Err(link_mismatch(name, &target).at(span));
    }
    let begin = source
        .slice(content.span.clone())
        .find(']')
        .map_or(content.span.start, |at| content.span.start + at + 1);
    cell::paths(source, &content.part(begin..content.span.end))
}
