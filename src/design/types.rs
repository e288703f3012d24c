//! The words for what happens to a file: the types of rows and items, and the texts that take them back.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::{is_in, words};
use crate::scope::Actions;

const ADD: &str = "add|adds|added|adding|new|create|creates|created|creating";
const MODIFY: &str = "modify|modifies|modified|modifying|update|updates|updated|updating|edit|edits|edited|editing|\
    change|changes|changed|changing|rewrite|rewrites|rewritten|rewriting";
const DELETE: &str = "delete|deletes|deleted|deleting|remove|removes|removed|removing";
const RENAME: &str = "rename|renames|renamed|renaming|move|moves|moved|moving";
const MENTION: &str = "exist|exists|existing|verify|verifies|verified|unchanged|read|check|keep|reference|read-only|\
    no change|no changes|no-change|no-changes";
/// What a note may consist of.
const NOTES: &str =
    "new|created|modified|updated|deleted|removed|unchanged|existing|reference|read-only";

/// What a row does with its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowAction {
    /// Grants these actions.
    Grant(Actions),
    /// Deletes the old path; adds and modifies the new one.
    Rename,
    /// Names the path without granting it.
    Mention,
}

impl RowAction {
    /// Whether it may remove a path.
    pub(super) fn takes_away(self) -> bool {
        self == RowAction::Rename
            || matches!(self, RowAction::Grant(actions) if actions.contains(Actions::DELETE))
    }
}

/// What an `Add` row grants.
pub(super) fn add() -> Actions {
    Actions::ADD | Actions::MODIFY_NEW
}

/// What a row without a type grants.
pub(super) fn any() -> Actions {
    Actions::ADD | Actions::MODIFY
}

/// The meaning of a word in lower case.
pub(super) fn of_word(word: &str) -> Option<RowAction> {
    let is = |list: &str| is_in(word, list);
    Some(match word {
        "symlink" | "symlinked" => RowAction::Grant(Actions::SYMLINK),
        "submodule" => RowAction::Grant(Actions::SUBMODULE),
        _ if is(ADD) => RowAction::Grant(add()),
        _ if is(MODIFY) => RowAction::Grant(Actions::MODIFY),
        _ if is(DELETE) => RowAction::Grant(Actions::DELETE),
        _ if is(RENAME) => RowAction::Rename,
        _ if is(MENTION) => RowAction::Mention,
        _ => return None,
    })
}

/// The type that is the whole of a text, such as `Create` or `add/modify`, which stands before the path of an item.
pub(super) fn of_item(text: &str) -> Option<RowAction> {
    joined(text, |word| match word {
        "test" | "write" => Some(RowAction::Grant(any())),
        "review" => Some(RowAction::Mention),
        word => of_word(word),
    })
}

/// One type, Add with Modify, or a type with itself.
pub(super) fn joined(text: &str, of_word: impl Fn(&str) -> Option<RowAction>) -> Option<RowAction> {
    let text = text.to_lowercase();
    let text = text.replace(['+', '&'], "/").replace(" and ", "/");
    let kinds = text.split('/').map(|word| of_word(word.trim()));
    let kinds: Option<Vec<RowAction>> = kinds.collect();
    let both = [RowAction::Grant(add()), RowAction::Grant(Actions::MODIFY)];
    match *kinds? {
        [one] => Some(one),
        [a, b] if a == b => Some(a),
        [a, b] if both.contains(&a) && both.contains(&b) => Some(RowAction::Grant(any())),
        _ => None,
    }
}

/// The type that a note or the text behind a dash consists of, such as `(new)` or `(all deleted)`.
pub(super) fn of_note(text: &str) -> Option<RowAction> {
    let text = text.trim().to_lowercase();
    let word = text.strip_prefix("all ").map_or(text.as_str(), str::trim);
    of_word(word).filter(|_| is_in(word, NOTES))
}

/// Reads a type cell: one word, or two joined by `/`, `+`, `&`, "and" or "or", and whether it says that the row covers
/// everything below its path. Text after it is ignored, except if it takes the type back, or after Delete and Rename:
/// "Remove unused imports" deletes no file.
pub(super) fn of_cell(text: &str) -> Option<(RowAction, bool)> {
    let text = text.to_lowercase();
    let (kind, rest) = leading(&text)?;
    let is_denied = || takes_back(rest) || rest.contains('?') || words::denies(rest, true);
    if kind != RowAction::Mention && is_denied() || kind.takes_away() && !is_bare(rest) {
        return None;
    }
    let (next, _) = split_word(rest.trim_start().trim_start_matches('('));
    Some((kind, matches!(next, "directory" | "dir")))
}

/// Whether a cell contains only a type, or says that nothing changes.
pub(super) fn is_bare_cell(text: &str) -> bool {
    let is_type = || leading(&text.to_lowercase()).is_some_and(|(_, rest)| is_bare(rest));
    of_cell(text).is_some() && is_type() || denies_below("change", text)
}

/// Whether a cell of a table without types says that the file does not change. "none" does below "Changes", but not
/// below "Notes".
pub(super) fn denies_below(header: &str, text: &str) -> bool {
    let asks = of_word(split_word(header).0).is_some();
    let begins = match leading(&text.to_lowercase()) {
        Some((RowAction::Mention, rest)) => asks && (is_bare(rest) || words::denies(rest, true)),
        Some((_, rest)) => takes_back(rest),
        None => asks && takes_back(text),
    };
    begins || denies(text)
}

/// The type at the start of a lower-case text, and the rest. "Add and modify" is two types; "Modify and add tests" is
/// one with a remark.
fn leading(text: &str) -> Option<(RowAction, &str)> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let ends = ['(', '—', '–', ':', ',', ';', '.', '?', '!'];
    let head = text.split(ends).next().unwrap_or("").trim_end();
    if let Some(kind) = joined(&head.replace(" or ", "/"), of_word) {
        return Some((kind, text.get(head.len()..)?));
    }
    let (word, rest) = split_word(text);
    let is_type = |word: &String| of_word(word).is_some() || is_in(word, "and|or");
    let is_list = rest.trim_start().starts_with(['/', '+', '&']);
    let is_joined = is_list || words::words(head).iter().all(is_type);
    let kind = of_word(word).filter(|_| !is_joined)?;
    Some((kind, rest))
}

/// Whether no word follows outside parentheses, except "directory".
fn is_bare(rest: &str) -> bool {
    let mut depth = 0_usize;
    let is_outside = |c: &char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    };
    let outside: String = rest.chars().filter(is_outside).collect();
    depth == 0 && is_in(&words::joined(&outside), "|directory|dir")
}

/// The leading run of letters and digits, and what follows.
fn split_word(text: &str) -> (&str, &str) {
    let is_end = |c: char| !c.is_alphanumeric();
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}

/// Punctuation that ends a clause.
const ENDS: [char; 11] = [',', ';', '.', ':', '!', '?', '(', ')', '—', '–', '|'];
/// Words before "not".
const AUX: &str =
    "do|does|did|must|should|shall|will|would|may|can|is|are|was|were|has|have|be|to|or";
/// What "no" takes back.
const CHANGES: &str = "change|changes|modification|modifications|edit|edits|update|updates";
/// States of a file that stays the same.
const SAME: &str = "unchanged|untouched|unmodified";

/// The clauses of a text, in lower case and without punctuation.
fn clauses(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(ENDS).flat_map(|part| part.split(" - "));
    parts.map(words::joined)
}

/// The order not to do what a type says, and words that may end it.
static PROHIBITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let order = "(?:(?:do|must) not|don't|dont|never)(?: be)?";
    let verb = format!("symlink|symlinked|submodule|{ADD}|{MODIFY}|{DELETE}|{RENAME}|touch\\S*");
    let object = "it|this|the|these|file|files|here|in|at|all|now|yet|anything|to";
    Regex::new(&format!("^{order} (?:{verb})(?: (?:{object}))*$")).ok()
});

/// Whether a clause of a description forbids changing the file: "scaffolded, DO NOT MODIFY".
pub(super) fn forbids_changes(text: &str) -> bool {
    // Few clauses begin like an order, and the pattern takes long to build.
    let begins = |clause: &String| is_in(split_word(clause).0, "do|must|don|dont|never");
    let mut orders = clauses(text).filter(begins);
    orders.any(|clause| {
        let pattern = PROHIBITION.as_ref();
        pattern.is_none_or(|pattern| pattern.is_match(&clause))
    })
}

/// Whether a text is a denial phrase, or begins by saying that nothing changes: "Do not modify", "No changes to it".
pub(super) fn denies(text: &str) -> bool {
    let text = words::joined(text);
    let words: Vec<&str> = text.split(' ').collect();
    let begins = match *words {
        ["no", noun, ..] => is_in(noun, CHANGES),
        [_, "as", "is", ..] | [_, "alone", ..] => true,
        [word, "not" | "never", ..] if is_in(word, AUX) => true,
        [word, ..] => is_in(word, "not|never|cannot|dont") || word.ends_with("n't"),
        [] => false,
    };
    begins || words::is_denial(&text) || words.iter().take(2).any(|word| is_in(word, SAME))
}

/// Whether the text behind a type or a path takes it back: "? No", ": none", "(not yet)", "no files".
pub(super) fn takes_back(rest: &str) -> bool {
    let text = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let clause = clauses(text).next().unwrap_or_default();
    let answers = match clause.split_once(' ') {
        None => is_in(&clause, "no|none|na|nope|nil|false|nothing"),
        // "Modify no files", but not "Add no-op handler" or "Update None checks".
        Some(("no", _)) => rest.starts_with(" no "),
        Some(("none", _)) => !rest.starts_with(" none "),
        Some((word, _)) => word == "nothing" || clause == "n a",
    };
    answers || rest.trim_start().starts_with('?') || denies(rest)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const MODIFY: RowAction = RowAction::Grant(Actions::MODIFY);
    const DELETE: RowAction = RowAction::Grant(Actions::DELETE);

    fn kind(text: &str) -> Option<RowAction> {
        of_cell(text).map(|(kind, _)| kind)
    }

    #[test]
    fn any_case_and_participle() {
        for text in [
            "Add",
            "ADD",
            "Added",
            "New",
            "New module",
            "Create",
            "created",
            "Add keyring dependency",
            "➕ Add",
        ] {
            assert_eq!(kind(text), Some(RowAction::Grant(add())), "{text}");
        }
        for text in [
            "Modify",
            "Modified (add Markdig version)",
            "UPDATE",
            "Edit",
            "Change",
            "Rewrite — all",
            "Modify (future)",
        ] {
            assert_eq!(kind(text), Some(MODIFY), "{text}");
        }
        for text in ["Delete", "Removed"] {
            assert_eq!(kind(text), Some(DELETE), "{text}");
        }
        assert_eq!(kind("Moved"), Some(RowAction::Rename));
        assert_eq!(kind("Symlink"), Some(RowAction::Grant(Actions::SYMLINK)));
        assert_eq!(
            kind("Submodule"),
            Some(RowAction::Grant(Actions::SUBMODULE))
        );
    }

    #[test]
    fn two_words() {
        let both = Some(RowAction::Grant(Actions::ADD | Actions::MODIFY));
        for text in [
            "Add/Modify",
            "Add / Modify",
            "Modify/Add",
            "Create & Update",
            "add or modify",
            "Add and modify (tests)",
        ] {
            assert_eq!(kind(text), both, "{text}");
        }
        assert_eq!(kind("Modify and add tests"), Some(MODIFY));
        assert_eq!(kind("Create/New"), Some(RowAction::Grant(add())));
    }

    #[test]
    fn combination_never_grants_deletion() {
        for text in [
            "Add / Modify / Delete",
            "ADD / MODIFY / REMOVE",
            "Modify/Delete",
            "Delete or add",
            "Add/Foo",
        ] {
            assert_eq!(kind(text), None, "{text}");
        }
    }

    #[test]
    fn named_but_not_granted() {
        for text in [
            "Exists",
            "Existing Directory",
            "Verify",
            "Unchanged",
            "No change",
            "No changes",
            "no-change",
        ] {
            assert_eq!(kind(text), Some(RowAction::Mention), "{text}");
        }
    }

    #[test]
    fn unknown() {
        for text in [
            "",
            "-",
            "Frobnicate",
            "Do not modify",
            "Not modified",
            "No",
            "Python",
            "Addendum",
            "M",
        ] {
            assert_eq!(kind(text), None, "{text}");
        }
    }

    #[test]
    fn directory() {
        for text in [
            "Add (Directory)",
            "Modify (directory)",
            "Existing Directory",
            "Add/Modify (Directory)",
        ] {
            assert!(of_cell(text).unwrap().1, "{text}");
        }
        assert!(!of_cell("Add (to the directory)").unwrap().1);
    }

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
