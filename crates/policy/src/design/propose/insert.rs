//! Adds rows to the text of a design: `guard scope add`. The result counts only if it grants exactly what was asked for.

use std::collections::BTreeMap;

use bstr::BStr;

use super::form::Form;
use super::{checked, form, line_ending, plain, row, standalone};
use crate::design::{Design, MissingRow};
use crate::error::{Error, Result};
use crate::path::escaped;
use crate::scope::{Actions, GrantKind};

/// Adds each row at the end of the table or list that messages propose for it; rows for which the design has none get a
/// section of their own at its end. `parse` reads a text as the design.
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
            let path = escaped(&known.path);
            let shown = escaped(&design.path);
            let line = known.anchor.line;
            let what = format!("guard cannot add {path} to {shown}: line {line} names it already");
            return Err(Error::new(what).help("change the type of that row and commit the design"));
        }
    }
    let description = plain(description);
    let ending = line_ending(&design.text);
    // What to add behind each offset of the text, and at its end.
    let mut added: BTreeMap<usize, String> = BTreeMap::new();
    let mut section = String::new();
    for wanted in rows {
        match form::form_for(&design.forms, wanted) {
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
        text += &design.text[start..end];
        // The last line of a document may have no end.
        if !text.ends_with('\n') {
            text += ending;
        }
        text += &lines;
        start = end;
    }
    text += &design.text[start..];
    if !section.is_empty() {
        let above = text.trim_end().len();
        text.truncate(above);
        text += &format!("{ending}{ending}## Files Changed{ending}{ending}{section}");
    }
    let path: &BStr = design.path.as_ref();
    let mut expected = Vec::new();
    for wanted in rows {
        let row = row(path, wanted.path, wanted.word, &description);
        let untyped = form::form_for(&design.forms, wanted).and_then(Form::untyped);
        for mut grant in standalone(path, row.as_slice()).grants {
            grant.actions = untyped.unwrap_or(grant.actions);
            expected.push(grant);
        }
    }
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
