//! Types: what a row says is to happen to its paths. One function reads a type wherever it stands.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::words::{joined, words};
use crate::scope::Actions;

/// What a row does with its paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowAction {
    /// Grants these actions.
    Grant(Actions),
    /// Deletes the old path; adds and modifies the new one.
    Rename,
    /// Names the path without granting it.
    Mention,
}

/// What an Add row grants.
pub(super) fn add() -> Actions {
    Actions::ADD | Actions::MODIFY_NEW
}

/// What a row without a type grants.
pub(super) fn any() -> Actions {
    Actions::ADD | Actions::MODIFY
}

/// Words for one action, in lower case.
struct TypeWords {
    words: &'static [&'static str],
    action: fn() -> RowAction,
}

const TYPES: &[TypeWords] = &[
    TypeWords {
        words: &[
            "add", "adds", "added", "adding", "new", "create", "creates", "created", "creating",
            "write", "writes", "written", "writing",
        ],
        action: || RowAction::Grant(add()),
    },
    TypeWords {
        words: &[
            "modify",
            "modifies",
            "modified",
            "modifying",
            "update",
            "updates",
            "updated",
            "updating",
            "edit",
            "edits",
            "edited",
            "editing",
            "change",
            "changes",
            "changed",
            "changing",
            "rewrite",
            "rewrites",
            "rewritten",
            "rewriting",
        ],
        action: || RowAction::Grant(Actions::MODIFY),
    },
    TypeWords {
        words: &["test"],
        action: || RowAction::Grant(any()),
    },
    TypeWords {
        words: &[
            "delete", "deletes", "deleted", "deleting", "remove", "removes", "removed", "removing",
        ],
        action: || RowAction::Grant(Actions::DELETE),
    },
    TypeWords {
        words: &[
            "rename", "renames", "renamed", "renaming", "move", "moves", "moved", "moving",
        ],
        action: || RowAction::Rename,
    },
    TypeWords {
        words: &["symlink", "symlinked"],
        action: || RowAction::Grant(Actions::SYMLINK),
    },
    TypeWords {
        words: &["submodule"],
        action: || RowAction::Grant(Actions::SUBMODULE),
    },
    TypeWords {
        words: &[
            "exist",
            "exists",
            "existing",
            "verify",
            "verifies",
            "verified",
            "unchanged",
            "no change",
            "no changes",
            "read",
            "read only",
            "check",
            "checked",
            "review",
            "reviewed",
            "reference",
            "references",
            "keep",
            "keeps",
            "kept",
            "done",
            "skip",
            "skipped",
        ],
        action: || RowAction::Mention,
    },
];

/// Words that a type may be followed by: "New file", "Existing Directory".
const NOUNS: &[&str] = &["file", "files", "module", "modules"];
const DIRECTORIES: &[&str] = &["directory", "directories", "dir", "folder"];

/// What may stand behind a type in parentheses or behind a dash without changing it. A note that is itself a type is
/// judged as any other remark: "Modify (deleted)" contradicts itself.
const NOTES: &[&str] = &[
    "test",
    "tests",
    "unit test",
    "unit tests",
    "integration test",
    "integration tests",
    "doc",
    "docs",
    "documentation",
    "config",
    "configuration",
    "minor",
    "major",
    "small",
    "large",
    "trivial",
    "file",
    "files",
    "module",
];

/// The most bytes of a type with its note and blanks around it. A description is longer, and need not be searched.
const LONGEST: usize = 96;

/// A type as a row states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowType {
    pub(super) action: RowAction,
    /// Whether the type says that the paths are directories.
    pub(super) is_directory: bool,
}

/// The meaning of one type word in lower case.
pub(super) fn of_word(word: &str) -> Option<RowAction> {
    let entry = TYPES.iter().find(|entry| entry.words.contains(&word))?;
    Some((entry.action)())
}

/// The type that is the whole of a text, with or without its known note.
pub(super) fn of_text(text: &str) -> Option<RowType> {
    if text.len() > LONGEST || !begins_as_type(text) {
        return None;
    }
    let text = text.trim().to_lowercase();
    let (head, note) = split_note(&text)?;
    let mut found = of_head(head)?;
    if let Some(note) = note {
        if DIRECTORIES.contains(&note) {
            found.is_directory = true;
        } else if !is_known_note(note, found.action) {
            return None;
        }
    }
    Some(found)
}

/// The first words of all types.
static FIRST_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let words = TYPES.iter().flat_map(|entry| entry.words);
    words.filter_map(|word| word.split(' ').next()).collect()
});

/// Whether a text begins with the first word of a type, as hardly any description does.
fn begins_as_type(text: &str) -> bool {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_alphabetic());
    let first = &text[..end.unwrap_or(text.len())];
    FIRST_WORDS.contains(first.to_lowercase().as_str())
}

/// A type and the note behind it: in parentheses, or behind a dash. `None` if more follows.
fn split_note(text: &str) -> Option<(&str, Option<&str>)> {
    if let Some((head, rest)) = text.split_once('(') {
        let note = rest.strip_suffix(')')?;
        return Some((head.trim(), Some(note.trim())));
    }
    for dash in [" - ", " – ", " — ", "–", "—"] {
        if let Some((head, note)) = text.split_once(dash) {
            return Some((head.trim(), Some(note.trim())));
        }
    }
    Some((text, None))
}

/// One type, Add with Modify, or a type with itself; and a noun.
fn of_head(head: &str) -> Option<RowType> {
    let mut parts: Vec<&str> = head.split_whitespace().collect();
    let mut is_directory = false;
    if let Some(noun) = parts.last()
        && (NOUNS.contains(noun) || DIRECTORIES.contains(noun))
    {
        is_directory = DIRECTORIES.contains(noun);
        parts.pop();
    }
    let separated = parts
        .join(" ")
        .replace(['+', '&', ','], "/")
        .replace(" and ", "/")
        .replace(" or ", "/");
    let mut actions = Vec::new();
    for word in separated.split('/') {
        // "read-only" and "no-change" have a hyphen of their own.
        actions.push(of_word(&word.trim().replace('-', " "))?);
    }
    let both = [
        RowAction::Grant(add()),
        RowAction::Grant(Actions::MODIFY),
        RowAction::Grant(any()),
    ];
    let action = match *actions {
        [one] => one,
        [first, second] if first == second => first,
        [first, second] if both.contains(&first) && both.contains(&second) => {
            RowAction::Grant(any())
        }
        _ => return None,
    };
    Some(RowType {
        action,
        is_directory,
    })
}

/// Whether a text is one of the known notes, which say nothing about the type.
pub(super) fn is_note(text: &str) -> bool {
    NOTES.contains(&joined(text).as_str())
}

/// Whether a note leaves the type as it is: a word of the list, a type that agrees, or line numbers.
fn is_known_note(note: &str, action: RowAction) -> bool {
    // "tests?" and "minor ✗" say more than their words.
    let is_plain = note
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-'));
    let is_known =
        is_note(note) || of_word(&joined(note)).is_some_and(|other| agrees(action, other));
    is_plain && is_known || is_line_note(note)
}

/// "lines 12-34", "L10", "+12/-3", "~40 lines".
pub(super) fn is_line_note(note: &str) -> bool {
    let has_digit = note.contains(|c: char| c.is_ascii_digit());
    let is_plain = note
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "+-–~/,: ".contains(c));
    has_digit && is_plain && words(note).iter().all(|word| is_line_word(word))
}

/// A number, with or without `l` in front, or a word for lines.
fn is_line_word(word: &str) -> bool {
    let number = word.trim_start_matches('l');
    matches!(word, "line" | "lines" | "l" | "loc") || number.bytes().all(|c| c.is_ascii_digit())
}

/// Whether a row of one type may also be called by the other: the same, or a part of Add/Modify.
pub(super) fn agrees(action: RowAction, other: RowAction) -> bool {
    let is_part = matches!(other, RowAction::Grant(other) if other == add()
        || other == Actions::MODIFY || other == any());
    action == other || action == RowAction::Grant(any()) && is_part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(text: &str) -> Option<RowAction> {
        of_text(text).map(|said| said.action)
    }

    #[test]
    fn only_a_text_that_begins_as_a_type_is_read_further() {
        for text in ["Add", " deleted (x)", "NEW file", "create/modify"] {
            assert!(begins_as_type(text), "{text}");
        }
        for text in ["the parser", "", "(add)", "address"] {
            assert!(!begins_as_type(text), "{text}");
        }
    }

    #[test]
    fn a_note_of_lines_has_a_number_and_nothing_but_lines() {
        for note in [
            "lines 12-34",
            "L10",
            "l10-20",
            "+12/-3",
            "~40 lines",
            "40 LOC",
        ] {
            assert!(is_line_note(&note.to_lowercase()), "{note}");
        }
        for note in ["lines", "+/-", "v2", "10 files", "lines (12)", "12!", "a 1"] {
            assert!(!is_line_note(note), "{note}");
        }
    }

    #[test]
    fn each_word_is_a_type_in_any_case_and_a_changed_letter_is_none() {
        for entry in TYPES {
            for word in entry.words {
                let expected = Some((entry.action)());
                assert_eq!(action(word), expected, "{word}");
                assert_eq!(action(&word.to_uppercase()), expected, "{word}");
                for changed in [
                    format!("x{word}"),
                    format!("{word}x"),
                    word.replace('e', "\u{435}"),
                ] {
                    if changed != *word {
                        assert_eq!(action(&changed), None, "{changed}");
                    }
                }
            }
        }
    }

    #[test]
    fn two_words() {
        let both = Some(RowAction::Grant(any()));
        for text in [
            "Add/Modify",
            "Add / Modify",
            "Create & Update",
            "add or modify",
            "Add, modify",
        ] {
            assert_eq!(action(text), both, "{text}");
        }
        assert_eq!(action("Create/New"), Some(RowAction::Grant(add())));
        for text in [
            "Add / Modify / Delete",
            "Modify/Delete",
            "Delete or add",
            "Add/Foo",
        ] {
            assert_eq!(action(text), None, "{text}");
        }
    }

    #[test]
    fn only_known_notes_may_follow() {
        for note in NOTES {
            for text in [
                format!("Modify ({note})"),
                format!("Modify — {note}"),
                format!("Modify - {note}"),
            ] {
                assert_eq!(
                    action(&text),
                    Some(RowAction::Grant(Actions::MODIFY)),
                    "{text}"
                );
            }
        }
        for text in [
            "Modify (lines 12-34)",
            "Modify (L10)",
            "Modify (+12/-3)",
            "Modify (modified)",
            "New file",
        ] {
            assert!(action(text).is_some(), "{text}");
        }
        for text in [
            "Modify (if approved)",
            "Modify in phase 2",
            "Modified elsewhere",
            "Modify?",
            "Modify (",
            "Modify (deleted)",
            "Modify (tests?)",
            "Modify (minor ✗)",
            "Modify (future)",
            "Modify - rejected",
            "❌ Modify",
            "Modify 🚫",
            "Do not modify",
            "Unmodified",
            "Modify tests",
            "Add keyring dependency",
            "Modify (tests) later",
            "nicht ändern",
            "",
            "-",
            "M",
        ] {
            assert_eq!(action(text), None, "{text}");
        }
    }

    #[test]
    fn a_type_may_say_directory() {
        for text in [
            "Add (Directory)",
            "Modify (directory)",
            "Existing Directory",
            "Add/Modify (folder)",
        ] {
            assert!(
                of_text(text).is_some_and(|said| said.is_directory),
                "{text}"
            );
        }
        assert_eq!(of_text("Add (to the directory)"), None);
    }
}
