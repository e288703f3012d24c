//! Adds rows to the text of a design. The result counts only if it grants exactly what was asked for.

use gix::bstr::{BStr, BString, ByteSlice};

use super::{
    DELIMITER, HEADER, OPEN, ProposedRow, actions_of, rows_of_design, section, standalone,
};
use crate::error::{Error, Result};
use crate::finding::Help;
use crate::path::escaped;
use crate::policy::design::Design;
use crate::policy::{Actions, Grant, GrantForm};

/// A row that was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsertedRow {
    /// The line, without its end.
    pub text: String,
    /// Its 1-based number.
    pub line: usize,
}

/// The text with more rows, and the rows.
pub type WithRows = (String, Vec<InsertedRow>);

/// Adds the rows to the table of the design. A design without a table gets one, with what it grants so far.
/// `parse` reads a text as the design.
///
/// # Errors
/// A table cannot take a row, or the result would not grant exactly these paths in addition.
pub fn insert(
    design: &Design,
    rows: &[ProposedRow],
    parse: &dyn Fn(&str) -> Design,
) -> Result<WithRows> {
    let lines: Vec<&str> = design.text.split_inclusive('\n').collect();
    let mut added = Vec::new();
    for row in rows {
        let refusal = |why: String| {
            let (path, design) = (escaped(&row.path), escaped(&design.path));
            Error::new(format!("guard cannot add {path} to {design}: {why}"))
        };
        if actions_of(&row.change_type).is_none() && row.from.is_none() {
            let word = escaped(&row.change_type);
            return Err(refusal(format!("`{word}` is not a type for one path"))
                .help("write Add, Modify, Add/Modify, Delete, Symlink or Submodule"));
        }
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
        let advice = design.row(&row.wanted());
        let table = advice.anchor.and_then(|anchor| table(&lines, anchor.line));
        let Some(table) = table.filter(|_| advice.text.starts_with('|')) else {
            let all = [rows_of_design(design), rows.to_vec()].concat();
            return create(design, &all, parse);
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
        let mut text = advice.text;
        if let Some(at) = text.rfind(OPEN).filter(|_| !row.description.is_empty()) {
            text.replace_range(at..at + OPEN.len(), &row.description);
        }
        added.push((after.unwrap_or(table.end - 1), text));
    }
    let mut expected = standalone(design.path.as_ref(), rows).grants;
    expected.extend(design.grants.iter().cloned());
    with_lines(design, added, &expected, parse)
}

/// Writes a table with these rows at the end of a document; from then on, it is the whole scope of the document.
///
/// # Errors
/// The document would not grant exactly these paths.
pub fn create(
    design: &Design,
    rows: &[ProposedRow],
    parse: &dyn Fn(&str) -> Design,
) -> Result<WithRows> {
    let lines: Vec<&str> = design.text.lines().collect();
    let expected = standalone(design.path.as_ref(), rows).grants;
    let own_table = lines
        .windows(2)
        .position(|pair| pair == [HEADER, DELIMITER]);
    if let Some(header) = own_table.filter(|_| design.grants.is_empty()) {
        let added = rows.iter().map(|row| (header + 2, row.text()));
        return with_lines(design, added.collect(), &expected, parse);
    }
    let section = section(rows);
    let section = std::iter::once("").chain(section.lines());
    let added = section.map(|line| (lines.len(), line.to_owned()));
    let (text, added) = with_lines(design, added.collect(), &expected, parse)?;
    Ok((text, added.into_iter().skip(5).collect()))
}

/// Whether the design has a table with types, which is its whole scope.
pub fn has_typed_table(design: &Design) -> bool {
    let mut grants = design.grants.iter();
    grants.any(|grant| grant.form == GrantForm::Table && !grant.change_type.is_empty())
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
) -> Result<WithRows> {
    let ending = if design.text.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    added.sort_by_key(|(after, _)| *after);
    let mut added = added.into_iter().peekable();
    let (mut text, mut rows) = (String::new(), Vec::new());
    let lines = std::iter::once("").chain(design.text.split_inclusive('\n'));
    for (at, line) in lines.enumerate() {
        text.push_str(line);
        while let Some((_, row)) = added.next_if(|(after, _)| *after == at) {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push_str(ending);
            }
            text.push_str(&row);
            text.push_str(ending);
            let line = at + rows.len() + 1;
            rows.push(InsertedRow { text: row, line });
        }
    }
    let new = parse(&text);
    let is_added = |line: usize| rows.iter().any(|row| row.line == line);
    let fault = new
        .faults
        .iter()
        .find(|fault| fault.anchor.as_ref().is_some_and(|at| is_added(at.line)));
    let why = match (fault, difference(expected, &new)) {
        (Some(fault), _) => format!("with the rows, the document has a fault: {}", fault.message),
        (None, Some(path)) => format!(
            "with the rows, it would not grant exactly what they name: {}",
            escaped(&path)
        ),
        (None, None) => return Ok((text, rows)),
    };
    let shown = escaped(&design.path);
    Err(
        Error::new(format!("guard cannot add rows to {shown}: {why}"))
            .help("edit it by hand and commit it"),
    )
}

/// A path about which the design and the expected grants differ. A row without a type grants more than one action.
fn difference(expected: &[Grant], design: &Design) -> Option<BString> {
    let is_typed = has_typed_table(design);
    let keys = |grants: &[Grant]| {
        let key = |grant: &Grant| {
            let actions = grant.actions != Actions::DELETE || is_typed;
            let what = (
                grant.kind,
                &grant.renamed,
                is_typed.then_some(grant.actions),
                actions,
            );
            (grant.path.clone(), format!("{what:?}"))
        };
        let mut keys: Vec<(BString, String)> = grants.iter().map(key).collect();
        keys.sort();
        keys
    };
    let (expected, found) = (keys(expected), keys(&design.grants));
    let same = expected
        .iter()
        .zip(&found)
        .take_while(|(one, other)| one == other)
        .count();
    expected
        .get(same)
        .or(found.get(same))
        .map(|(path, _)| path.clone())
}
