//! Code blocks below a heading or label: each line is an item.

use super::blocks::CodeBlock;
use super::design_builder::DesignBuilder;
use super::form::Shape;
use super::heading::Claim;
use super::item::{DesignItem, ItemText};
use super::source::DesignText;
use super::words::is_in;
use crate::policy::GrantForm;

/// Reads the lines; false if one of them is no item with a path.
pub(super) fn read(
    source: &DesignText<'_>,
    block: &CodeBlock,
    claim: Claim,
    draft: &mut DesignBuilder<'_>,
) -> bool {
    let is_plain = |info: &str| is_in(info, "|text|txt");
    let lines = source.slice(block.body.clone()).lines();
    let lines = lines.map(str::trim_end).filter(|line| !line.is_empty());
    let item = |line| ItemText::plain(line, source.span_of(line).start).read(source, "");
    let read: Vec<_> = lines.map(item).collect();
    let is_path = |read: &Result<_, _>| matches!(read, Ok(DesignItem::Paths(_)));
    if !block.info.as_deref().is_some_and(is_plain) || read.is_empty() || !read.iter().all(is_path)
    {
        return false;
    }
    let span = source.line_span(block.body.start);
    let actions = claim.actions();
    draft.form(Shape::Line, GrantForm::LabelList, actions, span.clone());
    draft.passage(span, |draft| {
        read.into_iter().for_each(|read| draft.item(read, claim))
    });
    true
}
