//! Finds what declares the scope of a document: a table with types, or else all passages.

use std::collections::{BTreeSet, HashMap};

use super::markdown::markdown;
use super::outline::Section;
use super::table::{self, Columns};
use super::{Block, DesignBuilder, Grant, Outline, Problem, Table, any, escaped};
use super::{code, front_matter, passages};
use crate::finding::Rule;

/// A table below a heading that announces files.
struct ScopeTable<'b> {
    index: usize,
    table: &'b Table,
    columns: Columns,
    section: &'b Section<'b>,
    /// The index of the heading directly above.
    heading: usize,
}

impl ScopeTable<'_> {
    /// Whether it stands directly below the heading that announces files.
    fn is_direct(&self) -> bool {
        self.heading == self.section.index
    }

    /// Whether both cannot be the scope. One may go on with the table of another heading in its section.
    fn rivals(&self, other: &ScopeTable<'_>) -> bool {
        let (ours, theirs) = (self.section.untyped, other.section.untyped);
        let continues = (other.section.index..other.section.end).contains(&self.index)
            && other.columns.names == self.columns.names
            && other.heading != self.heading;
        (ours == theirs || ours == any() || theirs == any()) && !continues
    }
}

/// Reads a whole document into the draft.
pub(super) fn read(draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let front = front_matter::find(source);
    let start = front.as_ref().map_or(source.start(), |(_, end)| *end);
    let (blocks, tags) = markdown(source.text, start);
    let outline = Outline::new(source, &blocks);
    let tables = typed_tables(&outline, draft);
    let starts: Vec<usize> = tables
        .iter()
        .map(|found| found.table.header.start)
        .collect();
    draft.design.is_typed = !tables.is_empty();
    for problem in outline.unread(source, draft.design.is_typed) {
        draft.fault(problem);
    }
    let passages = |draft: &mut DesignBuilder<'_>| {
        if let Some((body, _)) = &front {
            front_matter::read(body, draft);
        }
        for tag in &tags {
            let index = blocks.partition_point(|block| block.start() <= tag.start);
            let place = outline.places.get(index.saturating_sub(1));
            if !place.is_some_and(|place| place.is_excluded()) {
                code::read_tag(tag, draft);
            }
        }
        passages::read(&outline, &starts, draft);
    };
    if let Some(&first) = starts.first() {
        read_tables(tables, draft);
        let mut other = DesignBuilder::new(source);
        passages(&mut other);
        if !draft.is_void {
            report_beyond(first, other, draft);
        }
    } else {
        passages(draft);
        if draft.rows == 0 && !draft.is_void {
            report_absence(&outline, draft);
        }
    }
}

/// The tables with types: of each section the first, those of the heading itself, and those with the same columns. One
/// in which no cell names a path claims nothing beside another.
fn typed_tables<'b>(
    outline: &'b Outline<'b>,
    draft: &mut DesignBuilder<'_>,
) -> Vec<ScopeTable<'b>> {
    let source = draft.source;
    let (mut tables, mut others, mut named) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (index, (block, place)) in outline.blocks.iter().zip(&outline.places).enumerate() {
        let section = place
            .section
            .and_then(|number| outline.sections.get(number));
        let Some(section) = section.filter(|_| !place.is_denied()) else {
            continue;
        };
        let line = source.line_span(block.start());
        match block {
            Block::Table(table) => match table::columns(table) {
                Ok(Some(columns)) => {
                    named.insert(section.index);
                    let heading = place.heading;
                    tables.push(ScopeTable {
                        index,
                        table,
                        columns,
                        section,
                        heading,
                    });
                }
                Ok(None) => others.push((section.index, line)),
                Err(problem) => {
                    draft.fault(problem.at(line));
                    draft.is_void = true;
                }
            },
            Block::Paragraph(content) if source.slice(content.span.clone()).starts_with('|') => {
                let what = "these lines look like a table, but Markdown does not parse them as one";
                let help = "below the header, write a separator row with the same number of cells: |---|---|---|";
                draft.fault(Problem::no_table("broken-table", what, help).at(line));
            }
            _ => {}
        }
    }
    for (_, line) in others
        .into_iter()
        .filter(|(section, _)| !named.contains(section))
    {
        let what = "the table has no File or Path column";
        let help = "name the columns: | File | Change Type | Description |";
        draft.fault(Problem::no_table("no-path-column", what, help).at(line));
    }
    tables.retain(|found| found.columns.kind.is_some());
    let names_path =
        |found: &ScopeTable<'_>| table::names_path(source, found.table, &found.columns);
    if tables.iter().any(names_path) {
        tables.retain(names_path);
    }
    // The columns of each section: those of its first table, but rather of one directly below the heading.
    let mut models: HashMap<usize, (bool, Vec<String>)> = HashMap::new();
    for found in &tables {
        let model = models.entry(found.section.index).or_default();
        if model.1.is_empty() || found.is_direct() && !model.0 {
            *model = (found.is_direct(), found.columns.names.clone());
        }
    }
    tables.retain(|found| {
        let model = models.get(&found.section.index);
        found.is_direct() || model.is_some_and(|(_, names)| *names == found.columns.names)
    });
    tables
}

/// Reads the tables. Two that claim the same role make the document ambiguous, unless the second one only repeats rows.
fn read_tables(tables: Vec<ScopeTable<'_>>, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let key = |grant: &Grant| {
        let actions: Vec<_> = grant.actions.names().collect();
        (grant.path.clone(), grant.kind.name(), actions)
    };
    let mut kept: Vec<(ScopeTable<'_>, BTreeSet<_>)> = Vec::new();
    for found in tables {
        let before = draft.design.grants.len();
        table::read(found.table, &found.columns, found.section.untyped, draft);
        let granted: BTreeSet<_> = draft.design.grants[before..].iter().map(key).collect();
        let rival = kept.iter().find(|(other, _)| found.rivals(other));
        if let Some((other, known)) = rival.filter(|_| !draft.is_void) {
            if !granted.is_empty() && granted.is_subset(known) {
                draft.design.grants.truncate(before);
                continue;
            }
            let first = source.line(other.table.header.start);
            let second = table::header(source, found.table);
            let line = source.line(second.start);
            let message = format!(
                "two tables claim to be the scope: one on line {first}, one on line {line}"
            );
            let help = "keep one table, or move the other one into a code fence";
            let problem = Problem::new(Rule::DesignAmbiguous, "two-tables", &message, help);
            draft.fault(problem.at(second));
            draft.is_void = true;
        }
        kept.push((found, granted));
    }
}

/// Reports files that passages name beyond the table that is the scope.
fn report_beyond(table: usize, other: DesignBuilder<'_>, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let beyond = draft.beyond(other);
    let Some(first) = beyond.first() else { return };
    let shown = beyond.iter().take(3).map(|grant| {
        let path = escaped(&grant.path.to_string());
        format!("`{path}` (line {})", grant.anchor.line)
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    let more = match beyond.len().saturating_sub(3) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let line = source.line(table);
    let message =
        format!("the table on line {line} is the whole scope, so it leaves out {shown}{more}");
    let help = "add a row to the table if this work changes the file";
    let line = source.line_span(first.anchor.span.start);
    draft.fault(Problem::unread("beyond-table", &message, help).at(line));
}

/// Reports why the document declares no scope.
fn report_absence(outline: &Outline<'_>, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let table = "put this table below it, with the files that this work may change:\n\
         | File | Change Type | Description |\n\
         | ---- | ----------- | ----------- |\n\
         | `src/a.rs` | Modify | what changes |";
    for Section { content, .. } in &outline.sections {
        let text = escaped(content.plain.trim());
        let message = format!("the section `{text}` has no table of files");
        let line = source.line_span(content.span.start);
        draft.fault(Problem::no_table("empty-section", &message, table).at(line));
    }
    if outline.sections.is_empty() {
        let path = escaped(&source.path.to_string());
        let help = format!(
            "add a section `## Files Changed` and {table}\nto propose a table from this document: guard scope import {path}"
        );
        let message = "no section lists the files to change";
        let first = outline.blocks.first().map_or(source.start(), Block::start);
        let line = source.line_span(first);
        draft.fault(Problem::no_table("no-section", message, &help).at(line));
    }
}
