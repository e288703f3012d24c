//! The phrases that announce files, in headings and labels.

use super::kind::RowAction;
use super::words::{LOOK, is_in, negates, negations, words};
use crate::policy::Actions;

/// The action of rows that do not name one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// "Files Changed": anything but deleting.
    Any,
    /// "Files to Create".
    Create,
    /// "Files to Modify".
    Modify,
    /// "Files to Delete".
    Delete,
}

impl Claim {
    /// The actions of a row without a type.
    pub(super) fn actions(self) -> Actions {
        match self {
            Claim::Any => Actions::ADD | Actions::MODIFY,
            Claim::Create => Actions::ADD | Actions::MODIFY_NEW,
            Claim::Modify => Actions::MODIFY,
            Claim::Delete => Actions::DELETE,
        }
    }

    /// The claim of a type that stands above its items; `None` if it grants nothing by itself.
    pub(super) fn of(kind: RowAction) -> Option<Claim> {
        let RowAction::Grant(actions) = kind else {
            return None;
        };
        let claims = [Claim::Any, Claim::Create, Claim::Modify, Claim::Delete];
        claims.into_iter().find(|claim| claim.actions() == actions)
    }

    /// Whether two tables cannot both declare the scope.
    pub(super) fn conflicts(self, other: Claim) -> bool {
        self == other || self == Claim::Any || other == Claim::Any
    }
}

/// What a heading says about files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Title {
    /// A table with types below it is the scope; a passage directly below it counts, too.
    Scope(Claim),
    /// Only a passage directly below it counts.
    Passage(Claim),
    /// The files below are not to be changed.
    Denied,
    /// Something else.
    Other,
}

impl Title {
    /// Whether files below it may be listed to be changed.
    pub(super) fn is_files(self) -> bool {
        matches!(self, Title::Scope(_) | Title::Passage(_))
    }
}

const VERBS: &[(&str, Claim)] = &[
    ("create|created|add|added", Claim::Create),
    ("modify|modified|update|updated|edit|edited", Claim::Modify),
    ("delete|deleted|remove|removed", Claim::Delete),
    (
        "change|changed|touch|touched|affected|implement|implemented",
        Claim::Any,
    ),
    (LOOK, Claim::Any),
];
/// Other headings than "files …ed" and "files to …".
const PHRASES: &str =
    "file changes|file change|files changes|file map|file inventory|files inventory|declared files";
/// Words that may precede or follow without changing the meaning.
const LEAD: &str = "the|all|list|summary|of|proposed|planned|expected";
const TAIL: &str = "summary|list|table|overview";

/// Classifies a heading; `extra` are the phrases of the settings.
pub(super) fn title(text: &str, extra: &[String]) -> Title {
    let mut main = words(split(text).0);
    if negates(text) {
        let mut negations = negations(&main).into_iter();
        main.retain(|_| negations.next() != Some(true));
        return claim(&main).map_or(Title::Other, |_| Title::Denied);
    }
    if extra.iter().any(|phrase| words(phrase) == main) {
        return Title::Scope(Claim::Any);
    }
    let passage = || passage(&main).map_or(Title::Other, Title::Passage);
    claim(&main).map_or_else(passage, Title::Scope)
}

/// Whether a heading is nothing but its phrase, a number and a note: only then a passage below it counts.
pub(super) fn is_plain(text: &str) -> bool {
    let rest = split(text).1.trim_end_matches(':');
    let note = rest
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    !text.trim().starts_with('[') && note.map_or(rest.is_empty(), |note| !note.contains(')'))
}

/// The headings and labels that only passages know.
fn passage(words: &[String]) -> Option<Claim> {
    match words.join(" ").as_str() {
        "new files" => Some(Claim::Create),
        "file list" | "affected code" => Some(Claim::Any),
        _ => None,
    }
}

/// The claim of a label without its note. The singular "File" names no list.
pub(super) fn label(text: &str, extra: &[String]) -> Option<Claim> {
    let said = words(text);
    let is_list = !said.iter().any(|word| word == "file") || is_in(&said.join(" "), PHRASES);
    let is_own = said == ["files"] || extra.iter().any(|phrase| words(phrase) == said);
    match negates(text) {
        true => None,
        false if is_own => Some(Claim::Any),
        false => claim(&said).filter(|_| is_list).or_else(|| passage(&said)),
    }
}

fn claim(words: &[String]) -> Option<Claim> {
    let words = words.iter().map(String::as_str);
    let words: Vec<&str> = words.filter(|word| !is_in(word, "and|or")).collect();
    let lead = words.iter().take_while(|word| is_in(word, LEAD)).count();
    let all = words.get(lead..)?;
    let tail = all
        .iter()
        .rev()
        .take_while(|word| is_in(word, TAIL))
        .count();
    let words = all.get(..all.len() - tail)?;
    // "Files" alone is too vague, but "Files Summary" is a list of files.
    if is_in(&words.join(" "), PHRASES) || matches!(words, ["files"] if tail > 0) {
        return Some(Claim::Any);
    }
    match *words {
        ["file" | "files", "to", "be", ref verbs @ ..]
        | ["file" | "files", "to", ref verbs @ ..]
        | ["file" | "files", ref verbs @ ..]
        | [ref verbs @ .., "file" | "files"] => of_verbs(verbs),
        _ => None,
    }
}

fn of_verbs(verbs: &[&str]) -> Option<Claim> {
    let mut claims = verbs.iter().map(|verb| {
        let found = VERBS.iter().find(|(list, _)| is_in(verb, list));
        found.map(|(_, claim)| *claim)
    });
    let first = claims.next()??;
    claims.try_fold(first, |all, next| {
        next.map(|next| if next == all { all } else { Claim::Any })
    })
}

/// The phrase without a label in brackets and a number, and what follows from a parenthesis, colon or dash on.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let label = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let text = without_number(label.map_or(text, |(_, rest)| rest.trim_start()));
    let end = text.find(['(', '[', ':', '—', '–']).unwrap_or(text.len());
    text.split_at(end.min(text.find(" - ").unwrap_or(end)))
}

/// Strips `2.1`, `3.`, `§8`, `A)`, `IV.` or `Section 2:` from the start.
fn without_number(text: &str) -> &str {
    let dashes = ['-', '–', '—', ':', ' '];
    let split = |text: &'_ str| -> Option<usize> { text.find(char::is_whitespace) };
    let (first, rest) = text.split_at(split(text).unwrap_or(text.len()));
    let word = first.trim_end_matches(['.', ')', ':', '-']);
    if is_in(&word.to_lowercase(), "section|part|chapter|appendix|step|§") {
        let rest = rest.trim_start();
        return rest
            .get(split(rest).unwrap_or(rest.len())..)
            .unwrap_or("")
            .trim_start_matches(dashes);
    }
    let numeral = word.trim_start_matches('§');
    let is_number = !numeral.is_empty() && numeral.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_roman = || word.chars().all(|c| "IVXivx".contains(c));
    let is_letter = word.len() < first.len()
        && word.chars().all(|c| c.is_ascii_alphabetic())
        && (word.len() == 1 || is_roman());
    match is_number || is_letter {
        true => rest.trim_start_matches(dashes),
        false => text,
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
