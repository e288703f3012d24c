//! The phrases that announce files, in headings and in labels.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::remarks::{self, Remark};
use super::types::{self, RowAction, any};
use super::words::{as_seen, pattern, words};
use crate::scope::Actions;

/// Whole phrases.
const PHRASES: &[&str] = &[
    "file changes",
    "file change",
    "files changes",
    "file map",
    "file list",
    "declared files",
    "allowed files",
    "allowed paths",
    "files you may modify",
    "files you may change",
    "files you may edit",
    "affected code",
];

/// What may be said of files: "Files to create", "Modified Files".
const VERBS: &[&str] = &[
    "create",
    "created",
    "new",
    "add",
    "added",
    "modify",
    "modified",
    "update",
    "updated",
    "edit",
    "edited",
    "delete",
    "deleted",
    "remove",
    "removed",
    "change",
    "changed",
    "touch",
    "touched",
    "affected",
    "implement",
    "implemented",
    "rewrite",
    "rewritten",
    "rename",
    "renamed",
    "move",
    "moved",
];

/// Words around a phrase that do not change its meaning.
const LEADS: &[&str] = &[
    "the", "all", "list", "summary", "of", "proposed", "planned", "expected", "complete",
];
const TAILS: &[&str] = &["summary", "list", "table"];

/// Words with which files are only looked at.
const LOOKS: &[&str] = &["investigate", "read", "reference", "references"];
/// Words that deny; [`super::exclusion`] has those of headings.
const NOT: &[&str] = &["not", "don't", "dont", "won't", "wont", "never", "no"];

/// What a heading or label announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Announcement {
    /// What a row without a type grants.
    pub(super) untyped: Actions,
    /// Whether a phrase of the settings announces it: the columns below may have any names.
    pub(super) is_declared: bool,
}

/// What a heading announces; `extra` are the phrases of the settings.
pub(super) fn of_heading(text: &str, extra: &[String]) -> Option<Announcement> {
    let text = as_seen(text);
    let (phrase, note) = split(text.trim());
    announced(phrase, note, extra)
}

/// What a label announces. "Files" alone is one, unlike a heading.
pub(super) fn of_label(text: &str, extra: &[String]) -> Option<Announcement> {
    let text = as_seen(text);
    let (phrase, note) = split(text.trim());
    let is_bracketed = note.is_empty() || note.starts_with(['(', '[']);
    // "Files (all in `src/`)": the paths below do not start at the root.
    let is_elsewhere =
        note.contains('/') && types::of_text(note.trim_matches(['(', ')', ' '])).is_none();
    if !is_bracketed || is_elsewhere {
        return None;
    }
    if words(phrase) == ["files"] {
        return noted(any(), note).map(|untyped| Announcement {
            untyped,
            is_declared: false,
        });
    }
    announced(phrase, note, extra)
}

fn announced(phrase: &str, note: &str, extra: &[String]) -> Option<Announcement> {
    let said = words(phrase);
    if extra.iter().any(|own| words(own) == said) {
        return noted(any(), note).map(|untyped| Announcement {
            untyped,
            is_declared: true,
        });
    }
    for word in said.iter().chain(&words(note)) {
        if LOOKS.contains(&word.as_str()) || NOT.contains(&word.as_str()) {
            return None;
        }
    }
    let untyped = noted(of_phrase(&said)?, note)?;
    Some(Announcement {
        untyped,
        is_declared: false,
    })
}

/// What a row without a type grants below a phrase with a note: a note that is a type says more than the phrase, and one
/// that takes rows back leaves nothing to announce.
fn noted(untyped: Actions, note: &str) -> Option<Actions> {
    let note = note.trim_matches(|c: char| !c.is_alphanumeric());
    match types::of_text(note).map(|said| said.action) {
        Some(RowAction::Grant(actions)) => return Some(actions),
        Some(RowAction::Rename | RowAction::Mention) => return None,
        None => {}
    }
    let remark = remarks::judge(note, RowAction::Grant(untyped), true);
    (remark == Remark::Plain).then_some(untyped)
}

/// What the words of a phrase let a row without a type do; `None` if they announce no files.
fn of_phrase(said: &[String]) -> Option<Actions> {
    let mut core: Vec<&str> = said.iter().map(String::as_str).collect();
    while core.first().is_some_and(|word| LEADS.contains(word)) {
        core.remove(0);
    }
    while core.len() > 1 && core.last().is_some_and(|word| TAILS.contains(word)) {
        if PHRASES.contains(&core.join(" ").as_str()) {
            break;
        }
        core.pop();
    }
    if PHRASES.contains(&core.join(" ").as_str()) {
        return Some(any());
    }
    let verbs = verbs_of_files(&core)?;
    let mut actions = None;
    for verb in verbs {
        let granted = implied(verb);
        actions = match actions {
            None => Some(granted),
            Some(before) if before == granted => Some(before),
            Some(_) => return Some(any()),
        };
    }
    actions
}

/// The verbs of "file(s) [to [be]] V…" and "V… file(s) [V…]"; at least one.
fn verbs_of_files<'w>(core: &[&'w str]) -> Option<Vec<&'w str>> {
    let mut verbs = Vec::new();
    let mut has_files = false;
    for word in core {
        match *word {
            "file" | "files" if !has_files => has_files = true,
            "to" | "be" if has_files && verbs.is_empty() => {}
            "and" | "or" if !verbs.is_empty() => {}
            verb if VERBS.contains(&verb) => verbs.push(verb),
            _ => return None,
        }
    }
    (has_files && !verbs.is_empty()).then_some(verbs)
}

/// What a verb lets a row without a type do. "Files changed" stands for anything but deleting.
fn implied(verb: &str) -> Actions {
    if verb == "changed" {
        return any();
    }
    match types::of_word(verb) {
        Some(RowAction::Grant(actions)) => actions,
        _ => any(),
    }
}

/// The phrase without its number, and what follows from a bracket, colon or dash on.
fn split(text: &str) -> (&str, &str) {
    let text = without_number(text);
    let mark = text.find(['(', '[', ':', '—', '–']).unwrap_or(text.len());
    let hyphen = text.find(" - ").unwrap_or(mark);
    text.split_at(mark.min(hyphen))
}

/// `2.1`, `3.`, `§8`, `A)`, `IV.`, `Task 2:` or `Section 2:` at the start of a heading.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let unit = "section|part|chapter|step|task|phase|unit|story|milestone|§";
    let number = format!(
        r"(?:{unit})[.):-]*\s*[0-9][0-9A-Za-z.]*|§*[0-9][0-9.]*[.):-]*|(?:[a-z]|[ivx]+)[.):-]+"
    );
    pattern(&format!(r"^(?i:{number})(?:[\s:.)–—-]+|$)"))
});

/// A heading without its number, `Task N` or `Phase N`.
pub(super) fn without_number(text: &str) -> &str {
    let end = NUMBER.find(text).map_or(0, |number| number.end());
    &text[end..]
}

#[cfg(test)]
mod tests {
    use super::super::types::add;
    use super::*;

    fn untyped(text: &str) -> Option<Actions> {
        of_heading(text, &[]).map(|found| found.untyped)
    }

    #[test]
    fn headings_of_real_documents() {
        for text in [
            "2.1 Files Changed",
            "Files Changed",
            "6. Files Changed",
            "2. Files to Implement",
            "Files Touched",
            "Files Affected",
            "Affected Files",
            "File Changes",
            "File Change Summary",
            "File List",
            "File Map",
            "§8 Declared files",
            "Allowed Files",
            "Files you may modify",
            "FILES TO CREATE/MODIFY",
            "Files Created/Modified",
            "Files to Change / Create",
            "Files to Create or Modify",
            "A. Files changed",
            "IV) Files changed",
            "Section 2.1: Files Changed",
            "Files Changed (estimated)",
            "Files Changed:",
            "📁 Files Changed",
            "List of files changed",
            "Files to be changed",
            "2.1 - Files changed",
            "1.2.3. Files changed",
            "Files\u{200b} Changed",
            "Ｆｉｌｅｓ Changed",
        ] {
            assert_eq!(untyped(text), Some(any()), "{text}");
        }
    }

    #[test]
    fn the_heading_implies_the_action() {
        for (text, expected) in [
            ("Files to Create", add()),
            ("New Files", add()),
            ("2.1 Files to Modify", Actions::MODIFY),
            ("Files to Update", Actions::MODIFY),
            ("9. Files Modified", Actions::MODIFY),
            ("Files to Delete", Actions::DELETE),
            ("Files (new)", add()),
            ("New and added files", add()),
            ("Files to create or modify", any()),
        ] {
            let found = untyped(text).or_else(|| of_label(text, &[]).map(|found| found.untyped));
            assert_eq!(found, Some(expected), "{text}");
        }
    }

    #[test]
    fn other_headings_announce_nothing() {
        for text in [
            "Files NOT to Modify",
            "Files not changed",
            "Files to Investigate",
            "Files to Read",
            "Files changed (do not edit)",
            "Files changed (if needed)",
            "[UNCHANGED] 2.1 Files Changed",
            "Files don’t modify",
            "Reference files",
            "2.4 Check 4 — Files Changed Table Parses (ERROR)",
            "Notes to Modify",
            "2.1 Bias Types",
            "Profiles changed",
            "Critical Files for Implementation",
            "Files Summary",
            "Files overview",
            "File inventory",
            "Files",
            "2.1",
            "",
            "I",
            "Files to",
            "Modified files to delete",
            "Modified files to be",
            "Read configuration files",
            "Files not found",
            "Modify",
            "Created and changed",
        ] {
            assert_eq!(untyped(text), None, "{text}");
        }
    }

    #[test]
    fn a_label_may_be_files_alone_but_not_of_another_directory() {
        assert_eq!(
            of_label("Files", &[]).map(|found| found.untyped),
            Some(any())
        );
        assert_eq!(
            of_label("Files (2)", &[]).map(|found| found.untyped),
            Some(any())
        );
        assert_eq!(of_label("Files (all in web/)", &[]), None);
        assert_eq!(of_label("File", &[]), None);
    }

    #[test]
    fn settings_add_phrases() {
        let extra = ["改动范围".to_owned()];
        let found = of_heading("3. 改动范围", &extra);
        assert_eq!(
            found,
            Some(Announcement {
                untyped: any(),
                is_declared: true
            })
        );
        assert_eq!(of_heading("改动", &extra), None);
    }
}
