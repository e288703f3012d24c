//! Tables of files: their columns and rows.

use std::ops::Range;

use super::headings::Announcement;
use super::propose::form::{Cell, Form, FormPlace};
use super::row::WrittenRow;
use super::scan::{Scanner, check_stars, remark_of};
use super::types::{self, RowAction, RowType};
use super::{Actions, DesignBuilder, DesignText, GrantForm, InlineText, Problem, Table, TableRow};
use super::{WrittenPath, paths, placeholders, problem, remarks};

/// The names of a column of paths. A bare cell with such a name repeats the header.
const PATH_COLUMN: &[&str] = &[
    "file",
    "files",
    "file(s)",
    "path",
    "paths",
    "file path",
    "file paths",
    "filepath",
    "file name",
    "filename",
];
/// The names of a column of types, best first.
const TYPE_COLUMN: &[&str] = &["change type", "action", "type"];
/// The names of a column that numbers the rows.
const ORDER_COLUMN: &[&str] = &["order", "#", "no", "no.", "nr", "step"];
/// The names of a column that describes the change.
const DESCRIPTION_COLUMN: &[&str] = &[
    "description",
    "desc",
    "purpose",
    "summary",
    "reason",
    "rationale",
    "responsibility",
    "what",
    "change",
    "changes",
    "details",
    "notes",
];

/// The columns of a table that lists files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) path: usize,
    /// The columns of types: the one with such a name, or else all with a bare type in a cell.
    pub(super) types: Vec<usize>,
    /// All header names, normalised.
    pub(super) names: Vec<String>,
}

impl Columns {
    pub(super) fn is_typed(&self) -> bool {
        !self.types.is_empty()
    }

    /// The header names in any order.
    pub(super) fn sorted_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// Whether a stray pipe in a prose cell would shift the path or the type.
    fn can_shift(&self) -> bool {
        let last = self
            .types
            .iter()
            .fold(self.path, |last, &index| last.max(index));
        (0..last).any(|index| self.is_prose(index))
    }

    /// The column of the descriptions: one with such a name, or else the first of prose.
    fn description(&self) -> Option<usize> {
        let mut prose = (0..self.names.len()).filter(|&index| self.is_prose(index));
        let is_named = |&index: &usize| DESCRIPTION_COLUMN.contains(&self.names[index].as_str());
        prose.clone().find(is_named).or_else(|| prose.next())
    }

    /// Whether a column has neither paths, types nor numbers.
    fn is_prose(&self, index: usize) -> bool {
        index != self.path
            && !self.types.contains(&index)
            && !ORDER_COLUMN.contains(&self.names[index].as_str())
    }
}

/// The columns of a table; `None` if no column contains paths. Below a heading of the settings, the column of paths is
/// known by its cells.
///
/// # Errors
/// Two columns claim the paths or the types.
pub(super) fn columns(
    source: &DesignText<'_>,
    table: &Table,
    announcement: Announcement,
) -> Result<Option<Columns>, Problem> {
    let mut names = Vec::new();
    for cell in &table.header.cells {
        names.push(cell.one_line().trim_end_matches([':', '?']).to_lowercase());
    }
    let path = match only(&names, PATH_COLUMN)? {
        None if announcement.is_declared => path_column_by_cells(source, table)?,
        found => found,
    };
    let Some(path) = path else { return Ok(None) };
    let mut types = Vec::new();
    for name in TYPE_COLUMN {
        let found = only(&names, &[name])?;
        if types.is_empty() {
            types.extend(found);
        }
    }
    if types.is_empty() {
        types = (0..names.len())
            .filter(|&index| index != path && has_bare_type(table, index))
            .collect();
    }
    Ok(Some(Columns { path, types, names }))
}

/// The only column with one of these names.
fn only(names: &[String], wanted: &[&str]) -> Result<Option<usize>, Problem> {
    let mut found = (0..names.len()).filter(|&index| wanted.contains(&names[index].as_str()));
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(second) => Err(problem::two_columns(&names[second])),
    }
}

/// The column in which most cells hold paths.
fn path_column_by_cells(source: &DesignText<'_>, table: &Table) -> Result<Option<usize>, Problem> {
    let mut best: Option<(usize, usize)> = None;
    let mut is_tied = false;
    for index in 0..table.header.cells.len() {
        let cells = table.rows.iter().filter_map(|row| row.cells.get(index));
        let count = cells
            .filter(|cell| matches!(cell_paths(source, cell), Ok(Some(_))))
            .count();
        let most = best.map_or(0, |(_, most)| most);
        if count > most {
            best = Some((index, count));
            is_tied = false;
        } else if count == most {
            is_tied = true;
        }
    }
    match best {
        Some((index, _)) if is_tied => {
            Err(problem::two_columns(table.header.cells[index].one_line()))
        }
        best => Ok(best.map(|(index, _)| index)),
    }
}

/// Whether a cell of the column is a type that grants something, with or without its known note. "Done" and "No changes"
/// also stand in columns of other kinds.
fn has_bare_type(table: &Table, index: usize) -> bool {
    let cells = table.rows.iter().filter_map(|row| row.cells.get(index));
    let mut texts = cells.map(|cell| &cell.plain);
    texts.any(|text| {
        let said = types::of_text(text).filter(|_| !types::is_note(text));
        said.is_some_and(|said| said.action != RowAction::Mention)
    })
}

/// Reads every row. A row without a type grants the actions `untyped`.
pub(super) fn read(
    table: &Table,
    columns: &Columns,
    untyped: Actions,
    draft: &mut DesignBuilder<'_>,
) {
    let source = draft.source;
    let header = header(source, table);
    let mut cells = Vec::new();
    for index in 0..columns.names.len() {
        cells.push(if index == columns.path {
            Cell::Path
        } else if columns.types.contains(&index) {
            Cell::Type
        } else {
            Cell::Text
        });
    }
    draft.form = GrantForm::Table;
    let last_row = table
        .rows
        .last()
        .map_or(table.header.start, |row| row.start);
    // Behind the header stands the separator.
    let last_line = source.lines.line(last_row) + usize::from(table.rows.is_empty());
    draft.design.forms.push(Form {
        place: FormPlace::Table { cells, untyped },
        anchor: source.anchor(header.clone()),
        end: source.lines.range(last_line).end,
    });
    if table.rows.is_empty() {
        draft.fault(problem::empty_table().at(header));
        return;
    }
    let has_pipes = source.slice(header).starts_with('|');
    for row in &table.rows {
        let line = source.line_span(row.start);
        match check_pipes(source.slice(line.clone()), columns, has_pipes) {
            Err(problem) => draft.bad_row(vec![problem.at(line)]),
            Ok(()) => read_row(row, columns, untyped, draft),
        }
    }
}

/// The range of the header's line.
pub(super) fn header(source: &DesignText<'_>, table: &Table) -> Range<usize> {
    source.line_span(table.header.start)
}

/// Whether a cell of the path column names a path.
pub(super) fn names_path(source: &DesignText<'_>, table: &Table, columns: &Columns) -> bool {
    let cells = table
        .rows
        .iter()
        .filter_map(|row| row.cells.get(columns.path));
    for cell in cells {
        let found = cell_paths(source, cell).ok().flatten().unwrap_or_default();
        if found
            .iter()
            .any(|path| paths::read(path, source.path).is_ok())
        {
            return true;
        }
    }
    false
}

/// Whether a line has the cells of the header.
fn check_pipes(line: &str, columns: &Columns, has_pipes: bool) -> Result<(), Problem> {
    let cells = count_cells(line);
    let expected = columns.names.len();
    if has_pipes && !line.starts_with('|') {
        Err(problem::not_a_row())
    } else if cells < expected {
        Err(problem::truncated_row())
    } else if cells > expected && columns.can_shift() {
        Err(problem::extra_cells())
    } else {
        Ok(())
    }
}

fn read_row(row: &TableRow, columns: &Columns, untyped: Actions, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let empty = InlineText::default();
    let cell = |index: usize| row.cells.get(index).unwrap_or(&empty);
    let path_cell = cell(columns.path);
    let place = source.trim(path_cell.span.clone());
    let found = cell_paths(source, path_cell).map_err(|problem| {
        if problem.span.is_empty() {
            problem.at(place)
        } else {
            problem
        }
    });
    let said = row_type(source, row, columns);
    let mut remarks = notes(source, path_cell);
    let (mut found, said) = match (found, said) {
        (Ok(None), _) => return draft.no_file(),
        (Ok(Some(found)), Ok(said)) => (found, said),
        // DO NOT MODIFY counts in any cell, even in that of the type.
        (Ok(Some(found)), Err(_)) if types_forbid(row, columns) => {
            for &index in &columns.types {
                remarks.push(remark_of(cell(index)));
            }
            (found, None)
        }
        (found, said) => {
            let mut problems: Vec<Problem> = found.err().into_iter().collect();
            // Report a row of placeholders once, not once per cell.
            if !problems.iter().any(Problem::is_placeholder) {
                problems.extend(said.err());
            }
            return draft.bad_row(problems);
        }
    };
    for path in &mut found {
        path.directory |= said.is_some_and(|said| said.is_directory);
    }
    for index in (0..columns.names.len()).filter(|&index| columns.is_prose(index)) {
        remarks.push(remark_of(cell(index)));
    }
    let change_type = columns.types.first();
    draft.row(WrittenRow {
        paths: found,
        action: said.map_or(RowAction::Grant(untyped), |said| said.action),
        change_type: change_type.map_or_else(String::new, |&index| cell(index).one_line()),
        description: columns
            .description()
            .map_or_else(String::new, |index| cell(index).one_line()),
        remarks,
        is_open: !columns.is_typed(),
    });
}

/// Whether a cell of types says that nobody may change the paths.
fn types_forbid(row: &TableRow, columns: &Columns) -> bool {
    let mut cells = columns
        .types
        .iter()
        .filter_map(|&index| row.cells.get(index));
    cells.any(|cell| remarks::forbids(&remark_of(cell)))
}

/// What the cells of types say; `None` without such a column.
///
/// # Errors
/// A cell is no type, or two cells disagree.
fn row_type(
    source: &DesignText<'_>,
    row: &TableRow,
    columns: &Columns,
) -> Result<Option<RowType>, Problem> {
    let empty = InlineText::default();
    let mut found: Option<RowType> = None;
    for &index in &columns.types {
        let cell = row.cells.get(index).unwrap_or(&empty);
        let span = source.trim(cell.span.clone());
        let text = cell.one_line();
        let said = match types::of_text(&text) {
            _ if cell.is_struck => Err(problem::struck_out()),
            _ if cell.is_obscured => Err(problem::html(source.slice(span.clone()))),
            Some(said) => Ok(said),
            None if text.is_empty() => Err(problem::missing_type()),
            None => Err(problem::unknown_type(&text)),
        };
        let said = said.map_err(|problem| problem.at(span.clone()))?;
        match found {
            Some(before) if before.action != said.action => {
                return Err(problem::contradiction(&text).at(span));
            }
            _ => found = Some(said),
        }
    }
    Ok(found)
}

/// The number of cells in a table line: unescaped pipes separate cells even inside code spans.
fn count_cells(line: &str) -> usize {
    let line = line.replace("\\|", "");
    let line = line.strip_prefix('|').unwrap_or(&line).trim_end();
    line.strip_suffix('|').unwrap_or(line).split('|').count()
}

/// The paths of a cell, in order and never empty; `None` if it says that there is no file, or is struck out.
///
/// # Errors
/// The cell is ambiguous, empty or not a path.
fn cell_paths(
    source: &DesignText<'_>,
    content: &InlineText,
) -> Result<Option<Vec<WrittenPath>>, Problem> {
    let text = content.plain.trim();
    if placeholders::is_nothing(text) || content.is_struck_whole && !text.is_empty() {
        return Ok(None);
    }
    let mut scanner = Scanner::of_cell(source, content);
    let found = scanner.paths();
    scanner.skip_blanks();
    let rest = scanner.rest().trim_matches(['_', '*', ' ']);
    scanner.move_to(content.run.text.len());
    scanner.check()?;
    if !found.paths.is_empty() && rest.is_empty() {
        check_stars(source, content, &found.paths)?;
        return Ok(Some(found.paths));
    }
    let is_header = PATH_COLUMN.contains(&text.to_lowercase().as_str());
    Err(if text.is_empty() {
        problem::empty()
    } else if placeholders::is_placeholder(text) || is_header {
        problem::placeholder(text)
    } else if found.paths.is_empty() {
        no_path(text)
    } else {
        problem::beside_path(first_word(rest))
    })
}

/// Why a cell without a path has none.
fn no_path(text: &str) -> Problem {
    let is_one_word = !text.contains(char::is_whitespace);
    let outside = is_one_word
        .then(|| paths::read(&WrittenPath::new(text, 0..0), "".into()).err())
        .flatten();
    outside.unwrap_or_else(|| problem::no_backticks(text))
}

/// The first word of what stands beside a path, or its first symbol.
fn first_word(rest: &str) -> &str {
    let word = rest.split(|c: char| !c.is_alphanumeric());
    let word = word.into_iter().find(|word| !word.is_empty());
    word.or_else(|| rest.split_whitespace().next())
        .unwrap_or(rest)
}

/// The notes in parentheses of a path cell.
fn notes(source: &DesignText<'_>, content: &InlineText) -> Vec<String> {
    Scanner::of_cell(source, content).paths().notes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::markdown::{Block, BlockKind, markdown};
    use super::*;
    use crate::scope::settings::Settings;

    fn of(text: &str) -> Result<Option<Columns>, &'static str> {
        of_declared(text, false)
    }

    fn of_declared(text: &str, is_declared: bool) -> Result<Option<Columns>, &'static str> {
        read(text, |source, table| {
            let announcement = Announcement {
                untyped: types::any(),
                is_declared,
            };
            columns(source, table, announcement).map_err(|problem| problem.reason)
        })
    }

    /// Hands over the table with which a text begins.
    fn read<T>(text: &str, ask: impl FnOnce(&DesignText<'_>, &Table) -> T) -> T {
        let settings = Settings::default();
        let source = DesignText::new("d.md".into(), text, &settings);
        let found = markdown(text, 0);
        let Some(BlockKind::Table(table)) = found.first().map(Block::visible) else {
            panic!("no table in {text}")
        };
        ask(&source, table)
    }

    fn places(text: &str) -> (usize, Vec<usize>, Option<usize>) {
        let columns = of(text).unwrap().unwrap();
        let description = columns.description();
        (columns.path, columns.types, description)
    }

    #[test]
    fn any_order() {
        for (header, expected) in [
            (
                "|File|Change Type|Description|\n|-|-|-|\n",
                (0, vec![1], Some(2)),
            ),
            (
                "|Order|File|Change Type|Description|\n|-|-|-|-|\n",
                (1, vec![2], Some(3)),
            ),
            (
                "|Action|**File Path**|Notes|\n|-|-|-|\n",
                (1, vec![0], Some(2)),
            ),
            ("|#|Filename|Lines|\n|-|-|-|\n", (1, vec![], Some(2))),
            ("|File|Type|Action|\n|-|-|-|\n", (0, vec![2], Some(1))),
        ] {
            assert_eq!(places(header), expected, "{header}");
        }
    }

    #[test]
    fn a_column_with_a_bare_type_is_one_of_types_whatever_its_header() {
        for (table, expected) in [
            (
                "|File|Kind|\n|-|-|\n|a|Add|\n|b|Modify (x)|\n",
                (0, vec![1], None),
            ),
            (
                "|File|Change|\n|-|-|\n|a|Modify (tests)|\n|b|add x|\n",
                (0, vec![1], None),
            ),
            (
                "|File|Change|\n|-|-|\n|a|Add retries|\n|b|Remove x|\n",
                (0, vec![], Some(1)),
            ),
            (
                "|File|Kind|Status|\n|-|-|-|\n|a|Add|New|\n",
                (0, vec![1, 2], None),
            ),
            ("|File|Change|\n|-|-|\n", (0, vec![], Some(1))),
        ] {
            assert_eq!(places(table), expected, "{table}");
        }
    }

    #[test]
    fn two_columns_of_types_must_say_the_same() {
        for (cells, expected) in [
            ("Add|New", Ok("Add")),
            ("Modify|Update", Ok("Modify")),
            ("Add|Modify", Err("contradiction")),
            ("Delete|Add", Err("contradiction")),
            ("Add|", Err("unknown-type")),
            ("|Add", Err("unknown-type")),
            ("Add|Tweak", Err("unknown-type")),
        ] {
            let text = format!("|File|Kind|Status|\n|-|-|-|\n|a|{cells}|\n|b|Add|New|\n");
            let columns = of(&text).unwrap().unwrap();
            let said = read(&text, |source, table| {
                row_type(source, &table.rows[0], &columns).map_err(|problem| problem.reason)
            });
            let said = said.map(|said| said.unwrap().action);
            let expected = expected.map(|one| types::of_text(one).unwrap().action);
            assert_eq!(said, expected, "{cells}");
        }
    }

    #[test]
    fn below_a_heading_of_the_settings_cells_show_the_column_of_paths() {
        let table = "|说明|文件|\n|-|-|\n|解析器|`src/a.rs`|\n|缓存|`src/b.rs`|\n";
        assert_eq!(of(table), Ok(None));
        assert_eq!(of_declared(table, true).unwrap().unwrap().path, 1);
        let tie = "|旧|新|\n|-|-|\n|`src/a.rs`|`src/b.rs`|\n";
        assert_eq!(of_declared(tie, true), Err("two-columns"));
    }

    #[test]
    fn no_path_column_or_two() {
        assert_eq!(of("|Name|Value|\n|-|-|\n"), Ok(None));
        assert_eq!(of("|File|Path|\n|-|-|\n"), Err("two-columns"));
        assert_eq!(of("|File|Action|Action|\n|-|-|-|\n"), Err("two-columns"));
    }

    #[test]
    fn cells_moved_by_a_stray_pipe_are_recognised() {
        assert!(
            !of("|#|File|Type|Description|\n|-|-|-|-|\n")
                .unwrap()
                .unwrap()
                .can_shift()
        );
        assert!(
            of("|Description|File|\n|-|-|\n")
                .unwrap()
                .unwrap()
                .can_shift()
        );
        assert!(
            of("|File|Description|Type|\n|-|-|-|\n")
                .unwrap()
                .unwrap()
                .can_shift()
        );
    }

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
