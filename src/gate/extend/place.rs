//! Places additions and formats them.

use std::ops::Range;

use tree_sitter::Node;

use super::assemble::{Insertion, LineRun};
use super::scope::{CodeScope, Definition, indent_at, line_start};

/// Blank lines between definitions of a module.
const BLANK_LINES: usize = 2;

/// The scope of the old file to add to.
pub(super) struct TargetScope<'a, 't> {
    pub(super) old: &'a CodeScope<'t>,
    /// `None` for the file.
    pub(super) container: Option<&'a Definition<'t>>,
}

impl TargetScope<'_, '_> {
    /// Definitions go to the end of the scope.
    pub(super) fn definitions(
        &self,
        new: &CodeScope<'_>,
        missing: &[&Definition<'_>],
    ) -> Result<Insertion, String> {
        let (at, indent) = self.end()?;
        let last = self.old.definitions.last();
        let mut after_line = last.is_some_and(|it| is_line(self.old.text_of(&it.range)));
        let strings = strings(new.root);
        let mut pieces = Vec::new();
        for definition in missing {
            let text = moved(new, definition, &strings, &indent);
            let usual = if self.container.is_some() {
                1
            } else {
                BLANK_LINES
            };
            let gap = match definition.gap {
                gap if after_line && is_line(&text) => gap.unwrap_or(0).min(usual),
                _ => usual,
            };
            after_line = is_line(&text);
            pieces.push(LineRun { gap, text });
        }
        let is_before_tail = self.container.is_none() && self.old.tail.is_some();
        Ok(Insertion {
            at,
            pieces,
            gap_after: if is_before_tail { BLANK_LINES } else { 0 },
        })
    }

    /// Imports follow the last import before the first statement that needs them, or the prologue.
    pub(super) fn imports(
        &self,
        statements: &[String],
        is_first: bool,
    ) -> Result<Insertion, String> {
        let old = self.old;
        let text = old.text;
        let before = |at: usize| line_start(text, at);
        let mut imports = old.imports.iter();
        let known = imports.rfind(|it| old.first_statement.is_none_or(|at| it.range.start < at));
        let has_prologue = old.prologue_end > self.open();
        let (at, gap, gap_after) = match (known, old.first_statement) {
            (Some(_), _) if is_first && has_prologue => (after_line(text, old.prologue_end)?, 1, 0),
            (Some(import), _) if is_first => (before(import.range.start), 0, 0),
            (Some(import), _) => (after_line(text, import.range.end)?, 0, 0),
            (None, Some(first)) if has_prologue || self.container.is_none() => {
                (before(first), usize::from(has_prologue), BLANK_LINES)
            }
            (None, None) if has_prologue => (after_line(text, old.prologue_end)?, 1, 0),
            (None, None) if self.container.is_none() => (text.len(), 0, 0),
            (None, _) => (after_line(text, self.open())?, 0, 1),
        };
        let first = old.first().filter(|_| self.container.is_some());
        let indent = first.map_or("", |first| indent_at(text, first));
        let pieces = statements.iter().enumerate().map(|(index, statement)| {
            let lines: Vec<String> = statement
                .lines()
                .map(|line| indented(indent, line))
                .collect();
            LineRun {
                gap: if index == 0 { gap } else { 0 },
                text: lines.join("\n"),
            }
        });
        Ok(Insertion {
            at,
            pieces: pieces.collect(),
            gap_after,
        })
    }

    /// The start of the scope.
    fn open(&self) -> usize {
        let body = self.container.and_then(|container| container.head.body);
        body.map_or(0, |body| body.open)
    }

    /// Where definitions go, and their indentation.
    fn end(&self) -> Result<(usize, String), String> {
        let text = self.old.text;
        let Some(container) = self.container else {
            let at = self
                .old
                .tail
                .map_or(text.len(), |tail| line_start(text, tail));
            return Ok((at, String::new()));
        };
        let names = container.head.names.join(", ");
        let Some(body) = container.head.body else {
            return Err(format!("{names} has no body to add to"));
        };
        let is_first_of_line = |at: usize| {
            text.get(line_start(text, at)..at)
                .is_some_and(|before| before.trim().is_empty())
        };
        if !is_first_of_line(body.open) {
            return Err(format!(
                "the body of {names} shares a line with other code, which an addition would change"
            ));
        }
        Ok((
            after_line(text, body.close)?,
            indent_at(text, body.open).to_owned(),
        ))
    }
}

/// The start of the next line, if only the end of a statement or a comment follows on this line.
fn after_line(text: &str, at: usize) -> Result<usize, String> {
    let rest = text.get(at..).unwrap_or_default();
    let (line, end) = match rest.find('\n') {
        Some(newline) => (&rest[..newline], at + newline + 1),
        None => (rest, text.len()),
    };
    let line = line.trim_start_matches([' ', '\t', ';']).trim_end();
    let is_comment = ["//", "#"].iter().any(|mark| line.starts_with(mark))
        || (line.starts_with("/*") && line.find("*/") == line.len().checked_sub(2));
    if line.is_empty() || is_comment {
        return Ok(end);
    }
    let number = text[..at].matches('\n').count() + 1;
    Err(format!("line {number} continues where an addition must go"))
}

fn is_line(text: &str) -> bool {
    !text.contains('\n')
}

fn indented(indent: &str, line: &str) -> String {
    if line.is_empty() {
        String::new()
    } else {
        format!("{indent}{line}")
    }
}

/// The text of a definition with another indentation. Lines within strings stay unchanged.
fn moved(
    scope: &CodeScope<'_>,
    definition: &Definition<'_>,
    strings: &[Range<usize>],
    to: &str,
) -> String {
    let range = &definition.range;
    let from = indent_at(scope.text, range.start);
    let text = scope.text_of(range);
    if from == to {
        return indented(to, text);
    }
    let is_content = |at: usize| {
        let before = strings.partition_point(|string| string.start < at);
        before > 0 && at < strings[before - 1].end
    };
    let mut at = range.start;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        lines.push(match line.strip_prefix(from) {
            _ if at == range.start => indented(to, line),
            _ if is_content(at) => line.to_owned(),
            Some(line) => indented(to, line),
            None => line.to_owned(),
        });
        at += line.len() + 1;
    }
    lines.join("\n")
}

/// The multi-line strings in order; not recursive.
fn strings(root: Node<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let is_string = node.kind() == "string";
        let has_lines = node.start_position().row < node.end_position().row;
        if is_string && has_lines {
            found.push(node.byte_range());
        }
        if has_lines && !is_string && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}
