//! Writes rows in the form of a design, so that messages can show a row that fits.

use gix::bstr::{BStr, ByteSlice};

use crate::design::paths::{self, has_path_shape};
use crate::finding::Anchor;
use crate::scope::{Actions, GrantForm, GrantKind};

/// The text of a cell for the user to fill in.
const OPEN: &str = "…";

/// A row to add to a design.
#[derive(Debug, Clone, Copy)]
pub struct MissingRow<'a> {
    /// The path.
    pub path: &'a BStr,
    /// The old path of a Rename row.
    pub from: Option<&'a BStr>,
    /// The type word, such as `Modify`.
    pub word: &'a str,
    /// The actions that the row must grant.
    pub actions: Actions,
}

/// A row ready to paste.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowToAdd {
    /// The row, or the list item, as one line of Markdown.
    pub text: String,
    /// The table or list to add it to.
    pub anchor: Option<Anchor>,
    /// Whether the table lacks the type column that this row needs.
    pub needs_type_column: bool,
    /// Whether the row, once added, names exactly this path: no row names a file called `*`.
    pub is_read: bool,
}

/// One table or list of a design, and how its rows are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    pub(in crate::design) shape: Shape,
    pub(in crate::design) form: GrantForm,
    /// The actions that a row without a type grants.
    pub(in crate::design) untyped: Actions,
    /// The start of the table or list.
    pub(in crate::design) anchor: Anchor,
}

/// The ways to add files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::design) enum Shape {
    /// A row of this table.
    Table(Vec<Cell>),
    /// An item of this list.
    List,
    /// A label with its item, which is a passage of its own wherever it stands.
    Line,
}

/// The content of a table column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::design) enum Cell {
    Path,
    Type,
    Text,
}

impl Shape {
    /// The code span that names the path; `None` if no row can name it, such as a file called `*`.
    fn spelling(&self, path: &BStr) -> Option<String> {
        let text = path.to_str().ok()?;
        let is_read = |text: &String| {
            let read = paths::read(text, false, BStr::new(""));
            let is_file = read.is_ok_and(|(read, kind)| kind == GrantKind::File && read == path);
            is_file && (matches!(self, Shape::Table(_)) || has_path_shape(text))
        };
        let mut arrows = ["→", " -> ", " => "].iter();
        if text.trim() != text || arrows.any(|arrow| text.contains(arrow)) {
            return None;
        }
        let mut spellings = [text.to_owned(), format!("./{text}")].into_iter();
        spellings.find(is_read).map(|text| code_span(&text))
    }

    /// The row. A path that no row can name is spelled as it is.
    fn write(&self, wanted: &MissingRow<'_>) -> String {
        let as_it_is = |path: &BStr| code_span(&path.to_string());
        let span = |path| self.spelling(path).unwrap_or_else(|| as_it_is(path));
        let from = wanted.from.map(|from| format!("{} -> ", span(from)));
        let paths = from.unwrap_or_default() + &span(wanted.path);
        let word = wanted.word;
        let cells = match self {
            Shape::List => return format!("- {word}: {paths}"),
            Shape::Line => return format!("**Files:** {}: {paths}", word.to_lowercase()),
            Shape::Table(cells) => cells.iter(),
        };
        let cells = cells.map(|cell| match cell {
            // A pipe separates cells even inside a code span.
            Cell::Path => paths.replace('|', "\\|"),
            Cell::Type => word.to_owned(),
            Cell::Text => OPEN.to_owned(),
        });
        format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
    }
}

/// The row that would grant what is wanted, in the form of these tables and lists.
pub(in crate::design) fn row(forms: &[Form], wanted: &MissingRow<'_>) -> RowToAdd {
    let is_untyped =
        |form: &Form| matches!(&form.shape, Shape::Table(cells) if !cells.contains(&Cell::Type));
    let is_enough = |form: &Form| form.untyped.contains(wanted.actions) && wanted.from.is_none();
    let fitting = forms
        .iter()
        .find(|form| !is_untyped(form) || is_enough(form));
    // Only tables without types do not fit.
    let table = forms
        .iter()
        .find(|form| is_untyped(form) && fitting.is_none());
    let shape = match (fitting, table.map(|form| &form.shape)) {
        (Some(form), _) => form.shape.clone(),
        (_, Some(Shape::Table(cells))) => Shape::Table([cells.as_slice(), &[Cell::Type]].concat()),
        _ => Shape::Line,
    };
    // A line among the paths of front matter would be none of them.
    let place = fitting
        .filter(|form| form.form != GrantForm::FrontMatter)
        .or(table);
    let mut ends = std::iter::once(wanted.path).chain(wanted.from);
    RowToAdd {
        text: shape.write(wanted),
        anchor: place.map(|form| form.anchor.clone()),
        needs_type_column: table.is_some(),
        is_read: ends.all(|path| shape.spelling(path).is_some()),
    }
}

/// The row in the usual table: `File | Change Type | Description`.
pub fn usual_row(wanted: &MissingRow<'_>) -> String {
    Shape::Table(vec![Cell::Path, Cell::Type, Cell::Text]).write(wanted)
}

/// A CommonMark code span: fenced by more backticks than the text contains in a row, with padding blanks that do not
/// count.
pub(super) fn code_span(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    let is_stripped = text.starts_with(' ') && text.ends_with(' ') && !text.trim().is_empty();
    let blank = match text.contains('`') || is_stripped {
        true => " ",
        false => "",
    };
    format!("{fence}{blank}{text}{blank}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::parse;
    use crate::scope::settings::Settings;

    fn row(document: &str, path: &str, word: &str, actions: Actions) -> RowToAdd {
        let design = parse("d.md".into(), document.as_bytes(), &Settings::default());
        assert!(design.is_usable(), "{document}");
        design.row(&MissingRow {
            path: path.into(),
            from: None,
            word,
            actions,
        })
    }

    const TYPED: &str =
        "## Files Changed\n\n| # | Action | File | Why |\n|-|-|-|-|\n| 1 | Add | `a.rs` | x |\n";
    const UNTYPED: &str = "## Files Changed\n\n| File | Why |\n|-|-|\n| `a.rs` | x |\n";

    #[test]
    fn the_columns_of_the_own_table_are_kept_in_order() {
        let row = row(TYPED, "src/b.rs", "Modify", Actions::MODIFY);
        assert_eq!(row.text, "| … | Modify | `src/b.rs` | … |");
        assert_eq!(row.anchor.map(|anchor| anchor.line), Some(3));
    }

    #[test]
    fn a_table_without_types_says_when_it_needs_one() {
        let added = row(UNTYPED, "b.rs", "Add", Actions::ADD);
        assert_eq!(added.text, "| `b.rs` | … |");
        assert!(!added.needs_type_column);
        let deleted = row(UNTYPED, "b.rs", "Delete", Actions::DELETE);
        assert_eq!(deleted.text, "| `b.rs` | … | Delete |");
        assert!(deleted.needs_type_column);
    }

    #[test]
    fn two_tables_each_get_their_own_kind_of_row() {
        let text = "## Files to Create\n\n| Path |\n|-|\n| `a` |\n\n## Files to Modify\n\n| Why | Path |\n|-|-|\n| x | `b` |\n";
        assert_eq!(row(text, "c", "Add", Actions::ADD).text, "| `c` |");
        assert_eq!(
            row(text, "c", "Modify", Actions::MODIFY).text,
            "| … | `c` |"
        );
    }

    #[test]
    fn lists_get_items_and_other_forms_a_labelled_line() {
        let list = "**Files:**\n\n- Modify: `a.py`\n";
        assert_eq!(row(list, "b.py", "Add", Actions::ADD).text, "- Add: `b.py`");
        let headings = "#### [MODIFY] [a.py](src/a.py)\n";
        let front = "---\nfiles_modified:\n  - src/a.py\n---\n";
        for other in [headings, front] {
            let row = row(other, "b.py", "Delete", Actions::DELETE);
            assert_eq!(row.text, "**Files:** delete: `b.py`");
        }
    }

    #[test]
    fn pasted_row_grants_the_path_it_names() {
        for path in [
            "src/b.rs",
            "a|b.rs",
            "a`b.rs",
            "`a`",
            "a``b`",
            "a` | Delete | x | `b.md",
            "x y.rs",
            "app/[id]/(shell)/$x.ts",
            "a'b",
        ] {
            for document in [
                TYPED,
                "**Files:**\n\n- Modify: `a.py`\n",
                "#### [MODIFY] [a.py](src/a.py)\n",
                "---\nfiles_modified:\n  - src/a.py\n---\n",
            ] {
                let RowToAdd {
                    text: pasted,
                    is_read,
                    ..
                } = row(document, path, "Add", Actions::ADD);
                // Only a table names paths with blanks.
                assert_eq!(is_read, document == TYPED || !path.contains(' '), "{path}");
                let text = format!("{document}{pasted}\n");
                let design = parse("d.md".into(), text.as_bytes(), &Settings::default());
                let all: Vec<_> = design.grants.iter().map(|grant| &grant.path).collect();
                // The document's own row, and what was pasted: nothing breaks out of it.
                let expected = 1 + usize::from(is_read);
                assert_eq!(all.len(), expected, "{path}: {text}\n{:?}", design.faults);
                assert_eq!(
                    1 + all.iter().filter(|found| **found == path).count(),
                    expected,
                    "{all:?}"
                );
            }
        }
    }

    #[test]
    fn a_rename_row_names_both_ends() {
        let design = parse("d.md".into(), TYPED.as_bytes(), &Settings::default());
        let row = design.row(&MissingRow {
            path: "new".into(),
            from: Some("old".into()),
            word: "Rename",
            actions: Actions::ADD,
        });
        assert_eq!(row.text, "| … | Rename | `old` -> `new` | … |");
    }
    #[test]
    fn a_code_span_is_padded_only_where_blanks_or_backticks_would_be_lost() {
        for (text, expected) in [
            ("a", "`a`"),
            (" a ", "`  a  `"),
            (" a", "` a`"),
            ("a ", "`a `"),
            ("  ", "`  `"),
            ("a`b", "`` a`b ``"),
            ("``", "``` `` ```"),
        ] {
            assert_eq!(code_span(text), expected);
        }
    }
}
