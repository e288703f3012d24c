//! Explains why a document declares no scope.

use std::ops::Range;

use super::blocks::Block;
use super::design_builder::DesignBuilder;
use super::heading::{Title, title};
use super::map::Map;
use super::problem::{Problem, escaped};
use super::section::Section;
use super::source::DesignText;
use crate::finding::Rule;

/// Reports why the document declares no scope.
pub(super) fn report(
    source: &DesignText<'_>,
    map: &Map<'_>,
    sections: &[Section<'_>],
    draft: &mut DesignBuilder<'_>,
) {
    let fault = |reason, message: &str, help: &str, span| {
        Problem::new(Rule::DesignNoTable, reason, message, help).at(span)
    };
    let example = "put this table below it, with the files that this work may change:\n\
         | File | Change Type | Description |\n\
         | ---- | ----------- | ----------- |\n\
         | `src/a.rs` | Modify | what changes |";
    if !sections.is_empty() {
        for section in sections {
            let text = escaped(section.heading.content.plain.trim());
            let message = format!("the section `{text}` has no table of files");
            let span = source.line_span(section.heading.content.span.start);
            draft.fault(fault("empty-section", &message, example, span));
        }
        return;
    }
    if let Some((_, heading, _)) = map
        .titles
        .iter()
        .find(|(_, _, title)| *title == Title::Denied)
    {
        let text = escaped(heading.content.plain.trim());
        let message = format!(
            "no section lists the files to change; `{text}` lists files to leave unchanged"
        );
        let span = source.line_span(heading.content.span.start);
        return draft.fault(fault("no-section", &message, example, span));
    }
    if let Some(span) = fenced_heading(source, map) {
        let message = "the only list of files is inside a code fence, so it counts as an example";
        let help = "move the heading and its table out of the fence";
        return draft.fault(fault("no-section", message, help, span));
    }
    let first = map.blocks.iter().find_map(|block| match block {
        Block::Heading(heading) => Some(heading.content.span.start),
        Block::Paragraph(content) => Some(content.span.start),
        _ => None,
    });
    let span = source.line_span(first.unwrap_or(source.start()));
    let help = format!("add a section `## Files Changed` and {example}");
    let message = "no section lists the files to change";
    draft.fault(fault("no-section", message, &help, span));
}

/// A heading in a code block that would otherwise declare the scope.
fn fenced_heading(source: &DesignText<'_>, map: &Map<'_>) -> Option<Range<usize>> {
    let codes = map.blocks.iter().filter_map(|block| match block {
        Block::Code(span) => Some(span),
        _ => None,
    });
    let mut code = codes.peekable();
    source.lines().find_map(|(span, line)| {
        while code.next_if(|code| code.end <= span.start).is_some() {}
        let is_inside = code.peek().is_some_and(|code| code.start <= span.start);
        let text = line.trim_start();
        let is_scope = text.starts_with('#')
            && matches!(title(text.trim_start_matches('#'), &[]), Title::Scope(_));
        (is_inside && is_scope).then_some(span)
    })
}
