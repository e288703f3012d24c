//! Proposes rows of a `Files Changed` table, and writes them into a document. Guessing has no other place in guard: a
//! person confirms the rows, and only the committed table counts.

mod document;
mod insert;
mod line;
#[cfg(test)]
mod tests;
mod token;

use gix::bstr::{BStr, BString, ByteSlice};

use super::design::{self, Design, DesignOptions, code_span};
use super::{Grant, GrantKind};
use crate::error::{Error, Result};
use crate::path::escaped;

pub use document::rows_of_document;
pub use insert::{actions_of, insert};
pub use token::FileLookup;

/// What a cell says that a person has yet to fill in.
const OPEN: &str = "…";

/// The table that guard writes, without rows.
const TABLE: &str = "## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n";

/// The longest description that guard takes from a document.
const MAX_DESCRIPTION: usize = 80;

/// A row to add to a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedRow {
    /// The path; a slash at the end stands for everything below a directory.
    pub path: BString,
    /// The type, such as `Modify`.
    pub change_type: String,
    /// What the row says about the change; may be empty.
    pub description: String,
    /// Whether a person has to confirm the row.
    pub is_doubtful: bool,
}

impl ProposedRow {
    /// A certain row.
    pub fn new(path: BString, change_type: &str, description: &str) -> ProposedRow {
        ProposedRow {
            path,
            change_type: change_type.to_owned(),
            description: plain(description),
            is_doubtful: false,
        }
    }

    /// The row in the usual table. A doubtful one starts with `? `, a cell that moves the others out of their columns: it
    /// grants nothing until a person removes the mark.
    pub fn text(&self) -> String {
        let mark = if self.is_doubtful { "? " } else { "" };
        // A pipe separates cells even inside a code span.
        let path = code_span(&self.path.to_str_lossy()).replace('|', "\\|");
        let description = match self.description.as_str() {
            "" => OPEN,
            text => text,
        };
        format!("{mark}| {path} | {} | {description} |", self.change_type)
    }

    /// The path without the slash of a directory, as grants have it.
    fn bare_path(&self) -> &BStr {
        self.path.strip_suffix(b"/").unwrap_or(&self.path).as_bstr()
    }

    /// Whether the row, read as a design at this path, grants exactly what it names.
    pub fn is_read_back(&self, document: &BStr) -> bool {
        let certain = ProposedRow {
            is_doubtful: false,
            ..self.clone()
        };
        let design = standalone(document, &[certain.text()]);
        let is_directory = self.path.ends_with(b"/");
        design.faults.is_empty()
            && matches!(design.grants.as_slice(), [one] if one.path == self.bare_path()
                && (one.kind == GrantKind::Directory) == is_directory)
    }
}

/// Text that means nothing to Markdown, on one line.
pub fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || ".,:;()'\"/_-+=%!?…".contains(c);
    let words = text.split(|c| !is_plain(c)).filter(|word| !word.is_empty());
    let text = words.collect::<Vec<_>>().join(" ");
    text.chars().take(MAX_DESCRIPTION).collect()
}

/// The section with a table of these rows.
pub fn section(rows: &[String]) -> String {
    let rows = rows.iter().map(|row| format!("{row}\n"));
    TABLE.to_owned() + &rows.collect::<String>()
}

/// The rows as a design of their own.
fn standalone(path: &BStr, rows: &[String]) -> Design {
    let text = section(rows);
    design::parse(path, text.as_bytes(), &DesignOptions::default())
}

/// The rows of guard's table that a person edited, and what is wrong with the others.
pub fn rows_of_table(text: &str) -> (Vec<String>, Vec<String>) {
    let design = design::parse("".into(), text.as_bytes(), &DesignOptions::default());
    let lines: Vec<&str> = text.lines().collect();
    let granted = design.grants.iter().filter(|_| text.contains(TABLE));
    let mut numbers: Vec<usize> = granted.map(|grant| grant.anchor.line).collect();
    numbers.dedup();
    let rows = numbers.iter().filter_map(|number| lines.get(number - 1));
    let faults = design.faults.iter().map(|fault| fault.message.clone());
    (
        rows.map(|row| (*row).to_owned()).collect(),
        faults.collect(),
    )
}

/// The text of a design with a table of these rows, in place of guard's own empty table or at the end. From then on, the
/// table is the whole scope of the document. `parse` reads a text as the design.
///
/// # Errors
/// The document would not grant exactly what the rows do.
pub fn add_table(
    design: &Design,
    rows: &[String],
    parse: &dyn Fn(&str) -> Design,
) -> Result<String> {
    let ending = match design.text.contains("\r\n") {
        true => "\r\n",
        false => "\n",
    };
    let [empty, table] = [&[], rows].map(|rows| section(rows).replace('\n', ending));
    let text = match design.grants.is_empty() && design.text.contains(&empty) {
        true => design.text.replacen(&empty, &table, 1),
        false => format!("{}{ending}{ending}{table}", design.text.trim_end()),
    };
    let key = |grant: Grant| (grant.path, grant.kind, grant.actions, grant.renamed);
    let granted = |design: Design| design.grants.into_iter().map(key).collect::<Vec<_>>();
    if granted(parse(&text)) == granted(standalone(design.path.as_ref(), rows)) {
        return Ok(text);
    }
    let shown = escaped(&design.path);
    Err(Error::new(format!(
        "guard cannot add rows to {shown}: it would not grant exactly what they name"
    ))
    .help("edit it by hand and commit it"))
}
