//! Task lines: `- [ ] T012 [P] Create the model in src/models/task.py`.
//!
//! A verb that writes and one path as its object. What follows the object is content.

use std::ops::Range;

use super::bare_path::is_bare_path;
use super::blocks::{InlineText, PieceKind};
use super::cell::has_path_shape;
use super::change_type::{RowAction, add, of_item_word, split_word};
use super::design_builder::{DesignBuilder, Row};
use super::form::Shape;
use super::languages;
use super::link;
use super::source::DesignText;
use super::written_path::{WrittenPath, is_arrow};
use crate::policy::{Actions, GrantForm};

/// A path in a task, and the words before it.
struct Object {
    path: WrittenPath,
    before: Vec<String>,
    /// Whether only a comma or "and" stands before it.
    is_joined: bool,
    arrow: bool,
    /// Whether "and" and more words precede it: "the model in `a` and its port in `b`".
    is_further: bool,
}

/// Punctuation of Chinese and Japanese, which no blank follows.
const WIDE: [char; 9] = ['（', '）', '，', '。', '、', '；', '：', '「', '」'];
/// Nouns that begin a task which writes a file: "Contract test for X in tests/x.py".
const NOUNS: &[&str] = &["contract", "integration", "unit", "e2e"];
/// Words between the verb and a path after which the path is not written.
const STOPS: &[&str] = &[
    "for",
    "of",
    "with",
    "using",
    "via",
    "like",
    "per",
    "following",
    "against",
    "by",
    "matching",
    "than",
    "about",
    "see",
    "described",
    "defined",
    "documented",
    "specified",
    "listed",
    "shown",
    "outlined",
    "according",
    "based",
    "similar",
    "mirroring",
    "consistent",
    "reference",
    "used",
    "reuse",
    "reusing",
    "called",
    "calling",
    "as",
    "when",
    "if",
    "where",
];
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
];

/// Grants the file of a task. Returns whether the line is a task with a file.
pub(super) fn read(
    source: &DesignText<'_>,
    line: &InlineText,
    draft: &mut DesignBuilder<'_>,
) -> bool {
    let span = source.trim(line.span.clone());
    let span = without_marks(source, span);
    let text = source.slice(span.clone());
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
        None if has_number => {
            is_noun = true;
            RowAction::Grant(Actions::ADD | Actions::MODIFY)
        }
        None if NOUNS.contains(&lower.as_str()) => RowAction::Grant(Actions::ADD | Actions::MODIFY),
        None => return false,
    };
    let end = content_start(source, line, span.clone());
    let objects = objects(source, line, span.start + verb.len()..end);
    let mut objects = written(objects);
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
        return false;
    };
    if is_noun && first.before.last().is_none_or(|word| word != "in") {
        return false;
    }
    let is_file = first.before.is_empty()
        || first
            .before
            .iter()
            .all(|word| PLACES.contains(&word.as_str()));
    // "Create the directories in src/" says little about the files.
    if !is_file && objects.iter().any(|object| object.path.text.ends_with('/')) {
        return false;
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
    let moves = action == RowAction::Rename;
    let is_rename = kind == RowAction::Rename;
    let at = source.line_span(span.start);
    draft.form(
        Shape::Task,
        GrantForm::TaskLine,
        Actions::ADD | Actions::MODIFY,
        at,
    );
    draft.row(Row {
        paths: objects
            .into_iter()
            // "Update `a` to `b`" writes `a`.
            .filter(|object| moves || !object.arrow)
            .map(|object| WrittenPath {
                arrow: object.arrow && is_rename,
                ..object.path
            })
            .collect(),
        prose: false,
        kind,
        directory: false,
        change_type: verb.to_owned(),
        description: text.split_whitespace().collect::<Vec<_>>().join(" "),
    });
    true
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

/// Where the content of a task begins: behind a colon, dash or full stop, outside code.
fn content_start(source: &DesignText<'_>, line: &InlineText, span: Range<usize>) -> usize {
    let text = source.slice(span.clone());
    let mut pieces = line.pieces.iter().peekable();
    for (index, _) in text.char_indices() {
        let at = span.start + index;
        while pieces.next_if(|piece| piece.span.end <= at).is_some() {}
        if pieces.peek().is_some_and(|piece| piece.span.contains(&at)) {
            continue;
        }
        let rest = text.get(index..).unwrap_or("");
        if !rest.starts_with([' ', ':', '.', ';', '：']) {
            continue;
        }
        let ends = [
            ": ",
            " - ",
            " — ",
            " – ",
            ". ",
            "; ",
            ":\n",
            "：",
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
        ]
        .iter()
        .any(|mark| rest.starts_with(mark));
        let before = text.get(..index).unwrap_or("");
        let names = rest.starts_with(':')
            && ["file", "files", "path"]
                .iter()
                .any(|word| before.to_lowercase().ends_with(word));
        // "Replace `x` with `y` in `a`"
        let swaps = rest.starts_with(" with ")
            && ["replace", "swap", "replaced"]
                .iter()
                .any(|word| text.to_lowercase().starts_with(word));
        if ends && !names && !swaps {
            return at;
        }
    }
    span.end
}

/// The paths in a part of a line: code that looks like a path, and words with a slash.
fn objects(source: &DesignText<'_>, line: &InlineText, span: Range<usize>) -> Vec<Object> {
    let part = line.within(span.clone());
    let mut objects: Vec<Object> = Vec::new();
    let mut before: Vec<String> = Vec::new();
    let mut is_joined = false;
    let mut cursor = span.start;
    let pieces = part
        .pieces
        .iter()
        .filter(|piece| matches!(piece.kind, PieceKind::Code(_) | PieceKind::Link { .. }));
    let mut push = |path: WrittenPath, before: &mut Vec<String>, is_joined: &mut bool| {
        let arrow = !objects.is_empty()
            && before.len() == 1
            && before.first().is_some_and(|word| is_arrow(word));
        objects.push(Object {
            path,
            before: std::mem::take(before),
            is_joined: std::mem::take(is_joined),
            arrow,
            is_further: false,
        });
    };
    let words = |range: Range<usize>,
                 before: &mut Vec<String>,
                 is_joined: &mut bool,
                 push: &mut dyn FnMut(WrittenPath, &mut Vec<String>, &mut bool)| {
        let text = source.slice(range.clone());
        let mut at = range.start;
        for word in text.split_inclusive(|c: char| c.is_whitespace() || WIDE.contains(&c)) {
            let trimmed = word.trim_matches(|c: char| c.is_whitespace() || WIDE.contains(&c));
            let bare = trimmed
                .trim_matches(['(', ')', ',', ';', '"', '\''])
                .trim_end_matches('.');
            let offset = at + word.find(bare).unwrap_or(0);
            at += word.len();
            let is_root = is_root_file(bare)
                || bare.starts_with('.') && is_bare_path(bare, true) && !bare.contains('/');
            if is_root || bare.contains('/') && !bare.starts_with('/') && is_bare_path(bare, false)
            {
                let path = WrittenPath {
                    text: bare.to_owned(),
                    span: offset..offset + bare.len(),
                    ..WrittenPath::default()
                };
                push(path, before, is_joined);
                *is_joined = trimmed.ends_with(',');
            } else if !bare.is_empty() {
                let lower = bare.trim_end_matches(':').to_lowercase();
                let lower = languages::preposition(&lower).map_or(lower, str::to_owned);
                if matches!(lower.as_str(), "and" | "和" | "與" | "与") && before.is_empty() {
                    *is_joined = true;
                } else {
                    before.push(lower);
                }
            } else if word.contains([',', '，', '、']) && before.is_empty() {
                *is_joined = true;
            }
        }
    };
    for piece in pieces {
        words(
            cursor..piece.span.start,
            &mut before,
            &mut is_joined,
            &mut push,
        );
        cursor = piece.span.end;
        if let PieceKind::Link { text, target } = &piece.kind
            && is_bare_path(text, true)
            && link::agree(source.path(), text, target).is_ok()
        {
            let path = WrittenPath {
                text: text.trim().to_owned(),
                span: piece.span.clone(),
                ..WrittenPath::default()
            };
            push(path, &mut before, &mut is_joined);
        }
        let PieceKind::Code(text) = &piece.kind else {
            continue;
        };
        let is_path = (text.contains('/') && !text.starts_with('/') || is_root_file(text))
            && has_path_shape(text)
            && !text.contains(['(', '='])
            && !text.starts_with('@');
        if is_path && (is_bare_path(text, true) || text.contains('{')) {
            push(
                WrittenPath::of_code(source, text, piece.span.clone()),
                &mut before,
                &mut is_joined,
            );
        } else {
            before.push("code".to_owned());
        }
    }
    words(cursor..span.end, &mut before, &mut is_joined, &mut push);
    objects
}

/// Names that every tool expects at the root.
fn is_root_file(name: &str) -> bool {
    let is_config = !name.contains('/')
        && [".config.ts", ".config.js", ".config.mjs", ".config.cjs"]
            .iter()
            .any(|end| name.strip_suffix(end).is_some_and(|stem| !stem.is_empty()));
    is_config
        || matches!(
            name,
            "package.json"
                | "README.md"
                | "CHANGELOG.md"
                | "Cargo.toml"
                | "pyproject.toml"
                | "go.mod"
                | "tsconfig.json"
                | ".gitignore"
                | "Makefile"
                | "Dockerfile"
                | "docker-compose.yml"
                | "requirements.txt"
                | "pom.xml"
                | "CLAUDE.md"
                | "AGENTS.md"
                | ".env.example"
        )
}

/// Whether "and" begins another object: "and its port in", "and update".
fn is_further(object: &Object) -> bool {
    let (Some(first), Some(last)) = (object.before.first(), object.before.last()) else {
        return false;
    };
    let is_place = matches!(last.as_str(), "in" | "into" | "to");
    let verb = of_item_word(first);
    let is_written = |action: RowAction| {
        action != RowAction::Mention
            && !action.takes_away()
            && (is_place || object.before.len() == 1)
    };
    let reads = |word: &String| {
        !matches!(word.as_str(), "for") && of_item_word(word) == Some(RowAction::Mention)
    };
    object.is_joined && verb.map_or(is_place, is_written) && !object.before.iter().any(reads)
}

/// The first path that the verb writes, and those joined to it.
fn written(objects: Vec<Object>) -> Vec<Object> {
    // "Write tests for `a` in `b`": `a` is not written, `b` is.
    let stops = |object: &Object| match object.before.last() {
        Some(last) if STOPS.contains(&last.as_str()) => true,
        Some(last) if last != "in" => object
            .before
            .iter()
            .any(|word| STOPS.contains(&word.as_str()) && word != "for" && word != "of"),
        Some(_) => object.before.iter().any(|word| {
            matches!(
                word.as_str(),
                "described"
                    | "defined"
                    | "documented"
                    | "specified"
                    | "listed"
                    | "shown"
                    | "outlined"
                    | "used"
                    | "as"
                    | "similar"
                    | "like"
                    | "pattern"
            )
        }),
        None => false,
    };
    let is_object = |object: &Object| !stops(object);
    let mut kept: Vec<Object> = Vec::new();
    for mut object in objects {
        let continues = object.is_joined && object.before.is_empty() || object.arrow;
        object.is_further = !kept.is_empty() && is_further(&object) && is_object(&object);
        if kept.is_empty() && is_object(&object)
            || !kept.is_empty() && (continues || object.is_further)
        {
            kept.push(object);
        } else if !kept.is_empty() {
            break;
        }
    }
    kept
}
