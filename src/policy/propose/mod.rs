//! Proposes rows of a `Files Changed` table, and writes them into a document. Guessing has no other place in guard: a
//! person confirms the rows, and only the committed table counts.

mod document;
mod insert;
mod line;
#[cfg(test)]
mod tests;
mod token;
mod tree;
mod verb;

use gix::bstr::{BStr, BString, ByteSlice};

use super::design::{self, Design, DesignOptions, MissingRow, code_span};
use super::{Actions, Grant, GrantKind};

pub use document::rows_of_document;
pub use insert::{InsertedRow, WithRows, create, has_typed_table, insert};
pub use token::Existing;

/// What a cell says that a person has yet to fill in.
const OPEN: &str = "…";

/// The title and the header of the table that guard writes.
const HEADER: &str = "| File | Change Type | Description |";
const DELIMITER: &str = "|---|---|---|";

/// The longest description that guard takes from a document.
const MAX_DESCRIPTION: usize = 80;

/// A row to add to a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedRow {
    /// The path; a slash at the end stands for everything below a directory.
    pub path: BString,
    /// The old path of a rename.
    pub from: Option<BString>,
    /// The type, such as `Modify`.
    pub change_type: String,
    /// What the row says about the change; may be empty.
    pub description: String,
    /// The line of the document that names the path; 0 if none does.
    pub line: usize,
    /// Whether a person has to confirm the row.
    pub is_doubtful: bool,
}

impl ProposedRow {
    /// A certain row.
    pub fn new(path: BString, change_type: &str, description: &str) -> ProposedRow {
        ProposedRow {
            path,
            from: None,
            change_type: change_type.to_owned(),
            description: plain(description),
            line: 0,
            is_doubtful: false,
        }
    }

    /// The row in the usual table. A doubtful one has the type `?`, which no reader of designs knows: it grants nothing
    /// until a person writes a type.
    pub fn text(&self) -> String {
        let (word, description) = match self.is_doubtful {
            true => ("?", format!("{}: {}", self.change_type, self.description())),
            false => (self.change_type.as_str(), self.description().to_owned()),
        };
        let span = |path: &BString| code_span(&path.to_str_lossy());
        let path = match &self.from {
            Some(from) => format!("{} -> {}", span(from), span(&self.path)),
            None => span(&self.path),
        };
        // A pipe separates cells even inside a code span.
        let path = path.replace('|', "\\|");
        format!("| {path} | {word} | {description} |")
    }

    fn description(&self) -> &str {
        match self.description.as_str() {
            "" => OPEN,
            text => text,
        }
    }

    fn wanted(&self) -> MissingRow<'_> {
        MissingRow {
            path: self.path.as_ref(),
            from: self.from.as_ref().map(AsRef::as_ref),
            word: &self.change_type,
            actions: actions_of(&self.change_type).unwrap_or(Actions::DELETE),
        }
    }

    /// The path without the slash of a directory, as grants have it.
    pub fn bare_path(&self) -> &BStr {
        self.path.strip_suffix(b"/").unwrap_or(&self.path).as_bstr()
    }

    /// Whether these grants of its line are what the row asks for.
    fn is_read_as(&self, grants: &[Grant]) -> bool {
        let is_directory = self.path.ends_with(b"/");
        let is_own = |grant: &Grant| {
            grant.path == self.bare_path() && (grant.kind == GrantKind::Directory) == is_directory
        };
        let is_old = |grant: &Grant| self.from.as_ref() == Some(&grant.path);
        let ends = 1 + usize::from(self.from.is_some());
        grants.len() == ends
            && grants.iter().any(is_own)
            && (self.from.is_none() || grants.iter().any(is_old))
    }
}

/// Text that means nothing to Markdown, on one line.
pub fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || " .,:;()'\"/_-+=%!?…".contains(c);
    let text: String = text
        .chars()
        .map(|c| if is_plain(c) { c } else { ' ' })
        .collect();
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(MAX_DESCRIPTION).collect()
}

/// The section with the table.
pub fn section(rows: &[ProposedRow]) -> String {
    let mut text = format!("## Files Changed\n\n{HEADER}\n{DELIMITER}\n");
    for row in rows {
        text.push_str(&row.text());
        text.push('\n');
    }
    text
}

/// The rows as a design of their own.
fn standalone(path: &BStr, rows: &[ProposedRow]) -> Design {
    design::parse(path, section(rows).as_bytes(), &DesignOptions::default())
}

/// The actions that a row of this type grants; `None` for a type that grants nothing or needs two paths.
pub fn actions_of(change_type: &str) -> Option<Actions> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " /+&()".contains(c);
    if !change_type.chars().all(is_plain) {
        return None;
    }
    let row = ProposedRow::new("a/b".into(), change_type, "");
    match standalone("d.md".into(), &[row]).grants.as_slice() {
        [one] if one.renamed.is_none() && one.kind == GrantKind::File => Some(one.actions),
        _ => None,
    }
}

/// The rows that a table in `document` can hold, each read back as exactly what it asks for, and the others.
pub fn readable(document: &BStr, rows: Vec<ProposedRow>) -> (Vec<ProposedRow>, Vec<ProposedRow>) {
    let is_read_back = |row: &ProposedRow| {
        let mut certain = row.clone();
        certain.is_doubtful = false;
        let design = standalone(document, &[certain]);
        design.faults.is_empty() && row.is_read_as(&design.grants)
    };
    rows.into_iter().partition(is_read_back)
}

/// The rows that would grant what a design grants.
pub fn rows_of_design(design: &Design) -> Vec<ProposedRow> {
    let mut rows: Vec<ProposedRow> = Vec::new();
    for grant in &design.grants {
        let mut path = grant.path.clone();
        if grant.kind == GrantKind::Directory {
            path.push(b'/');
        }
        // Both ends of a rename are grants of one row.
        let is_old = grant.renamed.is_some() && grant.actions.contains(Actions::DELETE);
        if is_old || rows.iter().any(|row| row.path == path) {
            continue;
        }
        let word = match grant.renamed.is_some() {
            true => "Rename",
            false => word_of(grant.actions),
        };
        rows.push(ProposedRow {
            from: grant.renamed.clone(),
            line: grant.anchor.line,
            ..ProposedRow::new(path, word, &grant.description)
        });
    }
    rows
}

/// The rows of a table that a person edited, and what is wrong with the others.
pub fn rows_of_table(text: &str) -> (Vec<ProposedRow>, Vec<String>) {
    let design = design::parse("".into(), text.as_bytes(), &DesignOptions::default());
    let faults = design.faults.iter().map(|fault| fault.message.clone());
    (rows_of_design(&design), faults.collect())
}

fn word_of(actions: Actions) -> &'static str {
    let words = ["Add", "Modify", "Delete", "Symlink", "Submodule"];
    let alone = words
        .into_iter()
        .find(|word| actions_of(word) == Some(actions));
    alone.unwrap_or("Add/Modify")
}
