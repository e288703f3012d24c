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
    let (shape, untyped) = (Shape::of(columns), claim.actions());
    draft.form(shape, GrantForm::Table, untyped, header.clone());
    if table.rows.is_empty() {
        let help = "add a row, such as: | `src/a.rs` | Modify | what changes |";
        let message = "the table has no rows";
        let problem = Problem::new(Rule::DesignNoTable, "empty-table", message, help);
        return draft.fault(problem.at(header));
    }
    let reader = TableReader {
        source,
        columns,
        has_pipes: source.slice(header).starts_with('|'),
        untyped: RowAction::Grant(untyped),
    };
    for row in &table.rows {
        let line = source.line_span(row.span.start);
        match reader.check_pipes(source.slice(line.clone())) {
            Err(problem) => draft.bad_row(vec![problem.at(line)]),
            Ok(()) => reader.row(row, draft),
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
    let rows = table.rows.iter();
    let cells = rows.flat_map(|row| row.cells.get(columns.path));
    let mut paths = cells.flat_map(|cell| cell::paths(source, cell).unwrap_or_default());
    paths.any(|path| entry::read(&path.text, false, source.path()).is_ok())
}

struct TableReader<'a> {
    source: &'a DesignText<'a>,
    columns: &'a Columns,
    /// Whether the header begins with a pipe.
    has_pipes: bool,
    /// What a row without a type does.
    untyped: RowAction,
}

impl TableReader<'_> {
    /// Whether a line has the cells of the header.
    fn check_pipes(&self, line: &str) -> Result<(), Problem> {
        let (cells, expected) = (count_cells(line), self.columns.names.len());
        let (reason, help) = if self.has_pipes && !line.starts_with('|') {
            ("not-a-row", "add an empty line before it")
        } else if cells < expected {
            ("truncated-row", "complete it: cells are missing")
        } else if cells > expected && self.columns.can_shift() {
            ("extra-cells", "write `\\|` for a pipe inside a cell")
        } else {
            return Ok(());
        };
        let message = "the line is not a row that fits the header of its table";
        Err(Problem::bad_row(reason, message, help))
    }

    fn row(&self, row: &TableRow, draft: &mut DesignBuilder<'_>) {
        let empty = InlineText::default();
        let cell = |index: usize| row.cells.get(index).unwrap_or(&empty);
        let text = |index: Option<usize>| index.map_or_else(String::new, |at| cell(at).one_line());
        let names = self.columns.names.iter().enumerate();
        let mut others = names.filter(|(index, _)| *index != self.columns.path);
        let denies =
            |(index, name): &(usize, &String)| denies_below(name, &cell(*index).one_line());
        let denied = || others.find(denies).map(|(index, _)| index);
        let said = self.columns.kind.or_else(denied);
        let kind = match (self.columns.kind, said) {
            (Some(index), _) => self.row_type(cell(index)),
            (None, Some(_)) => Ok((RowAction::Mention, false)),
            (None, None) => Ok((self.untyped, false)),
        };
        match (cell::paths(self.source, cell(self.columns.path)), kind) {
            (Ok(paths), Ok((kind, directory))) => draft.row(design_builder::Row {
                paths,
                kind,
                directory,
                change_type: text(said),
                description: text(self.columns.description),
            }),
            (paths, kind) => {
                let mut problems = draft.path_problems(paths.as_deref().unwrap_or_default());
                problems.extend(paths.err());
                // Report a row of placeholders once, not once per cell.
                let mut rules = problems.iter().map(|found| found.problem.rule);
                if !rules.any(|rule| rule == Rule::DesignPlaceholder) {
                    problems.extend(kind.err());
                }
                draft.bad_row(problems);
            }
        }
    }

    /// What the type cell says, and whether it says that the paths are directories.
    fn row_type(&self, cell: &InlineText) -> Result<(RowAction, bool), LocatedProblem> {
        let (text, span) = (cell.one_line(), self.source.trim(cell.span.clone()));
        let problem = match type_cell::parse(&text) {
            _ if cell.is_struck() => {
                let (message, help) = ("the type is struck out", "remove the row");
                Problem::placeholder("struck-out", message, help)
            }
            _ if cell.is_obscured => html(self.source.slice(span.clone())),
            Some(found) => return Ok(found),
            None if text.is_empty() => {
                Problem::bad_row("unknown-type", "the type is missing", kind::HELP)
            }
            None => unknown_type(&text),
        };
        Err(problem.at(span))
    }
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
