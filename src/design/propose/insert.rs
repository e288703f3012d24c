//! Adds rows to the text of a design: `guard scope add`. The result counts only if it grants exactly what was asked for.

use std::collections::{BTreeSet, HashSet};

use gix::bstr::{BStr, BString, ByteSlice};

use super::{add_table, line_ending, plain, row, standalone};
use crate::design::{Design, MissingRow, usual_row};
use crate::error::{Error, Result};
use crate::finding::Help;
use crate::path::escaped;
use crate::scope::{Actions, Grant, GrantKind};

/// What a cell says that a person has yet to fill in.
const OPEN: &str = "…";

/// A row to add to a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedRow {
    /// The path; a slash at the end stands for everything below a directory.
    pub path: BString,
    /// The type, such as `Modify`.
    pub change_type: String,
    /// What the row says about the change; may be empty.
    pub description: String,
}

impl WantedRow {
    /// The row in the usual table; `None` if no row can name exactly this path.
    pub fn text(&self, document: &BStr) -> Option<String> {
        row(
            document,
            self.path.as_ref(),
            &self.change_type,
            &self.description,
        )
    }

    /// The path without the slash of a directory, as grants have it.
    pub(super) fn bare_path(&self) -> &BStr {
        self.path.strip_suffix(b"/").unwrap_or(&self.path).as_bstr()
    }
}

/// Adds the rows to the table of the design. A design without a table gets one, with what it grants so far.
/// `parse` reads a text as the design.
///
/// # Errors
/// A table cannot take a row, or the result would not grant exactly these paths in addition.
pub fn insert(
    design: &Design,
    rows: &[WantedRow],
    parse: &dyn Fn(&str) -> Design,
) -> Result<String> {
    let lines: Vec<&str> = design.text.split_inclusive('\n').collect();
    let texts = rows.iter().filter_map(|row| row.text(design.path.as_ref()));
    let texts: Vec<String> = texts.collect();
    let mut added = Vec::new();
    for row in rows {
        let refusal = |why: String| {
            let (path, design) = (escaped(&row.path), escaped(&design.path));
            Error::new(format!("guard cannot add {path} to {design}: {why}"))
        };
        let Some(actions) = actions_of(&row.change_type) else {
            let word = escaped(&row.change_type);
            return Err(refusal(format!("`{word}` is not a type for one path"))
                .help("write Add, Modify, Add/Modify, Delete, Symlink or Submodule"));
        };
        let mut grants = design.grants.iter();
        let known = grants.find(|grant| grant.path == row.bare_path());
        if let Some(known) = known {
            let word = match known.change_type.as_str() {
                "" => "a row without a type".to_owned(),
                word => escaped(word).to_string(),
            };
            let why = format!("line {} names it already, as {word}", known.anchor.line);
            return Err(refusal(why).help("change the type of that row and commit the design"));
        }
        let advice = design.row(&MissingRow {
            path: row.path.as_ref(),
            from: None,
            word: &row.change_type,
            actions,
        });
        let table = advice.anchor.and_then(|anchor| table(&lines, anchor.line));
        let Some(table) = table.filter(|_| advice.text.starts_with('|')) else {
            return add_table(design, &[rows_of_design(design), texts].concat(), parse);
        };
        if advice.needs_type_column {
            let why = "its table has no Change Type column, which this row needs";
            return Err(refusal(why.to_owned())
                .help("add it by hand and commit the design:")
                .help(Help::row(advice.text)));
        }
        let near = |grant: &&Grant| directory(grant.path.as_ref()) == directory(row.path.as_ref());
        let own = |grant: &&Grant| table.contains(&grant.anchor.line);
        let own = design.grants.iter().filter(own);
        let after = own.filter(near).map(|grant| grant.anchor.line).max();
        let text = described(advice.text, &plain(&row.description));
        added.push((after.unwrap_or(table.end - 1), text));
    }
    let mut expected = standalone(design.path.as_ref(), &texts).grants;
    expected.extend(design.grants.iter().cloned());
    with_lines(design, added, &expected, parse)
}

/// A row whose last open cell says what the description does.
fn described(mut row: String, description: &str) -> String {
    if let Some(at) = row.rfind(OPEN).filter(|_| !description.is_empty()) {
        row.replace_range(at..at + OPEN.len(), description);
    }
    row
}

/// The actions that a row of this type grants; `None` for a type that grants nothing or needs two paths.
pub fn actions_of(change_type: &str) -> Option<Actions> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " /+&()".contains(c);
    if !change_type.chars().all(is_plain) {
        return None;
    }
    let row = format!("| `a/b` | {change_type} | … |");
    match standalone("d.md".into(), &[row]).grants.as_slice() {
        [one] if one.renamed.is_none() && one.kind == GrantKind::File => Some(one.actions),
        _ => None,
    }
}

/// The rows of a table that would grant what a design grants.
fn rows_of_design(design: &Design) -> Vec<String> {
    let words = ["Add", "Modify", "Delete", "Symlink", "Submodule"];
    let words = words.map(|word| (actions_of(word), word));
    let mut seen = HashSet::new();
    let mut rows = Vec::new();
    for grant in &design.grants {
        // Both ends of a rename are grants of one row.
        let is_old = grant.renamed.is_some() && grant.actions.contains(Actions::DELETE);
        if is_old || !seen.insert(&grant.path) {
            continue;
        }
        let mut path = grant.path.clone();
        if grant.kind == GrantKind::Directory {
            path.push(b'/');
        }
        let known = words
            .iter()
            .find(|(actions, _)| *actions == Some(grant.actions));
        let row = usual_row(&MissingRow {
            path: path.as_ref(),
            from: grant.renamed.as_ref().map(AsRef::as_ref),
            word: match (&grant.renamed, known) {
                (Some(_), _) => "Rename",
                (None, Some((_, word))) => word,
                (None, None) => "Add/Modify",
            },
            actions: grant.actions,
        });
        rows.push(described(row, &plain(&grant.description)));
    }
    rows
}

/// The numbers of the lines of the table whose header is at this line.
fn table(lines: &[&str], header: usize) -> Option<std::ops::Range<usize>> {
    let rows = lines.get(header.checked_sub(1)?..)?.iter();
    let count = rows.take_while(|line| line.contains('|')).count();
    (count >= 2).then_some(header..header + count)
}

/// The directory of a path.
fn directory(path: &BStr) -> &[u8] {
    let path = path.strip_suffix(b"/").unwrap_or(path);
    &path[..path.rfind_byte(b'/').unwrap_or(0)]
}

/// The design with lines added, each after the line with a 1-based number, if it then grants what is expected.
fn with_lines(
    design: &Design,
    mut added: Vec<(usize, String)>,
    expected: &[Grant],
    parse: &dyn Fn(&str) -> Design,
) -> Result<String> {
    let ending = line_ending(&design.text);
    added.sort_by_key(|(after, _)| *after);
    let mut added = added.into_iter().peekable();
    let mut text = String::new();
    let lines = std::iter::once("").chain(design.text.split_inclusive('\n'));
    for (at, line) in lines.enumerate() {
        text.push_str(line);
        while let Some((_, row)) = added.next_if(|(after, _)| *after == at) {
            if !text.ends_with('\n') {
                text.push_str(ending);
            }
            text.push_str(&row);
            text.push_str(ending);
        }
    }
    let new = parse(&text);
    let path = match difference(expected, &new) {
        None if new.faults.len() <= design.faults.len() => return Ok(text),
        path => path.unwrap_or_default(),
    };
    let (shown, path) = (escaped(&design.path), escaped(&path));
    Err(Error::new(format!(
        "guard cannot add rows to {shown}: it would not allow exactly what they name: {path}"
    ))
    .help("edit it by hand and commit it"))
}

/// A path about which the design and the expected grants differ. A row without a type grants more than one action.
fn difference(expected: &[Grant], design: &Design) -> Option<BString> {
    let is_typed = design.is_typed();
    let key = |grant: &Grant| {
        let actions = match is_typed {
            true => format!("{:?}", grant.actions),
            false => (grant.actions == Actions::DELETE).to_string(),
        };
        let kind = grant.kind.name();
        (grant.path.clone(), kind, grant.renamed.clone(), actions)
    };
    let keys = |grants: &[Grant]| grants.iter().map(key).collect::<BTreeSet<_>>();
    let differing = &keys(expected) ^ &keys(&design.grants);
    differing.into_iter().next().map(|(path, ..)| path)
}
