//! Finds what a file lacks of the content, and places it.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::Node;

use super::scope::{Atom, CodeScope, Definition, indent_at, line_start, plain};
use crate::files::Extension;

/// The maximum length of a statement in the answer.
const SHOWN: usize = 60;
/// Blank lines between definitions of a module.
const BLANK_LINES: usize = 2;

/// What to add.
#[derive(Debug, Default)]
pub(super) struct Additions {
    insertions: Vec<Insertion>,
    pub(super) extension: Extension,
    /// The new keys of the result.
    pub(super) keys: Vec<String>,
}

/// Text to insert before a line.
#[derive(Debug)]
struct Insertion {
    /// The start of a line, or the end of the text.
    at: usize,
    /// Blank lines before some lines, and these.
    pieces: Vec<(usize, String)>,
    /// Blank lines after the last piece.
    gap_after: usize,
}

/// A scope of the file, which additions go to.
struct ExtendedScope<'a, 't> {
    old: &'a CodeScope<'t>,
    /// The class; `None` for the file.
    class: Option<&'a Definition<'t>>,
    /// The prefix of its members' names.
    owner: String,
    /// The prefix of its members' keys.
    key: String,
}

/// What `old` lacks of `new`.
///
/// # Errors
/// Both give a name different meanings, or there is no place for an addition. The error is a clause.
pub(super) fn compare(old: &CodeScope<'_>, new: &CodeScope<'_>) -> Result<Additions, String> {
    let mut additions = Additions::default();
    let file = ExtendedScope {
        old,
        class: None,
        owner: String::new(),
        key: String::new(),
    };
    additions.scope(&file, new)?;
    additions.extension.kept.dedup();
    Ok(additions)
}

impl Additions {
    pub(super) fn is_empty(&self) -> bool {
        self.insertions.is_empty()
    }

    fn scope(&mut self, target: &ExtendedScope<'_, '_>, new: &CodeScope<'_>) -> Result<(), String> {
        let mut missing = Vec::new();
        for definition in &new.definitions {
            if is_missing(target.old, new, definition)? {
                missing.push(definition);
            } else {
                self.meet(target, new, definition)?;
            }
        }
        self.imports(target, new)?;
        if !missing.is_empty() {
            self.insertions.push(target.definitions(new, &missing)?);
        }
        for definition in missing {
            self.extension.added.push(target.label(definition));
            let keys = definition.keys().into_iter();
            self.keys
                .extend(keys.map(|key| format!("{}{key}", target.key)));
        }
        // Statements without a name are not added, but listed in the answer.
        let there = target.old.others.iter();
        let there: HashSet<String> = there.map(|range| target.old.dedented(range)).collect();
        let others = new.others.iter().map(|range| new.dedented(range));
        let left_out = others.filter(|text| !there.contains(text));
        self.extension
            .left_out
            .extend(left_out.map(|text| shortened(&text)));
        Ok(())
    }

    /// Compares the members of a class that both have; keeps any other definition. Of several classes of one name,
    /// the last one counts in Python.
    fn meet(
        &mut self,
        target: &ExtendedScope<'_, '_>,
        new: &CodeScope<'_>,
        definition: &Definition<'_>,
    ) -> Result<(), String> {
        let old = target.old;
        let names = definition.names.iter().flat_map(|name| old.named(name));
        let there: Vec<_> = names.filter(|it| it.is_like(definition)).collect();
        let class = there.iter().rfind(|it| it.members.is_some());
        let (Some(members), Some((class, inner))) = (
            &definition.members,
            class.and_then(|class| Some((class, class.members.as_deref()?))),
        ) else {
            let text = new.dedented(&definition.range);
            if !there.iter().any(|it| old.dedented(&it.range) == text) {
                self.extension.kept.push(target.label(definition));
            }
            return Ok(());
        };
        if old.header_of(class) != new.header_of(definition) {
            self.extension.kept.push(target.label(definition));
        }
        let inner = ExtendedScope {
            old: inner,
            class: Some(class),
            owner: format!("{}{}.", target.owner, definition.name()),
            key: format!("{}{} / ", target.key, class.key()),
        };
        self.scope(&inner, members)
    }

    fn imports(
        &mut self,
        target: &ExtendedScope<'_, '_>,
        new: &CodeScope<'_>,
    ) -> Result<(), String> {
        let there = target.old.imports.iter().flat_map(|import| &import.atoms);
        let there: HashSet<String> = there.map(Atom::key).collect();
        let mut statements = Vec::new();
        for import in &new.imports {
            let lacks = |atom: &&Atom| !there.contains(&atom.key());
            let lacking: Vec<&Atom> = import.atoms.iter().filter(lacks).collect();
            for atom in &lacking {
                refuse_conflict(target.old, new, atom)?;
                self.keys.push(format!("{}{}", target.key, atom.key()));
            }
            match lacking.first() {
                Some(first) if lacking.len() == import.atoms.len() => {
                    statements.push((new.dedented(&import.range), first.is_first));
                }
                _ => statements.extend(lacking.iter().map(|it| (it.source.clone(), it.is_first))),
            }
        }
        // The first import is separated only from imports that follow it.
        let has_others = !target.old.imports.is_empty();
        statements.sort_by_key(|(_, is_first)| !is_first);
        for is_first in [true, false] {
            let own = statements.iter();
            let own = own.filter(|(_, first)| (*first && has_others) == is_first);
            let own: Vec<&str> = own.map(|(text, _)| text.as_str()).collect();
            if !own.is_empty() {
                self.extension
                    .added
                    .extend(own.iter().map(|text| shortened(text)));
                self.insertions.push(target.imports(&own, is_first)?);
            }
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

/// Whether `old` has nothing of that name. Definitions that coexist in `new` may coexist in the result.
fn is_missing(
    old: &CodeScope<'_>,
    new: &CodeScope<'_>,
    definition: &Definition<'_>,
) -> Result<bool, String> {
    let kind = definition.kind;
    let has = |name: &&String| old.named(name).any(|it| it.is_like(definition));
    let there = definition.names.iter().filter(has).count();
    if there == definition.names.len() {
        return Ok(false);
    }
    if there > 0 {
        let name = definition.name();
        return Err(format!("the file has only part of {kind} {name}"));
    }
    for name in &definition.names {
        let coexists = |it: &&Definition<'_>| new.named(name).any(|other| other.is_like(it));
        let mut rivals = old.named(name).filter(|it| !coexists(it));
        if let Some(rival) = rivals.find(|it| it.kind != kind) {
            let was = rival.kind;
            return Err(format!(
                "{name} is a {was} in the file but a {kind} in the content"
            ));
        }
        let mut meanings = old.meanings(name).iter();
        if meanings.any(|it| !new.meanings(name).contains(it)) {
            return Err(format!(
                "the file imports {name}, which the content defines"
            ));
        }
        if old.hidden.contains(name) && !new.hidden.contains(name) {
            return Err(format!("a statement in the file already binds {name}"));
        }
    }
    Ok(true)
}

/// Refuses an import of `new` that would give a name in `old` a second meaning, unless `new` has both.
fn refuse_conflict(old: &CodeScope<'_>, new: &CodeScope<'_>, atom: &Atom) -> Result<(), String> {
    let Some(bound) = atom.bound.as_deref() else {
        return Ok(());
    };
    let is_other = |it: &&String| **it != atom.meaning && !new.meanings(bound).contains(it);
    if let Some(other) = old.meanings(bound).iter().find(is_other) {
        return Err(format!(
            "{bound} would be imported from two places: {other} and {}",
            atom.target
        ));
    }
    let is_hidden = old.hidden.contains(bound) && !new.hidden.contains(bound);
    let coexists = |it: &Definition<'_>| new.named(bound).any(|other| other.is_like(it));
    if is_hidden || old.named(bound).any(|it| !coexists(it)) {
        return Err(format!(
            "the file defines {bound}, which the content imports"
        ));
    }
    Ok(())
}

impl ExtendedScope<'_, '_> {
    fn label(&self, definition: &Definition<'_>) -> String {
        format!("{} {}{}", definition.kind, self.owner, definition.name())
    }

    /// Definitions go to the end of the scope.
    fn definitions(
        &self,
        new: &CodeScope<'_>,
        missing: &[&Definition<'_>],
    ) -> Result<Insertion, String> {
        let (at, indent) = self.end()?;
        let is_line = |text: &str| !text.contains('\n');
        let last = self.old.definitions.last();
        let mut after_line = last.is_some_and(|it| is_line(self.old.text_of(&it.range)));
        let strings = strings(new.root);
        let usual = self.class.map_or(BLANK_LINES, |_| 1);
        let mut pieces = Vec::new();
        for definition in missing {
            let text = moved(new, definition, &strings, &indent);
            let gap = match after_line && is_line(&text) {
                true => definition.gap.unwrap_or(0).min(usual),
                false => usual,
            };
            after_line = is_line(&text);
            pieces.push((gap, text));
        }
        let is_before_tail = self.class.is_none() && self.old.tail.is_some();
        Ok(Insertion {
            at,
            pieces,
            gap_after: if is_before_tail { BLANK_LINES } else { 0 },
        })
    }

    /// Imports follow the last import before the first statement that needs them, or the prologue.
    fn imports(&self, statements: &[&str], is_first: bool) -> Result<Insertion, String> {
        let (old, text) = (self.old, self.old.text);
        let mut imports = old.imports.iter();
        let known = imports.rfind(|it| old.first_statement.is_none_or(|at| it.range.start < at));
        let has_prologue = old.prologue_end > old.open;
        let (at, gap, gap_after) = match (known, old.first_statement) {
            (Some(_), _) if is_first && has_prologue => (after_line(text, old.prologue_end)?, 1, 0),
            (Some(import), _) if is_first => (line_start(text, import.range.start), 0, 0),
            (Some(import), _) => (after_line(text, import.range.end)?, 0, 0),
            (None, Some(first)) if has_prologue || self.class.is_none() => (
                line_start(text, first),
                usize::from(has_prologue),
                BLANK_LINES,
            ),
            (None, None) if has_prologue => (after_line(text, old.prologue_end)?, 1, 0),
            (None, None) if self.class.is_none() => (text.len(), 0, 0),
            (None, _) => (after_line(text, old.open)?, 0, 1),
        };
        let first = old.first().filter(|_| self.class.is_some());
        let indent = first.map_or("", |first| indent_at(text, first));
        let pieces = statements.iter().enumerate().map(|(index, statement)| {
            let lines = statement.lines().map(|line| indented(indent, line));
            let gap = if index == 0 { gap } else { 0 };
            (gap, lines.collect::<Vec<_>>().join("\n"))
        });
        Ok(Insertion {
            at,
            pieces: pieces.collect(),
            gap_after,
        })
    }

    /// Where definitions go, and their indentation.
    fn end(&self) -> Result<(usize, String), String> {
        let text = self.old.text;
        let Some(class) = self.class else {
            let tail = self.old.tail.map(|tail| line_start(text, tail));
            return Ok((tail.unwrap_or(text.len()), String::new()));
        };
        let open = self.old.open;
        let before = text.get(line_start(text, open)..open);
        if before.is_none_or(|before| !before.trim().is_empty()) {
            return Err(format!(
                "the body of {} shares a line with other code, which an addition would change",
                class.name()
            ));
        }
        let at = after_line(text, self.old.root.end_byte())?;
        Ok((at, indent_at(text, open).to_owned()))
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
    if line.is_empty() || line.starts_with('#') {
        return Ok(end);
    }
    let number = text[..at].matches('\n').count() + 1;
    Err(format!("line {number} continues where an addition must go"))
}

fn indented(indent: &str, line: &str) -> String {
    match line.is_empty() {
        true => String::new(),
        false => format!("{indent}{line}"),
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
    let is_content = |at: usize| {
        let before = strings.partition_point(|string| string.start < at);
        before > 0 && at < strings[before - 1].end
    };
    let mut at = range.start;
    let mut lines = Vec::new();
    for line in scope.text_of(range).split('\n') {
        lines.push(match line.strip_prefix(from) {
            _ if at == range.start => indented(to, line),
            Some(line) if !is_content(at) => indented(to, line),
            _ => line.to_owned(),
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

fn shortened(text: &str) -> String {
    let line = plain(text);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
