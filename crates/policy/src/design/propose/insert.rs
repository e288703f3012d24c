//! Adds rows to the text of a design: `guard scope add`. The result counts only if it grants exactly what was asked for.

use std::collections::BTreeMap;

use bstr::BStr;

use super::form::Form;
use super::{checked, form, line_ending, plain, row, standalone};
use crate::design::{Design, MissingRow};
use crate::error::Result;
use crate::scope::{Actions, GrantKind};

/// Adds each row at the end of the table or list that messages propose for it, or changes the type of the row that names
/// its path alone; rows for which the design has none get a section of their own at its end. `parse` reads a text as the design.
///
/// # Errors
/// The design names a path already, or the result would not grant exactly these paths in addition.
pub fn insert(
    design: &Design,
    rows: &[MissingRow<'_>],
    description: &str,
    parse: &dyn Fn(&str) -> Design,
) -> Result<String> {
    let mut retyped = design.clone();
    let mut missing = Vec::new();
    for wanted in rows {
        match with_other_type(&retyped, wanted) {
            Some(changed) => retyped = changed,
            None => missing.push(*wanted),
        }
    }
    // A type of another length moves what follows.
    let known = retyped.grants;
    let now = parse(&retyped.text);
    let description = plain(description);
    let ending = line_ending(&now.text);
    // What to add behind each offset of the text, and at its end.
    let mut added: BTreeMap<usize, String> = BTreeMap::new();
    let mut section = String::new();
    for wanted in &missing {
        match form::form_for(&now.forms, wanted) {
            Some(form) => {
                let row = form.row(wanted, &description);
                *added.entry(form.end).or_default() += &(row + ending);
            }
            None => section += &format!("- {}{ending}", form::item(wanted, &description)),
        }
    }
    let mut text = String::new();
    let mut start = 0;
    for (end, lines) in added {
        text += &now.text[start..end];
        // The last line of a document may have no end.
        if !text.ends_with('\n') {
            text += ending;
        }
        text += &lines;
        start = end;
    }
    text += &now.text[start..];
    if !section.is_empty() {
        let above = text.trim_end().len();
        text.truncate(above);
        text += &format!("{ending}{ending}## Files Changed{ending}{ending}{section}");
    }
    let path: &BStr = now.path.as_ref();
    let mut expected = Vec::new();
    for wanted in &missing {
        let row = match wanted.from {
            Some(_) => Some(form::row(&form::USUAL, wanted, &description)),
            None => row(path, wanted.path, wanted.word, &description),
        };
        let untyped = form::form_for(&now.forms, wanted).and_then(Form::untyped);
        for mut grant in standalone(path, row.as_slice()).grants {
            grant.actions = untyped.unwrap_or(grant.actions);
            expected.push(grant);
        }
    }
    expected.extend(known);
    checked(&now, text, &expected, parse)
}

/// The design with another type in the row that names the path already, with its other grants as they were; `None` if no
/// row of one path with a type does.
fn with_other_type(design: &Design, wanted: &MissingRow<'_>) -> Option<Design> {
    let known = design
        .grants
        .iter()
        .find(|grant| grant.path == wanted.path && grant.kind == GrantKind::File)?;
    let line = known.anchor.line;
    let is_shared = design
        .grants
        .iter()
        .filter(|grant| grant.anchor.line == line)
        .count()
        > 1;
    let is_plain = wanted.from.is_none() && known.renamed.is_none();
    if is_shared || !is_plain || known.change_type.is_empty() {
        return None;
    }
    let mut lines: Vec<String> = design
        .text
        .split_inclusive('\n')
        .map(str::to_owned)
        .collect();
    let old = lines.get_mut(line - 1)?;
    *old = line_of_type(old, &known.change_type, wanted.word)?;
    let mut changed = Design {
        text: lines.concat(),
        ..design.clone()
    };
    let actions = actions_of(wanted.word)?;
    let mut grants = changed.grants.iter_mut();
    grants.find(|grant| grant.anchor.line == line)?.actions = actions;
    Some(changed)
}

/// The line of a row with another type: that of a cell, or the word in front of an item.
fn line_of_type(line: &str, old: &str, new: &str) -> Option<String> {
    if !line.trim_start().starts_with('|') {
        let at = line
            .find(old)
            .filter(|at| line.find('`').is_none_or(|path| *at < path))?;
        return Some(format!("{}{new}{}", &line[..at], &line[at + old.len()..]));
    }
    let mut cells: Vec<String> = line.split('|').map(str::to_owned).collect();
    let cell = cells
        .iter_mut()
        .find(|cell| cell.trim().trim_matches('*') == old)?;
    *cell = cell.replacen(old, new, 1);
    Some(cells.join("|"))
}

/// The actions that a row of this type grants; `None` for a type that grants nothing or needs two paths.
pub fn actions_of(change_type: &str) -> Option<Actions> {
    // Nothing else is in a type, and anything else could end the cell below.
    let mut letters = change_type.chars();
    if !letters.all(|c| c.is_ascii_alphanumeric() || " /+&()".contains(c)) {
        return None;
    }
    let row = format!("| `a/b` | {change_type} | … |");
    match standalone("d.md".into(), &[row]).grants.as_slice() {
        [one] if one.renamed.is_none() && one.kind == GrantKind::File => Some(one.actions),
        _ => None,
    }
}
