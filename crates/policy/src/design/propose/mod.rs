//! Proposes rows of a `Files Changed` table, and writes them into a document. Guessing has no other place in guard: a
//! person confirms the rows, and only the committed table counts.

mod document;
pub(super) mod form;
mod insert;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use bstr::{BStr, BString};

use crate::design::{self, Design};
use crate::error::{Error, Result};
use crate::path::escaped;
use crate::scope::settings::Settings;
use crate::scope::{Actions, Grant, GrantKind};

use form::MissingRow;

pub use document::{DeniedPath, KnownFiles, Proposal, ProposedRow, propose};
pub use insert::{actions_of, insert};

/// The table that guard writes, without rows.
const TABLE: &str = "## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n";

/// The longest description that guard takes from a document.
const MAX_DESCRIPTION: usize = 80;

/// A row of the usual table, if a design in `document` with this row grants exactly this path. A slash at the end of
/// the path stands for everything below a directory.
pub fn row(document: &BStr, path: &BStr, change_type: &str, description: &str) -> Option<String> {
    let wanted = MissingRow {
        path,
        from: None,
        word: change_type,
        actions: Actions::NONE,
    };
    let row = form::row(&form::USUAL, &wanted, &plain(description));
    let design = standalone(document, std::slice::from_ref(&row));
    let bare = path.strip_suffix(b"/").unwrap_or(path);
    let is_read_back = design.faults.is_empty()
        && matches!(design.grants.as_slice(), [one] if one.path == bare
            && (one.kind == GrantKind::Directory) == path.ends_with(b"/"));
    is_read_back.then_some(row)
}

/// Text that means nothing to Markdown, on one line.
pub fn plain(text: &str) -> String {
    // Marks around a word leave no blank before the comma behind it.
    let unmarked = text.replace(['`', '*'], "");
    let words: Vec<&str> = unmarked
        .split(|c: char| !c.is_alphanumeric() && !".,:;()'\"/_-+=%!?…".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ").chars().take(MAX_DESCRIPTION).collect()
}

/// What ends the lines of a text.
fn line_ending(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The section with a table of these rows.
pub fn section(rows: &[String]) -> String {
    let rows = rows.iter().map(|row| format!("{row}\n"));
    TABLE.to_owned() + &rows.collect::<String>()
}

/// The rows as a design of their own.
fn standalone(path: &BStr, rows: &[String]) -> Design {
    design::parse(path, section(rows).as_bytes(), &Settings::default())
}

/// The text of a design with a table of these rows, in place of guard's own empty table or at the end. From then on, the table is the whole scope of the document. `parse`
/// reads a text as the design.
///
/// # Errors
/// The document would not grant exactly what the rows do.
pub fn add_table(
    design: &Design,
    rows: &[String],
    parse: &dyn Fn(&str) -> Design,
) -> Result<String> {
    let ending = line_ending(&design.text);
    let [empty, table] = [&[], rows].map(|rows| section(rows).replace('\n', ending));
    let text = if design.grants.is_empty() && design.text.contains(&empty) {
        design.text.replacen(&empty, &table, 1)
    } else {
        format!("{}{ending}{ending}{table}", design.text.trim_end())
    };
    let expected = standalone(design.path.as_ref(), rows).grants;
    checked(design, text, &expected, parse)
}

/// What grants allow, wherever they stand.
fn allowed_by(grants: &[Grant]) -> HashSet<(&BString, GrantKind, Actions, Option<&BString>)> {
    grants
        .iter()
        .map(|grant| {
            (
                &grant.path,
                grant.kind,
                grant.actions,
                grant.renamed.as_ref(),
            )
        })
        .collect()
}

/// The new text of a design, if it then grants exactly what is expected.
fn checked(
    design: &Design,
    text: String,
    expected: &[Grant],
    parse: &dyn Fn(&str) -> Design,
) -> Result<String> {
    if allowed_by(&parse(&text).grants) == allowed_by(expected) {
        return Ok(text);
    }
    let what = format!("guard cannot add rows to {}", escaped(&design.path));
    Err(
        Error::new(what + ": it would not allow exactly what they name")
            .help("edit it by hand and commit it"),
    )
}
