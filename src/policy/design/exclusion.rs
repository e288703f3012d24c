//! Whether a heading excludes the tables below it.

use super::words::{has_phrase, is_in, unit_title, words};

/// Words that make a heading exclude its files.
const WORDS: &str = "not|never|dont|wont|cannot|unchanged|untouched|excluded|excluding|exclusion|exclusions|except|\
    forbidden|deferred|postponed|later|future|rejected|nongoal|nongoals";
/// Phrases that do the same.
const PHRASES: &str = "out of scope|out of bounds|off limits|non goal|non goals|no goals|no change|no changes|\
    follow up|follow ups|followups";
/// Words for using a file without changing it.
pub(super) const LOOK: &str = "investigate|read|reference|references";
/// Words before a negation that keep its meaning.
const LEAD: &str = "do|must|should|explicitly|intentionally|deliberately|currently|what|is|are|we|will|things|work|\
    changes|files|file|everything|that|which|the|all|these|those|this|to|be|known";
/// What may follow "not" so that the words are nothing but a negation.
const NEGATED: &str = "in scope|in this change|part of this work|part of this change|be touched|be changed|touched|changed";

/// Whether a text contains a word that excludes files.
pub(super) fn is_in_text(text: &str) -> bool {
    let words = words(text);
    words.iter().any(|word| is_word(word) || is_in(word, LOOK)) || has_phrase(&words, PHRASES)
}

/// Whether a word of a heading is one that [`is_in_text`] looks for.
pub(super) fn is_word(word: &str) -> bool {
    is_in(word, WORDS) || word.ends_with("n't")
}

/// Whether a heading as a whole excludes what is below it: a part of it begins or ends with a negation. For the
/// document title, and that of a numbered task, a part must be only a negation: "Deferred loading" may be the topic of the document.
pub(super) fn governs(text: &str, is_title: bool) -> bool {
    let is_title = is_title || unit_title(text).is_some();
    text.split(['(', ')', '[', ']', ':', '—', '–'])
        .flat_map(|part| part.split(" - "))
        .map(words)
        .any(|words| {
            let is_lead =
                |word: &&String| is_in(word, LEAD) || word.chars().all(|c| c.is_ascii_digit());
            let lead = words.iter().take_while(is_lead).count();
            let rest = words.get(lead..).unwrap_or(&[]);
            if is_title {
                return is_whole(rest);
            }
            let starts = rest.first().is_some_and(|word| is_word(word)) || starts_with_phrase(rest);
            let is_adjective = |word: &&String| {
                is_in(word, WORDS) && !matches!(word.as_str(), "not" | "never" | "cannot")
            };
            starts
                || rest.last().filter(is_adjective).is_some()
                || (0..rest.len()).any(|at| is_whole(rest.get(at..).unwrap_or(&[])))
        })
}

fn starts_with_phrase(words: &[String]) -> bool {
    (1..=3).any(|length| is_in(&words.get(..length).unwrap_or(&[]).join(" "), PHRASES))
}

/// Whether the words are a single negation, such as "future work".
fn is_whole(words: &[String]) -> bool {
    match words {
        [] => false,
        [word, tail @ ..] if is_word(word) => {
            tail.iter()
                .all(|word| is_in(word, "work|changes|files|now"))
                || is_in(&tail.join(" "), NEGATED)
        }
        _ => is_in(&words.join(" "), PHRASES),
    }
}
