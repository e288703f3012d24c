//! Reports declarations of files that guard does not read.

use super::blocks::{Block, Table, TableEnd};
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

/// Reports lines that GitHub does not show as table rows.
pub(super) fn report_cut(source: &DesignText<'_>, table: &Table, draft: &mut DesignBuilder<'_>) {
    let Some((start, cut)) = &table.cut else {
        return;
    };
    let problem = match cut {
        TableEnd::Indented => Problem::new(
            Rule::DesignUnread,
            "indented-row",
            "the table ends here: a line indented by four columns or more is code, not a row",
            "remove the indentation",
        ),
        TableEnd::SecondHeader => Problem::new(
            Rule::DesignUnread,
            "second-header",
            "GitHub shows no table here: the paragraph contains a separator row that does not match the line above",
            "add an empty line before the header, or correct the separator row",
        ),
        TableEnd::Continued => Problem::new(
            Rule::DesignUnread,
            "no-empty-line",
            "GitHub may show this table as part of the list or quote above it",
            "add an empty line before the header",
        ),
        TableEnd::Enclosed(element) => enclosed(source, element),
    };
    draft.fault(problem.at(source.line_span(*start)));
}

fn enclosed(source: &DesignText<'_>, element: &Element) -> Problem {
    let line = source.line(element.start);
    if element.name.starts_with('!') {
        let message =
            format!("this is not granted: HTML that begins on line {line} has no clear end");
        return Problem::new(
            Rule::DesignUnread,
            "hidden",
            message,
            "close the comment or tag before the next blank line, and add an empty line before the HTML",
        );
    }
    let name = escaped(&element.name);
    let message = format!(
        "this is not granted: it is inside the raw HTML element `<{name}>` that begins on line {line}"
    );
    let help = format!("move it out of the element, or add the missing `</{name}>` above");
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
