//! Whether a passage that is not read would declare files elsewhere.

use super::blocks::{Block, InlineText};
use super::entries::{PassageKind, entries};
use super::item;
use super::label::{self, LabelRole};
use super::source::DesignText;

/// Whether a line or list outside the scope would declare files.
pub(super) fn declares(source: &DesignText<'_>, block: &Block) -> bool {
    let is_label = |content: &InlineText| {
        label::label(source, content)
            .filter(|found| {
                matches!(
                    label::role(&found.text, &found.notes),
                    Some(LabelRole::Files(_))
                )
            })
            .is_some_and(|found| {
                found.value.is_empty() || item::names(source, &content.within(found.value))
            })
            && !label::is_struck(content)
            && !content.is_obscured
    };
    let blocks = std::slice::from_ref(block);
    entries(source, blocks)
        .iter()
        .any(|entry| match &entry.kind {
            PassageKind::Line(line) => is_label(&line.content),
            _ => false,
        })
}
