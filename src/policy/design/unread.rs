//! Reports declarations of files that guard does not read.

use super::blocks::{Block, InlineText};
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
    let is_label = |content: &InlineText| label::read(source, content, &options.headings).is_some();
    // Whether a block would be part of the scope elsewhere.
    let declares = |index: usize, block: &Block| match block {
        Block::Heading(heading) => {
            title(&heading.content.plain, &options.headings).is_files()
                || file_heading::type_of(heading).is_some() && !heading.content.is_struck_whole()
        }
        Block::Table(table) => outline.is_in_scope(index) && !matches!(columns(table), Ok(None)),
        Block::List(nodes) => {
            outline.is_in_scope(index) || nodes.iter().any(|node| is_label(&node.content))
        }
        Block::Paragraph(content) => is_label(content),
        Block::Code(_) | Block::Other(_) | Block::Enclosed(..) => false,
    };
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
        if exclusion.body.start < end || is_typed && !exclusion.is_denial {
            continue;
        }
        let is_unread = |index: &usize| {
            let block = outline.blocks.get(*index);
            let counts = matches!(block, Some(Block::Table(_))) && !outline.is_denied(*index);
            !counts && block.is_some_and(|block| declares(*index, block))
        };
        let found = exclusion.body.clone().find(is_unread);
        if let Some(block) = found.and_then(|index| outline.blocks.get(index)) {
            end = exclusion.body.end;
            let text = escaped(&exclusion.content.one_line());
            let message = format!(
                "nothing below `{text}` is granted: it is struck out, or it excludes files"
            );
            let help = "to grant it, move it below a heading such as `## Files Changed`";
            let problem = Problem::new(Rule::DesignUnread, "excluded", message, help);
            draft.fault(problem.at(source.line_span(block.start())));
        }
    }
}

fn enclosed(source: &DesignText<'_>, element: &Element) -> Problem {
    let line = source.line(element.start);
    let what = match element.name.as_str() {
        "" => format!("GitHub may show the document from line {line} on in another way"),
        name => format!(
            "it is inside or behind the HTML element `<{}>` of line {line}",
            escaped(name)
        ),
    };
    let message = format!("this is not granted: {what}");
    let help = "write it outside of HTML; close tags and comments where they begin; put an empty line above a table, and no indentation before its rows";
    Problem::new(Rule::DesignUnread, "raw-html", message, help)
}
