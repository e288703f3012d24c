//! Reads the rows of a table of files.

use super::blocks::{InlineText, Table, TableRow};
use super::cell;
use super::columns::Columns;
use super::design_builder::{self, DesignBuilder};
use super::entry;
use super::form::Shape;
use super::heading::Claim;
use super::kind::{self, RowAction};
use super::problem::{LocatedProblem, Problem, html, unknown_type};
use super::source::DesignText;
use super::type_cell::{self, denies_below};
use super::unread;
use super::written_path::WrittenPath;
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
    let shape = Shape::of(columns);
    draft.form(shape, GrantForm::Table, claim.actions(), header.clone());
    unread::report_cut(source, table, draft);
    if table.rows.is_empty() {
        let help = "add a row, such as: | `src/a.rs` | Modify | what changes |";
        let message = "the table has no rows";
        let problem = Problem::new(Rule::DesignNoTable, "empty-table", message, help);
        return draft.fault(problem.at(header));
    }
    let has_pipes = source.slice(header).starts_with('|');
    for row in &table.rows {
        let line = source.line_span(row.span.start);
        match check_pipes(source.slice(line.clone()), columns, has_pipes) {
            Err(problem) => draft.bad_row(vec![problem.at(line)]),
            Ok(()) => read_row(source, row, columns, claim, draft),
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
    let mut cells = table.rows.iter().map(|row| row.cells.get(columns.path));
    let is_path = |path: WrittenPath| entry::read(&path.text, false, source.path()).is_ok();
    cells.any(|cell| {
        let paths = cell.and_then(|cell| cell::paths(source, cell).ok());
        paths.unwrap_or_default().into_iter().any(is_path)
    })
}

/// Whether the cells of a row's line are those of the header.
fn check_pipes(line: &str, columns: &Columns, has_pipes: bool) -> Result<(), Problem> {
    let (cells, expected) = (count_cells(line), columns.names.len());
    let (reason, message, help) = if has_pipes && !line.starts_with('|') {
        (
            "not-a-row",
            "this line belongs to the table above but does not start with a pipe".to_owned(),
            "add an empty line before it, or write it as a row",
        )
    } else if cells < expected {
        (
            "truncated-row",
            format!("the row is cut off: it has {cells} of {expected} cells"),
            "complete the row",
        )
    } else if cells > expected && columns.can_shift() {
        (
            "extra-cells",
            format!("the row has {cells} cells, the header {expected}: which one is the path?"),
            "write `\\|` for a pipe inside a cell",
        )
    } else {
        return Ok(());
    };
    Err(Problem::bad_row(reason, message, help))
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
    let text = |index: Option<usize>| index.map_or_else(String::new, |at| cell(at).one_line());
    let denies = |&index: &usize| {
        let name = columns.names.get(index).map_or("", String::as_str);
        index != columns.path && denies_below(name, &cell(index).one_line())
    };
    let denied = || (0..columns.names.len()).find(denies);
    let said = columns.kind.or_else(denied);
    let kind = match (columns.kind, said) {
        (Some(index), _) => row_type(source, row, cell(index)),
        (None, Some(_)) => Ok((RowAction::Mention, false)),
        (None, None) => Ok((RowAction::Grant(claim.actions()), false)),
    };
    let (paths, (kind, directory)) = match (row_paths(source, columns, cell(columns.path)), kind) {
        (Ok(paths), Ok(kind)) => (paths, kind),
        (paths, kind) => {
            let mut problems = draft.path_problems(paths.as_deref().unwrap_or_default());
            problems.splice(0..0, [paths.err(), kind.err()].into_iter().flatten());
            // Report a row of placeholders once, not once per cell.
            let is_placeholder =
                |found: &LocatedProblem| found.problem.rule == Rule::DesignPlaceholder;
            if problems.iter().any(is_placeholder) {
                problems.retain(|found| found.problem.reason != "unknown-type");
            }
            return draft.bad_row(problems);
        }
    };
    draft.row(design_builder::Row {
        paths,
        prose: false,
        kind,
        directory,
        change_type: text(said),
        description: text(columns.description),
    });
}

fn row_paths(
    source: &DesignText<'_>,
    columns: &Columns,
    cell: &InlineText,
) -> Result<Vec<WrittenPath>, LocatedProblem> {
    let name = columns.names.get(columns.path);
    if cell.pieces.is_empty() && name == Some(&cell.one_line().to_lowercase()) {
        let message = "the table header is repeated";
        let problem = Problem::bad_row("header-row", message, "remove the row");
        return Err(problem.at(source.trim(cell.span.clone())));
    }
    cell::paths(source, cell)
}

/// What the type cell says, and whether it says that the paths are directories.
fn row_type(
    source: &DesignText<'_>,
    row: &TableRow,
    cell: &InlineText,
) -> Result<(RowAction, bool), LocatedProblem> {
    let span = source.trim(cell.span.clone());
    let text = cell.one_line();
    let problem = if cell.is_struck() {
        Problem::placeholder("struck-out", "the type is struck out", "remove the row")
    } else if cell.is_obscured {
        html(source.slice(span.clone()))
    } else if text.is_empty() {
        let message = "the change type cell is empty";
        let problem = Problem::bad_row("unknown-type", message, kind::help(""));
        return Err(problem.at(source.line_span(row.span.start)));
    } else if let Some(found) = type_cell::parse(&text) {
        return Ok((found.kind, found.directory));
    } else {
        unknown_type(&text)
    };
    Err(problem.at(span))
}

/// The number of cells in a table line: unescaped pipes separate cells even inside code spans.
fn count_cells(line: &str) -> usize {
    let line = line.replace("\\|", "");
    let line = line.strip_prefix('|').unwrap_or(&line).trim_end();
    line.strip_suffix('|').unwrap_or(line).split('|').count()
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
