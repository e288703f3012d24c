//! Finds the columns of a table by the names in its header.

use super::blocks::{InlineText, Table, TableRow};
use super::kind;
use super::problem::Problem;
use super::words::is_in;
use crate::finding::Rule;

const PATH: &str = "file|files|file(s)|path|paths|file path|filepath|file name|filename";
/// Best first: in addition to its type column, a table may have a prose column with a weaker name.
const TYPE: &[&str] = &["change type", "action", "type"];
const ORDER: &str = "order|#|no|no.|nr|step";
const DESCRIPTION: &str = "description|desc|purpose|summary|reason|rationale|responsibility|what|change|changes|details|notes";

/// The columns of a table that lists files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) path: usize,
    pub(super) kind: Option<usize>,
    pub(super) description: Option<usize>,
    /// All header names, normalised.
    pub(super) names: Vec<String>,
}

impl Columns {
    /// Whether the rows are about files: "Purpose | Path" maps something to a place.
    pub(super) fn is_of_files(&self) -> bool {
        let first = self.names.iter().position(|name| !is_in(name, ORDER));
        let is_file = self
            .names
            .get(self.path)
            .is_some_and(|name| name.starts_with("file"));
        self.kind.is_some() || is_file || first == Some(self.path)
    }

    /// Whether a stray pipe in a prose cell would shift the path or the type.
    pub(super) fn can_shift(&self) -> bool {
        let last = self.kind.map_or(self.path, |kind| kind.max(self.path));
        self.names
            .iter()
            .take(last)
            .enumerate()
            .any(|(index, name)| {
                index != self.path && Some(index) != self.kind && !is_in(name, ORDER)
            })
    }
}

/// The columns of a table; `None` if no column contains paths.
///
/// # Errors
/// Two columns claim the paths or the types.
pub(super) fn columns(table: &Table) -> Result<Option<Columns>, Problem> {
    let names: Vec<String> = table.header.cells.iter().map(normalised).collect();
    let Some(path) = only(&names, PATH)? else {
        return Ok(None);
    };
    let mut kind = None;
    for name in TYPE {
        kind = kind.or(only(&names, name)?);
    }
    let is_bare = |index: usize, row: &TableRow| {
        row.cells
            .get(index)
            .is_some_and(|cell| kind::is_bare_cell(&cell.plain))
    };
    // "Add the gate section" and "Component" are descriptions.
    let is_prose = |&index: &usize| {
        let named = names.get(index).is_some_and(|name| name == "change type");
        let cells = || table.rows.iter().filter_map(|row| row.cells.get(index));
        let is_no_type = |cell: &InlineText| {
            let text = cell.one_line();
            kind::parse(&text).is_none() || kind::is_phrase(&text)
        };
        !named && cells().any(is_no_type) && cells().all(|cell| is_description(&cell.one_line()))
    };
    kind = kind.filter(|index| !is_prose(index));
    if kind.is_none() {
        for name in ["change", "status", "operation"] {
            kind = kind.or(only(&names, name)?.filter(|&index| {
                !table.rows.is_empty() && table.rows.iter().all(|row| is_bare(index, row))
            }));
        }
    }
    let free = |index: &usize| *index != path && Some(*index) != kind;
    let is_order = |index: &usize| {
        let name = names.get(*index);
        name.is_some_and(|name| is_in(name, ORDER))
    };
    let description = DESCRIPTION
        .split('|')
        .find_map(|wanted| names.iter().position(|name| name == wanted).filter(free))
        .or_else(|| (0..names.len()).find(|index| free(index) && !is_order(index)));
    Ok(Some(Columns {
        path,
        kind,
        description,
        names,
    }))
}

/// Whether the text of a type cell is a sentence about the change, or a noun.
fn is_description(text: &str) -> bool {
    let is_sentence = text.split_whitespace().count() > 2;
    !text.is_empty() && !kind::is_bare_cell(text) && (is_sentence || kind::is_phrase(text))
}

fn normalised(cell: &InlineText) -> String {
    cell.one_line().trim_end_matches(':').to_lowercase()
}

fn only(names: &[String], wanted: &str) -> Result<Option<usize>, Problem> {
    let mut found = names
        .iter()
        .enumerate()
        .filter(|(_, name)| is_in(name, wanted));
    let first = found.next().map(|(index, _)| index);
    match found.next() {
        None => Ok(first),
        Some((_, name)) => Err(Problem::new(
            Rule::DesignAmbiguous,
            "two-columns",
            format!("two columns have the same meaning; the second is `{name}`"),
            "keep one File column and one Change Type column",
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::blocks::Block;
    use super::super::collect::markdown;
    use super::*;

    fn of(text: &str) -> Result<Option<Columns>, &'static str> {
        let found = markdown(text, 0).blocks;
        let Some(Block::Table(table)) = found.first() else {
            panic!("no table in {text}")
        };
        columns(table).map_err(|problem| problem.reason)
    }

    fn places(text: &str) -> (usize, Option<usize>, Option<usize>) {
        let columns = of(text).unwrap().unwrap();
        (columns.path, columns.kind, columns.description)
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
}
