//! Finds what a file lacks of the content, and places it.

use std::collections::HashSet;
use std::ops::Range;

use super::scope::{
    CodeScope, Definition, Meaning, begins_line, indent_at, line_start, plain, walk,
};
use crate::files::Extension;

/// The maximum length of a statement in the answer.
const SHOWN: usize = 60;
/// Blank lines between definitions of a module.
const BLANK_LINES: usize = 2;

/// What to add.
#[derive(Default)]
pub(super) struct Additions {
    insertions: Vec<Insertion>,
    pub(super) extension: Extension,
    /// The new keys of the result.
    pub(super) keys: Vec<String>,
}

/// Text to insert before a line.
struct Insertion {
    /// The start of a line, or the end of the text.
    at: usize,
    /// Blank lines before some lines, and these.
    pieces: Vec<(usize, String)>,
    /// Blank lines after the last piece.
    gap_after: usize,
}

impl Additions {
    pub(super) fn is_empty(&self) -> bool {
        self.insertions.is_empty()
    }

    /// Adds what `old` lacks of `new`, for the file or for a class that both have.
    ///
    /// # Errors
    /// Both give a name different meanings, or there is no place for an addition. The error is a clause.
    pub(super) fn compare(&mut self, old: &CodeScope<'_>, new: &CodeScope<'_>) -> ClauseResult {
        let mut missing = Vec::new();
        for definition in &new.definitions {
            match is_missing(old, new, definition)? {
                true => missing.push(definition),
                false => self.meet(old, new, definition)?,
            }
        }
        self.imports(old, new)?;
        if !missing.is_empty() {
            self.insertions.push(definitions(old, new, &missing)?);
        }
        for definition in missing {
            self.extension.added.push(new.label(definition));
            self.keys.extend(new.keys_of(definition));
        }
        // Statements without a name are not added, but listed in the answer.
        let there: HashSet<String> = old.others.iter().map(|it| old.dedented(it)).collect();
        let others = new.others.iter().map(|it| new.dedented(it));
        let left_out = others.filter(|text| !there.contains(text));
        let left_out = left_out.map(|text| shortened(&text));
        self.extension.left_out.extend(left_out);
        Ok(())
    }

    /// Compares the members of a class that both have; keeps any other definition.
    fn meet(
        &mut self,
        old: &CodeScope<'_>,
        new: &CodeScope<'_>,
        definition: &Definition<'_>,
    ) -> ClauseResult {
        let Some(there) = old.same(definition) else {
            return Ok(());
        };
        let classes = there.members.as_ref().zip(definition.members.as_ref());
        let is_kept = match classes {
            Some(_) => header(old, there) != header(new, definition),
            None => old.dedented(&there.range) != new.dedented(&definition.range),
        };
        if is_kept {
            self.extension.kept.push(new.label(definition));
            self.extension.kept.dedup();
        }
        classes.map_or(Ok(()), |(old, new)| self.compare(old, new))
    }

    fn imports(&mut self, old: &CodeScope<'_>, new: &CodeScope<'_>) -> ClauseResult {
        let there = old.imports.iter().flat_map(|import| &import.atoms);
        let there: HashSet<&String> = there.map(|atom| &atom.source).collect();
        let mut statements = Vec::new();
        for import in &new.imports {
            let atoms = import.atoms.iter();
            let lacking: Vec<_> = atoms.filter(|it| !there.contains(&it.source)).collect();
            for atom in &lacking {
                refuse_conflict(old, new, &atom.bound, &atom.meaning)?;
                self.keys.push(atom.source.clone());
            }
            match lacking.len() == import.atoms.len() {
                true => statements.push(new.dedented(&import.range)),
                false => statements.extend(lacking.iter().map(|atom| atom.source.clone())),
            }
        }
        // The first import is separated only from imports that follow it.
        let has_others = !old.imports.is_empty();
        let must_be_first = |text: &String| plain(text).starts_with("from __future__ ");
        statements.sort_by_key(|text| !must_be_first(text));
        let is_first = |text: &&String| must_be_first(text) && has_others;
        let (first, rest) = statements.split_at(statements.iter().filter(is_first).count());
        for (own, is_first) in [(first, true), (rest, false)] {
            if own.is_empty() {
                continue;
            }
            let (at, gap, gap_after) = place_of_imports(old, is_first)?;
            let gaps = std::iter::once(gap).chain(std::iter::repeat(0));
            self.insertions.push(Insertion {
                at,
                pieces: gaps.zip(own.iter().cloned()).collect(),
                gap_after,
            });
            let added = own.iter().map(|text| shortened(text));
            self.extension.added.extend(added);
        }
        Ok(())
    }

    /// The old text with the additions; all its lines stay, in order.
    pub(super) fn insert_into(&mut self, old: &str, ending: &str) -> String {
        self.insertions.sort_by_key(|insertion| insertion.at);
        let mut result = String::with_capacity(old.len());
        let mut from = 0;
        for insertion in &self.insertions {
            result.push_str(&old[from..insertion.at]);
            from = insertion.at;
            for (gap, text) in &insertion.pieces {
                separate(&mut result, *gap, ending);
                for line in text.lines() {
                    result.push_str(line);
                    result.push_str(ending);
                }
            }
            if !old[from..].trim_start().is_empty() {
                let there = blank_lines(old[from..].lines());
                result.push_str(&ending.repeat(insertion.gap_after.saturating_sub(there)));
            }
        }
        result.push_str(&old[from..]);
        if from == old.len() && !old.is_empty() && !old.ends_with('\n') {
            result.truncate(result.len() - ending.len());
        }
        result
    }
}

/// The error is a clause.
type ClauseResult<T = ()> = Result<T, String>;

/// Ends the last line and adds blank lines, except at the start of a file.
fn separate(result: &mut String, gap: usize, ending: &str) {
    if result.is_empty() {
        return;
    }
    if !result.ends_with('\n') {
        result.push_str(ending);
    }
    let there = blank_lines(result.lines().rev());
    result.push_str(&ending.repeat(gap.saturating_sub(there)));
}

fn blank_lines<'l>(lines: impl Iterator<Item = &'l str>) -> usize {
    lines.take_while(|line| line.trim().is_empty()).count()
}

/// A class up to its body, without white space.
fn header(scope: &CodeScope<'_>, class: &Definition<'_>) -> String {
    let body = class.members.as_ref().map(|body| body.root.start_byte());
    plain(&scope.text[class.range.start..body.unwrap_or(class.range.end)])
}

/// Whether `old` has nothing of that name.
fn is_missing(
    old: &CodeScope<'_>,
    new: &CodeScope<'_>,
    definition: &Definition<'_>,
) -> ClauseResult<bool> {
    let names = definition.names.iter();
    let there = names.filter(|name| old.has(name, &definition.meaning));
    match there.count() {
        0 => {}
        all if all == definition.names.len() => return Ok(false),
        _ => return Err(format!("the file has a part of {}", new.label(definition))),
    }
    for name in &definition.names {
        refuse_conflict(old, new, name, &definition.meaning)?;
    }
    Ok(true)
}

/// Refuses to give a name in `old` a second meaning, unless `new` has both. The accessors of a property are one
/// meaning.
fn refuse_conflict(
    old: &CodeScope<'_>,
    new: &CodeScope<'_>,
    name: &str,
    meaning: &Meaning,
) -> ClauseResult {
    let is_other = |other: &&Meaning| {
        let is_accessor = (other.0, meaning.0) == ("function", "function");
        *other != meaning && !is_accessor && !new.has(name, other)
    };
    let shown = |(kind, detail): &Meaning| format!("{kind} {detail}").trim_end().to_owned();
    match old.meanings(name).find(is_other) {
        None => Ok(()),
        Some(other) => Err(format!(
            "the file has {name} as {}, the content as {}",
            shown(other),
            shown(meaning)
        )),
    }
}

/// Definitions go to the end of the scope.
fn definitions(
    old: &CodeScope<'_>,
    new: &CodeScope<'_>,
    missing: &[&Definition<'_>],
) -> ClauseResult<Insertion> {
    let (at, indent) = end_of(old)?;
    let is_line = |text: &str| !text.contains('\n');
    let last = old.definitions.last();
    let mut after_line = last.is_some_and(|it| is_line(&old.text[it.range.clone()]));
    let strings = strings(new);
    let is_file = old.path.is_empty();
    let usual = if is_file { BLANK_LINES } else { 1 };
    let mut pieces = Vec::new();
    for definition in missing {
        let text = moved(new, &definition.range, &strings, indent);
        let gap = match after_line && is_line(&text) {
            true => {
                let above = &new.text[..line_start(new.text, definition.range.start)];
                blank_lines(above.lines().rev()).min(usual)
            }
            false => usual,
        };
        after_line = is_line(&text);
        pieces.push((gap, text));
    }
    Ok(Insertion {
        at,
        pieces,
        gap_after: if old.tail.is_some() && is_file {
            BLANK_LINES
        } else {
            0
        },
    })
}

/// Where definitions go, and their indentation.
fn end_of<'t>(scope: &CodeScope<'t>) -> ClauseResult<(usize, &'t str)> {
    let (text, open) = (scope.text, scope.root.start_byte());
    if scope.path.is_empty() {
        let tail = scope.tail.map(|tail| line_start(text, tail));
        return Ok((tail.unwrap_or(text.len()), ""));
    }
    if !begins_line(text, open) {
        return Err(format!(
            "the body of {} shares a line with other code, which an addition would change",
            scope.path.trim_end_matches('.')
        ));
    }
    Ok((
        after_line(text, scope.root.end_byte())?,
        indent_at(text, open),
    ))
}

/// Where imports go, with the blank lines before and after them: behind the last import before the first statement
/// that needs them, or behind the prologue.
fn place_of_imports(old: &CodeScope<'_>, is_first: bool) -> ClauseResult<(usize, usize, usize)> {
    let text = old.text;
    let is_early = |at: usize| old.first_statement.is_none_or(|first| at < first);
    let mut early = old.imports.iter().filter(|it| is_early(it.range.start));
    let (first, last) = (early.clone().next(), early.next_back());
    Ok(
        match (first.zip(last), old.prologue_end, old.first_statement) {
            (Some((_, last)), ..) if !is_first => (after_line(text, last.range.end)?, 0, 0),
            (None, prologue, Some(statement)) => {
                let gap = usize::from(prologue.is_some());
                (line_start(text, statement), gap, BLANK_LINES)
            }
            (_, Some(end), _) => (after_line(text, end)?, 1, 0),
            (Some((first, _)), ..) => (line_start(text, first.range.start), 0, 0),
            (None, None, None) => (text.len(), 0, 0),
        },
    )
}

/// The start of the next line, if only the end of a statement or a comment follows on this line.
fn after_line(text: &str, at: usize) -> ClauseResult<usize> {
    let line = text[at..].split_inclusive('\n').next().unwrap_or_default();
    let rest = line.trim_start_matches([' ', '\t', ';']).trim_end();
    if rest.is_empty() || rest.starts_with('#') {
        return Ok(at + line.len());
    }
    let number = text[..at].matches('\n').count() + 1;
    Err(format!("line {number} continues where an addition must go"))
}

/// The text of a definition with another indentation. Lines within strings stay unchanged.
fn moved(
    scope: &CodeScope<'_>,
    range: &Range<usize>,
    strings: &[Range<usize>],
    to: &str,
) -> String {
    let from = indent_at(scope.text, range.start);
    let is_content = |at: usize| {
        let before = strings.partition_point(|string| string.start < at);
        before > 0 && at < strings[before - 1].end
    };
    let indented = |line: &str| match line.is_empty() {
        true => String::new(),
        false => format!("{to}{line}"),
    };
    let mut at = range.start;
    let mut lines = Vec::new();
    for line in scope.text[range.clone()].split('\n') {
        lines.push(match line.strip_prefix(from) {
            _ if at == range.start => indented(line),
            Some(line) if !is_content(at) => indented(line),
            _ => line.to_owned(),
        });
        at += line.len() + 1;
    }
    lines.join("\n")
}

/// The multi-line strings in order.
fn strings(scope: &CodeScope<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    walk(scope.root, |node| {
        let is_string = node.kind() == "string";
        let has_lines = node.start_position().row < node.end_position().row;
        if is_string && has_lines {
            found.push(node.byte_range());
        }
        has_lines && !is_string
    });
    found
}

fn shortened(text: &str) -> String {
    let line = plain(text);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
