//! The closed word lists of the grammar (docs/dev/grammar.md), and how a text is searched for them.
//!
//! A list is one string with `|` between its phrases, in lower case. Phrases also match in the plural.

use crate::named::is_in;

/// Phrases that make an item bad, whatever its type.
const DENIAL_PHRASES: &str = "do not|don't|must not|not part of|no change|unchanged|untouched|off limits|out of scope|\
    only if|if needed|if necessary|optional|maybe|later|follow up|tbd";
/// Words that also make an item without a type bad.
const DENIAL_WORDS: &str = "not|no|never|without|unaffected|skip|frozen|perhaps|possibly|probably|might|may|if|unless|\
    when|once|next|stays|remains|or similar|or equivalent|as needed";
/// Words of headings and bold groups below which no passage counts.
const EXCLUDING: &str = "not|non goal|nongoal|out of scope|won't|deferred|later|future|follow up|followup|alternative|\
    considered|rejected|discarded|dropped|done|completed|history|background|context|current|existing|example|template|\
    appendix|appendice|reference|rollback|optional|maybe|untouched|unchanged|unaffected|frozen|backlog|blocked|previous|\
    root cause|investigate";
/// Words of headings below which no table counts, either.
const NEGATIONS: &str = "not|never|dont|wont|cannot|unchanged|untouched|excluded|excluding|exclusion|except|forbidden|\
    deferred|postponed|later|future|rejected|nongoal|non goal|no goal|no change|out of scope|out of bounds|off limits|\
    follow up|followup";
/// Words for using a file without changing it.
pub(super) const LOOK: &str = "investigate|read|reference|references";
/// Words before a negation that keep its meaning.
const LEAD: &str = "do|must|should|explicitly|intentionally|deliberately|currently|what|is|are|we|will|things|work|\
    changes|files|file|everything|that|which|the|all|these|those|this|to|be|known";
/// Words after a negation that keep its meaning.
const TAIL: &str = "in|this|part|of|be|touched|changed|scope|work|change|changes|files|now";
/// What a heading may begin with so that the text behind its colon is a title: "Task 3: Never retry".
const UNITS: &str = "task|step|unit|story|phase";

/// The words in lower case; `’` is an apostrophe.
pub(super) fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('’', "'");
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '_'))
        .map(|word| word.trim_matches(['\'', '_']))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The words in lower case, one blank between them.
pub(super) fn joined(text: &str) -> String {
    words(text).join(" ")
}

/// For each word, whether it belongs to one of the phrases.
fn covered(words: &[String], list: &str) -> Vec<bool> {
    let is_same = |(word, part): (&String, &str)| match word.strip_prefix(part) {
        Some(ending) => matches!(ending, "" | "s"),
        None => part.ends_with('y') && word.strip_suffix("ies") == part.strip_suffix('y'),
    };
    let mut covered = vec![false; words.len()];
    for phrase in list.split('|') {
        let parts = phrase.split(' ');
        let count = parts.clone().count();
        for (at, found) in words.windows(count).enumerate() {
            if found.iter().zip(parts.clone()).all(is_same) {
                covered[at..at + count].fill(true);
            }
        }
    }
    covered
}

fn has_phrase(words: &[String], list: &str) -> bool {
    covered(words, list).contains(&true)
}

/// Whether the remark of an item takes back what the item grants.
pub(super) fn denies(remark: &str, is_typed: bool) -> bool {
    let words = words(remark);
    let is_phase =
        |pair: &[String]| matches!(pair, [phase, number] if phase == "phase" && is_number(number));
    has_phrase(&words, DENIAL_PHRASES)
        || !is_typed
            && (has_phrase(&words, DENIAL_WORDS)
                || words.iter().any(|word| word.ends_with("n't"))
                || words.windows(2).any(is_phase)
                || remark.contains('?'))
}

/// Whether joined words are nothing but a denial phrase.
pub(super) fn is_denial(words: &str) -> bool {
    let singular = words.strip_suffix('s').unwrap_or(words);
    is_in(words, DENIAL_PHRASES) || is_in(singular, DENIAL_PHRASES)
}

/// Whether a heading or a bold group excludes the passages below it.
pub(super) fn excludes(heading: &str) -> bool {
    let Some(title) = unit_title(heading) else {
        return has_phrase(&words(heading), EXCLUDING);
    };
    let mut parts = title.split('(');
    let title = covered(&words(parts.next().unwrap_or("")), EXCLUDING);
    !title.is_empty() && !title.contains(&false)
        || parts.any(|note| has_phrase(&words(note.split(')').next().unwrap_or("")), EXCLUDING))
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// The title of a numbered unit: "Task 3: Never retry".
fn unit_title(heading: &str) -> Option<&str> {
    let (head, title) = heading.split_once(':')?;
    let head = words(head);
    matches!(head.as_slice(), [.., unit, number] if is_in(unit, UNITS) && is_number(number))
        .then_some(title)
}

/// Whether a text contains a word that excludes files, or one for only using them.
pub(super) fn negates(text: &str) -> bool {
    let words = words(text);
    negations(&words).contains(&true) || words.iter().any(|word| is_in(word, LOOK))
}

/// For each word, whether it negates.
pub(super) fn negations(words: &[String]) -> Vec<bool> {
    let is_negation = |(found, word): (bool, &String)| found || word.ends_with("n't");
    let found = covered(words, NEGATIONS).into_iter().zip(words);
    found.map(is_negation).collect()
}

/// Whether a heading as a whole excludes what is below it: a part of it begins or ends with a negation. For the
/// document title, and that of a numbered task, a part must be only a negation: "Deferred loading" may be the topic.
pub(super) fn governs(text: &str, is_title: bool) -> bool {
    let is_title = is_title || unit_title(text).is_some();
    let parts = text.split(['(', ')', '[', ']', ':', '—', '–']);
    parts.flat_map(|part| part.split(" - ")).any(|part| {
        let is_lead = |word: &String| is_in(word, LEAD) || word.bytes().all(|c| c.is_ascii_digit());
        let rest: Vec<String> = words(part).into_iter().skip_while(is_lead).collect();
        let last = rest.iter().rposition(|word| !is_in(word, TAIL));
        let negations = &negations(&rest)[..last.map_or(0, |last| last + 1)];
        match is_title {
            true => !negations.is_empty() && !negations.contains(&false),
            false => negations.first() == Some(&true) || negations.last() == Some(&true),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_is_one_whole_phrase_in_singular_or_plural() {
        assert!(is_denial("unchanged") && is_denial("no changes"));
        assert!(!is_denial("changes") && !is_denial("unchanged files"));
    }

    #[test]
    fn each_denial_phrase_and_word_is_found() {
        for phrase in DENIAL_PHRASES.split('|') {
            assert!(denies(&format!("x {phrase} y"), true), "{phrase}");
        }
        for word in DENIAL_WORDS.split('|') {
            assert!(denies(&format!("x {word} y"), false), "{word}");
        }
        for text in ["isn’t used", "phase 2", "why?", "Follow-up"] {
            assert!(denies(text, false), "{text}");
        }
        for text in ["notebook", "normal", "phase", "the maybe_type"] {
            assert!(!denies(text, false), "{text}");
        }
        assert!(!denies("no retry, if slow", true));
    }

    #[test]
    fn each_excluding_word_is_found_in_both_numbers() {
        for phrase in EXCLUDING.split('|') {
            assert!(excludes(&format!("The {phrase} here")), "{phrase}");
        }
        for heading in [
            "Alternatives",
            "Non-goals",
            "Follow-ups",
            "Appendices",
            "Root causes",
            "7. Examples",
        ] {
            assert!(excludes(heading), "{heading}");
        }
        assert!(!excludes("Exemplary goals of a cause"));
    }

    #[test]
    fn a_numbered_unit_is_excluded_only_by_its_whole_title() {
        for heading in [
            "Task 3: Never retry, not once",
            "Phase 1: engine of examples",
            "### Step 2: Drop dead code",
        ] {
            assert!(!excludes(heading), "{heading}");
        }
        for heading in [
            "Phase 2: Future",
            "Task 4: Out of scope",
            "Phase 1: engine (completed)",
            "Step 1: Follow-up",
        ] {
            assert!(excludes(heading), "{heading}");
        }
    }
}
