//! The strategy `extend`: adds the functions, classes and methods that a Python file lacks, without changing an existing byte. Refuses what it is not sure of. Works on text only.

mod scope;

use std::collections::HashSet;

use gix::bstr::{BStr, ByteSlice};
use tree_sitter::{Parser, Tree};

use self::scope::{ClauseResult, CodeScope, Definition, Place, walk};
use super::failure::{Failure, FailureKind, GateResult};
use super::line_endings::ending_of;
use super::text::{Extension, split_mark};
use write_guard_policy::path::escaped;

/// Larger sources are generated.
const MAX_BYTES: usize = 1 << 20;
/// The maximum length of a statement in the answer.
const SHOWN: usize = 60;

/// Whether `extend` supports the language of a file.
pub(crate) fn can_extend(path: &BStr) -> bool {
    let (_, extension) = path.rsplit_once_str(b".").unwrap_or_default();
    matches!(&*extension.to_ascii_lowercase(), b"py" | b"pyi")
}

/// How many lines are blank before the first that is not.
fn count_blank<'a>(lines: impl Iterator<Item = &'a str>) -> usize {
    lines.take_while(|line| line.trim().is_empty()).count()
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
    let unreadable = |why: String| {
        let help = "correct it, or use guard patch";
        failed(FailureKind::SyntaxError, &why, help)
    };
    let no_place = |why: String| {
        let help = "leave that out of the content, or place it with guard patch";
        failed(FailureKind::NoPlace, &why, help)
    };
    let (mark, old) = split_mark(old);
    let content = split_mark(content).1.replace("\r\n", "\n");
    let (old, old_tree) = parse("the file", old).map_err(unreadable)?;
    let (new, new_tree) = parse("the content", &content).map_err(unreadable)?;
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

    // The result, parsed again, must have all of both.
    let (_, tree) = parse("the result", text.as_bytes()).map_err(no_place)?;
    let result = CodeScope::of_file(&text, &tree).map_err(no_place)?;
    let mut lacks = Additions::default();
    lacks.compare(&result, &before).map_err(no_place)?;
    let is_as_before = lacks.extension == Extension::default();
    lacks.compare(&result, &proposed).map_err(no_place)?;
    if !(is_as_before && lacks.insertions.is_empty()) {
        let why = "the result would parse differently from the file and the additions";
        return Err(no_place(why.to_owned()));
    }
    Ok(([mark, text.as_bytes()].concat(), additions.extension))
}

/// A text without errors, and its syntax tree.
///
/// # Errors
/// A clause such as `the file does not parse at line 3`.
fn parse<'t>(which: &str, text: &'t [u8]) -> ClauseResult<(&'t str, Tree)> {
    let text = match text.to_str() {
        Ok(text) if text.contains('\0') => return Err(format!("{which} has a NUL byte")),
        Ok(text) if text.len() <= MAX_BYTES => text,
        Ok(_) => return Err(format!("{which} has more than {MAX_BYTES} bytes")),
        Err(_) => return Err(format!("{which} is not UTF-8")),
    };
    let mut parser = Parser::new();
    let tree = parser.set_language(&tree_sitter_python::LANGUAGE.into());
    let tree = tree.ok().and_then(|()| parser.parse(text, None));
    let tree = tree.ok_or_else(|| format!("{which} cannot be parsed by this build"))?;
    let mut first_error = None;
    walk(tree.root_node(), |node| {
        if first_error.is_none() && (node.is_error() || node.is_missing()) {
            first_error = Some(node.start_position().row + 1);
        }
        first_error.is_none() && node.has_error()
    });
    match first_error {
        Some(line) => Err(format!("{which} does not parse as Python at line {line}")),
        None => Ok((text, tree)),
    }
}

/// What to add.
#[derive(Default)]
struct Additions {
    insertions: Vec<Insertion>,
    extension: Extension,
}

/// Lines to insert.
struct Insertion {
    place: Place,
    text: String,
}

impl Additions {
    /// Adds what `old` lacks of `new`, for the file or for a class that both have.
    ///
    /// # Errors
    /// Both give a name different meanings, or there is no place for an addition.
    fn compare(&mut self, old: &CodeScope<'_>, new: &CodeScope<'_>) -> ClauseResult {
        let mut missing = Vec::new();
        for definition in &new.definitions {
            if old.lacks(&definition.name, definition.kind)? {
                missing.push(definition);
                continue;
            }
            let known = &old.definitions[old.names[&definition.name]];
            let classes = known.members.as_ref().zip(definition.members.as_ref());
            let is_same = match classes {
                Some(_) => known.header == definition.header,
                None => known.pieces == definition.pieces,
            };
            if !is_same {
                self.extension.kept.push(new.label(definition));
            }
            // What a class lacks is added to it; any other definition stays.
            if let Some((old_class, new_class)) = classes {
                self.compare(old_class, new_class)?;
            }
        }
        if !missing.is_empty() {
            self.definitions(old, new, &missing)?;
        }
        // Other statements are not added, but listed in the answer.
        let there: HashSet<&String> = old.others.iter().collect();
        for text in new.others.iter().filter(|text| !there.contains(text)) {
            if text.starts_with("import ") || text.starts_with("from ") {
                return Err(format!(
                    "the file lacks `{text}`, which guard patch can add"
                ));
            }
            let shown = text.chars().take(SHOWN).collect();
            self.extension.left_out.push(shown);
        }
        Ok(())
    }

    /// Definitions go to the end of the class, or of the file before its main block.
    fn definitions(
        &mut self,
        old: &CodeScope<'_>,
        new: &CodeScope<'_>,
        missing: &[&Definition<'_>],
    ) -> ClauseResult {
        let place = old.end;
        if old.indent != new.indent {
            let class = old.path.trim_end_matches('.');
            return Err(format!("the content indents {class} otherwise"));
        }
        let labels = missing.iter().map(|it| new.label(it));
        self.extension.added.extend(labels);
        let pieces: Vec<&str> = missing
            .iter()
            .flat_map(|it| &it.pieces)
            .map(|it| &**it)
            .collect();
        let text = pieces.join(&"\n".repeat(place.gaps.0 + 1));
        self.insertions.push(Insertion { place, text });
        Ok(())
    }

    /// The old text with the additions; all its lines stay, in order.
    fn insert_into(&mut self, old: &str, ending: &str) -> String {
        self.insertions.sort_by_key(|insertion| insertion.place.row);
        let lines: Vec<&str> = old.split_inclusive('\n').collect();
        let mut result = String::with_capacity(old.len());
        let mut row = 0;
        for Insertion { place, text } in &self.insertions {
            result.extend(lines[row..place.row].iter().copied());
            row = place.row;
            if !result.is_empty() {
                if !result.ends_with('\n') {
                    result.push_str(ending);
                }
                let there = count_blank(result.lines().rev());
                result.push_str(&ending.repeat(place.gaps.0.saturating_sub(there)));
            }
            for line in text.lines() {
                result.extend([line, ending]);
            }
            result.push_str(&ending.repeat(place.gaps.1));
        }
        result.extend(lines[row..].iter().copied());
        if row == lines.len() && !old.is_empty() && !old.ends_with('\n') {
            result.truncate(result.len() - ending.len());
        }
        result
    }
}

#[cfg(test)]
mod tests;
