//! The words of a type cell: what a row permits.

use crate::policy::Actions;

/// What a row does with its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Permits these actions.
    Grant(Actions),
    /// Two ends: deletes the old, adds and modifies the new.
    Rename,
    /// Names the path without granting it.
    Mention,
}

/// A type cell that was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) kind: Kind,
    /// `(Directory)`: the row stands for everything below its path.
    pub(super) directory: bool,
}

/// The words that help texts list.
pub(super) const KNOWN: &str =
    "Add, Modify, Add/Modify, Delete, Rename, Symlink, Submodule, Exists";

/// What an `Add` row grants.
pub(super) fn add() -> Actions {
    Actions::ADD | Actions::MODIFY_NEW
}

/// Reads a type cell: one word, or two joined by `/`, `+`, `&`, "and", "or";
/// text behind is dropped. `None` for anything else.
pub(super) fn parse(text: &str) -> Option<Type> {
    let text = text.to_lowercase();
    let (word, mut rest) = split_word(text.trim_start_matches(|c: char| !c.is_alphanumeric()));
    let mut kind = if word == "no" {
        let (next, tail) = split_word(rest.trim_start_matches([' ', '-']));
        rest = tail;
        matches!(next, "change" | "changes").then_some(Kind::Mention)?
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
    let rest = rest.trim_start();
    let (next, _) = split_word(rest.trim_start_matches('(').trim_start());
    Some(Type {
        kind,
        directory: matches!(next, "directory" | "dir"),
    })
}

/// "Add and modify" is two types; "Modify and add tests" is one with a remark.
fn and_word(rest: &str) -> Option<(Kind, &str)> {
    let (joint, tail) = split_word(rest.trim_start());
    let (word, tail) = split_word(tail.trim_start());
    let ends = tail.trim_start().is_empty() || tail.trim_start().starts_with('(');
    matches!(joint, "and" | "or").then_some(())?;
    ends.then_some((of_word(word)?, tail))
}

/// Adding and modifying together, and a type with itself; nothing else makes sense as one row.
fn union(a: Kind, b: Kind) -> Option<Kind> {
    let modify = Kind::Grant(Actions::MODIFY);
    match (a, b) {
        _ if a == b => Some(a),
        (Kind::Grant(actions), other) | (other, Kind::Grant(actions))
            if other == modify && actions == add() =>
        {
            Some(Kind::Grant(Actions::ADD | Actions::MODIFY))
        }
        _ => None,
    }
}

fn of_word(word: &str) -> Option<Kind> {
    Some(match word {
        "add" | "adds" | "added" | "adding" | "new" | "create" | "creates" | "created"
        | "creating" => Kind::Grant(add()),
        "modify" | "modifies" | "modified" | "modifying" | "update" | "updates" | "updated"
        | "updating" | "edit" | "edits" | "edited" | "editing" | "change" | "changes"
        | "changed" | "changing" | "rewrite" | "rewrites" | "rewritten" | "rewriting" => {
            Kind::Grant(Actions::MODIFY)
        }
        "delete" | "deletes" | "deleted" | "deleting" | "remove" | "removes" | "removed"
        | "removing" => Kind::Grant(Actions::DELETE),
        "rename" | "renames" | "renamed" | "renaming" | "move" | "moves" | "moved" | "moving" => {
            Kind::Rename
        }
        "symlink" | "symlinked" => Kind::Grant(Actions::SYMLINK),
        "submodule" => Kind::Grant(Actions::SUBMODULE),
        "exist" | "exists" | "existing" | "verify" | "verifies" | "verified" | "unchanged" => {
            Kind::Mention
        }
        _ => return None,
    })
}

/// The leading run of letters and digits, and what follows.
fn split_word(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const MODIFY: Kind = Kind::Grant(Actions::MODIFY);
    const DELETE: Kind = Kind::Grant(Actions::DELETE);

    fn kind(text: &str) -> Option<Kind> {
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
            assert_eq!(kind(text), Some(Kind::Grant(add())), "{text}");
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
        assert_eq!(kind("Moved"), Some(Kind::Rename));
        assert_eq!(kind("Symlink"), Some(Kind::Grant(Actions::SYMLINK)));
        assert_eq!(kind("Submodule"), Some(Kind::Grant(Actions::SUBMODULE)));
    }

    #[test]
    fn two_words() {
        let both = Some(Kind::Grant(Actions::ADD | Actions::MODIFY));
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
        assert_eq!(kind("Create/New"), Some(Kind::Grant(add())));
    }

    #[test]
    fn a_deletion_hides_in_no_combination() {
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
            assert_eq!(kind(text), Some(Kind::Mention), "{text}");
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
