//! Tables of files: their columns, their rows and the paths in their cells.

use std::ops::Range;

use super::propose::form::{Cell, Form};
use super::{Actions, DesignBuilder, DesignText, GrantForm, InlineText, PieceKind, Problem};
use super::{Row, RowAction, Table, TableRow, WrittenPath, is_in, paths, problem, types};
use crate::finding::Rule;

/// The names of a column of paths. A bare cell with such a name repeats the header.
const PATH_COLUMN: &str = "file|files|file(s)|path|paths|file path|filepath|file name|filename";

/// Best first.
const TYPE: [&str; 3] = ["change type", "action", "type"];
/// Columns that hold types only if every cell is a bare type.
const PERHAPS_TYPE: [&str; 3] = ["change", "status", "operation"];
const ORDER: &str = "order|#|no|no.|nr|step";
const DESCRIPTION: &str = "description|desc|purpose|summary|reason|rationale|responsibility|what|change|changes|details|notes";

/// The columns of a table that lists files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) path: usize,
    pub(super) kind: Option<usize>,
    /// All header names, normalised.
    pub(super) names: Vec<String>,
}

impl Columns {
    /// Whether the rows are about files: "Purpose | Path" maps something to a place.
    pub(super) fn is_of_files(&self) -> bool {
        let first = self.names.iter().position(|name| !is_in(name, ORDER));
        let is_file = self.names[self.path].starts_with("file");
        self.kind.is_some() || is_file || first == Some(self.path)
    }

    /// Whether a stray pipe in a prose cell would shift the path or the type.
    fn can_shift(&self) -> bool {
        let last = self.kind.map_or(self.path, |kind| kind.max(self.path));
        (0..last).any(|index| self.is_prose(index))
    }

    /// The column of the descriptions: one with such a name, or else the first of prose.
    fn description(&self) -> Option<usize> {
        let prose = (0..self.names.len()).filter(|&index| self.is_prose(index));
        prose.min_by_key(|&index| !is_in(&self.names[index], DESCRIPTION))
    }

    /// Whether a column has neither paths, types nor numbers.
    fn is_prose(&self, index: usize) -> bool {
        let is_known = index == self.path || Some(index) == self.kind;
        !is_known && !is_in(&self.names[index], ORDER)
    }
}

/// The columns of a table; `None` if no column contains paths.
///
/// # Errors
/// Two columns claim the paths or the types.
pub(super) fn columns(table: &Table) -> Result<Option<Columns>, Problem> {
    let name = |cell: &InlineText| cell.one_line().trim_end_matches(':').to_lowercase();
    let names: Vec<String> = table.header.cells.iter().map(name).collect();
    let Some(path) = only(&names, PATH_COLUMN)? else {
        return Ok(None);
    };
    let are_types = |index: usize| {
        let mut cells = table.rows.iter().map(|row| row.cells.get(index));
        let is_type = |cell: &InlineText| types::is_bare_cell(&cell.plain);
        !table.rows.is_empty() && cells.all(|cell| cell.is_some_and(is_type))
    };
    let mut kind = None;
    for name in TYPE.iter().chain(&PERHAPS_TYPE) {
        let found = only(&names, name)?;
        let is_type = |&index: &usize| TYPE.contains(name) || are_types(index);
        kind = kind.or_else(|| found.filter(is_type));
    }
    Ok(Some(Columns { path, kind, names }))
}

fn only(names: &[String], wanted: &str) -> Result<Option<usize>, Problem> {
    let mut found = (0..names.len()).filter(|&index| is_in(&names[index], wanted));
    let first = found.next();
    let Some(second) = found.next() else {
        return Ok(first);
    };
    Err(problem::two_columns(&names[second]))
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
    let cell = |index| match index {
        _ if index == columns.path => Cell::Path,
        _ if Some(index) == columns.kind => Cell::Type,
        _ => Cell::Text,
    };
    draft.form = GrantForm::Table;
    draft.design.forms.push(Form {
        cells: (0..columns.names.len()).map(cell).collect(),
        untyped,
        anchor: source.anchor(header.clone()),
    });
    if table.rows.is_empty() {
        return draft.fault(problem::empty_table().at(header));
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
    let rows = table.rows.iter();
    let cells = rows.flat_map(|row| row.cells.get(columns.path));
    let mut paths = cells.flat_map(|cell| cell_paths(source, cell).unwrap_or_default());
    paths.any(|path| paths::read(&path.text, false, source.path).is_ok())
}

/// Whether a line has the cells of the header.
fn check_pipes(line: &str, columns: &Columns, has_pipes: bool) -> Result<(), Problem> {
    let (cells, expected) = (count_cells(line), columns.names.len());
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
    let (source, empty) = (draft.source, InlineText::default());
    let cell = |index: usize| row.cells.get(index).unwrap_or(&empty);
    let text = |index: Option<usize>| index.map_or_else(String::new, |at| cell(at).one_line());
    let denies = |&index: &usize| {
        index != columns.path && types::denies_below(&columns.names[index], &cell(index).one_line())
    };
    let denied = || (0..columns.names.len()).find(denies);
    let said = columns.kind.or_else(denied);
    let kind = match (columns.kind, said) {
        (Some(index), _) => row_type(source, cell(index)),
        (None, Some(_)) => Ok((RowAction::Mention, false)),
        (None, None) => Ok((RowAction::Grant(untyped), false)),
    };
    let place = || source.trim(cell(columns.path).span.clone());
    let paths = cell_paths(source, cell(columns.path));
    match (paths.map_err(|problem| problem.at(place())), kind) {
        (Ok(mut paths), Ok((kind, directory))) => {
            for path in &mut paths {
                path.directory |= directory;
            }
            draft.row(Row {
                paths,
                kind,
                change_type: text(said),
                description: text(columns.description()),
            });
        }
        (paths, kind) => {
            let named = paths.as_deref().unwrap_or_default();
            let problems = draft.read_paths(named, RowAction::Mention).err();
            let mut problems = problems.unwrap_or_default();
            problems.extend(paths.err());
            // Report a row of placeholders once, not once per cell.
            let mut rules = problems.iter().map(|problem| problem.rule);
            if !rules.any(|rule| rule == Rule::DesignPlaceholder) {
                problems.extend(kind.err());
            }
            draft.bad_row(problems);
        }
    }
}

/// What the type cell says, and whether it says that the paths are directories.
fn row_type(source: &DesignText<'_>, cell: &InlineText) -> Result<(RowAction, bool), Problem> {
    let (text, span) = (cell.one_line(), source.trim(cell.span.clone()));
    let problem = match types::of_cell(&text) {
        _ if cell.is_struck => problem::struck_out(),
        _ if cell.is_obscured => problem::html(source.slice(span.clone())),
        Some(found) => return Ok(found),
        None if text.is_empty() => problem::missing_type(),
        None => problem::unknown_type(&text),
    };
    Err(problem.at(span))
}

/// The number of cells in a table line: unescaped pipes separate cells even inside code spans.
fn count_cells(line: &str) -> usize {
    let line = line.replace("\\|", "");
    let line = line.strip_prefix('|').unwrap_or(&line).trim_end();
    line.strip_suffix('|').unwrap_or(line).split('|').count()
}

/// The paths of a cell, in order; never empty.
///
/// # Errors
/// The cell is ambiguous, empty or not a path.
fn cell_paths(source: &DesignText<'_>, content: &InlineText) -> Result<Vec<WrittenPath>, Problem> {
    let mut found: Vec<WrittenPath> = Vec::new();
    let is_break = |tag: &str| "br".eq_ignore_ascii_case(tag.trim_matches(['<', '>', '/', ' ']));
    // What stands between the paths, and in parentheses behind them.
    let (mut gap, mut remark, mut depth) = (String::new(), String::new(), 0_usize);
    for (at, c) in content.run.text.char_indices() {
        if let Some(piece) = content.run.piece(at) {
            match &piece.kind {
                PieceKind::Html(tag) if is_break(tag) => gap.push(','),
                PieceKind::Html(tag) if !tag.starts_with("<!--") => return Err(problem::html(tag)),
                PieceKind::Image => return Err(problem::image()),
                PieceKind::Link { text, target } => paths::agree(source.path, text, target)?,
                _ => {}
            }
            if let PieceKind::Code(text) | PieceKind::Link { text, .. } = &piece.kind
                && depth == 0
            {
                let arrow = is_arrow(&std::mem::take(&mut gap))? && !found.is_empty();
                found.extend(WrittenPath::ends(text, &piece.span, arrow));
            }
            continue;
        }
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => {
                depth = depth.saturating_sub(1);
                if let Some(path) = found.last_mut() {
                    path.directory |= paths::is_directory_remark(&remark);
                    path.denied |= types::takes_back(&remark);
                }
                remark.clear();
            }
            _ if depth == 0 => gap.push(c),
            _ => remark.push(c),
        }
    }
    if !found.is_empty() {
        return is_arrow(&gap).map(|_| found);
    }
    if content.is_struck {
        return Err(problem::struck_out());
    }
    let span = source.trim(content.span.clone());
    let text = visible(content, &span).ok_or_else(|| problem::emphasis(source.slice(span.clone())));
    Ok(vec![bare_path(text?, span)?])
}

/// Whether the text since the last path is an arrow. Words make the cell ambiguous, in every language.
fn is_arrow(gap: &str) -> Result<bool, Problem> {
    let mut words = gap.split(|c: char| !c.is_alphanumeric());
    let is_word = |word: &&str| !word.is_empty() && !matches!(*word, "or" | "and");
    if let Some(word) = words.find(is_word) {
        return Err(problem::beside_path(word));
    }
    let mark = gap.trim().trim_matches('_').trim();
    Ok(matches!(mark, "->" | "-->" | "=>" | "→" | "⇒" | "➜"))
}

/// A cell without code, as a reader sees it, but with its underscores (`__init__.py`). Asterisks that render as emphasis
/// of less than the cell were meant as a glob, which readers do not see: it has no such text.
fn visible<'b>(content: &'b InlineText, span: &Range<usize>) -> Option<&'b str> {
    let (run, stars) = (&content.run, &content.stars);
    let text = match run.pieces.as_slice() {
        [] => run.text.trim(),
        _ => content.plain.trim(),
    };
    let is_whole = || stars.len() == 1 && stars[0] == *span;
    let is_clear = || is_whole() && !text.starts_with('/') && !text.ends_with('/');
    (stars.is_empty() || is_clear()).then_some(text)
}

/// The path that is all of a text without code.
fn bare_path(text: &str, span: Range<usize>) -> Result<WrittenPath, Problem> {
    let is_odd = |c: char| c.is_whitespace() || matches!(c, '`' | '<' | '>');
    let is_list = |path: &String| path.contains([',', ';']);
    if text.is_empty() {
        Err(problem::empty())
    } else if paths::is_placeholder(text) || is_in(&text.to_lowercase(), PATH_COLUMN) {
        Err(problem::placeholder(text))
    } else if text.contains(is_odd) || paths::expand(text).iter().flatten().any(is_list) {
        Err(problem::no_backticks(text))
    } else {
        Ok(WrittenPath::new(text, span))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::markdown::{Block, BlockKind, markdown};
    use super::*;

    fn of(text: &str) -> Result<Option<Columns>, &'static str> {
        let found = markdown(text, 0).0;
        let Some(BlockKind::Table(table)) = found.first().map(Block::visible) else {
            panic!("no table in {text}")
        };
        columns(table).map_err(|problem| problem.reason)
    }

    fn places(text: &str) -> (usize, Option<usize>, Option<usize>) {
        let columns = of(text).unwrap().unwrap();
        (columns.path, columns.kind, columns.description())
    }

    #[test]
    fn any_order() {
        assert_eq!(
            places("|File|Change Type|Description|\n|-|-|-|\n"),
            (0, Some(1), Some(2))
        );
        assert_eq!(
            places("|Order|File|Change Type|Description|\n|-|-|-|-|\n"),
            (1, Some(2), Some(3))
        );
        assert_eq!(
            places("|Action|**File Path**|Notes|\n|-|-|-|\n"),
            (1, Some(0), Some(2))
        );
        assert_eq!(places("|#|Filename|Lines|\n|-|-|-|\n"), (1, None, Some(2)));
        assert_eq!(
            places("|File|Type|Action|\n|-|-|-|\n"),
            (0, Some(2), Some(1))
        );
    }

    #[test]
    fn change_column_is_the_type_only_if_every_cell_is_a_bare_type() {
        assert_eq!(
            places("|File|Change|\n|-|-|\n|a|Add|\n|b|Modify (x)|\n"),
            (0, Some(1), None)
        );
        assert_eq!(
            places("|File|Change|\n|-|-|\n|a|Add|\n|b|Remove x|\n"),
            (0, None, Some(1))
        );
        assert_eq!(places("|File|Change|\n|-|-|\n"), (0, None, Some(1)));
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

    fn bare(text: &str) -> Result<String, &'static str> {
        let path = bare_path(text, 0..text.len());
        path.map(|path| path.text).map_err(|problem| problem.reason)
    }

    #[test]
    fn one_path_or_several() {
        for text in [
            "a b.py",
            "a.py,b.py",
            "a\u{a0}b",
            "a.py;b.py",
            "a,{b,c}",
            "`src/a",
            "a<b",
            "a -> b",
            "a.py (new)",
        ] {
            assert_eq!(bare(text), Err("ambiguous-cell"), "{text}");
        }
        for text in ["src/{a,b}.py", "app/(shell)", "src/__init__.py"] {
            assert_eq!(bare(text), Ok(text.to_owned()));
        }
        for text in ["---", "N/A", "File", "path"] {
            assert_eq!(bare(text), Err("placeholder"), "{text}");
        }
    }
}
