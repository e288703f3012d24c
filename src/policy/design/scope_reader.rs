//! Finds what declares the scope of a document: a table with types, or else all passages.

use std::collections::HashMap;
use std::ops::Range;

use super::blocks::{Block, CodeBlock};
use super::collect::{Markdown, markdown};
use super::columns::columns;
use super::design_builder::DesignBuilder;
use super::files_tag;
use super::front_matter;
use super::heading::Title;
use super::options::DesignOptions;
use super::outline::{CandidateTable, Outline, Section};
use super::passages;
use super::problem::{LocatedProblem, Problem, escaped};
use super::source::DesignText;
use super::table;
use super::unread;
use crate::finding::Rule;

/// Reads a whole document into the draft.
pub(super) fn read(
    source: &DesignText<'_>,
    options: &DesignOptions,
    draft: &mut DesignBuilder<'_>,
) {
    let front = front_matter::find(source);
    let start = front.as_ref().map_or(source.start(), |(_, end)| *end);
    let Markdown { blocks, tags } = markdown(source.text(), start);
    let outline = Outline::new(source, &blocks, options);
    let mut sections = outline.sections();
    for section in &mut sections {
        collect_tables(&outline, section, source, draft);
    }
    let is_typed = sections.iter().any(|section| !section.tables.is_empty());
    unread::report(source, &outline, options, is_typed, draft);
    let passages = |draft: &mut DesignBuilder<'_>| {
        if let Some((body, _)) = &front {
            front_matter::read(source, body, draft);
        }
        let is_excluded = |tag: &&Range<usize>| {
            let index = blocks.partition_point(|block| block.start() <= tag.start);
            outline.is_excluded(index.saturating_sub(1))
        };
        for content in tags.iter().filter(|tag| !is_excluded(tag)) {
            files_tag::read(source, content, draft);
        }
        passages::read(source, &outline, options, draft);
    };
    let first = sections.iter().flat_map(|section| &section.tables).next();
    let Some(first) = first.map(|found| found.table.header.span.start) else {
        passages(draft);
        if !draft.has_rows() && !draft.is_void() {
            report_absence(source, &outline, draft);
        }
        return;
    };
    draft.set_typed();
    report_ambiguity(source, options, &mut sections, draft);
    let mut tables: Vec<_> = sections
        .iter()
        .flat_map(|section| section.tables.iter().map(|found| (found, section.claim)))
        .collect();
    tables.sort_by_key(|(found, _)| found.index);
    tables.dedup_by_key(|(found, _)| found.index);
    for (found, claim) in tables {
        table::read(source, found.table, &found.columns, claim, draft);
    }
    let mut other = DesignBuilder::new(source, options);
    passages(&mut other);
    report_beyond(source, first, &other, draft);
}

/// Keeps the tables with types: the first, those of the heading itself, and those with the same columns. One in which
/// no cell names a path claims nothing beside another.
fn collect_tables<'b>(
    outline: &Outline<'b>,
    section: &mut Section<'b>,
    source: &DesignText<'_>,
    draft: &mut DesignBuilder<'_>,
) {
    let own_heading = section.body.start.saturating_sub(1);
    let mut candidates: Vec<CandidateTable<'b>> = Vec::new();
    let mut without_path = Vec::new();
    for (index, unit, block) in outline.own(section) {
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
                draft.fault(broken_table(source, content.span.start));
            }
            _ => {}
        }
    }
    if candidates.is_empty() {
        for span in without_path {
            let message = "the table has no File or Path column";
            let help = "name the columns: | File | Change Type | Description |";
            draft
                .fault(Problem::new(Rule::DesignNoTable, "no-path-column", message, help).at(span));
        }
    }
    candidates.retain(|found| found.columns.kind.is_some());
    let names_path =
        |found: &CandidateTable<'_>| table::names_path(source, found.table, &found.columns);
    if candidates.iter().any(names_path) {
        candidates.retain(names_path);
    }
    let direct = candidates
        .iter()
        .find(|found| found.unit == own_heading)
        .or(candidates.first());
    let names = direct.map(|found| found.columns.names.clone());
    candidates
        .retain(|found| found.unit == own_heading || Some(&found.columns.names) == names.as_ref());
    section.tables = candidates;
}

fn broken_table(source: &DesignText<'_>, start: usize) -> LocatedProblem {
    let help =
        "below the header, write a separator row with the same number of cells: |---|---|---|";
    let message = "these lines look like a table, but Markdown does not parse them as one";
    Problem::new(Rule::DesignNoTable, "broken-table", message, help).at(source.line_span(start))
}

/// Two tables that claim the same role make the document ambiguous, unless the second one only repeats rows.
fn report_ambiguity(
    source: &DesignText<'_>,
    options: &DesignOptions,
    sections: &mut [Section<'_>],
    draft: &mut DesignBuilder<'_>,
) {
    // A report without paths, beside a table with paths, claims nothing.
    let names_path =
        |found: &CandidateTable<'_>| table::names_path(source, found.table, &found.columns);
    if sections
        .iter()
        .flat_map(|section| &section.tables)
        .any(names_path)
    {
        for section in sections.iter_mut() {
            section.tables.retain(names_path);
        }
    }
    let reading = |section: &Section<'_>, found: &CandidateTable<'_>| {
        let mut builder = DesignBuilder::new(source, options);
        table::read(
            source,
            found.table,
            &found.columns,
            section.claim,
            &mut builder,
        );
        builder
    };
    // The first table below each heading, with its section, and how it reads once that is needed.
    let mut first: Vec<(usize, usize)> = Vec::new();
    let mut readings: HashMap<(usize, usize), DesignBuilder<'_>> = HashMap::new();
    let mut repeated: Vec<(usize, usize)> = Vec::new();
    'all: for (number, section) in sections.iter().enumerate() {
        for (at, found) in section.tables.iter().enumerate() {
            let rival = first.iter().copied().find(|&(other, before)| {
                let (Some(other_section), Some(before)) = (
                    sections.get(other),
                    sections
                        .get(other)
                        .and_then(|section| section.tables.get(before)),
                ) else {
                    return false;
                };
                let is_nested = other_section.body.contains(&found.index)
                    && before.columns.names == found.columns.names
                    && before.unit != found.unit;
                other_section.claim.conflicts(section.claim) && !is_nested
            });
            let Some(key) = rival else {
                if !first.iter().any(|&(other, before)| {
                    other == number
                        && section
                            .tables
                            .get(before)
                            .is_some_and(|before| before.unit == found.unit)
                }) {
                    first.push((number, at));
                }
                continue;
            };
            let Some((section_before, before)) = sections
                .get(key.0)
                .and_then(|section| Some((section, section.tables.get(key.1)?)))
            else {
                continue;
            };
            let known = readings
                .entry(key)
                .or_insert_with(|| reading(section_before, before));
            if known.repeats(&reading(section, found)) {
                repeated.push((number, found.index));
                continue;
            }
            let line = source.line(before.table.header.span.start);
            let second = source.line_span(found.table.header.span.start);
            let message = format!(
                "two tables claim to be the scope: one on line {line}, one on line {}",
                source.line(second.start)
            );
            let help = "keep one table, or move the other one into a code fence";
            draft
                .fault(Problem::new(Rule::DesignAmbiguous, "two-tables", message, help).at(second));
            draft.void();
            break 'all;
        }
    }
    for (number, index) in repeated {
        if let Some(section) = sections.get_mut(number) {
            section.tables.retain(|found| found.index != index);
        }
    }
}

/// Reports files that passages name beyond the table that is the scope.
fn report_beyond(
    source: &DesignText<'_>,
    table: usize,
    other: &DesignBuilder<'_>,
    draft: &mut DesignBuilder<'_>,
) {
    if draft.is_void() {
        return;
    }
    for (start, paths) in draft.beyond(other) {
        let names = paths
            .iter()
            .take(3)
            .map(|path| format!("`{}`", escaped(&path.to_string())));
        let names = names.collect::<Vec<_>>().join(", ");
        let more = match paths.len().saturating_sub(3) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message = format!(
            "{names}{more} is not granted: the table on line {} is the whole scope",
            source.line(table)
        );
        let help = "add a row to the table if this work changes the file";
        let problem = Problem::new(Rule::DesignUnread, "beyond-table", message, help);
        draft.fault(problem.at(source.line_span(start)));
    }
}

/// Reports why the document declares no scope.
fn report_absence(source: &DesignText<'_>, outline: &Outline<'_>, draft: &mut DesignBuilder<'_>) {
    let fault = |reason, message: &str, help: &str, span| {
        Problem::new(Rule::DesignNoTable, reason, message, help).at(span)
    };
    let table = "put this table below it, with the files that this work may change:\n\
         | File | Change Type | Description |\n\
         | ---- | ----------- | ----------- |\n\
         | `src/a.rs` | Modify | what changes |";
    let sections = outline.sections();
    for section in &sections {
        let text = escaped(section.heading.content.plain.trim());
        let message = format!("the section `{text}` has no table of files");
        draft.fault(fault(
            "empty-section",
            &message,
            table,
            source.line_span(section.heading.content.span.start),
        ));
    }
    if !sections.is_empty() {
        return;
    }
    let import = format!(
        "to propose a table from this document, run guard scope import {}",
        escaped(&source.path().to_string())
    );
    if let Some((_, heading, _)) = outline
        .titles
        .iter()
        .find(|(_, _, title)| *title == Title::Denied)
    {
        let text = escaped(heading.content.plain.trim());
        let message = format!(
            "no section lists the files to change; `{text}` lists files to leave unchanged"
        );
        return draft.fault(fault(
            "no-section",
            &message,
            table,
            source.line_span(heading.content.span.start),
        ));
    }
    if let Some(span) = fenced_heading(source, outline) {
        let message = "the only list of files is inside a code fence, so it counts as an example";
        let help = "move the heading and its table out of the fence";
        return draft.fault(fault("no-section", message, help, span));
    }
    let first = outline.blocks.iter().find_map(|block| match block {
        Block::Heading(heading) => Some(heading.content.span.start),
        Block::Paragraph(content) => Some(content.span.start),
        _ => None,
    });
    let span = source.line_span(first.unwrap_or(source.start()));
    let help = format!("{import}; or add a section `## Files Changed` and {table}");
    draft.fault(fault(
        "no-section",
        "no section lists the files to change",
        &help,
        span,
    ));
}

/// A heading in a code block that would otherwise declare the scope.
fn fenced_heading(source: &DesignText<'_>, outline: &Outline<'_>) -> Option<Range<usize>> {
    outline.blocks.iter().find_map(|block| match block {
        Block::Code(CodeBlock { body, .. }) => {
            let mut start = body.start;
            source
                .slice(body.clone())
                .split_inclusive('\n')
                .find_map(|line| {
                    let at = start;
                    start += line.len();
                    let text = line.trim_start();
                    let is_scope = text.starts_with('#')
                        && matches!(
                            super::heading::title(text.trim_start_matches('#'), &[]),
                            Title::Scope(_)
                        );
                    is_scope.then(|| source.line_span(at))
                })
        }
        _ => None,
    })
}
