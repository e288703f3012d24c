//! The type words of rows and items, and what a row of each type does with its path.

use super::words::is_in;
use crate::policy::Actions;

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
        "test" | "write" => Some(RowAction::Grant(Actions::ADD | Actions::MODIFY)),
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
        [a, b] if both.contains(&a) && both.contains(&b) => {
            Some(RowAction::Grant(Actions::ADD | Actions::MODIFY))
        }
        _ => None,
    }
}

/// The type that a note or the text behind a dash consists of, such as `(new)` or `(all deleted)`.
pub(super) fn of_note(text: &str) -> Option<RowAction> {
    let text = text.trim().to_lowercase();
    let word = text.strip_prefix("all ").map_or(text.as_str(), str::trim);
    of_word(word).filter(|_| is_in(word, NOTES))
}

/// What to write where a text is not a type.
pub(super) const HELP: &str =
    "write one of Add, Modify, Add/Modify, Delete, Rename, Symlink, Submodule, Exists";
