//! Writes rows in the form of a design, so that messages can show a row that fits.

use bstr::{BStr, ByteSlice};

use crate::design::paths::{self, is_code_path};
use crate::design::{WrittenPath, placeholders};
use crate::finding::Anchor;
use crate::scope::{Actions, GrantKind};

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
    /// The row: a line of Markdown, or a label and the item below it.
    pub lines: Vec<String>,
    /// The table or list to add it to.
    pub anchor: Option<Anchor>,
    /// Whether the row, once added, names exactly this path: no row names a file called `*`.
    pub is_read: bool,
}

/// A table or list of a design, and how its rows are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    pub(in crate::design) place: FormPlace,
    /// The header of the table, or the first item.
    pub(in crate::design) anchor: Anchor,
    /// The offset behind the line of the last row.
    pub(in crate::design) end: usize,
}

/// Where rows stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::design) enum FormPlace {
    Table {
        cells: Vec<Cell>,
        /// The actions that a row without a type grants.
        untyped: Actions,
    },
    List {
        /// What stands before an item: blanks, and its bullet or number.
        marker: String,
    },
}

/// The content of a table column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::design) enum Cell {
    Path,
    Type,
    Text,
}

impl Form {
    pub(in crate::design) fn is_table(&self) -> bool {
        matches!(self.place, FormPlace::Table { .. })
    }

    /// Whether a row of this form can say what is wanted: a table without types cannot say everything.
    fn can_say(&self, wanted: &MissingRow<'_>) -> bool {
        match &self.place {
            FormPlace::Table { cells, untyped } => {
                let is_enough = untyped.contains(wanted.actions) && wanted.from.is_none();
                is_enough || cells.contains(&Cell::Type)
            }
            FormPlace::List { .. } => true,
        }
    }

    /// What a row without a type grants, if the form has no column of types.
    pub(super) fn untyped(&self) -> Option<Actions> {
        match &self.place {
            FormPlace::Table { cells, untyped } if !cells.contains(&Cell::Type) => Some(*untyped),
            _ => None,
        }
    }

    /// The row that says what is wanted.
    pub(super) fn row(&self, wanted: &MissingRow<'_>, description: &str) -> String {
        match &self.place {
            FormPlace::Table { cells, .. } => row(cells, wanted, description),
            FormPlace::List { marker } => format!("{marker}{}", item(wanted, description)),
        }
    }
}

/// The form whose row would say what is wanted; a table before a list. `None` if none can.
pub(super) fn form_for<'f>(forms: &'f [Form], wanted: &MissingRow<'_>) -> Option<&'f Form> {
    let tables = forms.iter().filter(|form| form.is_table());
    let lists = forms.iter().filter(|form| !form.is_table());
    tables.chain(lists).find(|form| form.can_say(wanted))
}

/// The row that would grant what is wanted in a form, or else an item below a label.
pub(super) fn lines(
    form: Option<&Form>,
    wanted: &MissingRow<'_>,
    description: &str,
) -> Vec<String> {
    match form {
        Some(form) => vec![form.row(wanted, description)],
        None => vec![
            "**Files:**".to_owned(),
            format!("- {}", item(wanted, description)),
        ],
    }
}

/// The row that would grant what is wanted, in the form of a table or list of the design that can say so, or else a
/// label with its item, which is read wherever it stands.
pub(in crate::design) fn row_to_add(forms: &[Form], wanted: &MissingRow<'_>) -> RowToAdd {
    let form = form_for(forms, wanted);
    let is_cell = form.is_some_and(|form| matches!(form.place, FormPlace::Table { .. }));
    let mut paths = std::iter::once(wanted.path).chain(wanted.from);
    RowToAdd {
        lines: lines(form, wanted, ""),
        anchor: form.map(|form| form.anchor.clone()),
        is_read: paths.all(|path| spelling(path, is_cell).is_some()),
    }
}

/// An item of a list without its marker.
pub(super) fn item(wanted: &MissingRow<'_>, description: &str) -> String {
    let remark = if description.is_empty() {
        String::new()
    } else {
        format!(" — {description}")
    };
    format!("{}: {}{remark}", wanted.word, ends(wanted, false))
}

/// The code span that names the path; `None` if no row can name it, such as a file called `*`.
fn spelling(path: &BStr, is_cell: bool) -> Option<String> {
    let text = path.to_str().ok()?;
    let has_arrow = ["→", " -> ", " => "]
        .iter()
        .any(|arrow| text.contains(arrow));
    if text.trim() != text || has_arrow {
        return None;
    }
    [text.to_owned(), format!("./{text}")]
        .iter()
        .find(|spelled| is_read_as(spelled, path, is_cell))
        .map(|spelled| code_span(spelled))
}

/// Whether the text of a code span is read as the path of a file.
fn is_read_as(text: &str, path: &BStr, is_cell: bool) -> bool {
    let written = WrittenPath::code(text, 0..0);
    let read = paths::read(&written, BStr::new(""));
    let is_file = read.is_ok_and(|(read, kind)| kind == GrantKind::File && read == path);
    is_file && (is_cell || is_code_path(text)) && !placeholders::is_nothing(text)
}

/// The path, or both paths of a rename. One that no row can name is spelled as it is.
fn ends(wanted: &MissingRow<'_>, is_cell: bool) -> String {
    let new = spelled(wanted.path, is_cell);
    match wanted.from {
        Some(from) => format!("{} -> {new}", spelled(from, is_cell)),
        None => new,
    }
}

/// The path as a row names it, or as it is if no row can.
fn spelled(path: &BStr, is_cell: bool) -> String {
    spelling(path, is_cell).unwrap_or_else(|| code_span(&path.to_string()))
}

/// A row of a table with these columns. The last open cell says what the description does, if there is one.
pub(super) fn row(cells: &[Cell], wanted: &MissingRow<'_>, description: &str) -> String {
    let last = cells.iter().rposition(|cell| *cell == Cell::Text);
    let last = last.filter(|_| !description.is_empty());
    let cells = cells.iter().enumerate().map(|(at, cell)| match cell {
        // A pipe separates cells even inside a code span.
        Cell::Path => ends(wanted, true).replace('|', "\\|"),
        Cell::Type => wanted.word.to_owned(),
        Cell::Text if last == Some(at) => description.to_owned(),
        Cell::Text => OPEN.to_owned(),
    });
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}

/// The columns of the usual table: `File | Change Type | Description`.
pub(super) const USUAL: [Cell; 3] = [Cell::Path, Cell::Type, Cell::Text];

/// A CommonMark code span: fenced by more backticks than the text contains in a row, with padding blanks that do not
/// count.
pub(super) fn code_span(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    let is_stripped = text.starts_with(' ') && text.ends_with(' ') && !text.trim().is_empty();
    let has_room = text.contains('`') || is_stripped;
    let blank = if has_room { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::parse;
    use crate::scope::settings::Settings;

    fn added(document: &str, path: &str, word: &str, actions: Actions) -> RowToAdd {
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
        let row = added(TYPED, "src/b.rs", "Modify", Actions::MODIFY);
        assert_eq!(row.lines, ["| … | Modify | `src/b.rs` | … |"]);
        assert_eq!(row.anchor.map(|anchor| anchor.line), Some(3));
    }

    #[test]
    fn the_last_open_cell_says_what_the_description_does() {
        let wanted = MissingRow {
            path: "a|b.rs".into(),
            from: None,
            word: "Add",
            actions: Actions::ADD,
        };
        let cells = [Cell::Text, Cell::Path, Cell::Type, Cell::Text];
        assert_eq!(
            row(&cells, &wanted, "the work"),
            "| … | `a\\|b.rs` | Add | the work |"
        );
        assert_eq!(row(&cells, &wanted, ""), "| … | `a\\|b.rs` | Add | … |");
    }

    #[test]
    fn a_table_without_types_takes_no_deletion() {
        let row = added(UNTYPED, "b.rs", "Add", Actions::ADD);
        assert_eq!(row.lines, ["| `b.rs` | … |"]);
        let deleted = added(UNTYPED, "b.rs", "Delete", Actions::DELETE);
        assert_eq!(deleted.lines, ["**Files:**", "- Delete: `b.rs`"]);
        assert_eq!(deleted.anchor, None);
    }

    #[test]
    fn two_tables_each_get_their_own_kind_of_row() {
        let text = "## Files to Create\n\n| Path |\n|-|\n| `a` |\n\n## Files to Modify\n\n| Why | Path |\n|-|-|\n| x | `b` |\n";
        assert_eq!(added(text, "c", "Add", Actions::ADD).lines, ["| `c` |"]);
        assert_eq!(
            added(text, "c", "Modify", Actions::MODIFY).lines,
            ["| … | `c` |"]
        );
    }

    #[test]
    fn a_list_gets_an_item_with_its_own_bullet() {
        let row = added(
            "**Files:**\n\n* Modify: `a.py`\n",
            "b.py",
            "Delete",
            Actions::DELETE,
        );
        assert_eq!(row.lines, ["* Delete: `b.py`"]);
        assert_eq!(row.anchor.map(|anchor| anchor.line), Some(3));
    }

    #[test]
    fn front_matter_gets_a_label_with_an_item() {
        let text = "---\nfiles_modified:\n  - src/a.py\n---\n";
        let row = added(text, "b.py", "Delete", Actions::DELETE);
        assert_eq!(row.lines, ["**Files:**", "- Delete: `b.py`"]);
    }

    /// Names, separated by `¦`, that a design could misread: placeholders, Markdown, globs, line numbers, arrows, other
    /// systems' paths.
    const NAMES: &str = "src/b.rs¦a|b.rs¦|¦a`b.rs¦`a`¦a``b`¦a` | Delete | x | `b.md¦x y.rs¦ leading¦two  blanks¦\
        app/[id]/(shell)/$x.ts¦a'b¦TODO¦TBD¦None¦N/A¦-¦…¦...¦?¦XXXX-name.md¦path/to/file.py¦src/<T>.hpp¦{{name}}/a.py¦\
        {only}¦src/{a,b}.py¦a.py:12¦a.py#L10¦*¦**.py¦a*b.py¦~x¦~$report.doc¦old -> new.py¦old → new.py¦old => new.py¦\
        don't.py¦it's \"q\" # c¦# heading¦key: value¦file:x¦mailto:x¦to be done¦TODO: x¦(x)¦a.py (directory)¦\
        a.py (no changes)¦_x_.py¦__init__.py¦a,b.py¦a;b.py¦&amp;.txt¦<br>¦<!--¦[x](y).md¦no¦none¦Delete¦ä.py¦back\\slash.py";

    #[test]
    fn pasted_row_grants_the_path_it_names_or_says_that_it_does_not() {
        let mut unread = 0;
        for path in NAMES.split('¦') {
            for document in [
                TYPED,
                UNTYPED,
                "**Files:**\n\n- Modify: `a.py`\n",
                "---\nfiles_modified:\n  - src/a.py\n---\n",
            ] {
                let added = added(document, path, "Add", Actions::ADD);
                if !added.is_read {
                    unread += 1;
                    continue;
                }
                let text = format!("{document}{}\n", added.lines.join("\n"));
                let design = parse("d.md".into(), text.as_bytes(), &Settings::default());
                let all: Vec<_> = design.grants.iter().map(|grant| &grant.path).collect();
                // The document's own row, and what was pasted: nothing breaks out of it.
                let named = all.iter().filter(|found| **found == path).count();
                let counts = (named, all.len());
                assert_eq!(counts, (1, 2), "{path}: {text}\n{:?}", design.faults);
            }
        }
        assert!(unread > 50, "{unread}");
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
        assert_eq!(row.lines, ["| … | Rename | `old` -> `new` | … |"]);
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
