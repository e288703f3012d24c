//! Finds the columns of a table by the names in its header.

use super::blocks::{InlineText, Table};
use super::problem::Problem;
use super::type_cell;
use super::words::is_in;
use crate::finding::Rule;

const PATH: &str = "file|files|file(s)|path|paths|file path|filepath|file name|filename";
/// Best first, and whether the column holds types only if every cell is a bare type.
const TYPE: &[(&str, bool)] = &[
    ("change type", false),
    ("action", false),
    ("type", false),
    ("change", true),
    ("status", true),
    ("operation", true),
];
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
        let name = self.names.get(self.path);
        self.kind.is_some()
            || first == Some(self.path)
            || name.is_some_and(|name| name.starts_with("file"))
    }

    /// Whether a stray pipe in a prose cell would shift the path or the type.
    pub(super) fn can_shift(&self) -> bool {
        let last = self.kind.map_or(self.path, |kind| kind.max(self.path));
        (0..last).any(|index| self.is_prose(index))
    }

    /// Whether a column has neither paths, types nor numbers.
    fn is_prose(&self, index: usize) -> bool {
        let name = self.names.get(index);
        index != self.path
            && Some(index) != self.kind
            && name.is_some_and(|name| !is_in(name, ORDER))
    }
}

/// The columns of a table; `None` if no column contains paths.
///
/// # Errors
/// Two columns claim the paths or the types.
pub(super) fn columns(table: &Table) -> Result<Option<Columns>, Problem> {
    let name = |cell: &InlineText| cell.one_line().trim_end_matches(':').to_lowercase();
    let names: Vec<String> = table.header.cells.iter().map(name).collect();
    let Some(path) = only(&names, PATH)? else {
        return Ok(None);
    };
    let are_types = |index: usize| {
        let mut cells = table.rows.iter().map(|row| row.cells.get(index));
        let is_type = |cell: &InlineText| type_cell::is_bare_cell(&cell.plain);
        !table.rows.is_empty() && cells.all(|cell| cell.is_some_and(is_type))
    };
    let mut kind = None;
    for (name, is_checked) in TYPE {
        let found = only(&names, name)?;
        kind = kind.or_else(|| found.filter(|&index| !is_checked || are_types(index)));
    }
    let mut columns = Columns {
        path,
        kind,
        description: None,
        names,
    };
    let mut wanted = DESCRIPTION.split('|');
    let mut all = 0..columns.names.len();
    columns.description = wanted
        .find_map(|name| {
            columns
                .names
                .iter()
                .position(|other| other == name)
                .filter(|&index| columns.is_prose(index))
        })
        .or_else(|| all.find(|&index| columns.is_prose(index)));
    Ok(Some(columns))
}

fn only(names: &[String], wanted: &str) -> Result<Option<usize>, Problem> {
    let is_wanted = |&index: &usize| names.get(index).is_some_and(|name| is_in(name, wanted));
    let mut found = (0..names.len()).filter(is_wanted);
    let first = found.next();
    match found.next().and_then(|second| names.get(second)) {
        None => Ok(first),
        Some(name) => Err(Problem::new(
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
