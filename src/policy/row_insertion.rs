//! Adds a row to the text of a design, in the form of its table or list. The result counts only if it grants exactly
//! what was asked for.

use std::collections::{HashMap, HashSet};

use gix::bstr::{BStr, BString, ByteSlice};

use super::design::{self, Design, DesignOptions, MissingRow, code_span};
use super::{Actions, Grant, GrantKind};
use crate::error::{Error, Result};
use crate::finding::Help;
use crate::path::escaped;

/// What a cell says that a person has yet to fill in.
const OPEN: &str = "…";

/// Headers of columns that number the rows.
const ORDER: &[&str] = &["#", "no", "no.", "nr", "order", "step"];

/// A row to add.
#[derive(Debug, Clone)]
pub struct NewRow {
    /// The path, without a trailing slash.
    pub path: BString,
    /// A file or a directory.
    pub kind: GrantKind,
    /// The type, such as `Modify`; the design's own word for it is preferred.
    pub change_type: String,
    /// What the row says about the change.
    pub description: Option<String>,
}

/// A row that was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsertedRow {
    /// The line, without its end.
    pub text: String,
    /// Its 1-based number.
    pub line: usize,
}

/// The actions that a row of this type grants; `None` for a type that grants nothing or needs two paths.
pub fn actions_of(change_type: &str) -> Option<Actions> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " /+&()".contains(c);
    if !change_type.chars().all(is_plain) {
        return None;
    }
    let text =
        format!("## Files Changed\n\n| File | Change Type |\n|-|-|\n| `a/b` | {change_type} |\n");
    let design = design::parse("d.md".into(), text.as_bytes(), &DesignOptions::default());
    match design.grants.as_slice() {
        [one] if one.renamed.is_none() && one.kind == GrantKind::File => Some(one.actions),
        _ => None,
    }
}

/// Adds the row, and returns the new text and design with it. `parse` reads a text as the design.
///
/// # Errors
/// The design has no form to add to, or the result would not grant exactly this path.
pub fn insert(
    design: &Design,
    row: &NewRow,
    parse: impl FnOnce(&str) -> Result<Design>,
) -> Result<(String, Design, InsertedRow)> {
    let by_hand = |why: String| {
        Error::new(format!(
            "guard cannot add {} to {}: {why}",
            escaped(&row.path),
            escaped(&design.path)
        ))
    };
    let Some(actions) = actions_of(&row.change_type) else {
        return Err(by_hand(format!(
            "`{}` is not a type for one path",
            escaped(&row.change_type)
        ))
        .help("write Add, Modify, Add/Modify, Delete, Symlink or Submodule"));
    };
    let written = written(row);
    let advice = design.row(&MissingRow {
        path: written.as_ref(),
        from: None,
        word: &row.change_type,
        actions,
    });
    let add_it = |error: Error| {
        error
            .help("add it by hand and commit the design:")
            .help(Help::row(advice.text.clone()))
    };
    if let Some(known) = design
        .grants
        .iter()
        .find(|grant| grant.kind == row.kind && grant.path == row.path)
    {
        return Err(by_hand(format!(
            "line {} names it already, as {}",
            known.anchor.line,
            match known.change_type.as_str() {
                "" => "a row without a type".to_owned(),
                word => escaped(word).to_string(),
            }
        ))
        .help("change the type of that row and commit the design"));
    }
    let document = DocumentLines::of(&design.text);
    let place = match &advice.anchor {
        Some(anchor) if !advice.needs_type_column => match document.table(anchor.line) {
            Some(table) => table.row(design, row, actions, &advice.text),
            None => document.item(design, anchor.line, row, actions),
        },
        _ => None,
    };
    let Some((after, text)) = place else {
        let why = match advice.needs_type_column {
            true => "its table has no Change Type column, which this row needs",
            false => "its files are in a form that guard does not extend",
        };
        return Err(add_it(by_hand(why.to_owned())));
    };
    let new = document.with(after, &text);
    let parsed = parse(&new)?;
    match unexpected(design, &parsed, row, actions) {
        None => Ok((
            new,
            parsed,
            InsertedRow {
                text,
                line: after + 1,
            },
        )),
        Some(why) => Err(by_hand(why).help("extend the design by hand and commit it")),
    }
}

/// The path as a row names it.
fn written(row: &NewRow) -> BString {
    let mut path = row.path.clone();
    if row.kind == GrantKind::Directory {
        path.push(b'/');
    }
    path
}

/// What the new version grants beyond the row, or lacks.
fn unexpected(old: &Design, new: &Design, row: &NewRow, actions: Actions) -> Option<String> {
    let count = |design: &Design| {
        let mut grants: HashMap<_, isize> = HashMap::new();
        for grant in &design.grants {
            let key = (
                grant.path.clone(),
                grant.kind,
                grant.actions,
                grant.renamed.clone(),
            );
            *grants.entry(key).or_default() += 1;
        }
        grants
    };
    let mut grants = count(new);
    for (key, count) in count(old) {
        *grants.entry(key).or_default() -= count;
    }
    grants.retain(|_, count| *count != 0);
    let is_asked = |((path, kind, granted, renamed), count): (
        &(BString, _, Actions, Option<BString>),
        &isize,
    )| {
        let untyped = Actions::ADD | Actions::MODIFY;
        let is_enough = *granted == actions || untyped.contains(actions) && *granted == untyped;
        *path == row.path && *kind == row.kind && is_enough && renamed.is_none() && *count == 1
    };
    let others: Vec<String> = grants
        .iter()
        .filter(|grant| !is_asked(*grant))
        .map(|((path, ..), _)| escaped(path).to_string())
        .collect();
    let faults = |design: &Design| {
        let mut faults: Vec<_> = design
            .faults
            .iter()
            .map(|fault| (fault.rule, fault.reason))
            .collect();
        faults.sort_unstable();
        faults
    };
    if let Some(fault) = new.faults.iter().find(|_| faults(old) != faults(new)) {
        return Some(format!(
            "with the row, the document has a fault: {}",
            fault.message
        ));
    }
    let is_itself = others
        .iter()
        .all(|path| *path == escaped(&row.path).to_string());
    if !is_itself {
        return Some(format!(
            "with the row, the document would change what it says about {}",
            others.join(", ")
        ));
    }
    if !others.is_empty() || grants.len() != 1 || old.mentions.len() != new.mentions.len() {
        return Some("a row cannot name exactly this path".to_owned());
    }
    None
}

/// The lines of a document, each with its end.
struct DocumentLines<'a>(Vec<&'a str>);

impl<'a> DocumentLines<'a> {
    fn of(text: &'a str) -> DocumentLines<'a> {
        DocumentLines(text.split_inclusive('\n').collect())
    }

    /// The line with this 1-based number, without its end.
    fn get(&self, number: usize) -> Option<&'a str> {
        let line = self.0.get(number.checked_sub(1)?)?;
        Some(line.trim_end_matches(['\n', '\r']))
    }

    /// The text with a line added after the line with this number.
    fn with(&self, after: usize, added: &str) -> String {
        let ending = match self.0.first() {
            Some(first) if first.ends_with("\r\n") => "\r\n",
            _ => "\n",
        };
        let mut text = self.0[..after].concat();
        if !text.ends_with('\n') {
            text.push_str(ending);
        }
        text.push_str(added);
        text.push_str(ending);
        text.push_str(&self.0[after..].concat());
        text
    }

    /// The table whose header is at this line.
    fn table(&self, header: usize) -> Option<TableLines<'a>> {
        let delimiter = self.get(header + 1)?;
        let is_delimiter = delimiter.contains('-')
            && delimiter.contains('|')
            && delimiter.chars().all(|c| "|-: \t".contains(c));
        let lines: Vec<&str> = (header..)
            .map_while(|number| self.get(number))
            .take_while(|line| line.contains('|'))
            .collect();
        is_delimiter.then_some(TableLines { header, lines })
    }

    /// The line after which to add an item like those of a list, and the item.
    fn item(
        &self,
        design: &Design,
        start: usize,
        row: &NewRow,
        actions: Actions,
    ) -> Option<(usize, String)> {
        let untyped = Actions::ADD | Actions::MODIFY;
        let is_untyped = |grant: &Grant| {
            grant.change_type.is_empty() && grant.actions == untyped && untyped.contains(actions)
        };
        let mut on_line: HashMap<usize, usize> = HashMap::new();
        for grant in &design.grants {
            *on_line.entry(grant.anchor.line).or_default() += 1;
        }
        let is_alike = |grant: &&Grant| {
            grant.anchor.line >= start
                && (grant.actions == actions || is_untyped(grant))
                && grant.renamed.is_none()
                && on_line.get(&grant.anchor.line) == Some(&1)
        };
        let alike: Vec<&Grant> = design.grants.iter().filter(is_alike).collect();
        let near = alike
            .iter()
            .rfind(|grant| directory(grant.path.as_ref()) == directory(row.path.as_ref()));
        let model = near.or(alike.last())?;
        let line = self.get(model.anchor.line)?;
        let (before, rest) = line.split_at(line.char_indices().nth(model.anchor.column - 1)?.0);
        let label = before.trim_start();
        let indent = before.len() - label.len();
        let label = label
            .strip_prefix(['-', '*', '+'])?
            .trim()
            .trim_matches('*');
        // A label such as `Modify:`; a task or a sentence cannot be repeated.
        let is_label = label.is_empty()
            || label.ends_with(':') && label.chars().all(|c| c.is_alphabetic() || c == ':');
        let path = match rest.starts_with('`') {
            true => code_span(&written(row).to_str_lossy()),
            false => bare(row)?,
        };
        let is_continuation = |line: &str| {
            let text = line.trim_start();
            !text.is_empty() && line.len() - text.len() > indent
        };
        let mut after = model.anchor.line;
        while self.get(after + 1).is_some_and(is_continuation) {
            after += 1;
        }
        is_label.then(|| (after, format!("{before}{path}")))
    }
}

/// The lines of a table.
struct TableLines<'a> {
    /// The number of the header's line.
    header: usize,
    lines: Vec<&'a str>,
}

impl TableLines<'_> {
    /// The line after which to add a row, and the row in the form of the table. `advice` has its cells in order.
    fn row(
        &self,
        design: &Design,
        row: &NewRow,
        actions: Actions,
        advice: &str,
    ) -> Option<(usize, String)> {
        let end = self.header + self.lines.len();
        let own: Vec<&Grant> = design
            .grants
            .iter()
            .filter(|grant| (self.header + 2..end).contains(&grant.anchor.line))
            .collect();
        let after = last_near(&own, row.path.as_ref()).map_or(end - 1, |grant| grant.anchor.line);
        // Not a remark or a sentence after the word.
        let is_word = |word: &&str| !word.contains(|c: char| c.is_whitespace() || c == '(');
        let alike = own.iter().rev().filter(|grant| grant.actions == actions);
        let mut tried = HashSet::new();
        let word = alike
            .map(|grant| grant.change_type.as_str())
            .filter(is_word)
            .filter(|word| tried.insert(*word))
            .find(|word| actions_of(word) == Some(actions));
        let word = word.unwrap_or(&row.change_type);
        let advice = cells(advice);
        let headers = cells(self.lines.first()?);
        let is_path = |cell: &&str| *cell != OPEN && *cell != row.change_type;
        let path_column = advice.iter().position(is_path)?;
        let last_text = advice.iter().rposition(|cell| *cell == OPEN);
        let has_backticks = |line: &&str| {
            let cell = cells(line).get(path_column).copied();
            cell.is_some_and(|cell| cell.contains('`'))
        };
        let rows = self.lines.get(2..)?;
        let is_bare = !rows.is_empty() && !rows.iter().any(has_backticks);
        let number = |column: usize| {
            let numbers = rows
                .iter()
                .map(|line| cells(line).get(column)?.parse().ok());
            let numbers: Option<Vec<usize>> = numbers.collect();
            numbers.and_then(|numbers| Some(numbers.into_iter().max()? + 1))
        };
        let widths = self.widths();
        let mut text = String::new();
        let first = self.lines.first()?;
        let indent = first.len() - first.trim_start().len();
        text.push_str(&first[..indent]);
        let has_pipes = first.trim_start().starts_with('|');
        for (column, cell) in advice.iter().enumerate() {
            let header = headers.get(column).map(|header| header.to_lowercase());
            let is_order = header.is_some_and(|header| ORDER.contains(&header.as_str()));
            let cell = match *cell {
                OPEN if is_order => {
                    number(column).map_or(OPEN.to_owned(), |number| number.to_string())
                }
                OPEN if Some(column) == last_text => {
                    let description = row.description.as_deref().unwrap_or(OPEN);
                    description.replace('|', "\\|")
                }
                OPEN => OPEN.to_owned(),
                cell if column == path_column => match is_bare.then(|| bare(row)).flatten() {
                    Some(bare) => bare,
                    None => cell.to_owned(),
                },
                _ => word.to_owned(),
            };
            if column > 0 || has_pipes {
                text.push_str("| ");
            }
            let width = widths.as_ref().and_then(|widths| widths.get(column));
            let width = width.map_or(0, |width| width.saturating_sub(2));
            text.push_str(&format!("{cell:<width$} "));
        }
        if first.trim_end().ends_with('|') {
            text.push('|');
        }
        Some((after, text.trim_end().to_owned()))
    }

    /// The widths of the columns with their blanks, if most lines have those of the header. A long path may stick out.
    fn widths(&self) -> Option<Vec<usize>> {
        let widths = |line: &&str| -> Vec<usize> {
            let cells = raw_cells(line).into_iter();
            cells.map(|cell| cell.chars().count()).collect()
        };
        let header = widths(self.lines.first()?);
        let alike = self.lines.iter().filter(|line| widths(line) == header);
        (alike.count() * 2 > self.lines.len()).then_some(header)
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
    &path[..path.rfind_byte(b'/').unwrap_or(0)]
}

/// The cells of a table line, trimmed.
fn cells(line: &str) -> Vec<&str> {
    raw_cells(line).into_iter().map(str::trim).collect()
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

/// The path without backticks, if all its characters are ordinary there.
fn bare(row: &NewRow) -> Option<String> {
    let path = written(row).to_str().ok()?.to_owned();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "./_-".contains(c);
    path.chars().all(is_plain).then_some(path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn parse(text: &str) -> Design {
        design::parse("d.md".into(), text.as_bytes(), &DesignOptions::default())
    }

    fn row(path: &str, change_type: &str) -> NewRow {
        let (path, kind) = match path.strip_suffix('/') {
            Some(path) => (path, GrantKind::Directory),
            None => (path, GrantKind::File),
        };
        NewRow {
            path: path.into(),
            kind,
            change_type: change_type.to_owned(),
            description: None,
        }
    }

    fn inserted(text: &str, row: &NewRow) -> Result<(String, Design, InsertedRow)> {
        insert(&parse(text), row, |text| Ok(parse(text)))
    }

    fn added(text: &str, path: &str, change_type: &str) -> Result<String> {
        let (new, _, inserted) = inserted(text, &row(path, change_type))?;
        let line = new.lines().nth(inserted.line - 1).unwrap();
        assert_eq!(line, inserted.text);
        let without: String = new
            .split_inclusive('\n')
            .enumerate()
            .filter(|(at, _)| at + 1 != inserted.line)
            .map(|(_, line)| line)
            .collect();
        assert_eq!(without.trim_end(), text.trim_end());
        Ok(inserted.text)
    }

    const TABLE: &str = "## Files Changed

| File         | Change Type | Description |
|--------------|-------------|-------------|
| `src/a.rs`   | Update      | a           |
| `src/b.rs`   | NEW         | b           |
| `docs/x.md`  | Update      | x           |

After it.
";

    #[test]
    fn row_is_aligned_and_speaks_the_words_of_the_table() {
        for (path, change_type, row) in [
            (
                "src/c.rs",
                "Modify",
                "| `src/c.rs`   | Update      | …           |",
            ),
            (
                "src/c.rs",
                "Add",
                "| `src/c.rs`   | NEW         | …           |",
            ),
            (
                "docs/y.md",
                "Delete",
                "| `docs/y.md`  | Delete      | …           |",
            ),
            (
                "a-long-name.rs",
                "Add",
                "| `a-long-name.rs` | NEW         | …           |",
            ),
            (
                "src/x/",
                "Add/Modify",
                "| `src/x/`     | Add/Modify  | …           |",
            ),
        ] {
            assert_eq!(added(TABLE, path, change_type).unwrap(), row);
        }
        let text = "## Files Changed\n\n| File | Action |\n|-|-|\n| `a.rs` | Edit the gate |\n";
        assert_eq!(
            added(text, "b.rs", "Modify").unwrap(),
            "| `b.rs` | Modify |"
        );
        let text = "## Files Changed\n\n#|File|Action\n-|-|-\n1|src/a.rs|Edit\n2|src/b.rs|Edit";
        assert_eq!(
            added(text, "src/c.rs", "Modify").unwrap(),
            "3 | src/c.rs | Edit"
        );
        assert_eq!(
            added(text, "src/a b.rs", "Modify").unwrap(),
            "3 | `src/a b.rs` | Edit"
        );
    }

    #[test]
    fn row_follows_the_last_one_of_its_directory() {
        let line = |path: &str| inserted(TABLE, &row(path, "Add")).unwrap().2.line;
        assert_eq!(line("src/c.rs"), 7);
        assert_eq!(line("src/deep/er/c.rs"), 7);
        assert_eq!(line("docs/y.md"), 8);
        assert_eq!(line("other/c.rs"), 8);
    }

    #[test]
    fn line_endings_and_a_missing_last_one_are_kept() {
        let crlf = TABLE.replace('\n', "\r\n");
        let row = NewRow {
            description: Some("a | b".to_owned()),
            ..row("src/c.rs", "Add")
        };
        let (new, ..) = inserted(&crlf, &row).unwrap();
        assert_eq!(new.matches('\n').count(), new.matches("\r\n").count());
        assert!(new.contains("a \\| b"), "{new}");
        let cut = TABLE.strip_suffix("\n\nAfter it.\n").unwrap();
        let (new, ..) = inserted(cut, &row).unwrap();
        assert_eq!(parse(&new).grants.len(), 4);
    }

    #[test]
    fn items_are_added_to_lists_and_front_matter() {
        let list = "**Files:**\n\n- Create: `lib/a.js`\n- Modify: `lib/b.js:94,100` (two calls)\n  in the loop\n- Modify: `x/c.js`\n\nText.\n";
        assert_eq!(
            added(list, "lib/d.js", "Modify").unwrap(),
            "- Modify: `lib/d.js`"
        );
        assert_eq!(
            added(list, "lib/d.js", "Add").unwrap(),
            "- Create: `lib/d.js`"
        );
        let front = "---\nfiles_modified:\n  - src/a.ts\n---\n# x\n";
        assert_eq!(
            added(front, "src/b.ts", "Add/Modify").unwrap(),
            "  - src/b.ts"
        );
    }

    #[test]
    fn what_breaks_out_of_its_cell_or_changes_more_is_refused() {
        for path in [
            "a` | Delete | x |\n| `b",
            "x\ny",
            "src/*",
            "../x",
            "/x",
            "d.md",
            "guard.toml",
            "N/A",
            "src/a.rs",
            "src/a.rs:12",
        ] {
            assert!(added(TABLE, path, "Add").is_err(), "{path}");
        }
        for path in [
            "a|b.rs",
            "`a`",
            "a` | Delete | x | `b.md",
            "a b",
            "app/[id]/$x.ts",
        ] {
            assert!(added(TABLE, path, "Add").is_ok(), "{path}");
        }
        for change_type in ["Rename", "Exists", "Frobnicate", "", "Add | x", "Add\n"] {
            assert!(
                added(TABLE, "src/c.rs", change_type).is_err(),
                "{change_type}"
            );
        }
        let untyped = "## Files Changed\n\n| File | Why |\n|-|-|\n| `a.rs` | x |\n";
        assert!(added(untyped, "b.rs", "Delete").is_err());
        assert!(added(untyped, "b.rs", "Modify").is_ok());
        let tasks = "#### [MODIFY] [a.py](src/a.py)\n";
        assert!(added(tasks, "b.py", "Modify").is_err());
    }
}
