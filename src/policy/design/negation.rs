//! Texts that take back what they stand beside: "(no changes)", "Modify? No", "DO NOT MODIFY".

use super::kind::{self, RowAction};
use super::words::{self, is_in};

/// Punctuation that ends a clause.
const ENDS: [char; 11] = [',', ';', '.', ':', '!', '?', '(', ')', '—', '–', '|'];
/// Words before "not".
const AUX: &str =
    "do|does|did|must|should|shall|will|would|may|can|is|are|was|were|has|have|be|to|or";
/// What "no" takes back.
const CHANGES: &str = "change|changes|modification|modifications|edit|edits|update|updates";
/// States of a file that stays the same.
const SAME: &str = "unchanged|untouched|unmodified";
/// Words that may end the order not to change a file.
const OBJECTS: &str = "it|this|the|these|file|files|here|in|at|all|now|yet|anything|to";

/// Whether a clause of a description forbids changing the file: "scaffolded, DO NOT MODIFY".
pub(super) fn forbids_changes(text: &str) -> bool {
    let clauses = text.split(ENDS).flat_map(|part| part.split(" - "));
    clauses.map(words::words).any(|words| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let rest = match words.as_slice() {
            ["do" | "must", "not", rest @ ..] | ["don't" | "dont" | "never", rest @ ..] => rest,
            _ => return false,
        };
        let is_change = |verb: &str| match kind::of_word(verb) {
            Some(kind) => kind != RowAction::Mention,
            None => verb.starts_with("touch"),
        };
        let rest = rest.strip_prefix(&["be"]).unwrap_or(rest).split_first();
        let is_object = |word: &&str| is_in(word, OBJECTS);
        rest.is_some_and(|(verb, objects)| is_change(verb) && objects.iter().all(is_object))
    })
}

/// Whether a text is a denial phrase, or begins by saying that nothing changes: "Do not modify", "No changes to it".
pub(super) fn denies(text: &str) -> bool {
    let words = words::words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let begins = match *words {
        ["no", noun, ..] => is_in(noun, CHANGES),
        [_, "as", "is", ..] | [_, "alone", ..] => true,
        [word, "not" | "never", ..] if is_in(word, AUX) => true,
        [word, ..] => is_in(word, "not|never|cannot|dont") || word.ends_with("n't"),
        [] => false,
    };
    begins || words::is_denial(text) || words.iter().take(2).any(|word| is_in(word, SAME))
}

/// Whether the text behind a type or a path takes it back: "? No", ": none", "(not yet)", "no files".
pub(super) fn takes_back(rest: &str) -> bool {
    let text = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let clause = text.split(ENDS).next().unwrap_or("");
    let words = words::words(clause.split(" - ").next().unwrap_or(""));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let answers = match *words {
        ["no" | "none" | "na" | "nope" | "nil" | "false"] | ["n", "a"] | ["nothing", ..] => true,
        // "Modify no files", but not "Add no-op handler" or "Update None checks".
        ["no", ..] => rest.starts_with(" no "),
        ["none", ..] => !rest.starts_with(" none "),
        _ => false,
    };
    answers || rest.trim_start().starts_with('?') || denies(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_deny() {
        for text in [
            "No changes",
            "no change needed",
            "No-change",
            "No changes — confirm that all tests pass",
            "No changes to the API",
            "Do not modify",
            "Do not modify the input in place",
            "DO NOT TOUCH this file",
            "don’t change it",
            "won't be modified",
            "is not changed",
            "Never edit",
            "unchanged",
            "stays as is",
            "left untouched",
            "out of scope",
            "(do not)",
            "not yet",
        ] {
            assert!(denies(text), "{text}");
        }
        for text in [
            "",
            "no-op handler",
            "no API change",
            "None checks",
            "no longer needed",
            "notebooks",
            "keep the old name",
            "Left sidebar",
            "Handle a page not found",
            "Page not found",
            "Add optional timeout",
        ] {
            assert!(!denies(text), "{text}");
        }
    }

    #[test]
    fn orders() {
        for text in [
            "DO NOT MODIFY",
            "scaffolded tests, DO NOT MODIFY",
            "already there (do not edit)",
            "Red tests - don't change it",
            "Scaffolded. Must not be modified!",
        ] {
            assert!(forbids_changes(text), "{text}");
        }
        for text in [
            "",
            "new tests",
            "do not modify the input in place",
            "unchanged API, new field",
            "no changes",
            "checks that rows are not modified",
            "never reads it",
        ] {
            assert!(!forbids_changes(text), "{text}");
        }
    }

    #[test]
    fn texts_that_take_back_a_type() {
        for text in [
            "? No",
            "?",
            ": none",
            ": None.",
            " (not yet)",
            " - not needed",
            ": n/a",
            " nothing",
            " no files",
            "no, see below",
            ": none needed",
        ] {
            assert!(takes_back(text), "{text}");
        }
        for text in [
            "",
            " no-op handler",
            " none checks",
            " (no longer a stub)",
            " - no API change",
        ] {
            assert!(!takes_back(text), "{text}");
        }
    }
}
