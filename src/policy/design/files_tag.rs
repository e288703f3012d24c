//! `<files>` tags directly in the tasks of a plan: `<task><files>src/a.ts, src/b.ts</files>…`.

use std::ops::Range;

use super::design_builder::DesignBuilder;
use super::form::Shape;
use super::heading::Claim;
use super::item::ItemText;
use super::source::DesignText;
use super::tag::tag;
use super::words::is_in;
use crate::policy::GrantForm;

/// Elements whose content readers may not see.
const HIDING: &str = "details|template|script|style|svg|math|del|s|strike|textarea|title|iframe|noscript|xmp|select|\
    object|dialog|pre|noembed|noframes|plaintext|listing";

/// Finds the tags while the HTML of a document passes by, in order.
#[derive(Default)]
pub(super) struct FilesTags {
    /// The content of each tag.
    pub(super) found: Vec<Range<usize>>,
    /// Open elements that may hide what they hold.
    hiding: Vec<String>,
    is_in_task: bool,
    /// The child of the task that is open.
    child: Option<String>,
    /// Whether the rest of the document may be hidden.
    is_lost: bool,
}

impl FilesTags {
    /// Reads a block of HTML, or one inline tag, which only opens and closes elements.
    pub(super) fn html(&mut self, html: &str, start: usize, is_block: bool) {
        let mut cursor = 0;
        while let Some(at) = html
            .get(cursor..)
            .and_then(|rest| rest.find('<'))
            .map(|at| cursor + at)
        {
            let rest = html.get(at + 1..).unwrap_or("");
            cursor = at + 1;
            let opaque = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>"), ("!", ">")];
            if let Some((_, end)) = opaque.iter().find(|(begin, _)| rest.starts_with(begin)) {
                match rest.find(end) {
                    Some(length) => cursor += length + end.len(),
                    None => self.is_lost = true,
                }
                continue;
            }
            let Some(tag) = tag(rest) else { continue };
            cursor += tag.length;
            let is_hidden = ["hidden", "style"]
                .iter()
                .any(|name| tag.attributes.to_ascii_lowercase().contains(name));
            match (tag.name.as_str(), tag.is_end) {
                ("task", is_end) => {
                    self.is_in_task =
                        !is_end && !is_hidden && self.hiding.is_empty() && !self.is_lost;
                    self.child = None;
                }
                (name, false) if is_in(name, HIDING) || is_hidden => self.hiding.push(tag.name),
                (name, true) if self.hiding.iter().any(|open| open == name) => {
                    let at = self.hiding.iter().rposition(|open| open == name);
                    self.hiding.truncate(at.unwrap_or(0));
                }
                ("files", false)
                    if is_block
                        && self.is_in_task
                        && self.child.is_none()
                        && self.hiding.is_empty()
                        && !self.is_lost =>
                {
                    let rest = html.get(cursor..).unwrap_or("");
                    let length = rest.find('<').filter(|end| {
                        rest.get(*end..)
                            .is_some_and(|rest| rest.starts_with("</files>"))
                    });
                    match length {
                        Some(length) => {
                            self.found.push(start + cursor..start + cursor + length);
                            cursor += length + "</files>".len();
                        }
                        None => self.child = Some(tag.name),
                    }
                }
                (name, false) if is_in(name, "br|hr|img|wbr") || tag.attributes.ends_with('/') => {}
                (_, false) if self.child.is_none() => self.child = Some(tag.name),
                (name, true) if self.child.as_deref() == Some(name) => self.child = None,
                _ => {}
            }
        }
    }
}

/// Grants the files of one tag: its lines and the parts between commas are items.
pub(super) fn read(source: &DesignText<'_>, content: &Range<usize>, draft: &mut DesignBuilder<'_>) {
    let line = source.line_span(content.start);
    draft.form(Shape::Line, GrantForm::FilesTag, Claim::Any.actions(), line);
    let (mut start, mut depth) = (content.start, 0_usize);
    let text = source.slice(content.clone());
    for (offset, c) in text.char_indices().chain([(text.len(), '\n')]) {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            '\n' => depth = 0,
            _ => {}
        }
        if c == '\n' || depth == 0 && matches!(c, ',' | ';') {
            let piece = source.trim(start..content.start + offset);
            let text = source.slice(piece.clone());
            let item = text.strip_prefix("- ").unwrap_or(text);
            if !item.is_empty() {
                let item = ItemText::plain(item, piece.end - item.len());
                draft.item(item.read(source, ""), Claim::Any);
            }
            start = content.start + offset + 1;
        }
    }
}
