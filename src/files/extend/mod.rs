//! The strategy `extend`: adds the imports, functions, classes and methods that a Python file lacks, without changing an
//! existing byte. Refuses what it is not sure of. Works on text only.

mod scope;

use std::collections::HashSet;

use gix::bstr::{BStr, ByteSlice};
use tree_sitter::{Parser, Tree};

use self::scope::{ClauseResult, CodeScope, Definition, plain, walk};
use super::failure::{Failure, FailureKind, GateResult};
use super::text::{Extension, ending_of, split_mark};
use crate::path::escaped;

/// Larger sources are generated.
const MAX_BYTES: usize = 1 << 20;
/// The maximum length of a statement in the answer.
const SHOWN: usize = 60;

/// Whether `extend` supports the language of a file.
pub(super) fn can_extend(path: &BStr) -> bool {
    let (_, extension) = path.rsplit_once_str(b".").unwrap_or_default();
    matches!(&*extension.to_ascii_lowercase(), b"py" | b"pyi")
}

/// `old` with the missing parts of `content`, and what was done.
///
/// # Errors
/// The language is unsupported, a text does not parse, nothing is missing, or an addition has no safe place.
pub(super) fn extend(path: &BStr, old: &[u8], content: &[u8]) -> GateResult<(Vec<u8>, Extension)> {
    let failed = |kind, why: &str, help: &'static str| {
        Failure::new(kind, format!("{} cannot be extended: {why}", escaped(path))).help(help)
    };
    if !can_extend(path) {
        let help = "use --strategy append or insert, or guard patch";
        let why = "it is not a Python file";
        return Err(failed(FailureKind::UnsupportedLanguage, why, help));
    }
    let unreadable = |which: &str, why: String| {
        let help = "correct it, or use guard patch";
        failed(FailureKind::SyntaxError, &format!("{which} {why}"), help)
    };
    let no_place = |why: String| {
        let help = "leave that out of the content, or place it with guard patch";
        failed(FailureKind::NoPlace, &why, help)
    };
    let (mark, old) = split_mark(old);
    let content = split_mark(content).1.replace("\r\n", "\n");
    let (old, old_tree) = parse(old).map_err(|why| unreadable("the file", why))?;
    let (new, new_tree) = parse(&content).map_err(|why| unreadable("the content", why))?;
    let before = CodeScope::of_file(old, &old_tree).map_err(no_place)?;
    let proposed = CodeScope::of_file(new, &new_tree).map_err(no_place)?;
    let mut additions = Additions::default();
    additions.compare(&before, &proposed).map_err(no_place)?;
    if additions.insertions.is_empty() {
        let Extension { kept, left_out, .. } = additions.extension;
        let mut why = "it already has every definition in the content".to_owned();
        if !kept.is_empty() {
            why += &format!("; kept although different: {}", kept.join(", "));
        }
        let help = "extend never changes existing definitions; use guard patch for that";
        let failure = failed(FailureKind::NothingToAdd, &why, help);
        return Err(failure.detail("kept", kept).detail("left_out", left_out));
    }
    let is_crlf = ending_of(old.as_bytes()) == b"\r\n";
    let text = additions.insert_into(old, if is_crlf { "\r\n" } else { "\n" });

    // Parse the result again: additions and existing code must be unchanged.
    let (_, tree) = parse(text.as_bytes())
        .map_err(|why| no_place(format!("the result does not parse: {why}")))?;
    let mut expected = before.keys();
    expected.extend(additions.keys);
    expected.sort();
    let mut found = CodeScope::of_file(&text, &tree).map_err(no_place)?.keys();
    found.sort();
    if found != expected {
        let why = "the result would parse differently from the file and the additions";
        return Err(no_place(why.to_owned()));
    }
    Ok(([mark, text.as_bytes()].concat(), additions.extension))
}

/// A text without errors, and its syntax tree.
///
/// # Errors
/// A predicate such as `does not parse at line 3`.
fn parse(text: &[u8]) -> GateResult<(&str, Tree), String> {
    if text.contains(&0) {
        return Err("has a NUL byte".to_owned());
    }
    let text = text.to_str().map_err(|_| "is not UTF-8".to_owned())?;
    if text.len() > MAX_BYTES {
        let bytes = text.len();
        return Err(format!(
            "has {bytes} bytes, more than the limit of {MAX_BYTES}"
        ));
    }
    let mut parser = Parser::new();
    let tree = parser.set_language(&tree_sitter_python::LANGUAGE.into());
    let tree = tree.ok().and_then(|()| parser.parse(text, None));
    let tree = tree.ok_or_else(|| "cannot be parsed by this build".to_owned())?;
    let mut first_error = None;
    walk(tree.root_node(), |node| {
        if first_error.is_none() && (node.is_error() || node.is_missing()) {
            first_error = Some(node.start_position().row + 1);
        }
        first_error.is_none() && node.has_error()
    });
    match first_error {
        Some(line) => Err(format!("does not parse as Python at line {line}")),
        None => Ok((text, tree)),
    }
}

/// What to add.
#[derive(Default)]
struct Additions {
    insertions: Vec<Insertion>,
    extension: Extension,
    /// The new keys of the result.
    keys: Vec<String>,
}

/// Lines to insert.
struct Insertion {
    /// The lines before them.
    row: usize,
    text: String,
    /// The blank lines before and after them.
    gaps: (usize, usize),
}

impl Additions {
    /// Adds what `old` lacks of `new`, for the file or for a class that both have.
    ///
    /// # Errors
    /// Both give a name different meanings, or there is no place for an addition.
    fn compare(&mut self, old: &CodeScope<'_>, new: &CodeScope<'_>) -> ClauseResult {
        let mut missing = Vec::new();
        for definition in &new.definitions {
            match old.names.get(&definition.name) {
                None => missing.push(definition),
                Some(there) => match old.definitions.get(there.at) {
                    Some(known) if there.meaning == definition.kind => {
                        self.meet(old, known, definition)?;
                    }
                    _ => return Err(conflict(&definition.name, &there.meaning, definition.kind)),
                },
            }
        }
        self.imports(old, new)?;
        if !missing.is_empty() {
            self.definitions(old, new, &missing)?;
        }
        // Other statements are not added, but listed in the answer.
        let there: HashSet<&String> = old.others.iter().collect();
        let left_out = new.others.iter().filter(|text| !there.contains(text));
        let left_out = left_out.map(|text| shortened(text));
        self.extension.left_out.extend(left_out);
        Ok(())
    }

    /// Compares the members of a class that both have; keeps any other definition.
    fn meet(
        &mut self,
        old: &CodeScope<'_>,
        known: &Definition<'_>,
        definition: &Definition<'_>,
    ) -> ClauseResult {
        let classes = known.members.as_ref().zip(definition.members.as_ref());
        let is_kept = match classes {
            Some(_) => known.header != definition.header,
            None => known.pieces != definition.pieces,
        };
        if is_kept {
            self.extension.kept.push(old.label(definition));
        }
        classes.map_or(Ok(()), |(old, new)| self.compare(old, new))
    }

    /// Definitions go to the end of the class, or of the file before its main block.
    fn definitions(
        &mut self,
        old: &CodeScope<'_>,
        new: &CodeScope<'_>,
        missing: &[&Definition<'_>],
    ) -> ClauseResult {
        for definition in missing {
            let name = &definition.name;
            if old.mentioned.contains(name) {
                return Err(conflict(name, "part of a statement", definition.kind));
            }
            self.extension.added.push(new.label(definition));
            new.keys_of(definition, &mut self.keys);
        }
        let row = old.end.clone()?;
        if old.indent != new.indent {
            let class = old.path.trim_end_matches('.');
            return Err(format!("the content indents {class} otherwise"));
        }
        let blank_lines = if old.path.is_empty() { 2 } else { 1 };
        let pieces = missing.iter().flat_map(|it| &it.pieces).cloned();
        let pieces: Vec<String> = pieces.collect();
        self.insertions.push(Insertion {
            row,
            text: pieces.join(&"\n".repeat(blank_lines + 1)),
            gaps: (blank_lines, if old.has_tail { blank_lines } else { 0 }),
        });
        Ok(())
    }

    /// Imports go behind the last one before the first statement, or before that.
    fn imports(&mut self, old: &CodeScope<'_>, new: &CodeScope<'_>) -> ClauseResult {
        let there: HashSet<&String> = old.imports.iter().map(|import| &import.source).collect();
        let lacking = new.imports.iter();
        let lacking: Vec<_> = lacking.filter(|it| !there.contains(&it.source)).collect();
        for import in &lacking {
            let (name, source) = (&import.name, &import.source);
            if name == "*" || source.starts_with("from __future__ ") {
                return Err(format!("`{source}` changes more than one name"));
            }
            match old.names.get(name) {
                Some(there) if there.meaning != import.meaning => {
                    return Err(conflict(name, &there.meaning, &import.meaning));
                }
                None if old.mentioned.contains(name) => {
                    return Err(conflict(name, "part of a statement", &import.meaning));
                }
                _ => {}
            }
        }
        if lacking.is_empty() {
            return Ok(());
        }
        let sources: Vec<String> = lacking.iter().map(|import| import.source.clone()).collect();
        let (row, gaps) = match (old.imports_end, old.first_statement) {
            (Some(end), _) => (end, (0, 0)),
            (None, Some(first)) => (first, (1, 2)),
            (None, None) => (old.end.clone()?, (1, 0)),
        };
        let text = sources.join("\n");
        self.insertions.push(Insertion { row, text, gaps });
        self.keys.extend(sources.iter().cloned());
        self.extension.added.extend(sources);
        Ok(())
    }

    /// The old text with the additions; all its lines stay, in order.
    fn insert_into(&mut self, old: &str, ending: &str) -> String {
        self.insertions.sort_by_key(|insertion| insertion.row);
        let lines: Vec<&str> = old.split_inclusive('\n').collect();
        let blank = |line: &&str| line.trim().is_empty();
        let mut result = String::with_capacity(old.len());
        let mut row = 0;
        for insertion in &self.insertions {
            let (before, after) = insertion.gaps;
            result.extend(lines[row..insertion.row].iter().copied());
            row = insertion.row;
            if !result.is_empty() {
                if !result.ends_with('\n') {
                    result.push_str(ending);
                }
                let there = result.lines().rev().take_while(blank).count();
                result.push_str(&ending.repeat(before.saturating_sub(there)));
            }
            for line in insertion.text.lines() {
                result.extend([line, ending]);
            }
            let there = lines[row..].iter().take_while(|line| blank(line)).count();
            if row + there < lines.len() {
                result.push_str(&ending.repeat(after.saturating_sub(there)));
            }
        }
        result.extend(lines[row..].iter().copied());
        if row == lines.len() && !old.is_empty() && !old.ends_with('\n') {
            result.truncate(result.len() - ending.len());
        }
        result
    }
}

fn conflict(name: &str, there: &str, here: &str) -> String {
    format!("the file has {name} as {there}, the content as {here}")
}

fn shortened(text: &str) -> String {
    let line = plain(text);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
