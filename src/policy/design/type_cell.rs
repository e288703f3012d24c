//! Reads the type cells of tables.

use super::kind::{self, RowAction};
use super::negation::{denies, takes_back};
use super::words::{self, is_in};

/// Reads a type cell: one word, or two joined by `/`, `+`, `&`, "and" or "or", and whether it says that the row covers
/// everything below its path. Text after it is ignored, except if it takes the type back, or after Delete and Rename:
/// "Remove unused imports" deletes no file.
pub(super) fn parse(text: &str) -> Option<(RowAction, bool)> {
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
    parse(text).is_some() && is_type() || denies_below("change", text)
}

/// Whether a cell of a table without types says that the file does not change. "none" does below "Changes", but not
/// below "Notes".
pub(super) fn denies_below(header: &str, text: &str) -> bool {
    let asks = kind::of_word(split_word(header).0).is_some();
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
    if let Some(kind) = kind::joined(&head.replace(" or ", "/"), kind::of_word) {
        return Some((kind, text.get(head.len()..)?));
    }
    let (word, rest) = split_word(text);
    let is_type = |word: &String| kind::of_word(word).is_some() || is_in(word, "and|or");
    let is_list = rest.trim_start().starts_with(['/', '+', '&']);
    let is_joined = is_list || words::words(head).iter().all(is_type);
    kind::of_word(word)
        .filter(|_| !is_joined)
        .map(|kind| (kind, rest))
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
        parse(text).map(|(kind, _)| kind)
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
            assert!(parse(text).unwrap().1, "{text}");
        }
        assert!(!parse("Add (to the directory)").unwrap().1);
    }
}
