//! Words that say that a file does not change.

use super::words::is_in;

/// How a text negates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Negation {
    /// "No changes", "do not modify", "unchanged": a statement about the file.
    Statement,
    /// "No", "none", "not yet": an answer to what precedes it.
    Answer,
    /// "Not needed": also an answer, but a reason after a deletion.
    Reason,
}

/// Nouns that "no" negates.
const CHANGES: &str = "change|changes|modification|modifications|edit|edits|update|updates";
/// Words before "not".
const AUXILIARIES: &str =
    "do|does|did|must|should|shall|will|would|may|can|is|are|was|were|has|have|been|be|to";
/// Words that may follow without changing the meaning.
const FILLERS: &str =
    "expected|planned|made|at|all|to|this|the|file|files|it|here|in|yet|now|anything";
/// Words after "not" that say there is no need to change the file.
const REASONS: &str = "needed|required|necessary";
/// Words that say the file stays the same.
const SAME: &str = "unchanged|untouched|unmodified";

/// Verbs that "not" negates.
const CHANGING: &str = "touch|touched|add|added|create|created|modify|modified|modifying|update|updated|edit|edited|\
    change|changed|rewrite|rewritten|delete|deleted|remove|removed|rename|renamed|move|moved";

/// Punctuation that ends a part of a text.
const ENDS: [char; 11] = [',', ';', '.', ':', '!', '?', '(', ')', '—', '–', '|'];

/// Whether any part of a text forbids to change the file: "scaffolded, DO NOT MODIFY".
pub(super) fn forbids_changes(text: &str) -> bool {
    // Most descriptions have none of the words with which an order begins or goes on.
    let may_deny = |part: &[u8]| {
        let parts = [b"not", b"n't", b"don", b"nev"];
        parts
            .iter()
            .any(|other| part.eq_ignore_ascii_case(&other[..]))
    };
    if !text.contains('’') && !text.as_bytes().windows(3).any(may_deny) {
        return false;
    }
    let is_order = |part: &&str| {
        matches!(
            words(part).first().map(String::as_str),
            Some("do" | "don't" | "dont" | "never" | "must")
        )
    };
    text.split(ENDS)
        .flat_map(|part| part.split(" - "))
        .filter(is_order)
        .any(|part| negation(part) == Some(Negation::Statement))
}

/// Whether a text negates, up to its first punctuation mark.
pub(super) fn negation(text: &str) -> Option<Negation> {
    if text.is_empty() {
        return None;
    }
    let words = words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let filled = |rest: &[&str]| {
        rest.iter()
            .all(|word| is_in(word, FILLERS) || is_in(word, REASONS))
    };
    match *words {
        ["no-change" | "no-changes", ref rest @ ..] if filled(rest) => Some(Negation::Statement),
        ["no", noun, ref rest @ ..] if is_in(noun, CHANGES) && filled(rest) => {
            Some(Negation::Statement)
        }
        [state, ref rest @ ..] if is_in(state, SAME) && filled(rest) => Some(Negation::Statement),
        [
            "stay" | "stays" | "remain" | "remains" | "leave" | "left" | "keep" | "kept",
            ref rest @ ..,
        ] => {
            let is_same = matches!(*rest, ["as", "is"] | ["alone"])
                || matches!(*rest, [state] if is_in(state, SAME));
            is_same.then_some(Negation::Statement)
        }
        ["n", "a"] => Some(Negation::Answer),
        [
            "no" | "none" | "nothing" | "nope" | "nil" | "false" | "na",
            ref rest @ ..,
        ] if filled(rest) => Some(answer(rest)),
        _ => not(&words, filled),
    }
}

/// "Do not modify", "won't be changed", "not yet", "never".
fn not(words: &[&str], filled: impl Fn(&[&str]) -> bool) -> Option<Negation> {
    let begin = words
        .iter()
        .take_while(|word| is_in(word, AUXILIARIES))
        .count();
    let (first, rest) = words.get(begin..)?.split_first()?;
    let denies = matches!(*first, "not" | "never" | "cannot" | "dont") || first.ends_with("n't");
    if !denies {
        return None;
    }
    let passive = rest.iter().take_while(|word| **word == "be").count();
    match rest.get(passive..)? {
        [verb, rest @ ..] if is_in(verb, CHANGING) && filled(rest) => Some(Negation::Statement),
        rest if filled(rest) => Some(answer(rest)),
        _ => None,
    }
}

fn answer(rest: &[&str]) -> Negation {
    if rest.iter().any(|word| is_in(word, REASONS)) {
        Negation::Reason
    } else {
        Negation::Answer
    }
}

/// The words in lower case up to a punctuation mark; "no-op" is one word.
fn words(text: &str) -> Vec<String> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let text = text.split(" - ").next().unwrap_or("");
    let part = text.split(ENDS).next().unwrap_or("");
    part.replace('’', "'")
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-' | '_'))
        .map(|word| word.trim_matches(['-', '_', '\'']).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_a_file() {
        for text in [
            "No changes",
            "no change needed",
            "No-change",
            "No changes — confirm that all tests pass",
            "Do not modify",
            "DO NOT TOUCH this file",
            "don’t change it",
            "won't be modified",
            "is not changed",
            "Never edit",
            "unchanged",
            "stays as is",
            "left untouched",
        ] {
            assert_eq!(negation(text), Some(Negation::Statement), "{text}");
        }
    }

    #[test]
    fn orders() {
        for text in [
            "DO NOT MODIFY",
            "scaffolded tests, DO NOT MODIFY",
            "already there (do not edit)",
            "Red tests - don't change it",
            "Scaffolded. Must not be modified!",
        ] {
            assert!(forbids_changes(text), "{text}");
        }
        for text in [
            "",
            "new tests",
            "do not modify the input in place",
            "unchanged API, new field",
            "no changes",
            "checks that rows are not modified",
        ] {
            assert!(!forbids_changes(text), "{text}");
        }
    }

    #[test]
    fn answers() {
        for text in [
            "no", "None.", "n/a", "not yet", "nothing", "(do not)", "never",
        ] {
            assert_eq!(negation(text), Some(Negation::Answer), "{text}");
        }
        for text in ["not needed", "none required", "not necessary here"] {
            assert_eq!(negation(text), Some(Negation::Reason), "{text}");
        }
    }

    #[test]
    fn prose_that_only_begins_like_it() {
        for text in [
            "",
            "no-op handler",
            "no API change",
            "No changes to the API",
            "None checks",
            "not-found page",
            "Do not modify the input in place",
            "no longer needed",
            "notebooks",
            "keep the old name",
        ] {
            assert_eq!(negation(text), None, "{text}");
        }
    }
}
