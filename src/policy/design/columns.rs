//! Finds the columns of a table by the names in its header.

use super::blocks::{InlineText, Table};
use super::problem::Problem;
use super::type_cell;
use super::words::is_in;
use crate::finding::Rule;

/// A bare cell with such a name repeats the header.
pub(super) const PATH: &str = "file|files|file(s)|path|paths|file path|filepath|file name|filename";
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
    pub(super) description: Option<usize>,
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
    pub(super) fn can_shift(&self) -> bool {
        let last = self.kind.map_or(self.path, |kind| kind.max(self.path));
        (0..last).any(|index| self.is_prose(index))
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
    let Some(path) = only(&names, PATH)? else {
        return Ok(None);
    };
    let are_types = |index: usize| {
        let mut cells = table.rows.iter().map(|row| row.cells.get(index));
        let is_type = |cell: &InlineText| type_cell::is_bare_cell(&cell.plain);
        !table.rows.is_empty() && cells.all(|cell| cell.is_some_and(is_type))
    };
    let mut kind = None;
    for name in TYPE.iter().chain(&PERHAPS_TYPE) {
        let found = only(&names, name)?;
        let is_type = |&index: &usize| TYPE.contains(name) || are_types(index);
        kind = kind.or_else(|| found.filter(is_type));
    }
    let mut columns = Columns {
        path,
        kind,
        description: None,
        names,
    };
    let is_named = |&index: &usize| is_in(&columns.names[index], DESCRIPTION);
    let prose = (0..columns.names.len()).filter(|&index| columns.is_prose(index));
    columns.description = prose.min_by_key(|index| !is_named(index));
    Ok(Some(columns))
}

fn only(names: &[String], wanted: &str) -> Result<Option<usize>, Problem> {
    let mut found = (0..names.len()).filter(|&index| is_in(&names[index], wanted));
    let first = found.next();
    let Some(second) = found.next() else {
        return Ok(first);
    };
    let name = &names[second];
    let message = format!("two columns have the same meaning; the second is `{name}`");
    let help = "keep one File column and one Change Type column";
    let rule = Rule::DesignAmbiguous;
    Err(Problem::new(rule, "two-columns", message, help))
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
