//! Headings that name one file each: `#### [MODIFY] [name](path)`.

use super::blocks::{Heading, PieceKind};
use super::design_builder::{DesignBuilder, Row};
use super::form::Shape;
use super::item::{DesignItem, ItemText};
use super::kind::{self, RowAction};
use super::link::decode;
use super::problem::{LocatedProblem, ambiguous, link_mismatch};
use super::source::DesignText;
use super::written_path::WrittenPath;
use crate::policy::GrantForm;

/// The type of such a heading as written.
pub(super) fn type_of(heading: &Heading) -> Option<&str> {
    let text = heading.content.plain.trim().strip_prefix('[')?;
    let (word, rest) = text.split_once(']')?;
    let is_type = matches!(word.to_uppercase().as_str(), "NEW" | "MODIFY" | "DELETE");
    (is_type && !rest.trim().is_empty()).then_some(word)
}

/// Grants the file of the heading, if it names one.
pub(super) fn read(source: &DesignText<'_>, heading: &Heading, draft: &mut DesignBuilder<'_>) {
    let found = type_of(heading).map(|word| (word, kind::of_item(word)));
    let Some((word, Some(kind @ RowAction::Grant(actions)))) = found else {
        return;
    };
    let line = source.line_span(heading.content.span.start);
    draft.form(Shape::Line, GrantForm::FileHeading, actions, line);
    match path(source, heading) {
        Ok(path) => draft.row(Row::of(path, kind, word)),
        Err(problem) => draft.bad_row(vec![problem]),
    }
}

fn path(source: &DesignText<'_>, heading: &Heading) -> Result<WrittenPath, LocatedProblem> {
    let content = &heading.content;
    let line = source.line_span(content.span.start);
    let begin = source.slice(line.clone()).find(']').map_or(0, |at| at + 1);
    let rest = source.trim(line.start + begin..line.end);
    let ambiguous = |message: &str| ambiguous(message).at(line.clone());
    let link = content.pieces.iter().find_map(|piece| match &piece.kind {
        PieceKind::Link { text, target } => Some((&piece.span, text.trim(), decode(target))),
        _ => None,
    });
    if let Some((span, name, target)) = link {
        let target = target.strip_prefix("file://").unwrap_or(&target);
        if target != name && !target.ends_with(&format!("/{name}")) {
            return Err(link_mismatch(name, target).at(span.clone()));
        }
        if *span != rest || content.is_struck() || content.is_obscured {
            return Err(ambiguous("the heading says more than one link"));
        }
        return Ok(WrittenPath::new(target, rest));
    }
    match ItemText::new(source, content, rest)?.read(source, "")? {
        DesignItem::Paths(mut item) if item.paths.len() == 1 && item.kind.is_none() => {
            Ok(item.paths.remove(0))
        }
        _ => Err(ambiguous("the heading names no single path")),
    }
}
