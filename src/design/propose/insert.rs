//! Adds rows to the text of a design: `guard scope add`. The result counts only if it grants exactly what was asked for.

use gix::bstr::BStr;

use super::{checked, form, line_ending, plain, row, standalone};
use crate::design::{Design, MissingRow};
use crate::error::{Error, Result};
use crate::path::escaped;
use crate::scope::{Actions, GrantKind};

/// Adds the rows at the end of the table with types. A design without one gets a section with a line for each path, in the
/// form that messages propose. `parse` reads a text as the design.
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
    let description = plain(description);
    let (end, added): (_, String) = match design.forms.first().filter(|_| design.is_typed()) {
        Some(table) => {
            let is_above =
                |(at, line): &(usize, &str)| at + 1 < table.anchor.line || line.contains('|');
            let lines = design.text.split_inclusive('\n').enumerate();
            let end = lines.take_while(is_above).map(|(_, line)| line.len()).sum();
            let row = |wanted| form::row(&table.cells, wanted, &description) + "\n";
            (end, rows.iter().map(row).collect())
        }
        None => {
            let line = |wanted| form::row_to_add(&[], wanted).text + "\n";
            let lines: Vec<String> = rows.iter().map(line).collect();
            (
                design.text.len(),
                format!("\n## Files Changed\n\n{}", lines.join("\n")),
            )
        }
    };
    let (above, below) = design.text.split_at(end);
    let above = above.trim_end_matches(['\r', '\n']);
    let added = format!("\n{added}").replace('\n', line_ending(&design.text));
    let text = format!("{above}{added}{below}");
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
