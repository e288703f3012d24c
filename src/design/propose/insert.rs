//! Adds rows to the text of a design: `guard scope add`. The result counts only if it grants exactly what was asked for.

use std::collections::HashSet;

use gix::bstr::BStr;

use super::{add_table, checked, form, line_ending, plain, row, standalone};
use crate::design::{Design, MissingRow, add, any};
use crate::error::{Error, Result};
use crate::path::escaped;
use crate::scope::{Actions, Grant, GrantKind};

/// Adds the rows at the end of the table with types. A design without one gets it, with what it grants so far.
/// `parse` reads a text as the design.
///
/// # Errors
/// The design names a path already, or the result would not grant exactly these paths in addition.
pub fn insert(
    design: &Design,
    rows: &[MissingRow<'_>],
    description: &str,
    parse: &dyn Fn(&str) -> Design,
) -> Result<String> {
    for wanted in rows {
        let bare = wanted.path.strip_suffix(b"/").unwrap_or(wanted.path);
        if let Some(known) = design.grants.iter().find(|grant| grant.path == bare) {
            let (path, shown, line) = (
                escaped(&known.path),
                escaped(&design.path),
                known.anchor.line,
            );
            let what = format!("guard cannot add {path} to {shown}: line {line} names it already");
            return Err(Error::new(what).help("change the type of that row and commit the design"));
        }
    }
    let path: &BStr = design.path.as_ref();
    let texts = rows
        .iter()
        .filter_map(|wanted| row(path, wanted.path, wanted.word, description));
    let texts: Vec<String> = texts.collect();
    let Some(table) = design.forms.first().filter(|_| design.is_typed()) else {
        return add_table(design, &[rows_of_design(design), texts].concat(), parse);
    };
    let lines: Vec<&str> = design.text.split_inclusive('\n').collect();
    let header = table.anchor.line - 1;
    let count = lines[header..]
        .iter()
        .take_while(|line| line.contains('|'))
        .count();
    let (above, below) = lines.split_at(header + count);
    let (ending, description) = (line_ending(&design.text), plain(description));
    let mut text = above.concat();
    if !text.ends_with('\n') {
        text.push_str(ending);
    }
    for wanted in rows {
        text.push_str(&form::row(&table.cells, wanted, &description));
        text.push_str(ending);
    }
    text.push_str(&below.concat());
    let mut expected = standalone(path, &texts).grants;
    expected.extend(design.grants.iter().cloned());
    checked(design, text, &expected, parse)
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
    let mut seen = HashSet::new();
    // Both ends of a rename are grants of one row.
    let is_new = |grant: &&Grant| !grant.is_old_end() && seen.insert(grant.path.clone());
    let row = |grant: &Grant| {
        let mut path = grant.path.clone();
        if grant.kind == GrantKind::Directory {
            path.push(b'/');
        }
        let word = match grant.actions {
            _ if grant.renamed.is_some() => "Rename",
            actions if actions == add() => "Add",
            actions if actions == any() => "Add/Modify",
            Actions::DELETE => "Delete",
            Actions::SYMLINK => "Symlink",
            Actions::SUBMODULE => "Submodule",
            _ => "Modify",
        };
        let wanted = MissingRow {
            path: path.as_ref(),
            from: grant.renamed.as_ref().map(AsRef::as_ref),
            word,
            actions: grant.actions,
        };
        form::row(&form::USUAL, &wanted, &plain(&grant.description))
    };
    design.grants.iter().filter(is_new).map(row).collect()
}
