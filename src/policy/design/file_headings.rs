//! Headings that name one file each: `#### [MODIFY] [name](path)`.

use super::blocks::{Heading, InlineText, PieceKind};
use super::cell::{self, Paths};
use super::design_builder::{DesignBuilder, Row};
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
