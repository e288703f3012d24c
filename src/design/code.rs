//! Lists of files outside of Markdown's lists: code blocks below a heading or label, and `<files>` tags directly in the
//! tasks of a plan.

use std::ops::Range;

use super::{Actions, CodeBlock, DesignBuilder, DesignText, GrantForm, Problem, Row, Run, Shape};
use super::{any, is_in, item};

/// The item that is a part of the document's text.
fn item(source: &DesignText<'_>, part: &str, untyped: Actions) -> Result<Row, Problem> {
    let run = Run::plain(part, source.span_of(part).start);
    item::read(source, &run, untyped, "")
}

/// Reads the lines of a code block as items; false if one of them is no item with a path.
pub(super) fn read(block: &CodeBlock, untyped: Actions, draft: &mut DesignBuilder<'_>) -> bool {
    let source = draft.source;
    let is_plain = |info: &str| is_in(info, "|text|txt");
    let lines = source.slice(block.body.clone()).lines();
    let lines = lines.map(str::trim_end).filter(|line| !line.is_empty());
    let read: Vec<_> = lines.map(|line| item(source, line, untyped)).collect();
    let is_row = |read: &Result<Row, _>| read.as_ref().is_ok_and(|row| !row.paths.is_empty());
    if !block.info.as_deref().is_some_and(is_plain) || read.is_empty() || !read.iter().all(is_row) {
        return false;
    }
    let span = source.line_span(block.body.start);
    draft.form(Shape::Line, GrantForm::LabelList, untyped, span.clone());
    draft.passage(span, |draft| {
        read.into_iter().for_each(|read| draft.item(read));
    });
    true
}

/// Grants the files of one tag, `<task><files>src/a.ts, src/b.ts</files>…`: its lines and the parts between commas are
/// items.
pub(super) fn read_tag(content: &Range<usize>, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let line = source.line_span(content.start);
    draft.form(Shape::Line, GrantForm::FilesTag, any(), line);
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
    for part in parts.map(str::trim) {
        let part = part.strip_prefix("- ").unwrap_or(part);
        if !part.is_empty() {
            draft.item(item(source, part, any()));
        }
    }
}
