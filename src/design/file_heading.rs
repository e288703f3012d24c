//! Headings that name one file each: `#### [MODIFY] [name](path)`.

use super::{Actions, RowAction, Shape, WrittenPath, item, paths, problem, types};
use super::{DesignBuilder, DesignText, GrantForm, InlineText, PieceKind, Problem, Row};

/// The type of such a heading as written.
pub(super) fn type_of(content: &InlineText) -> Option<&str> {
    let text = content.plain.trim().strip_prefix('[')?;
    let (word, rest) = text.split_once(']')?;
    let is_type = matches!(word.to_uppercase().as_str(), "NEW" | "MODIFY" | "DELETE");
    (is_type && !rest.trim().is_empty()).then_some(word)
}

/// Grants the file of the heading, if it names one.
pub(super) fn read(content: &InlineText, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let found = type_of(content).map(|word| (word, types::of_item(word)));
    let Some((word, Some(kind @ RowAction::Grant(actions)))) = found else {
        return;
    };
    let line = source.line_span(content.span.start);
    draft.form(Shape::Line, GrantForm::FileHeading, actions, line);
    draft.item(path(source, content).map(|path| Row::of(vec![path], kind, word)));
}

fn path(source: &DesignText<'_>, content: &InlineText) -> Result<WrittenPath, Problem> {
    let run = &content.run;
    let unclear = || problem::file_heading().at(source.line_span(content.span.start));
    let start = run.text.find(']').map_or(run.text.len(), |end| end + 1);
    let rest = run.part(start..run.text.len());
    let mut links = run.pieces.iter().filter_map(|piece| match &piece.kind {
        PieceKind::Link { text, target } => Some((&piece.span, text.trim(), target)),
        _ => None,
    });
    if let Some((span, name, target)) = links.next() {
        let target = paths::decode(target);
        let target = target.strip_prefix("file://").unwrap_or(&target);
        if target != name && !target.ends_with(&format!("/{name}")) {
            return Err(problem::link_mismatch(name, target).at(span.clone()));
        }
        let says_more = rest.text.trim().chars().count() > 1;
        return match says_more || content.is_struck || content.is_obscured {
            true => Err(unclear()),
            false => Ok(WrittenPath::new(target, span.clone())),
        };
    }
    let row = item::read(source, &rest, Actions::NONE, "")?;
    let mut paths = row.paths.into_iter();
    match (paths.next(), paths.next()) {
        (Some(path), None) if row.change_type.is_empty() => Ok(path),
        _ => Err(unclear()),
    }
}
