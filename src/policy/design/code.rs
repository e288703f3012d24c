//! Code blocks below a heading or label: each line is an item.

use super::blocks::CodeBlock;
use super::design_builder::DesignBuilder;
use super::form::Shape;
use super::heading::Claim;
use super::item::{DesignItem, ItemText};
use super::source::DesignText;
use crate::policy::GrantForm;

/// Whether code is plain text, which may list paths.
pub(super) fn is_plain(block: &CodeBlock) -> bool {
    block
        .info
        .as_deref()
        .is_some_and(|info| matches!(info, "" | "text" | "txt"))
}

/// Reads the lines; false if one of them is no item with a path.
pub(super) fn read(
    source: &DesignText<'_>,
    block: &CodeBlock,
    claim: Claim,
    draft: &mut DesignBuilder<'_>,
) -> bool {
    if !is_plain(block) {
        return false;
    }
    let mut start = block.body.start;
    let mut items = Vec::new();
    for line in source.slice(block.body.clone()).split_inclusive('\n') {
        if !line.trim().is_empty() {
            items.push(ItemText::plain(line.trim_end(), start));
        }
        start += line.len();
    }
    let read: Vec<_> = items.iter().map(|item| item.read(source, "")).collect();
    if read.is_empty()
        || !read
            .iter()
            .all(|read| matches!(read, Ok(DesignItem::Paths(_))))
    {
        return false;
    }
    let span = source.line_span(block.body.start);
    draft.form(
        Shape::Line,
        GrantForm::LabelList,
        claim.actions(),
        span.clone(),
    );
    draft.passage(span, |draft| {
        read.into_iter().for_each(|read| draft.item(read, claim))
    });
    true
}
