//! Whether a heading starts a section that lists the files of the change.

use super::claim::Claim;
use super::exclusion::{self, words};
use super::label::{self, LabelRole};

/// What a heading says about files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Title {
    /// The files below are the scope; a table with types is the whole scope.
    Scope(Claim),
    /// The files below are a part of the scope.
    Files(Claim),
    /// Of the files below, those marked as new, changed or deleted are a part of the scope.
    Marked,
    /// The files below are not to be changed.
    Denied,
    /// Something else.
    Other,
}

const CREATE: &[&str] = &["create", "created", "add", "added"];
const MODIFY: &[&str] = &["modify", "modified", "update", "updated", "edit", "edited"];
const DELETE: &[&str] = &["delete", "deleted", "remove", "removed"];
const ANY: &[&str] = &[
    "change",
    "changed",
    "touch",
    "touched",
    "affected",
    "implement",
    "implemented",
];
/// Other headings than "files …ed" and "files to …".
const PHRASES: &[&str] = &[
    "file changes",
    "file change",
    "files changes",
    "file map",
    "file inventory",
    "files inventory",
    "files",
    "declared files",
];
/// Words that may follow without changing the meaning.
const TAIL: &[&str] = &["summary", "list", "table", "overview"];
/// Words that may precede without changing the meaning.
const LEAD: &[&str] = &[
    "the", "all", "list", "summary", "of", "proposed", "planned", "expected",
];

/// Classifies a heading; `extra` are the phrases of the settings.
pub(super) fn title(text: &str, extra: &[String]) -> Title {
    let main = words(main_part(text));
    if exclusion::is_in(text) {
        let rest: Vec<String> = main
            .into_iter()
            .filter(|word| !exclusion::is_word(word))
            .collect();
        return claim(&rest).map_or(Title::Other, |_| Title::Denied);
    }
    if extra.iter().any(|phrase| words(phrase) == main) {
        return Title::Scope(Claim::Any);
    }
    if let Some(claim) = claim(&main) {
        return Title::Scope(claim);
    }
    match label::of_heading(without_number(text.trim()).trim_end_matches(':')) {
        Some(LabelRole::Files(claim)) => Title::Files(claim),
        Some(LabelRole::Unclear) => Title::Marked,
        _ => Title::Other,
    }
}

pub(super) fn claim(words: &[String]) -> Option<Claim> {
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !matches!(*word, "and" | "or"))
        .collect();
    let lead = words.iter().take_while(|word| LEAD.contains(word)).count();
    let mut words = words.get(lead..)?;
    let with_tail = words;
    while let Some((last, rest)) = words.split_last()
        && TAIL.contains(last)
    {
        words = rest;
    }
    let phrase = words.join(" ");
    // "Files" alone is too vague, but "Files Summary" is a list of files.
    if PHRASES.contains(&phrase.as_str()) && (phrase != "files" || with_tail.len() > 1) {
        return Some(Claim::Any);
    }
    match *words {
        ["file" | "files", "to", "be", ref verbs @ ..]
        | ["file" | "files", "to", ref verbs @ ..]
        | ["file" | "files", ref verbs @ ..] => of_verbs(verbs),
        [ref verbs @ .., "file" | "files"] => of_verbs(verbs),
        _ => None,
    }
}

fn of_verbs(verbs: &[&str]) -> Option<Claim> {
    let mut claims = verbs.iter().map(|verb| {
        [
            (CREATE, Claim::Create),
            (MODIFY, Claim::Modify),
            (DELETE, Claim::Delete),
            (ANY, Claim::Any),
            (exclusion::LOOK, Claim::Any),
        ]
        .into_iter()
        .find(|(list, _)| list.contains(verb))
        .map(|(_, claim)| claim)
    });
    let first = claims.next()??;
    claims.try_fold(first, |all, next| {
        next.map(|next| if next == all { all } else { Claim::Any })
    })
}

/// The text without numbering, without a label in brackets, and without what follows a colon, dash or parenthesis.
fn main_part(text: &str) -> &str {
    let mut text = text.trim();
    if let Some(rest) = text.strip_prefix('[')
        && let Some((_, rest)) = rest.split_once(']')
    {
        text = rest.trim_start();
    }
    text = without_number(text);
    let end = text
        .char_indices()
        .find(|&(index, character)| {
            matches!(character, '(' | '[' | ':' | '—' | '–')
                || text
                    .get(index..)
                    .is_some_and(|rest| rest.starts_with(" - "))
        })
        .map_or(text.len(), |(index, _)| index);
    text.get(..end).unwrap_or(text)
}

/// Strips `2.1`, `3.`, `§8`, `A)`, `IV.` or `Section 2:` from the start.
fn without_number(text: &str) -> &str {
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim_start();
    let word = first.trim_end_matches(['.', ')', ':', '-']);
    if ["section", "part", "chapter", "appendix", "step", "§"]
        .iter()
        .any(|name| word.eq_ignore_ascii_case(name))
    {
        let (_, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        return rest.trim_start_matches(['-', '–', '—', ':', ' ']);
    }
    let numeral = word.trim_start_matches('§');
    let is_number = !numeral.is_empty() && numeral.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_letter = word.len() < first.len()
        && (word.len() == 1
            || word
                .chars()
                .all(|c| matches!(c.to_ascii_uppercase(), 'I' | 'V' | 'X')))
        && word.chars().all(|c| c.is_ascii_alphabetic());
    if is_number || is_letter {
        rest.trim_start_matches(['-', '–', '—', ':', ' '])
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Title {
        title(text, &[])
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
            "Files Summary",
            "File Map",
            "§8 Files inventory",
            "Declared files",
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
        ] {
            assert_eq!(of(text), Title::Scope(Claim::Any), "{text}");
        }
    }

    #[test]
    fn the_heading_implies_the_action() {
        assert_eq!(of("Files to Create"), Title::Scope(Claim::Create));
        assert_eq!(of("2.1 Files to Modify"), Title::Scope(Claim::Modify));
        assert_eq!(of("Files to Update"), Title::Scope(Claim::Modify));
        assert_eq!(of("9. Files Modified"), Title::Scope(Claim::Modify));
        assert_eq!(of("Files to Delete"), Title::Scope(Claim::Delete));
    }

    #[test]
    fn negative_words_never_grant() {
        for text in [
            "Files NOT to Modify",
            "Files not changed",
            "Files to Investigate",
            "Files to Read",
            "Files changed (do not edit)",
            "[UNCHANGED] 2.1 Files Changed",
            "Files don’t modify",
            "Reference files",
        ] {
            assert_eq!(of(text), Title::Denied, "{text}");
        }
    }

    #[test]
    fn look_alikes() {
        for text in [
            "2.4 Check 4 — Files Changed Table Parses (ERROR)",
            "Notes to Modify",
            "2.1 Bias Types",
            "Profiles changed",
            "Critical Files for Implementation",
            "2.1",
            "",
            "Not in scope",
            "I",
            "Files to",
            "Read configuration files",
            "Files not found",
            "Reference: files changed",
        ] {
            assert_eq!(of(text), Title::Other, "{text}");
        }
    }

    #[test]
    fn lists_of_plans_are_parts_of_the_scope() {
        assert_eq!(of("Files"), Title::Files(Claim::Any));
        assert_eq!(of("File List"), Title::Files(Claim::Any));
        assert_eq!(of("New Files to Create"), Title::Files(Claim::Create));
        assert_eq!(of("Affected code"), Title::Files(Claim::Any));
        assert_eq!(of("File Structure"), Title::Marked);
    }

    #[test]
    fn notebook_is_not_the_word_not() {
        assert_eq!(of("Files Changed: notebooks"), Title::Scope(Claim::Any));
    }

    #[test]
    fn settings_add_phrases() {
        let extra = ["Implementation Paths".to_owned()];
        assert_eq!(
            title("3. Implementation paths", &extra),
            Title::Scope(Claim::Any)
        );
        assert_eq!(title("Implementation paths not used", &extra), Title::Other);
    }
}
