//! How a design writes its rows, so that messages can show a row that fits.

use gix::bstr::{BStr, ByteSlice};

use super::columns::Columns;
use super::entry;
use super::placeholder::is_placeholder;
use super::written_path::{has_path_shape, is_bare_path};
use crate::finding::Anchor;
use crate::policy::{Actions, GrantForm, GrantKind};

/// The text of a cell for the user to fill in.
const OPEN: &str = "…";

/// One table or list of a design, and how its rows are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    pub(super) shape: Shape,
    pub(super) form: GrantForm,
    /// The actions that a row without a type grants.
    pub(super) untyped: Actions,
    /// The start of the table or list.
    pub(super) anchor: Anchor,
}

/// The ways to list files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    Table(Vec<Cell>),
    List,
    /// A label with paths on the same line.
    Line,
    Heading,
    FrontMatter,
    Tag,
    Task,
    Tree,
    /// A code block below a label.
    Code,
}

/// The content of a table column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    Path,
    Type,
    Text,
}

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

impl Shape {
    pub(super) fn of(columns: &Columns) -> Shape {
        let cell = |index| match index {
            _ if index == columns.path => Cell::Path,
            _ if Some(index) == columns.kind => Cell::Type,
            _ => Cell::Text,
        };
        Shape::Table((0..columns.names.len()).map(cell).collect())
    }

    fn has_type(&self) -> bool {
        match self {
            Shape::Table(cells) => cells.contains(&Cell::Type),
            Shape::List | Shape::Line | Shape::Heading | Shape::Task => true,
            Shape::FrontMatter | Shape::Tag | Shape::Tree | Shape::Code => false,
        }
    }

    /// How a row in this form writes the path; `None` if it cannot: no row names a file called `*`.
    fn spelling(&self, path: &BStr) -> Option<String> {
        let path = path.to_str().ok()?;
        let is_read = |text: &String| {
            let read = entry::read(text, false, BStr::new(""));
            let is_file = read.is_ok_and(|read| read.kind == GrantKind::File && read.path == path);
            is_file
                && match self {
                    Shape::Table(_) => true,
                    Shape::FrontMatter => !path.contains(char::is_whitespace),
                    Shape::Tag => is_bare_path(text),
                    _ => has_path_shape(text),
                }
        };
        let has_arrow = ["→", " -> ", " => "]
            .iter()
            .any(|arrow| path.contains(arrow));
        let spellings = [path.to_owned(), format!("./{path}")];
        spellings
            .into_iter()
            .find(is_read)
            .filter(|_| !has_arrow && path.trim() == path)
    }

    /// The paths of a row, in code; spelled as they are where no row can name them.
    fn paths(&self, wanted: &MissingRow<'_>) -> String {
        let span =
            |path: &BStr| code_span(&self.spelling(path).unwrap_or_else(|| path.to_string()));
        match wanted.from {
            Some(from) => format!("{} -> {}", span(from), span(wanted.path)),
            None => span(wanted.path),
        }
    }

    fn write(&self, wanted: &MissingRow<'_>) -> String {
        let word = wanted.word;
        let paths = || self.paths(wanted);
        let plain = || {
            self.spelling(wanted.path)
                .unwrap_or_else(|| wanted.path.to_string())
        };
        match self {
            Shape::Table(cells) => table_row(cells, wanted),
            Shape::List => format!("- {word}: {}", paths()),
            Shape::Heading => format!("#### [{}] {}", heading_word(word), paths()),
            Shape::Line | Shape::Tree | Shape::Code => {
                format!("**Files:** {}: {}", word.to_lowercase(), paths())
            }
            Shape::Task => format!("- [ ] {word} {}", paths()),
            Shape::Tag => format!("<files>{}</files>", plain()),
            Shape::FrontMatter => format!("  - {}", yaml(&plain())),
        }
    }
}

/// The row that grants what is wanted, in the form of one of the design's tables or lists.
pub(super) fn row(forms: &[Form], wanted: &MissingRow<'_>) -> RowToAdd {
    let is_simple = matches!(wanted.word, "Add" | "Modify" | "Delete") && wanted.from.is_none();
    let fits = |form: &&Form| match form.shape {
        Shape::Tree | Shape::Code => false,
        Shape::Heading | Shape::Task => is_simple,
        _ => {
            form.shape.has_type() || form.untyped.contains(wanted.actions) && wanted.from.is_none()
        }
    };
    let is_read = |shape: &Shape| {
        let mut ends = std::iter::once(wanted.path).chain(wanted.from);
        ends.all(|path| shape.spelling(path).is_some())
    };
    if let Some(form) = forms.iter().find(fits) {
        return RowToAdd {
            text: form.shape.write(wanted),
            anchor: Some(form.anchor.clone()),
            needs_type_column: false,
            is_read: is_read(&form.shape),
        };
    }
    let table = forms.iter().find_map(|form| match &form.shape {
        Shape::Table(cells) => Some((cells, &form.anchor)),
        _ => None,
    });
    // A label with its item is a passage of its own, wherever it stands.
    let Some((cells, anchor)) = table else {
        return RowToAdd {
            text: Shape::Line.write(wanted),
            anchor: forms.first().map(|form| form.anchor.clone()),
            needs_type_column: false,
            is_read: is_read(&Shape::Line),
        };
    };
    let with_type: Vec<Cell> = cells.iter().copied().chain([Cell::Type]).collect();
    RowToAdd {
        text: table_row(&with_type, wanted),
        anchor: Some(anchor.clone()),
        needs_type_column: true,
        is_read: is_read(&Shape::Table(Vec::new())),
    }
}

/// The word in the brackets of a heading.
fn heading_word(word: &str) -> &'static str {
    match word.to_lowercase().as_str() {
        "add" => "NEW",
        "delete" => "DELETE",
        _ => "MODIFY",
    }
}

/// The row in the usual table: `File | Change Type | Description`.
pub fn usual_row(wanted: &MissingRow<'_>) -> String {
    table_row(&[Cell::Path, Cell::Type, Cell::Text], wanted)
}

fn table_row(cells: &[Cell], wanted: &MissingRow<'_>) -> String {
    let cells = cells.iter().map(|cell| match cell {
        // A pipe separates cells even inside a code span.
        Cell::Path => Shape::Table(Vec::new()).paths(wanted).replace('|', "\\|"),
        Cell::Type => wanted.word.to_owned(),
        Cell::Text => OPEN.to_owned(),
    });
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}

/// A CommonMark code span: fenced by more backticks than the text contains in a row, with padding blanks that do not
/// count.
pub(in crate::policy) fn code_span(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    let is_stripped = text.starts_with(' ') && text.ends_with(' ') && !text.trim().is_empty();
    let blank = if text.contains('`') || is_stripped {
        " "
    } else {
        ""
    };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// A scalar for a YAML list.
fn yaml(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if text.chars().all(is_plain) && !text.starts_with('-') && !is_placeholder(text) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DesignOptions, parse};
    use super::*;

    fn row(document: &str, path: &str, word: &str, actions: Actions) -> RowToAdd {
        let design = parse(
            "d.md".into(),
            document.as_bytes(),
            &DesignOptions::default(),
        );
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
    fn lists_headings_and_front_matter_have_rows_of_their_own() {
        let list = "**Files:**\n\n- Modify: `a.py`\n";
        assert_eq!(row(list, "b.py", "Add", Actions::ADD).text, "- Add: `b.py`");
        let headings = "#### [MODIFY] [a.py](src/a.py)\n";
        assert_eq!(
            row(headings, "b.py", "Delete", Actions::DELETE).text,
            "#### [DELETE] `b.py`"
        );
        let front = "---\nfiles_modified:\n  - src/a.py\n---\n";
        assert_eq!(
            row(front, "b c.py", "Add", Actions::ADD).text,
            "  - 'b c.py'"
        );
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
                let text = match document.strip_suffix("---\n") {
                    Some(front) => format!("{front}{pasted}\n---\n"),
                    None => format!("{document}{pasted}\n"),
                };
                let design = parse("d.md".into(), text.as_bytes(), &DesignOptions::default());
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
        let design = parse("d.md".into(), TYPED.as_bytes(), &DesignOptions::default());
        let row = design.row(&MissingRow {
            path: "new".into(),
            from: Some("old".into()),
            word: "Rename",
            actions: Actions::ADD,
        });
        assert_eq!(row.text, "| … | Rename | `old` -> `new` | … |");
    }
}
