//! The type words of rows and items, and what a row of each type does with its path.

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
    let found = lists.into_iter().find(|(list, _)| is_in(word, list));
    found.map(|(_, action)| action)
}

/// The type that is the whole of a text, such as `Create` or `add/modify`, which stands before the path of an item.
pub(super) fn of_item(text: &str) -> Option<RowAction> {
    let text = text.trim().to_lowercase();
    let of_item_word = |word: &str| match word.trim() {
        "test" | "write" => Some(RowAction::Grant(Actions::ADD | Actions::MODIFY)),
        "review" | "no change" | "no changes" => Some(RowAction::Mention),
        word => of_word(word),
    };
    let words = text.split(['/', '+', '&']);
    let words: Vec<&str> = words.flat_map(|part| part.split(" and ")).collect();
    match *words {
        [word] => of_item_word(word),
        [first, second] => union(of_item_word(first)?, of_item_word(second)?),
        _ => None,
    }
}

/// The type that a note or the text behind a dash consists of, such as `(new)` or `(all deleted)`.
pub(super) fn of_note(text: &str) -> Option<RowAction> {
    let text = text.trim().to_lowercase();
    let word = text.strip_prefix("all ").map_or(text.as_str(), str::trim);
    match word {
        "read-only" => Some(RowAction::Mention),
        _ if is_in(
            word,
            "new|created|modified|updated|deleted|removed|unchanged|existing|reference",
        ) =>
        {
            of_word(word)
        }
        _ => None,
    }
}

/// Add with Modify, or a type with itself; no other union makes sense.
pub(super) fn union(a: RowAction, b: RowAction) -> Option<RowAction> {
    let (new, old) = (RowAction::Grant(add()), RowAction::Grant(Actions::MODIFY));
    match (a, b) {
        _ if a == b => Some(a),
        _ if (a, b) == (new, old) || (a, b) == (old, new) => {
            Some(RowAction::Grant(Actions::ADD | Actions::MODIFY))
        }
        _ => None,
    }
}

/// What to write where a text is not a type.
pub(super) fn help(text: &str) -> String {
    let text = text.to_lowercase();
    let word = text.split(|c: char| !c.is_alphanumeric()).next();
    match word.and_then(of_word) {
        Some(_) => "write only the type, and a reason in parentheses; to edit the file, write Modify; if nothing changes, write No change".to_owned(),
        None => "write one of Add, Modify, Add/Modify, Delete, Rename, Symlink, Submodule, Exists".to_owned(),
    }
}
