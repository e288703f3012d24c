//! Task lines: `- [ ] T012 [P] Create the model in src/models/task.py`.
//!
//! A verb that writes and one path as its object. What follows the object is content.

use std::ops::Range;

use super::blocks::InlineText;
use super::change_type::{RowAction, add, of_item_word, split_word};
use super::design_builder::{DesignBuilder, Row};
use super::form::Shape;
use super::japanese;
use super::languages;
use super::source::DesignText;
use super::task_objects::{Object, objects, written};
use super::written_path::WrittenPath;
use crate::policy::{Actions, GrantForm};

/// Nouns that begin a task which writes a file: "Contract test for X in tests/x.py".
const NOUNS: &[&str] = &["contract", "integration", "unit", "e2e"];
/// Words directly before a path that stand for the path.
const PLACES: &[&str] = &[
    "the",
    "a",
    "an",
    "new",
    "file",
    "files",
    "module",
    "script",
    "code",
    "both",
    "old",
    "directory",
    "folder",
    "existing",
    "obsolete",
    "unused",
    "legacy",
    "deprecated",
    "dead",
    "stale",
    "original",
    "temporary",
    "redundant",
    "duplicate",
    "duplicated",
    "superseded",
    "empty",
    "entire",
    "whole",
];
/// Verbs that do not write their object, but where it lies: "Build the form in `a`", not "Build `a`".
const BUILDS: &[&str] = &[
    "apply",
    "build",
    "compose",
    "connect",
    "design",
    "develop",
    "establish",
    "expose",
    "handle",
    "hook",
    "make",
    "mark",
    "mount",
    "move",
    "optimize",
    "prepare",
    "render",
    "set",
    "setup",
    "style",
    "switch",
    "upgrade",
];

/// Grants the file of a task, if the line is one with a file.
pub(super) fn read(source: &DesignText<'_>, line: &InlineText, draft: &mut DesignBuilder<'_>) {
    let span = source.trim(line.span.clone());
    let span = without_marks(source, span);
    let text = source.slice(span.clone());
    if let Some((kind, objects)) =
        placed(source, line, span.clone()).or_else(|| japanese::read(source, line, span.clone()))
    {
        return push(source, span, "", kind, objects, draft);
    }
    let (word, _) = split_word(text);
    let verb = languages::leading_verb(text)
        .filter(|verb| of_item_word(verb).is_some())
        .unwrap_or(word);
    let lower = verb.to_lowercase();
    let own = source.slice(source.trim(line.span.clone()));
    let has_number = own
        .trim_start_matches(['*', '_', '[', ' ', 'x', 'X', ']'])
        .strip_prefix('T')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let mut is_noun = false;
    let action = match of_item_word(&lower) {
        Some(action) => action,
        // "T008 User model in src/models/user.py"
        None if has_number || BUILDS.contains(&lower.as_str()) => {
            is_noun = true;
            RowAction::Grant(Actions::ADD | Actions::MODIFY)
        }
        None if NOUNS.contains(&lower.as_str()) => RowAction::Grant(Actions::ADD | Actions::MODIFY),
        None => return,
    };
    let start = span.start + verb.len();
    let end = content_start(source, line, span.clone(), true);
    let mut found = written(objects(source, line, start..end));
    if found.is_empty() && action != RowAction::Mention {
        // "Implement the store with retries in `a`"
        let end = content_start(source, line, span.clone(), false);
        found = written(objects(source, line, start..end));
        found.retain(|object| object.is_place() && !object.is_aid());
    }
    let mut objects = found;
    // "The tests of `a`" in Chinese begins with `a`.
    let is_tested = objects.last().is_some_and(|object| {
        let rest = source
            .slice(object.path.span.end..span.end)
            .trim_start_matches(['`', ' ']);
        rest.starts_with('的')
            && ["測試", "测试", "test"]
                .iter()
                .any(|word| rest.contains(word))
    });
    if is_tested {
        objects.clear();
    }
    let Some(first) = objects.first() else {
        return;
    };
    let before = source.slice(span.start..first.path.span.start);
    let after = source.slice(first.path.span.end..span.end);
    if is_noun && !first.is_place() && !(has_number && languages::names_last(before, after)) {
        return;
    }
    let is_file = first.before.is_empty()
        || first
            .before
            .iter()
            .all(|word| PLACES.contains(&word.as_str()));
    // "Create the directories in src/" says little about the files.
    if !is_file && objects.iter().any(|object| object.path.text.ends_with('/')) {
        return;
    }
    let kind = match action {
        RowAction::Mention => RowAction::Mention,
        RowAction::Rename if objects.iter().any(|object| object.arrow) && is_file => {
            RowAction::Rename
        }
        // "Remove the flag from `a`" edits it, and so does "Move the parser to `a`".
        action if action.takes_away() && !is_file => {
            RowAction::Grant(Actions::ADD | Actions::MODIFY)
        }
        RowAction::Rename => RowAction::Grant(Actions::ADD | Actions::MODIFY),
        // Tasks name what they add to a file: "Create the route in `a`".
        RowAction::Grant(actions)
            if actions == add() && (!is_file || objects.iter().any(|object| object.is_further)) =>
        {
            RowAction::Grant(Actions::ADD | Actions::MODIFY)
        }
        action => action,
    };
    // "Update `a` to `b`" writes `a`.
    objects.retain(|object| action == RowAction::Rename || !object.arrow);
    push(source, span, verb, kind, objects, draft);
}

/// Adds the row of a task.
fn push(
    source: &DesignText<'_>,
    span: Range<usize>,
    verb: &str,
    kind: RowAction,
    objects: Vec<Object>,
    draft: &mut DesignBuilder<'_>,
) {
    let is_rename = kind == RowAction::Rename;
    let text = source.slice(span.clone());
    let at = source.line_span(span.start);
    draft.form(
        Shape::Task,
        GrantForm::TaskLine,
        Actions::ADD | Actions::MODIFY,
        at,
    );
    let paths = objects.into_iter().map(|object| WrittenPath {
        arrow: object.arrow && is_rename,
        ..object.path
    });
    draft.row(Row {
        paths: paths.collect(),
        prose: false,
        kind,
        directory: false,
        change_type: verb.to_owned(),
        // Each path gets a copy.
        description: text
            .split_whitespace()
            .take(100)
            .collect::<Vec<_>>()
            .join(" "),
    });
}

/// Without `1.2`, `T012`, `[P]`, `[US1]` and bold at the start.
fn without_marks(source: &DesignText<'_>, span: Range<usize>) -> Range<usize> {
    let mut start = span.start;
    // Markdown sees no checkbox in "[ ]* 2.1".
    let text = source.slice(span.clone());
    if let Some(rest) = text
        .strip_prefix('[')
        .and_then(|text| text.get(1..))
        .and_then(|text| text.strip_prefix(']'))
    {
        start = span.end - rest.trim_start_matches('*').len();
    }
    loop {
        let text = source.slice(start..span.end);
        let trimmed = text
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | ':' | '-'));
        start += text.len() - trimmed.len();
        let first = trimmed.split_whitespace().next().unwrap_or("");
        let word = first.trim_matches(['*', '_', ':', '.', ')']);
        let is_label = first.starts_with('[')
            && first.ends_with(']')
            && !first.contains('/')
            && first.len() < 16;
        let digits = word.trim_start_matches(['T', 't']);
        let is_number = !digits.is_empty()
            && digits
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, '.' | 'a'..='f'))
            && digits.starts_with(|c: char| c.is_ascii_digit());
        if !is_label && !is_number || first.is_empty() {
            return start..span.end;
        }
        start += first.len();
    }
}

/// "In `a`, fix the loop"
fn placed(
    source: &DesignText<'_>,
    line: &InlineText,
    span: Range<usize>,
) -> Option<(RowAction, Vec<Object>)> {
    let text = source.slice(span.clone());
    let first = match text.starts_with('在') {
        true => "在",
        false => text.split_whitespace().next()?,
    };
    let lower = first.to_lowercase();
    if lower != "in" && languages::preposition(&lower) != Some("into") {
        return None;
    }
    let end = content_start(source, line, span.clone(), true);
    let objects = written(objects(source, line, span.start + first.len()..end));
    let words = &objects.first()?.before;
    if !words.iter().all(|word| PLACES.contains(&word.as_str())) {
        return None;
    }
    let rest = behind_note(source.slice(objects.last()?.path.span.end..span.end));
    let rest = rest.trim_start_matches(|c: char| {
        !c.is_alphanumeric() || matches!(c, '中' | '里' | '內' | '内' | '裡')
    });
    let verb = languages::leading_verb(rest)
        .filter(|verb| of_item_word(verb).is_some())
        .unwrap_or_else(|| split_word(rest).0)
        .to_lowercase();
    let writes = match of_item_word(&verb) {
        Some(action) => action != RowAction::Mention,
        None => BUILDS.contains(&verb.as_str()),
    };
    let kind = RowAction::Grant(Actions::ADD | Actions::MODIFY);
    writes.then_some((kind, objects))
}

/// The text behind a note in parentheses.
fn behind_note(text: &str) -> &str {
    let trimmed = text.trim_start_matches(['`', ' ']);
    let note = trimmed
        .strip_prefix(['(', '（'])
        .and_then(|rest| rest.split_once([')', '）']));
    note.map_or(text, |(_, rest)| rest)
}

/// What follows a blank where the content of a task begins.
const PHRASES_BEFORE_CONTENT: &[&str] = &[
    " - ",
    " — ",
    " – ",
    " with ",
    " using ",
    " so that ",
    " following ",
    " based on ",
    " via ",
    " like ",
    " matching ",
    " that ",
    " which ",
];

/// Where the content of a task begins: behind a colon, dash or full stop, outside code.
fn content_start(
    source: &DesignText<'_>,
    line: &InlineText,
    span: Range<usize>,
    ends_at_with: bool,
) -> usize {
    let text = source.slice(span.clone());
    let mut pieces = line.pieces.iter().peekable();
    for (index, c) in text.char_indices() {
        let at = span.start + index;
        while pieces.next_if(|piece| piece.span.end <= at).is_some() {}
        if pieces.peek().is_some_and(|piece| piece.span.contains(&at)) {
            continue;
        }
        let rest = text.get(index..).unwrap_or("");
        if !matches!(c, ' ' | ':' | '.' | ';' | '：') {
            continue;
        }
        let marks = match rest.starts_with(' ') {
            true => PHRASES_BEFORE_CONTENT,
            false => &[": ", ". ", "; ", ":\n", "："],
        };
        let ends = marks
            .iter()
            .any(|mark| rest.starts_with(mark) && (ends_at_with || *mark != " with "));
        if !ends {
            continue;
        }
        let before = text.as_bytes().get(..index).unwrap_or_default();
        let names = rest.starts_with(':')
            && ["file", "files", "path"].iter().any(|word| {
                let last = before.len().checked_sub(word.len());
                last.and_then(|last| before.get(last..))
                    .is_some_and(|last| last.eq_ignore_ascii_case(word.as_bytes()))
            });
        // "Replace `x` with `y` in `a`"
        let swaps = rest.starts_with(" with ")
            && ["replace", "swap"].iter().any(|word| {
                text.get(..word.len())
                    .is_some_and(|first| first.eq_ignore_ascii_case(word))
            });
        if !names && !swaps {
            return at;
        }
    }
    span.end
}
