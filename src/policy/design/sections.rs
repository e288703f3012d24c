//! Finds the tables and lists of a document that declare its scope.

use super::absent;
use super::blocks::{Block, Heading, InlineText};
use super::bullets;
use super::collect::blocks;
use super::columns::columns;
use super::design_builder::DesignBuilder;
use super::file_headings;
use super::form::Shape;
use super::front_matter;
use super::heading::Claim;
use super::map::Map;
use super::options::DesignOptions;
use super::problem::{LocatedProblem, Problem};
use super::section::{CandidateTable, Section};
use super::source::DesignText;
use super::table;
use super::unread;
use crate::finding::Rule;
use crate::policy::Actions;

/// Reads a whole document into the draft.
pub(super) fn read(
    source: &DesignText<'_>,
    options: &DesignOptions,
    draft: &mut DesignBuilder<'_>,
) {
    let front = front_matter::find(source);
    let start = front.as_ref().map_or(source.start(), |(_, end)| *end);
    let blocks = blocks(source.text(), start);
    let map = Map::new(source, &blocks, options);
    let mut sections = map.sections();
    for section in &mut sections {
        collect_tables(&map, section, source, draft);
    }
    let has_table = sections.iter().any(|section| !section.tables.is_empty());
    report_ambiguity(source, &sections, draft);
    unread::report(source, &map, draft);

    let mut work: Vec<(usize, SectionPart<'_>)> = Vec::new();
    for section in &sections {
        for found in &section.tables {
            work.push((found.index, SectionPart::Table(found, section.claim)));
        }
        if section.tables.is_empty() && may_list(section, &sections) {
            for (index, items) in map.lists(section) {
                work.push((index, SectionPart::List(items, section.claim)));
            }
        }
    }
    if !has_table {
        for (index, items) in map.marked_lists(source) {
            work.push((index, SectionPart::List(items, Claim::Any)));
        }
        for (index, heading) in map.file_headings() {
            work.push((index, SectionPart::Heading(heading)));
        }
    }
    work.sort_by_key(|(index, _)| *index);
    work.dedup_by_key(|(index, _)| *index);
    let front = front
        .map(|(body, _)| body)
        .filter(|body| !has_table && front_matter::has_list(source, body));
    if work.is_empty() && front.is_none() {
        if !draft.is_void() {
            absent::report(source, &map, &sections, draft);
        }
        return;
    }
    if let Some(body) = front {
        let line = source.line_span(body.start);
        draft.form(Shape::FrontMatter, Claim::Any.actions(), line);
        front_matter::read(source, &body, draft);
    }
    for (_, work) in work {
        work.read(source, draft);
    }
}

enum SectionPart<'b> {
    Table(&'b CandidateTable<'b>, Claim),
    List(&'b [InlineText], Claim),
    Heading(&'b Heading),
}

impl SectionPart<'_> {
    fn read(&self, source: &DesignText<'_>, draft: &mut DesignBuilder<'_>) {
        match self {
            SectionPart::Table(found, claim) => {
                let header = source.line_span(found.table.header.span.start);
                draft.form(Shape::of(&found.columns), claim.actions(), header);
                table::read(source, found.table, &found.columns, *claim, draft);
                unread::report_cut(source, found.table, draft);
            }
            SectionPart::List(items, claim) => {
                let first = items.first().map_or(source.start(), |item| item.span.start);
                draft.form(Shape::List, claim.actions(), source.line_span(first));
                bullets::read(source, items, *claim, draft)
            }
            SectionPart::Heading(heading) => {
                if let Some((found, label)) = file_headings::type_of(heading) {
                    let line = source.line_span(heading.content.span.start);
                    draft.form(Shape::Heading, Actions::NONE, line);
                    file_headings::read(source, heading, found, label, draft);
                }
            }
        }
    }
}

/// Next to tables, a list counts only if no table claims what its heading says.
fn may_list(section: &Section<'_>, sections: &[Section<'_>]) -> bool {
    !sections
        .iter()
        .any(|other| !other.tables.is_empty() && other.claim.conflicts(section.claim))
}

/// Keeps the tables with the same columns as the section's own table.
fn collect_tables<'b>(
    map: &Map<'b>,
    section: &mut Section<'b>,
    source: &DesignText<'_>,
    draft: &mut DesignBuilder<'_>,
) {
    let own_heading = section.body.start.saturating_sub(1);
    let mut candidates = Vec::new();
    let mut without_path = Vec::new();
    for (index, unit, block) in map.own(section) {
        match block {
            Block::Table(table) => match columns(table) {
                Ok(Some(columns)) => candidates.push(CandidateTable {
                    index,
                    table,
                    columns,
                    unit,
                }),
                Ok(None) => without_path.push(source.line_span(table.span.start)),
                Err(problem) => {
                    draft.fault(problem.at(source.line_span(table.span.start)));
                    draft.void();
                }
            },
            Block::Paragraph(content) if source.slice(content.span.clone()).starts_with('|') => {
                draft.fault(broken_table(source, content));
            }
            _ => {}
        }
    }
    let says_what =
        |found: &&CandidateTable<'_>| found.columns.kind.is_some() || section.claim != Claim::Any;
    let direct = candidates.iter().find(|found| found.unit == own_heading);
    let names = direct
        .or_else(|| candidates.iter().find(says_what))
        .map(|found| found.columns.names.clone());
    if candidates.is_empty() {
        for span in without_path {
            let message = "the table has no File or Path column";
            let help = "name the columns: | File | Change Type | Description |";
            let problem = Problem::new(Rule::DesignNoTable, "no-path-column", message, help);
            draft.fault(problem.at(span));
        }
    }
    section.tables = candidates
        .into_iter()
        .filter(|found| found.unit == own_heading || Some(&found.columns.names) == names.as_ref())
        .collect();
}

fn broken_table(source: &DesignText<'_>, content: &InlineText) -> LocatedProblem {
    let help =
        "below the header, write a separator row with the same number of cells: |---|---|---|";
    let message = "these lines look like a table, but Markdown does not parse them as one";
    Problem::new(Rule::DesignNoTable, "broken-table", message, help)
        .at(source.line_span(content.span.start))
}

/// Two tables that claim the same role make the document ambiguous.
fn report_ambiguity(
    source: &DesignText<'_>,
    sections: &[Section<'_>],
    draft: &mut DesignBuilder<'_>,
) {
    let mut claimed: Vec<(&Section<'_>, &CandidateTable<'_>)> = Vec::new();
    for section in sections {
        for found in &section.tables {
            let rival = claimed.iter().find(|(other, before)| {
                if std::ptr::eq(*other, section) {
                    return before.unit == found.unit;
                }
                let is_nested = other.body.contains(&found.index)
                    && before.columns.names == found.columns.names;
                other.claim.conflicts(section.claim) && !is_nested
            });
            if let Some((_, before)) = rival {
                let line = source.line(before.table.header.span.start);
                let second = source.line_span(found.table.header.span.start);
                let message = format!(
                    "two tables claim to be the scope: one on line {line}, one on line {}",
                    source.line(second.start)
                );
                let help = "keep one table, or move the other one into a code fence";
                let problem = Problem::new(Rule::DesignAmbiguous, "two-tables", message, help);
                draft.fault(problem.at(second));
                draft.void();
            }
            claimed.push((section, found));
        }
    }
}
