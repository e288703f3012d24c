//! Finds what declares the scope of a document: a table with types, or else all passages.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::blocks::{Block, Table};
use super::collect::{Markdown, markdown};
use super::columns::{Columns, columns};
use super::design_builder::DesignBuilder;
use super::files_tag;
use super::front_matter;
use super::heading::Claim;
use super::options::DesignOptions;
use super::outline::Outline;
use super::passages;
use super::problem::{LocatedProblem, Problem, escaped};
use super::source::DesignText;
use super::table;
use super::unread;
use crate::finding::Rule;
use crate::policy::Grant;

/// A table below a heading that announces files.
struct ScopeTable<'b> {
    index: usize,
    table: &'b Table,
    columns: Columns,
    claim: Claim,
    /// The indices of the blocks in its section.
    section: Range<usize>,
    /// The index of the heading directly above.
    unit: usize,
}

impl ScopeTable<'_> {
    /// Whether it stands directly below the heading that announces files.
    fn is_direct(&self) -> bool {
        self.unit + 1 == self.section.start
    }

    /// Whether it goes on with the table of another heading in its section.
    fn continues(&self, other: &ScopeTable<'_>) -> bool {
        other.section.contains(&self.index)
            && other.columns.names == self.columns.names
            && other.unit != self.unit
    }
}

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
    let tables = typed_tables(source, &outline, draft);
    unread::report(source, &outline, options, !tables.is_empty(), draft);
    let passages = |draft: &mut DesignBuilder<'_>| {
        if let Some((body, _)) = &front {
            front_matter::read(source, body, draft);
        }
        for tag in &tags {
            let index = blocks.partition_point(|block| block.start() <= tag.start);
            if !outline.is_excluded(index.saturating_sub(1)) {
                files_tag::read(source, tag, draft);
            }
        }
        passages::read(source, &outline, options, draft);
    };
    let Some(first) = tables.first().map(|found| found.table.header.span.start) else {
        passages(draft);
        if !draft.has_rows() && !draft.is_void() {
            report_absence(source, &outline, draft);
        }
        return;
    };
    draft.set_typed();
    for found in without_repeated(source, options, tables, draft) {
        table::read(source, found.table, &found.columns, found.claim, draft);
    }
    let mut other = DesignBuilder::new(source, options);
    passages(&mut other);
    if !draft.is_void() {
        report_beyond(source, first, other, draft);
    }
}

/// The tables with types: of each section the first, those of the heading itself, and those with the same columns. One
/// in which no cell names a path claims nothing beside another.
fn typed_tables<'b>(
    source: &DesignText<'_>,
    outline: &Outline<'b>,
    draft: &mut DesignBuilder<'_>,
) -> Vec<ScopeTable<'b>> {
    let mut tables = Vec::new();
    for section in outline.sections() {
        let (before, mut others) = (tables.len(), Vec::new());
        for (index, unit, block) in outline.own(&section) {
            match block {
                Block::Table(table) => match columns(table) {
                    Ok(Some(columns)) => tables.push(ScopeTable {
                        index,
                        table,
                        columns,
                        claim: section.claim,
                        section: section.body.clone(),
                        unit,
                    }),
                    Ok(None) => others.push(table.span.start),
                    Err(problem) => {
                        draft.fault(problem.at(source.line_span(table.span.start)));
                        draft.void();
                    }
                },
                Block::Paragraph(content)
                    if source.slice(content.span.clone()).starts_with('|') =>
                {
                    draft.fault(broken_table(source, content.span.start));
                }
                _ => {}
            }
        }
        if tables.len() == before {
            let what = "the table has no File or Path column";
            let help = "name the columns: | File | Change Type | Description |";
            let problem = || Problem::new(Rule::DesignNoTable, "no-path-column", what, help);
            let spans = others.into_iter().map(|start| source.line_span(start));
            spans.for_each(|span| draft.fault(problem().at(span)));
        }
    }
    tables.retain(|found| found.columns.kind.is_some());
    let names_path =
        |found: &ScopeTable<'_>| table::names_path(source, found.table, &found.columns);
    if tables.iter().any(names_path) {
        tables.retain(names_path);
    }
    let mut models: HashMap<usize, (bool, Vec<String>)> = HashMap::new();
    for found in &tables {
        let model = models.entry(found.section.start).or_default();
        if model.1.is_empty() || found.is_direct() && !model.0 {
            *model = (found.is_direct(), found.columns.names.clone());
        }
    }
    let is_model = |found: &ScopeTable<'_>| {
        let model = models.get(&found.section.start);
        model.is_some_and(|(_, names)| *names == found.columns.names)
    };
    tables.retain(|found| found.is_direct() || is_model(found));
    tables.sort_by_key(|found| found.index);
    tables
}

fn broken_table(source: &DesignText<'_>, start: usize) -> LocatedProblem {
    let help =
        "below the header, write a separator row with the same number of cells: |---|---|---|";
    let message = "these lines look like a table, but Markdown does not parse them as one";
    Problem::new(Rule::DesignNoTable, "broken-table", message, help).at(source.line_span(start))
}

/// Two tables that claim the same role make the document ambiguous, unless the second one only repeats rows.
fn without_repeated<'b>(
    source: &DesignText<'_>,
    options: &DesignOptions,
    tables: Vec<ScopeTable<'b>>,
    draft: &mut DesignBuilder<'_>,
) -> Vec<ScopeTable<'b>> {
    let grants = |found: &ScopeTable<'_>| {
        let mut alone = DesignBuilder::new(source, options);
        table::read(source, found.table, &found.columns, found.claim, &mut alone);
        let grants = alone.finish().grants.into_iter();
        let key = |grant: Grant| {
            let actions: Vec<_> = grant.actions.names().collect();
            (grant.path, grant.kind.name(), actions)
        };
        grants.map(key).collect::<BTreeSet<_>>()
    };
    let mut kept: Vec<(ScopeTable<'b>, Option<BTreeSet<_>>)> = Vec::new();
    for found in tables {
        if draft.is_void() {
            kept.push((found, None));
            continue;
        }
        let is_rival =
            |other: &ScopeTable<'_>| other.claim.conflicts(found.claim) && !found.continues(other);
        let Some((other, known)) = kept.iter_mut().find(|(other, _)| is_rival(other)) else {
            kept.push((found, None));
            continue;
        };
        let (known, repeated) = (known.get_or_insert_with(|| grants(other)), grants(&found));
        if repeated.is_empty() || !repeated.is_subset(known) {
            let first = source.line(other.table.header.span.start);
            let second = source.line_span(found.table.header.span.start);
            let message = format!(
                "two tables claim to be the scope: one on line {first}, one on line {}",
                source.line(second.start)
            );
            let help = "keep one table, or move the other one into a code fence";
            let problem = Problem::new(Rule::DesignAmbiguous, "two-tables", message, help);
            draft.fault(problem.at(second));
            draft.void();
            kept.push((found, None));
        }
    }
    kept.into_iter().map(|(found, _)| found).collect()
}

/// Reports files that passages name beyond the table that is the scope.
fn report_beyond(
    source: &DesignText<'_>,
    table: usize,
    other: DesignBuilder<'_>,
    draft: &mut DesignBuilder<'_>,
) {
    let beyond = draft.beyond(other);
    let Some(first) = beyond.first() else { return };
    let shown = beyond.iter().take(3).map(|grant| {
        format!(
            "`{}` (line {})",
            escaped(&grant.path.to_string()),
            grant.anchor.line
        )
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    let more = match beyond.len().saturating_sub(3) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!(
        "the table on line {} is the whole scope, so it leaves out {shown}{more}",
        source.line(table)
    );
    let help = "add a row to the table if this work changes the file";
    let problem = Problem::new(Rule::DesignUnread, "beyond-table", message, help);
    draft.fault(problem.at(source.line_span(first.anchor.span.start)));
}

/// Reports why the document declares no scope.
fn report_absence(source: &DesignText<'_>, outline: &Outline<'_>, draft: &mut DesignBuilder<'_>) {
    let table = "put this table below it, with the files that this work may change:\n\
         | File | Change Type | Description |\n\
         | ---- | ----------- | ----------- |\n\
         | `src/a.rs` | Modify | what changes |";
    let sections = outline.sections();
    for section in &sections {
        let content = &section.heading.content;
        let text = escaped(content.plain.trim());
        let message = format!("the section `{text}` has no table of files");
        let problem = Problem::new(Rule::DesignNoTable, "empty-section", message, table);
        draft.fault(problem.at(source.line_span(content.span.start)));
    }
    if sections.is_empty() {
        let path = escaped(&source.path().to_string());
        let help = format!(
            "to propose a table from this document, run guard scope import {path}; or add a section `## Files Changed` and {table}"
        );
        let message = "no section lists the files to change";
        let first = outline.blocks.first().map_or(source.start(), Block::start);
        let problem = Problem::new(Rule::DesignNoTable, "no-section", message, help);
        draft.fault(problem.at(source.line_span(first)));
    }
}
