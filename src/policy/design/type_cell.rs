//! Reads the type cells of tables.

use super::kind::{self, RowAction};
use super::negation::{denies, takes_back};
use super::words;

/// A type that was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) kind: RowAction,
    /// `(Directory)`: the row covers everything below its path.
    pub(super) directory: bool,
    /// Whether only parentheses follow the word.
    is_bare: bool,
}

/// Reads a type cell: one word, or two joined by `/`, `+`, `&`, "and" or "or". Text after it is ignored, except if it
/// takes the type back, or after Delete and Rename: "Remove unused imports" deletes no file.
pub(super) fn parse(text: &str) -> Option<Type> {
    let text = text.to_lowercase();
    let (kind, rest) = leading(&text)?;
    let is_bare = is_bare(rest);
    let is_denied = || takes_back(rest) || rest.contains('?') || words::denies(rest, true);
    if kind != RowAction::Mention && is_denied() || kind.takes_away() && !is_bare {
        return None;
    }
    let (next, _) = split_word(rest.trim_start().trim_start_matches('('));
    Some(Type {
        kind,
        directory: matches!(next, "directory" | "dir"),
        is_bare,
    })
}

/// Whether a cell contains only a type, or says that nothing changes.
pub(super) fn is_bare_cell(text: &str) -> bool {
    parse(text).is_some_and(|found| found.is_bare) || takes_back(text) || denies_type(text)
}

/// Whether a cell of a table without types says that the file does not change. "none" does below "Changes", but not
/// below "Notes".
pub(super) fn denies_below(header: &str, text: &str) -> bool {
    let asks = kind::of_word(split_word(header).0).is_some();
    let keeps = |found: Type| {
        found.kind == RowAction::Mention && (found.is_bare || words::denies(text, true))
    };
    denies(text)
        || denies_type(text)
        || asks && (takes_back(text) || parse(text).is_some_and(keeps))
}

/// Whether a text takes back the type at its start: "Modify? No".
fn denies_type(text: &str) -> bool {
    let text = text.to_lowercase();
    leading(&text).is_some_and(|(kind, rest)| kind != RowAction::Mention && takes_back(rest))
}

/// The type at the start of a lower-case text, and the rest.
fn leading(text: &str) -> Option<(RowAction, &str)> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let (word, rest) = split_word(text);
    if word == "no" {
        let (noun, rest) = split_word(rest.trim_start_matches([' ', '-']));
        return matches!(noun, "change" | "changes").then_some((RowAction::Mention, rest));
    }
    let kind = kind::of_word(word)?;
    let joint = rest.trim_start();
    if let Some(tail) = joint.strip_prefix(['/', '+', '&']) {
        let (other, rest) = split_word(tail.trim_start());
        let is_last = !rest.trim_start().starts_with(['/', '+', '&']);
        let both = kind::union(kind, kind::of_word(other)?)?;
        return is_last.then_some((both, rest));
    }
    // "Add and modify" is two types; "Modify and add tests" is one with a remark.
    let second = ["and ", "or "]
        .iter()
        .find_map(|word| joint.strip_prefix(word));
    let (other, tail) = split_word(second.unwrap_or("").trim_start());
    let ends = tail.trim_start().is_empty() || tail.trim_start().starts_with('(');
    match kind::of_word(other).filter(|_| ends) {
        Some(other) => Some((kind::union(kind, other)?, tail)),
        None => Some((kind, rest)),
    }
}

/// Whether no word follows outside parentheses, except "directory".
fn is_bare(rest: &str) -> bool {
    let (mut depth, mut outside) = (0_usize, String::new());
    for c in rest.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    let words = words::words(&outside).join(" ");
    depth == 0 && matches!(words.as_str(), "" | "directory" | "dir")
}

/// The leading run of letters and digits, and what follows.
fn split_word(text: &str) -> (&str, &str) {
    let is_end = |c: char| !c.is_alphanumeric();
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::kind::add;
    use super::*;
    use crate::policy::Actions;

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
