//! The types of rows and items: what they do with their path.

use super::negation::{Negation, negation};
use super::words::is_in;
use crate::policy::Actions;

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
        match self {
            RowAction::Grant(actions) => actions.contains(Actions::DELETE),
            RowAction::Rename => true,
            RowAction::Mention => false,
        }
    }
}

/// What an `Add` row grants.
pub(super) fn add() -> Actions {
    Actions::ADD | Actions::MODIFY_NEW
}

/// The meaning of a word in lower case.
pub(super) fn of_word(word: &str) -> Option<RowAction> {
    let lists = [
        (
            "add|adds|added|adding|new|create|creates|created|creating",
            RowAction::Grant(add()),
        ),
        (
            "modify|modifies|modified|modifying|update|updates|updated|updating|edit|edits|edited|editing|\
             change|changes|changed|changing|rewrite|rewrites|rewritten|rewriting",
            RowAction::Grant(Actions::MODIFY),
        ),
        (
            "delete|deletes|deleted|deleting|remove|removes|removed|removing",
            RowAction::Grant(Actions::DELETE),
        ),
        (
            "rename|renames|renamed|renaming|move|moves|moved|moving",
            RowAction::Rename,
        ),
        ("symlink|symlinked", RowAction::Grant(Actions::SYMLINK)),
        ("submodule", RowAction::Grant(Actions::SUBMODULE)),
        (
            "exist|exists|existing|verify|verifies|verified|unchanged|read|check|keep|reference",
            RowAction::Mention,
        ),
    ];
    lists
        .into_iter()
        .find(|(list, _)| is_in(word, list))
        .map(|(_, action)| action)
}

/// The meaning of a word at the start of an item, in lower case.
fn of_item_word(word: &str) -> Option<RowAction> {
    match word {
        "test" | "write" => Some(RowAction::Grant(Actions::ADD | Actions::MODIFY)),
        "review" => Some(RowAction::Mention),
        word => of_word(word),
    }
}

/// The type that is the whole of a text, such as `Create` or `add/modify`, which stands before the path of an item.
pub(super) fn of_item(text: &str) -> Option<RowAction> {
    let text = text.trim().to_lowercase();
    if is_in(&text, "no change|no changes") {
        return Some(RowAction::Mention);
    }
    let mut kinds = text
        .split(['/', '+', '&'])
        .flat_map(|part| part.split(" and "))
        .map(|word| of_item_word(word.trim()));
    let first = kinds.next()??;
    match (kinds.next(), kinds.next()) {
        (None, _) => Some(first),
        (Some(second), None) => union(first, second?),
        _ => None,
    }
}

/// The type that a note or the text behind a dash consists of, such as `(new)` or `(all deleted)`.
pub(super) fn of_note(text: &str) -> Option<RowAction> {
    let text = text.trim().to_lowercase();
    let word = text.strip_prefix("all ").map_or(text.as_str(), str::trim);
    match word {
        "new" | "created" | "modified" | "updated" | "deleted" | "removed" | "unchanged"
        | "existing" | "reference" => of_word(word),
        "read-only" => Some(RowAction::Mention),
        _ => None,
    }
}

/// The leading run of letters and digits, and what follows.
pub(super) fn split_word(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    text.split_at(end)
}

/// A type that was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) kind: RowAction,
    /// `(Directory)`: the row covers everything below its path.
    pub(super) directory: bool,
    /// Whether only parentheses follow the word.
    pub(super) bare: bool,
}

/// The types to list in help.
pub(super) const KNOWN: &str =
    "Add, Modify, Add/Modify, Delete, Rename, Symlink, Submodule, Exists";

/// Reads a type cell: one word, or two joined by `/`, `+`, `&`, "and" or "or". Text after it is ignored, except if it
/// negates the type, or after Delete and Rename: "Remove unused imports" deletes no file.
pub(super) fn parse(text: &str) -> Option<Type> {
    let text = text.to_lowercase();
    let (kind, rest) = leading(&text)?;
    let bare = is_bare(rest);
    if is_denied(kind, rest) || kind.takes_away() && !bare {
        return None;
    }
    let (next, _) = split_word(rest.trim_start().trim_start_matches('(').trim_start());
    Some(Type {
        kind,
        directory: is_directory(next),
        bare,
    })
}

/// Help for a text that is not a type.
pub(super) fn help(text: &str) -> String {
    if denies(text) {
        "write `No change`, or remove the row".to_owned()
    } else if is_phrase(text) {
        "to edit the file, write Modify; to remove it, write only Delete or Rename, with the reason in parentheses".to_owned()
    } else {
        format!("write one of {KNOWN}")
    }
}

/// Whether a cell contains only a type, or says that nothing changes.
pub(super) fn is_bare_cell(text: &str) -> bool {
    parse(text).is_some_and(|found| found.bare) || denies(text)
}

/// Whether a text says that its file is not changed: "Modify? No", "Changes: none", "do not modify".
pub(super) fn denies(text: &str) -> bool {
    if text.is_empty() {
        return false;
    }
    let lower = text.to_lowercase();
    negation(text).is_some() || leading(&lower).is_some_and(|(kind, rest)| is_denied(kind, rest))
}

/// Whether a cell says so below this header: "none" does below "Changes", but not below "Notes".
pub(super) fn denies_below(header: &str, text: &str) -> bool {
    let header = header.to_lowercase();
    let asks = of_word(split_word(&header).0).is_some();
    let is_mention = |found: Type| found.bare && found.kind == RowAction::Mention;
    // "Keep it. No change needed"
    let keeps = || {
        let lower = text.to_lowercase();
        let first = of_word(split_word(&lower).0);
        let mut rest = lower.split(". ").skip(1);
        first == Some(RowAction::Mention) && rest.any(|sentence| sentence.starts_with("no change"))
    };
    match negation(text) {
        Some(Negation::Statement) => true,
        Some(_) => asks,
        None if asks && keeps() => true,
        None => denies(text) || asks && parse(text).is_some_and(is_mention),
    }
}

/// Whether a text starts with a verb whose object is not the file: "Remove the debug flag from".
pub(super) fn is_phrase(text: &str) -> bool {
    let text = text.to_lowercase();
    let Some((kind, rest)) = leading(&text) else {
        return false;
    };
    let is_edit = kind.takes_away() || kind == RowAction::Grant(add());
    let has_object = rest
        .trim_start()
        .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '(' | '"' | '\''));
    is_edit && has_object && !is_bare(rest) && !is_denied(kind, rest)
}

/// The type at the start of a lower-case text, and the rest.
fn leading(text: &str) -> Option<(RowAction, &str)> {
    let (word, mut rest) = split_word(text.trim_start_matches(|c: char| !c.is_alphanumeric()));
    let mut kind = if word == "no" {
        let (next, tail) = split_word(rest.trim_start_matches([' ', '-']));
        rest = tail;
        matches!(next, "change" | "changes").then_some(RowAction::Mention)?
    } else {
        of_word(word)?
    };
    if let Some(tail) = rest.trim_start().strip_prefix(['/', '+', '&']) {
        let (word, tail) = split_word(tail.trim_start_matches(|c: char| !c.is_alphanumeric()));
        kind = union(kind, of_word(word)?)?;
        rest = tail;
        if rest.trim_start().starts_with(['/', '+', '&']) {
            return None;
        }
    } else if let Some((other, tail)) = and_word(rest) {
        kind = union(kind, other)?;
        rest = tail;
    }
    Some((kind, rest))
}

/// Whether the rest negates or questions the type.
fn is_denied(kind: RowAction, rest: &str) -> bool {
    if kind == RowAction::Mention {
        return false;
    }
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("or ").unwrap_or(rest);
    if let Some(answer) = rest.strip_prefix('?') {
        let (word, _) = split_word(answer.trim_start_matches(|c: char| !c.is_alphanumeric()));
        return word != "yes";
    }
    match negation(rest) {
        Some(Negation::Reason) => !kind.takes_away(),
        found => found.is_some(),
    }
}

/// Whether no word follows outside parentheses, except "directory".
fn is_bare(rest: &str) -> bool {
    let (word, tail) = split_word(rest.trim_start());
    let mut rest = if is_directory(word) { tail } else { rest };
    loop {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '(');
        let Some(inner) = rest.strip_prefix('(') else {
            return rest.is_empty();
        };
        let Some(tail) = behind_parenthesis(inner) else {
            return false;
        };
        rest = tail;
    }
}

/// The text after the closing parenthesis.
fn behind_parenthesis(text: &str) -> Option<&str> {
    let mut depth = 1_usize;
    for (index, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(index + 1..);
        }
    }
    None
}

fn is_directory(word: &str) -> bool {
    matches!(word, "directory" | "dir")
}

/// "Add and modify" is two types; "Modify and add tests" is one with a remark.
fn and_word(rest: &str) -> Option<(RowAction, &str)> {
    let (joint, tail) = split_word(rest.trim_start());
    let (word, tail) = split_word(tail.trim_start());
    let ends = tail.trim_start().is_empty() || tail.trim_start().starts_with('(');
    matches!(joint, "and" | "or").then_some(())?;
    ends.then_some((of_word(word)?, tail))
}

/// Add with Modify, or a type with itself; no other union makes sense.
fn union(a: RowAction, b: RowAction) -> Option<RowAction> {
    let modify = RowAction::Grant(Actions::MODIFY);
    match (a, b) {
        _ if a == b => Some(a),
        (RowAction::Grant(actions), other) | (other, RowAction::Grant(actions))
            if other == modify && actions == add() =>
        {
            Some(RowAction::Grant(Actions::ADD | Actions::MODIFY))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const MODIFY: RowAction = RowAction::Grant(Actions::MODIFY);
    const DELETE: RowAction = RowAction::Grant(Actions::DELETE);

    fn kind(text: &str) -> Option<RowAction> {
        parse(text).map(|found| found.kind)
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
            assert!(parse(text).unwrap().directory, "{text}");
        }
        assert!(!parse("Add (to the directory)").unwrap().directory);
    }
}
