//! Headings that name one file each: `#### [MODIFY] [name](path)`.

use super::{
    Actions, DesignBuilder, DesignItem, DesignText, GrantForm, Heading, PieceKind, Problem, Row,
};
use super::{RowAction, Shape, WrittenPath, ambiguous, item, paths, types};

/// The type of such a heading as written.
pub(super) fn type_of(heading: &Heading) -> Option<&str> {
    let text = heading.content.plain.trim().strip_prefix('[')?;
    let (word, rest) = text.split_once(']')?;
    let is_type = matches!(word.to_uppercase().as_str(), "NEW" | "MODIFY" | "DELETE");
    (is_type && !rest.trim().is_empty()).then_some(word)
}

/// Grants the file of the heading, if it names one.
pub(super) fn read(heading: &Heading, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let found = type_of(heading).map(|word| (word, types::of_item(word)));
    let Some((word, Some(kind @ RowAction::Grant(actions)))) = found else {
        return;
    };
    let line = source.line_span(heading.content.span.start);
    draft.form(Shape::Line, GrantForm::FileHeading, actions, line);
    let row = path(source, heading).map(|path| Row::of(path, kind, word));
    draft.item(row.map(DesignItem::Row));
}

fn path(source: &DesignText<'_>, heading: &Heading) -> Result<WrittenPath, Problem> {
    let content = &heading.content;
    let line = source.line_span(content.span.start);
    let ambiguous = |message| Err(ambiguous(message).at(line));
    let rest = content.run.split_once(']').1.unwrap_or_default();
    let link = content
        .run
        .pieces
        .iter()
        .find_map(|piece| match &piece.kind {
            PieceKind::Link { text, target } => {
                Some((piece.span.clone(), text.trim(), paths::decode(target)))
            }
            _ => None,
        });
    if let Some((span, name, target)) = link {
        let target = target.strip_prefix("file://").unwrap_or(&target);
        if target != name && !target.ends_with(&format!("/{name}")) {
            return Err(paths::link_mismatch(name, target).at(span));
        }
        if rest.text.trim().chars().count() > 1 || content.is_struck || content.is_obscured {
            return ambiguous("the heading says more than one link");
        }
        return Ok(WrittenPath::new(target, span));
    }
    match item::read(source, &rest, Actions::NONE, "")? {
        DesignItem::Row(mut row) if row.paths.len() == 1 && row.change_type.is_empty() => {
            Ok(row.paths.remove(0))
        }
        _ => ambiguous("the heading names no single path"),
    }
}
