//! `<files>` tags directly in the tasks of a plan: `<task><files>src/a.ts, src/b.ts</files>…`.

use std::ops::Range;

use super::design_builder::DesignBuilder;
use super::form::Shape;
use super::heading::Claim;
use super::item::ItemText;
use super::source::DesignText;
use crate::policy::GrantForm;

/// Grants the files of one tag: its lines and the parts between commas are items.
pub(super) fn read(source: &DesignText<'_>, content: &Range<usize>, draft: &mut DesignBuilder<'_>) {
    let line = source.line_span(content.start);
    draft.form(Shape::Line, GrantForm::FilesTag, Claim::Any.actions(), line);
    let mut depth = 0_usize;
    let parts = source.slice(content.clone()).split(|c| {
        depth = match c {
            '(' | '{' => depth + 1,
            ')' | '}' => depth.saturating_sub(1),
            '\n' => 0,
            _ => depth,
        };
        c == '\n' || depth == 0 && matches!(c, ',' | ';')
    });
    for part in parts {
        let item = part.trim();
        let item = item.strip_prefix("- ").unwrap_or(item);
        if !item.is_empty() {
            let item = ItemText::plain(item, source.span_of(item).start);
            draft.item(item.read(source, ""), Claim::Any);
        }
    }
}
