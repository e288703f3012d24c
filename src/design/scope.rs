//! Finds what declares the scope of a document: a table with types, or else all passages.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

use gix::bstr::BString;

use super::headings::Title;
use super::markdown::markdown;
use super::outline::BlockPlace;
use super::table::{self, Columns};
use super::{Actions, BlockKind, DesignBuilder, Grant, Outline, Problem, Table, any, problem};
use super::{code, front_matter, passages};
use crate::finding::Rule;
use crate::path::{escaped, listed};
use crate::scope::Scope;

/// A table below a heading that announces files.
struct ScopeTable<'b> {
    table: &'b Table,
    columns: Columns,
    place: &'b BlockPlace<'b>,
    /// The index of that heading.
    section: usize,
    /// What a row without a type grants.
    untyped: Actions,
}

impl ScopeTable<'_> {
    /// Whether both cannot be the scope. One may go on with the table of another heading in its section.
    fn rivals(&self, other: &ScopeTable<'_>, outline: &Outline<'_>) -> bool {
        let (ours, theirs) = (self.untyped, other.untyped);
        let continues = self.columns.names == other.columns.names
            && self.place.heading != other.place.heading
            && outline.is_below(self.place, other.section);
        (ours == theirs || ours == any() || theirs == any()) && !continues
    }
}

/// Reads a whole document into the draft.
pub(super) fn read(draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let front = front_matter::find(source);
    // After a BOM.
    let start = source.lines.range(1).start;
    let start = front.as_ref().map_or(start, |(_, end)| *end);
    let (blocks, tags) = markdown(source.text, start);
    let outline = Outline::new(source, &blocks);
    let tables = typed_tables(&outline, draft);
    let starts = tables.iter().map(|found| found.table.header.start);
    let starts: Vec<usize> = starts.collect();
    draft.design.is_typed = !starts.is_empty();
    outline.report_unread(draft);
    let passages = |draft: &mut DesignBuilder<'_>| {
        if let Some((body, _)) = &front {
            front_matter::read(body, draft);
        }
        for tag in &tags {
            let index = blocks.partition_point(|block| block.start <= tag.start);
            let place = outline.places.get(index.saturating_sub(1));
            if !place.is_some_and(|place| place.is_excluded()) {
                code::read_tag(tag, draft);
            }
        }
        passages::read(&outline, &starts, draft);
    };
    if let Some(&first) = starts.first() {
        read_tables(&outline, tables, draft);
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
    let (mut tables, mut others): (Vec<ScopeTable<'_>>, _) = (Vec::new(), Vec::new());
    for (block, place) in outline.blocks.iter().zip(&outline.places) {
        let Some(section) = place.section.filter(|_| !place.is_denied()) else {
            continue;
        };
        let Title::Scope(untyped) = outline.places[section].title else {
            continue;
        };
        let line = source.line_span(block.start);
        match block.visible() {
            BlockKind::Table(table) => match table::columns(table) {
                Ok(Some(columns)) => tables.push(ScopeTable {
                    table,
                    columns,
                    place,
                    section,
                    untyped,
                }),
                Ok(None) => others.push((section, line)),
                Err(problem) => draft.fault(problem.at(line)),
            },
            BlockKind::Paragraph(_) if source.slice(line.clone()).starts_with('|') => {
                draft.fault(problem::broken_table().at(line));
            }
            _ => {}
        }
    }
    let named: HashSet<usize> = tables.iter().map(|found| found.section).collect();
    others.retain(|(section, _)| !named.contains(section));
    for (_, line) in others {
        draft.fault(problem::no_path_column().at(line));
    }
    tables.retain(|found| found.columns.kind.is_some());
    let names_path =
        |found: &ScopeTable<'_>| table::names_path(source, found.table, &found.columns);
    if tables.iter().any(names_path) {
        tables.retain(names_path);
    }
    // The columns of the first table of each section. Those directly below the heading come before all others.
    let mut models: HashMap<usize, Vec<String>> = HashMap::new();
    tables.retain(|found| {
        let names = &found.columns.names;
        let model = models.entry(found.section).or_insert_with(|| names.clone());
        found.place.heading == Some(found.section) || model == names
    });
    tables
}

/// Reads the tables. Two that claim the same role make the document ambiguous, unless the second one only repeats rows.
fn read_tables(outline: &Outline<'_>, tables: Vec<ScopeTable<'_>>, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let key = |grant: &Grant| (grant.path.clone(), grant.kind, grant.actions);
    let mut kept: Vec<(ScopeTable<'_>, HashSet<_>)> = Vec::new();
    for found in tables {
        let before = draft.design.grants.len();
        table::read(found.table, &found.columns, found.untyped, draft);
        let granted: HashSet<_> = draft.design.grants[before..].iter().map(key).collect();
        let rival = kept.iter().find(|(other, _)| found.rivals(other, outline));
        if let Some((other, known)) = rival.filter(|_| !draft.is_void) {
            if !granted.is_empty() && granted.is_subset(known) {
                draft.design.grants.truncate(before);
                continue;
            }
            let first = source.lines.line(other.table.header.start);
            let second = table::header(source, found.table);
            let problem = problem::two_tables(first, source.lines.line(second.start));
            draft.fault(problem.at(second));
        }
        kept.push((found, granted));
    }
}

/// Reports files that passages name beyond the table that is the scope, and that it does not even mention.
fn report_beyond(table: usize, other: DesignBuilder<'_>, draft: &mut DesignBuilder<'_>) {
    let (source, design) = (draft.source, &draft.design);
    let mut beyond = other.finish().grants;
    let mentions = design.mentions.iter().map(|mention| &mention.path);
    let grants = design.grants.iter().map(|grant| &grant.path);
    let named: HashSet<&BString> = mentions.chain(grants).collect();
    let scope = LazyCell::new(|| Scope::new(design.grants.clone()));
    let covers = |path: &BString| named.contains(path) || !scope.lookup(path.as_ref()).is_empty();
    beyond.retain(|grant| !covers(&grant.path));
    let Some(first) = beyond.first() else { return };
    let name = |grant: &Grant| format!("`{}` (line {})", escaped(&grant.path), grant.anchor.line);
    let (line, names) = (source.lines.line(table), listed(beyond.iter().map(name), 3));
    let message = format!("the table on line {line} is the whole scope, so it leaves out {names}");
    let help = "add a row to the table if this work changes the file";
    let line = source.line_span(first.anchor.span.start);
    draft.fault(Problem::new(Rule::DesignUnread, "beyond-table", message, help).at(line));
}

/// Reports why the document declares no scope.
fn report_absence(outline: &Outline<'_>, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let known = draft.design.faults.len();
    for (block, place) in outline.blocks.iter().zip(&outline.places) {
        if let (BlockKind::Heading(_, content), Title::Scope(_)) = (&block.kind, place.title)
            && !place.is_denied()
        {
            let problem = problem::empty_section(content.plain.trim());
            draft.fault(problem.at(source.line_span(block.start)));
        }
    }
    if draft.design.faults.len() == known {
        let first = outline.blocks.first();
        let line = source.line_span(first.map_or(0, |block| block.start));
        draft.fault(problem::no_section(source.path).at(line));
    }
}
