//! Reports declarations of files that guard does not read.

use super::blocks::Block;
use super::columns::columns;
use super::design_builder::DesignBuilder;
use super::file_heading;
use super::heading::title;
use super::html::Element;
use super::label;
use super::options::DesignOptions;
use super::outline::Outline;
use super::problem::{Problem, escaped};
use super::source::DesignText;
use crate::finding::Rule;

/// Reports tables and lists in raw HTML or below excluding headings, once per cause. Beside a table with types, headings
/// that exclude only passages are no news.
pub(super) fn report(
    source: &DesignText<'_>,
    outline: &Outline<'_>,
    options: &DesignOptions,
    is_typed: bool,
    draft: &mut DesignBuilder<'_>,
) {
    let declares = |index, block| declares(source, outline, options, index, block);
    let mut reported = None;
    for (index, block) in outline.blocks.iter().enumerate() {
        if let Block::Enclosed(inner, element) = block
            && reported != Some(element.start)
            && declares(index, inner)
        {
            reported = Some(element.start);
            draft.fault(enclosed(source, element).at(source.line_span(inner.start())));
        }
    }
    let mut end = 0;
    for exclusion in &outline.exclusions {
        let mut body = exclusion.body.clone();
        if body.start < end || is_typed && !exclusion.is_denial {
            continue;
        }
        let found = body.find_map(|index| {
            let block = outline.blocks.get(index)?;
            let counts_all_the_same = matches!(block, Block::Table(_)) && !outline.is_denied(index);
            (!counts_all_the_same && declares(index, block)).then_some(block)
        });
        if let Some(block) = found {
            end = exclusion.body.end;
            let text = escaped(&exclusion.content.one_line());
            let why = match exclusion.content.is_struck() {
                true => "it is struck out",
                false => "the heading excludes it",
            };
            let message = format!("nothing below `{text}` is granted, because {why}");
            let help = "to grant it, move it below a heading such as `## Files Changed`";
            let problem = Problem::new(Rule::DesignUnread, "excluded", message, help);
            draft.fault(problem.at(source.line_span(block.start())));
        }
    }
}

fn enclosed(source: &DesignText<'_>, element: &Element) -> Problem {
    let line = source.line(element.start);
    let (message, help) = match element.name.as_str() {
        "" => (
            format!("this is not granted: GitHub may show what follows line {line} in another way"),
            "end each comment and tag where it begins; begin tables behind an empty line, and rows without indentation",
        ),
        name => (
            format!(
                "this is not granted: it is inside or behind the raw HTML element `<{}>` of line {line}",
                escaped(name)
            ),
            "move it out of the element, close the element before the next empty line, or write it in Markdown",
        ),
    };
    Problem::new(Rule::DesignUnread, "raw-html", message, help)
}

/// Whether a block would be part of the scope elsewhere.
fn declares(
    source: &DesignText<'_>,
    outline: &Outline<'_>,
    options: &DesignOptions,
    index: usize,
    block: &Block,
) -> bool {
    let is_label = |content| label::read(source, content, &options.headings).is_some();
    match block {
        Block::Heading(heading) => {
            title(&heading.content.plain, &options.headings).is_files()
                || file_heading::type_of(heading).is_some() && !heading.content.is_struck_whole()
        }
        Block::Table(table) => outline.is_in_scope(index) && !matches!(columns(table), Ok(None)),
        Block::List(nodes) => {
            outline.is_in_scope(index) || nodes.iter().any(|node| is_label(&node.content))
        }
        Block::Paragraph(content) => is_label(content),
        Block::Enclosed(inner, _) => declares(source, outline, options, index, inner),
        Block::Code(_) | Block::Other(_) => false,
    }
}
