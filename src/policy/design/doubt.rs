//! Paths that an item names without saying that they change: "maybe `a.rs`", "new tests under `src/`", and names
//! that may lie next to the path before.

use std::ops::Range;

use super::blocks::{InlineText, PieceKind};
use super::cell::is_exclusion;
use super::exclusion::{first_word, words};
use super::problem::{LocatedProblem, Problem, ambiguous, escaped};
use super::source::DesignText;
use super::written_path::WrittenPath;

/// What guard does not know about the paths of an item.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    /// What is not granted.
    pub(super) told: Vec<LocatedProblem>,
    /// Names that count if such a file exists.
    pub(super) asked: Vec<String>,
}

/// Phrases that leave open whether a file changes, or which one.
const OPEN: &[&str] = &[
    "or equivalent",
    "or similar",
    "or wherever",
    "if needed",
    "if necessary",
    "if required",
    "if applicable",
    "if it exists",
    "if they exist",
    "if exists",
    "if present",
    "if any",
    "if still",
    "as needed",
    "where needed",
    "as required",
    "as appropriate",
    "to be determined",
    "may need",
    "might need",
    "if not already",
    "if used",
    "any file that",
    "any files that",
    "only if",
];

/// Words that leave open whether what follows them changes.
const HEDGES: &[&str] = &[
    "possibly",
    "potentially",
    "optionally",
    "maybe",
    "perhaps",
    "likely",
];

/// Words before a directory in which a file without a name lies.
const PLACES: &[&str] = &[
    "in", "under", "below", "beneath", "inside", "within", "across",
];

/// Words for files that an item does not name.
const WIDE: &[&str] = &[
    "any",
    "all",
    "every",
    "everything",
    "other",
    "others",
    "else",
    "various",
    "etc",
    "equivalent",
    "similar",
];

/// Whether a word stands for files that an item does not name.
pub(super) fn is_wide(word: &str) -> bool {
    WIDE.contains(&word)
}

/// Whether a word stands before the place of a file.
pub(super) fn is_place(word: &str) -> bool {
    PLACES.contains(&word)
}

/// Whether a word leaves open whether a file changes.
pub(super) fn is_hedge(word: &str) -> bool {
    HEDGES.contains(&word)
}

/// Whether lower-case text leaves open whether a file changes.
pub(super) fn is_open(text: &str) -> bool {
    has_open_phrase(text) || hedge(text).is_some()
}

/// Whether lower-case text holds such a phrase; a hedge is none: "files likely touched".
pub(super) fn has_open_phrase(text: &str) -> bool {
    word_starts(text).any(|at| OPEN.iter().any(|phrase| text[at..].starts_with(phrase)))
}

/// Words with which a condition begins.
const CONDITIONS: &[&str] = &[
    "if",
    "when",
    "unless",
    "optional",
    "conditional",
    "conditionally",
];

/// Whether the lower-case words of a verb make it depend on something: "modify (if a helper is added)", but not
/// "create (if missing)".
pub(super) fn is_condition(text: &str) -> bool {
    let is_conditional = words(text)
        .iter()
        .any(|word| CONDITIONS.contains(&word.as_str()));
    let is_for_new = || {
        [
            "missing",
            "absent",
            "not exist",
            "n't exist",
            "not present",
            "not there",
        ]
        .iter()
        .any(|phrase| text.contains(phrase))
    };
    is_conditional && !is_for_new()
}

/// Whether a description begins with such words.
pub(super) fn begins_open(text: &str) -> bool {
    if text.is_empty() {
        return false;
    }
    let lower: String = text.chars().take(40).collect::<String>().to_lowercase();
    let lower = lower.trim_start_matches(['(', ' ', '*']);
    let first = first_word(lower);
    first == "if" || OPEN.iter().any(|phrase| lower.starts_with(phrase)) || is_hedge(&first)
}

pub(super) fn open(text: &str) -> Problem {
    let message = format!("`{}`: does this file change or not?", escaped(text.trim()));
    Problem::bad_row(
        "undecided",
        message,
        "decide, and write the path without a condition",
    )
}

/// The first word that leaves open what follows it.
fn hedge(text: &str) -> Option<usize> {
    word_starts(text).find(|&at| begins_with_hedge(&text[at..]))
}

fn begins_with_hedge(text: &str) -> bool {
    let mut behind = HEDGES.iter().filter_map(|word| text.strip_prefix(word));
    behind.any(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Where a word begins that one of these phrases and words may begin with.
fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let pairs = text.as_bytes().windows(2).enumerate();
    let candidates = pairs.filter(|&(_, pair)| {
        matches!(
            *pair,
            [b'a', b'n' | b's']
                | [b'i', b'f']
                | [b'l', b'i']
                | [b'm', b'a' | b'i']
                | [b'o', b'n' | b'p' | b'r']
                | [b'p', b'e' | b'o']
                | [b't', b'o']
                | [b'w', b'h']
        )
    });
    candidates.map(|(at, _)| at).filter(|&at| {
        let before = text.get(..at).unwrap_or("");
        match before.as_bytes().last() {
            Some(byte) if byte.is_ascii() => !byte.is_ascii_alphanumeric(),
            _ => !before.ends_with(char::is_alphanumeric),
        }
    })
}

/// Where the open part of an item begins, if decided paths come before: "`a.rs`, maybe `b.rs`".
pub(super) fn open_from(
    source: &DesignText<'_>,
    item: &InlineText,
    first: &WrittenPath,
    span: &Range<usize>,
) -> Option<usize> {
    // Most items have none, and masking takes longer.
    hedge(&source.slice(first.span.end..span.end).to_ascii_lowercase())?;
    let text = masked(source, item, first.span.end..span.end);
    let at = hedge(&text)?;
    let before = text.get(..at)?.trim_end();
    let is_part = before.ends_with([',', ';', '+', '、', '，', '；', '·'])
        || [" and", " plus"].iter().any(|word| before.ends_with(word));
    is_part.then_some(first.span.end + at)
}

/// The part behind the last path that speaks of files without naming them: "`a.rs`, update all callers".
pub(super) fn unnamed_tail(
    source: &DesignText<'_>,
    item: &InlineText,
    span: &Range<usize>,
) -> Option<Range<usize>> {
    let is_path = |kind: &PieceKind| matches!(kind, PieceKind::Code(_) | PieceKind::Link { .. });
    let mut paths = item.pieces.iter().filter(|piece| {
        is_path(&piece.kind) && piece.span.start >= span.start && piece.span.end <= span.end
    });
    // What stands in parentheses is a remark.
    let (mut depth, mut at, mut start) = (0, paths.clone().next()?.span.start, None);
    paths.by_ref().for_each(|piece| {
        let between = source.slice(at..piece.span.start);
        depth += between.matches(['(', '（']).count();
        depth = depth.saturating_sub(between.matches([')', '）']).count());
        at = piece.span.end;
        if depth == 0 {
            start = Some(piece.span.end);
        }
    });
    let start = start?;
    let marks = [',', ';', '，', '；'];
    if !source.slice(start..span.end).contains(marks) {
        return None;
    }
    let text = masked(source, item, start..span.end);
    let mark = text.find(marks)?;
    let said = words(text.get(mark..)?);
    let is_unnamed = said.iter().any(|word| is_wide(word))
        && said.iter().all(|word| is_wide(word) || !is_exclusion(word));
    is_unnamed.then_some(start + mark..span.end)
}

/// The lower-case text with blanks in place of code and of what stands in parentheses.
fn masked(source: &DesignText<'_>, item: &InlineText, span: Range<usize>) -> String {
    let mut depth = 0_usize;
    let mut masked = String::with_capacity(span.len());
    for (index, c) in source.slice(span.clone()).char_indices() {
        let at = span.start + index;
        let in_piece = item
            .pieces
            .iter()
            .any(|piece| piece.kind != PieceKind::Struck && piece.span.contains(&at));
        let is_close = !in_piece && matches!(c, ')' | '）');
        if !in_piece && matches!(c, '(' | '（') {
            depth += 1;
        }
        if in_piece || depth > 0 {
            masked.extend(std::iter::repeat_n(' ', c.len_utf8()));
        } else {
            masked.push(c.to_ascii_lowercase());
        }
        if is_close {
            depth = depth.saturating_sub(1);
        }
    }
    masked
}

/// Why each path is not granted, if so. `open` is where the open part begins.
pub(super) fn of_paths(
    source: &DesignText<'_>,
    paths: &[WrittenPath],
    open_at: Option<usize>,
    asked: &mut Vec<String>,
) -> Vec<Option<Problem>> {
    let mut doubts: Vec<Option<Problem>> = Vec::with_capacity(paths.len());
    let mut is_place = false;
    for (number, path) in paths.iter().enumerate() {
        is_place = match path.before.last() {
            Some(word) => PLACES.contains(&word.as_str()),
            // "under `a/` or `b/`"
            None => is_place,
        };
        let place = is_place && is_directory(path);
        let before = paths.get(..number).unwrap_or(&[]);
        let doubt = if open_at.is_some_and(|at| path.span.start >= at) {
            Some(open(&path.text))
        } else if place {
            // "`mod.rs` in `src/a/`"
            if let (Some(last), Some(doubt)) = (before.last(), doubts.last_mut())
                && doubt.is_none()
                && !last.text.contains('/')
                && path.before.len() == 1
            {
                *doubt = Some(elsewhere(&last.text, &path.text));
            }
            Some(unnamed(&path.text))
        } else {
            sibling(source, path, before, asked)
        };
        doubts.push(doubt);
    }
    doubts
}

fn is_directory(path: &WrittenPath) -> bool {
    let name = path.text.rsplit('/').next().unwrap_or("");
    path.directory || !name.contains('.') && !path.is_name
}

fn unnamed(text: &str) -> Problem {
    let text = escaped(text);
    ambiguous(format!("which files in `{text}` does this mean?"))
}

fn elsewhere(name: &str, directory: &str) -> Problem {
    let message = format!(
        "`{}` may lie at the root or in `{}`",
        escaped(name),
        escaped(directory)
    );
    let help = "write every path from the repository root";
    Problem::bad_row("relative-paths", message, help)
}

/// A name that looks like a neighbour of a path before it: "`src/a.ts`, `a.test.ts`".
fn sibling(
    source: &DesignText<'_>,
    path: &WrittenPath,
    before: &[WrittenPath],
    asked: &mut Vec<String>,
) -> Option<Problem> {
    let name = path.text.as_str();
    let (stem, extension) = (name.split('.').next()?, name.rsplit_once('.')?.1);
    if name.contains('/') || path.arrow || is_of_root(name, stem) {
        return None;
    }
    let directory = before.iter().rev().find_map(|other| {
        let (directory, near) = other.text.rsplit_once('/')?;
        let is_near = near
            .rsplit_once('.')
            .is_some_and(|(_, end)| is_like(end, extension))
            || near.split('.').next() == Some(stem);
        is_near.then_some(directory)
    })?;
    asked.push(name.to_owned());
    (!path.is_name && !source.is_file(name)).then(|| elsewhere(name, &format!("{directory}/")))
}

/// Whether two extensions belong together: `ts` and `tsx`, `h` and `hpp`.
fn is_like(one: &str, other: &str) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// A new name without a directory, which may lie beside the old one: "`src/a.ts` -> `b.ts`".
pub(super) fn new_name(
    source: &DesignText<'_>,
    old: &WrittenPath,
    new: &WrittenPath,
    asked: &mut Vec<String>,
) -> Option<Problem> {
    let (directory, name) = old.text.trim_end_matches('/').rsplit_once('/')?;
    let to = new.text.as_str();
    let stem = to.split('.').next().unwrap_or(to);
    if to.contains('/') || to == name || is_of_root(to, stem) {
        return None;
    }
    // Any of the two may be a name that looks like something else.
    asked.extend([old, new].into_iter().filter_map(|path| path.code.clone()));
    (!new.is_name && !source.is_file(to)).then(|| elsewhere(to, &format!("{directory}/")))
}

/// Whether a file of this name lies at the root by custom.
pub(super) fn is_root_name(name: &str) -> bool {
    is_of_root(name, name.split('.').next().unwrap_or(name))
}

/// Names that lie at the root by custom: `README.md`, `package.json`, `vite.config.ts`, `.env`.
fn is_of_root(name: &str, stem: &str) -> bool {
    stem.chars().all(|c| !c.is_lowercase())
        || ["package", "package-lock", "tsconfig", "pyproject"].contains(&stem)
        || name.contains(".config.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_words_and_phrases_are_found_where_a_word_begins() {
        for phrase in OPEN.iter().chain(HEDGES) {
            assert!(is_open(&format!("`a.rs` ({phrase} x)")), "{phrase}");
            assert!(is_open(&format!("é—{phrase}")), "{phrase}");
            assert!(!is_open(&format!("x{phrase}")), "{phrase}");
        }
        for text in ["", "diff exists", "the most unlikely one", "maybes"] {
            assert!(!is_open(text), "{text}");
        }
    }
}
