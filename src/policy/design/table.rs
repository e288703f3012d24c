//! Reads the rows of a table of files.

use super::blocks::{InlineText, Table, TableRow};
use super::cell::{self, Paths};
use super::columns::Columns;
use super::design_builder::{self, DesignBuilder};
use super::entry;
use super::form::Shape;
use super::heading::Claim;
use super::kind::{self, RowAction, Type};
use super::problem::{LocatedProblem, Problem, html, unknown_type};
use super::source::DesignText;
use super::words;
use crate::finding::Rule;
use crate::policy::GrantForm;

/// Reads every row into the draft.
pub(super) fn read(
    source: &DesignText<'_>,
    table: &Table,
    columns: &Columns,
    claim: Claim,
    draft: &mut DesignBuilder<'_>,
) {
    let header = source.line_span(table.header.span.start);
    draft.form(
        Shape::of(columns),
        GrantForm::Table,
        claim.actions(),
        header.clone(),
    );
    if table.rows.is_empty() {
        let help = "add a row, such as: | `src/a.rs` | Modify | what changes |";
        let message = "the table has no rows";
        let problem = Problem::new(Rule::DesignNoTable, "empty-table", message, help);
        return draft.fault(problem.at(header));
    }
    let has_pipes = source.slice(header).starts_with('|');
    for row in &table.rows {
        match shape(source, row, columns, has_pipes) {
            Some(problem) => draft.bad_row(vec![problem.at(source.line_span(row.span.start))]),
            None => read_row(source, row, columns, claim, draft),
        }
    }
}

/// Reads a table below a heading or label as one passage.
pub(super) fn passage(
    source: &DesignText<'_>,
    table: &Table,
    columns: &Columns,
    claim: Claim,
    draft: &mut DesignBuilder<'_>,
) {
    let header = source.line_span(table.header.span.start);
    draft.passage(header, |draft| read(source, table, columns, claim, draft));
}

/// Whether a cell of the path column names a path.
pub(super) fn names_path(source: &DesignText<'_>, table: &Table, columns: &Columns) -> bool {
    table
        .rows
        .iter()
        .filter_map(|row| row.cells.get(columns.path))
        .any(|cell| {
            let read = cell::paths(source, cell).unwrap_or_default();
            read.paths
                .iter()
                .any(|path| entry::read(&path.text, false, source.path()).is_ok())
        })
}

/// The problem with the pipes of a row, if any.
fn shape(
    source: &DesignText<'_>,
    row: &TableRow,
    columns: &Columns,
    has_pipes: bool,
) -> Option<Problem> {
    let line = source.slice(source.line_span(row.span.start));
    if has_pipes && !line.starts_with('|') {
        return Some(Problem::bad_row(
            "not-a-row",
            "this line belongs to the table above but does not start with a pipe",
            "add an empty line before it, or write it as a row",
        ));
    }
    let cells = count_cells(line);
    if cells < columns.names.len() {
        return Some(Problem::bad_row(
            "truncated-row",
            format!(
                "the row is cut off: it has {cells} of {} cells",
                columns.names.len()
            ),
            "complete the row",
        ));
    }
    if cells > columns.names.len() && columns.can_shift() {
        return Some(Problem::bad_row(
            "extra-cells",
            format!(
                "the row has {cells} cells, the header {}: which one is the path?",
                columns.names.len()
            ),
            "write `\\|` for a pipe inside a cell",
        ));
    }
    None
}

fn read_row(
    source: &DesignText<'_>,
    row: &TableRow,
    columns: &Columns,
    claim: Claim,
    draft: &mut DesignBuilder<'_>,
) {
    let empty = InlineText::default();
    let cell = |index: usize| row.cells.get(index).unwrap_or(&empty);
    let path = cell(columns.path);
    let mut problems = Vec::new();
    let Paths { paths, prose } = if is_header(path, columns) {
        let span = source.trim(path.span.clone());
        let problem = Problem::bad_row(
            "header-row",
            "the table header is repeated",
            "remove the row",
        );
        problems.push(problem.at(span));
        Paths::default()
    } else {
        cell::paths(source, path).unwrap_or_else(|problem| {
            problems.push(problem);
            Paths::default()
        })
    };
    let mut said = columns.kind;
    let (kind, directory) = match columns.kind {
        Some(index) => row_type(source, row, cell(index)).map_or_else(
            |problem| {
                problems.push(problem);
                (RowAction::Mention, false)
            },
            |found| (found.kind, found.directory),
        ),
        None => {
            let names = columns.names.iter().enumerate();
            said = names
                .filter(|(index, _)| *index != columns.path)
                .find(|(index, name)| {
                    let text = cell(*index).one_line();
                    kind::denies_below(name, &text) || words::is_denial(&text)
                })
                .map(|(index, _)| index);
            let kind = said.map_or(RowAction::Grant(claim.actions()), |_| RowAction::Mention);
            (kind, false)
        }
    };
    if !problems.is_empty() {
        problems.extend(draft.path_problems(&paths));
    }
    // Report a row of placeholders once, not once per cell.
    if problems
        .iter()
        .any(|found| found.problem.rule == Rule::DesignPlaceholder)
    {
        problems.retain(|found| found.problem.reason != "unknown-type");
    }
    if !problems.is_empty() {
        return draft.bad_row(problems);
    }
    draft.row(design_builder::Row {
        paths,
        prose,
        kind,
        directory,
        change_type: said.map_or_else(String::new, |index| cell(index).one_line()),
        description: columns
            .description
            .map_or_else(String::new, |index| cell(index).one_line()),
    });
}

/// Whether a cell without backticks repeats the name of its column.
fn is_header(cell: &InlineText, columns: &Columns) -> bool {
    cell.pieces.is_empty()
        && columns
            .names
            .get(columns.path)
            .is_some_and(|name| *name == cell.one_line().to_lowercase())
}

fn row_type(
    source: &DesignText<'_>,
    row: &TableRow,
    cell: &InlineText,
) -> Result<Type, LocatedProblem> {
    let span = source.trim(cell.span.clone());
    let text = cell.one_line();
    if cell.is_struck() {
        return Err(
            Problem::placeholder("struck-out", "the type is struck out", "remove the row").at(span),
        );
    }
    if cell.is_obscured {
        return Err(html(source.slice(span.clone())).at(span));
    }
    kind::parse(&text).ok_or_else(|| {
        if text.is_empty() {
            let help = kind::help(&text);
            let span = source.line_span(row.span.start);
            Problem::bad_row("unknown-type", "the change type cell is empty", help).at(span)
        } else {
            unknown_type(&text).at(span)
        }
    })
}

/// The number of cells in a table line: unescaped pipes separate cells even inside code spans.
fn count_cells(line: &str) -> usize {
    let line = line.strip_prefix('|').unwrap_or(line).trim_end();
    let mut cells = 1;
    let mut escaped = false;
    let mut ends_with_pipe = false;
    for byte in line.bytes() {
        ends_with_pipe = byte == b'|' && !escaped;
        cells += usize::from(ends_with_pipe);
        escaped = byte == b'\\';
    }
    cells - usize::from(ends_with_pipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_line() {
        assert_eq!(count_cells("| a | b |"), 2);
        assert_eq!(count_cells("| a | b"), 2);
        assert_eq!(count_cells("a | b"), 2);
        assert_eq!(count_cells("| a |  |"), 2);
        assert_eq!(count_cells("| a \\| b | c |"), 2);
        assert_eq!(count_cells("| `a|b` | c |"), 3);
        assert_eq!(count_cells("| a"), 1);
        assert_eq!(count_cells("|"), 1);
    }
}
