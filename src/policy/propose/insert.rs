//! Adds rows to the text of a design. The result counts only if it grants exactly what was asked for.

use gix::bstr::{BStr, BString, ByteSlice};

use super::{DELIMITER, HEADER, OPEN, ProposedRow, actions_of, rows_of_design, section};
use crate::error::{Error, Result};
use crate::finding::Help;
use crate::path::escaped;
use crate::policy::design::{self, Design, DesignOptions};
use crate::policy::{Actions, Grant, GrantForm, GrantKind};

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
    parse: &dyn Fn(&str) -> Result<Design>,
) -> Result<WithRows> {
    for row in rows {
        if actions_of(&row.change_type).is_none() && row.from.is_none() {
            let word = escaped(&row.change_type);
            return Err(refusal(
                design,
                &row.path,
                format!("`{word}` is not a type for one path"),
            )
            .help("write Add, Modify, Add/Modify, Delete, Symlink or Submodule"));
        }
        let path = row.path.strip_suffix(b"/").unwrap_or(&row.path);
        if let Some(known) = design.grants.iter().find(|grant| grant.path == path) {
            let word = match known.change_type.as_str() {
                "" => "a row without a type".to_owned(),
                word => escaped(word).to_string(),
            };
            let line = known.anchor.line;
            return Err(refusal(
                design,
                &row.path,
                format!("line {line} names it already, as {word}"),
            )
            .help("change the type of that row and commit the design"));
        }
    }
    let lines = DocumentLines::of(&design.text);
    let mut added: Vec<(usize, String)> = Vec::new();
    for row in rows {
        let advice = design.row(&row.wanted(&row.change_type));
        let table = advice.anchor.and_then(|anchor| lines.table(anchor.line));
        let Some(table) = table.filter(|_| advice.text.starts_with('|')) else {
            let all = [rows_of_design(design), rows.to_vec()].concat();
            return create(design, &all, parse);
        };
        if advice.needs_type_column {
            let why = "its table has no Change Type column, which this row needs";
            return Err(refusal(design, &row.path, why.to_owned())
                .help("add it by hand and commit the design:")
                .help(Help::row(advice.text)));
        }
        added.push(table.row(design, row, &advice.text));
    }
    let expected = [design.grants.clone(), standalone(design, rows).grants].concat();
    lines.with(added, &expected, design, parse)
}

/// Writes a table with these rows at the end of a document; from then on, it is the whole scope of the document.
///
/// # Errors
/// The document would not grant exactly these paths.
pub fn create(
    design: &Design,
    rows: &[ProposedRow],
    parse: &dyn Fn(&str) -> Result<Design>,
) -> Result<WithRows> {
    let lines = DocumentLines::of(&design.text);
    let expected = standalone(design, rows).grants;
    let header = lines.0.windows(2).position(|pair| {
        pair.iter()
            .map(|line| line.trim_end())
            .eq([HEADER, DELIMITER])
    });
    let texts = rows.iter().map(ProposedRow::text);
    if let Some(header) = header.filter(|_| design.grants.is_empty()) {
        let added = texts.map(|text| (header + 2, text)).collect();
        return lines.with(added, &expected, design, parse);
    }
    let table = section(rows);
    let end = lines.0.len();
    // A section of the first level leaves whatever section the document ends in.
    let mut tries = ["## ", "# "].into_iter().map(|level| {
        let table = table.replacen("## ", level, 1);
        let text = std::iter::once("").chain(table.lines());
        let added = text.map(|text| (end, text.to_owned())).collect();
        lines.with(added, &expected, design, parse)
    });
    let first = tries.next().unwrap_or_else(|| Ok(Default::default()));
    let result = first.or_else(|error| tries.find_map(Result::ok).ok_or(error));
    result.map(|(text, added)| (text, added.into_iter().skip(5).collect()))
}

/// Whether the design has a table with types, which is its whole scope.
pub fn has_typed_table(design: &Design) -> bool {
    let mut grants = design.grants.iter();
    grants.any(|grant| grant.form == GrantForm::Table && !grant.change_type.is_empty())
}

fn refusal(design: &Design, path: &BString, why: String) -> Error {
    let (path, design) = (escaped(path), escaped(&design.path));
    Error::new(format!("guard cannot add {path} to {design}: {why}"))
}

/// The rows as a design of their own.
fn standalone(design: &Design, rows: &[ProposedRow]) -> Design {
    let text = section(rows);
    design::parse(
        design.path.as_ref(),
        text.as_bytes(),
        &DesignOptions::default(),
    )
}

type Key<'a> = (&'a BStr, GrantKind, Option<&'a BStr>);

fn key(grant: &Grant) -> Key<'_> {
    let renamed = grant.renamed.as_ref().map(AsRef::as_ref);
    (grant.path.as_ref(), grant.kind, renamed)
}

/// A path about which the two lists differ. A table without types grants more than one action.
fn difference<'a>(expected: &'a [Grant], found: &'a [Grant]) -> Option<&'a BStr> {
    let sorted = |grants: &'a [Grant]| {
        let mut grants: Vec<&Grant> = grants.iter().collect();
        grants.sort_by_key(|grant| (grant.path.clone(), format!("{:?}", grant.actions)));
        grants
    };
    let (expected, found) = (sorted(expected), sorted(found));
    let untyped = Actions::ADD | Actions::MODIFY;
    let is_granted = |asked: &Grant, grant: &Grant| {
        key(asked) == key(grant)
            && (asked.actions == grant.actions
                || grant.change_type.is_empty() && untyped.contains(grant.actions))
    };
    let mut pairs = expected.iter().zip(&found);
    let pair = pairs.find(|(asked, grant)| !is_granted(asked, grant));
    let shorter = expected.len().min(found.len());
    let rest = || expected.get(shorter).or(found.get(shorter));
    pair.map(|(asked, _)| asked)
        .or_else(rest)
        .map(|grant| grant.path.as_ref())
}

/// The lines of a document, each with its end.
struct DocumentLines<'a>(Vec<&'a str>);

impl<'a> DocumentLines<'a> {
    fn of(text: &'a str) -> DocumentLines<'a> {
        DocumentLines(text.split_inclusive('\n').collect())
    }

    /// The text with lines added, each after the line with a 1-based number, if it grants what is expected.
    fn with(
        &self,
        mut added: Vec<(usize, String)>,
        expected: &[Grant],
        design: &Design,
        parse: &dyn Fn(&str) -> Result<Design>,
    ) -> Result<WithRows> {
        let ending = match self.0.first() {
            Some(first) if first.ends_with("\r\n") => "\r\n",
            _ => "\n",
        };
        added.sort_by_key(|(after, _)| *after);
        let mut added = added.into_iter().peekable();
        let (mut text, mut number, mut rows) = (String::new(), 0, Vec::new());
        for (at, line) in std::iter::once("")
            .chain(self.0.iter().copied())
            .enumerate()
        {
            text.push_str(line);
            number += usize::from(at > 0);
            while let Some((_, row)) = added.next_if(|(after, _)| *after == at) {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push_str(ending);
                }
                text.push_str(&row);
                text.push_str(ending);
                number += 1;
                rows.push(InsertedRow {
                    text: row,
                    line: number,
                });
            }
        }
        let new = parse(&text)?;
        let faults = new
            .faults
            .iter()
            .filter_map(|fault| Some((fault, fault.anchor.as_ref()?)));
        let mut faults =
            faults.filter(|(_, anchor)| rows.iter().any(|row| row.line == anchor.line));
        let why = match (faults.next(), difference(expected, &new.grants)) {
            (Some((fault, _)), _) => {
                format!("with the rows, the document has a fault: {}", fault.message)
            }
            (None, Some(path)) => format!(
                "with the rows, the document would not grant exactly what they name: {}",
                escaped(path)
            ),
            (None, None) => return Ok((text, rows)),
        };
        let shown = escaped(&design.path);
        Err(
            Error::new(format!("guard cannot add rows to {shown}: {why}"))
                .help("edit the design by hand and commit it"),
        )
    }

    /// The table whose header is at this line.
    fn table(&self, header: usize) -> Option<TableLines<'a>> {
        let lines = self.0.get(header.checked_sub(1)?..)?.iter();
        let lines: Vec<&str> = lines
            .map(|line| line.trim_end_matches(['\n', '\r']))
            .take_while(|line| line.contains('|'))
            .collect();
        (lines.len() >= 2).then_some(TableLines { header, lines })
    }
}

/// The lines of a table.
struct TableLines<'a> {
    /// The number of the header's line.
    header: usize,
    lines: Vec<&'a str>,
}

impl TableLines<'_> {
    /// The line after which to add a row, and the row as wide as the others. `advice` has its cells in order.
    fn row(&self, design: &Design, row: &ProposedRow, advice: &str) -> (usize, String) {
        let end = self.header + self.lines.len();
        let own = design
            .grants
            .iter()
            .filter(|grant| (self.header + 2..end).contains(&grant.anchor.line));
        let own: Vec<&Grant> = own.collect();
        let after = last_near(&own, row.path.as_ref()).map_or(end - 1, |grant| grant.anchor.line);
        let widths = |line: &str| -> Vec<usize> {
            let cells = raw_cells(line).into_iter();
            cells.map(|cell| cell.chars().count()).collect()
        };
        let header = self
            .lines
            .first()
            .map(|line| widths(line))
            .unwrap_or_default();
        let alike = self
            .lines
            .iter()
            .filter(|line| widths(line) == header)
            .count();
        let is_aligned = alike * 2 > self.lines.len();
        let cells: Vec<&str> = raw_cells(advice).into_iter().map(str::trim).collect();
        let description = cells.iter().rposition(|cell| *cell == OPEN);
        let mut text = String::from("|");
        for (column, cell) in cells.iter().enumerate() {
            let cell = match Some(column) == description {
                true => row.description(),
                false => cell,
            };
            let width = header.get(column).filter(|_| is_aligned);
            let width = width.map_or(0, |width| width.saturating_sub(2));
            text.push_str(&format!(" {cell:<width$} |"));
        }
        (after, text)
    }
}

/// The last of the rows whose files are in the directory of the path or, if there are none, above it.
fn last_near<'a>(rows: &[&'a Grant], path: &BStr) -> Option<&'a Grant> {
    let mut directory = directory(path);
    loop {
        let is_there = |grant: &&&Grant| self::directory(grant.path.as_ref()) == directory;
        let found = rows
            .iter()
            .filter(is_there)
            .max_by_key(|grant| grant.anchor.line);
        if found.is_some() || directory.is_empty() {
            return found.copied();
        }
        directory = self::directory(directory.as_bstr());
    }
}

/// The directory of a path, without a slash at the end.
fn directory(path: &BStr) -> &[u8] {
    let path = path.strip_suffix(b"/").unwrap_or(path);
    &path[..path.rfind_byte(b'/').unwrap_or(0)]
}

/// The cells of a table line with their blanks: unescaped pipes separate cells even inside code spans.
fn raw_cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = Vec::new();
    let (mut start, mut is_escaped) = (0, false);
    for (at, c) in line.char_indices() {
        if c == '|' && !is_escaped {
            cells.push(&line[start..at]);
            start = at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    if start < line.len() {
        cells.push(&line[start..]);
    }
    cells
}
