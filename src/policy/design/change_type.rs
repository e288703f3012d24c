//! The words of a type.

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
    Some(match word {
        "add" | "adds" | "added" | "adding" | "new" | "create" | "creates" | "created"
        | "creating" => RowAction::Grant(add()),
        "modify" | "modifies" | "modified" | "modifying" | "update" | "updates" | "updated"
        | "updating" | "edit" | "edits" | "edited" | "editing" | "change" | "changes"
        | "changed" | "changing" | "rewrite" | "rewrites" | "rewritten" | "rewriting" => {
            RowAction::Grant(Actions::MODIFY)
        }
        "delete" | "deletes" | "deleted" | "deleting" | "remove" | "removes" | "removed"
        | "removing" => RowAction::Grant(Actions::DELETE),
        "rename" | "renames" | "renamed" | "renaming" | "move" | "moves" | "moved" | "moving" => {
            RowAction::Rename
        }
        "symlink" | "symlinked" => RowAction::Grant(Actions::SYMLINK),
        "submodule" => RowAction::Grant(Actions::SUBMODULE),
        "exist" | "exists" | "existing" | "verify" | "verifies" | "verified" | "unchanged"
        | "read" | "check" | "keep" | "reference" => RowAction::Mention,
        _ => return None,
    })
}

/// The leading run of letters and digits, and what follows.
pub(super) fn split_word(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    text.split_at(end)
}
