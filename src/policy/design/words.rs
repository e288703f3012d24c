//! The closed word lists of the grammar (docs/designs.md), and how a text is searched for them.
//!
//! A list is one string with `|` between its phrases, in lower case.

/// Phrases that make an item bad, whatever its type.
const DENIAL_PHRASES: &str = "do not|don't|must not|not part of|no change|no changes|unchanged|untouched|off limits|\
    out of scope|only if|if needed|if necessary|optional|maybe|later|follow up|follow ups|tbd";
/// Words that also make an item without a type bad.
const DENIAL_WORDS: &str = "not|no|never|without|unaffected|skip|frozen|perhaps|possibly|probably|might|may|if|unless|\
    when|once|next|stays|remains|or similar|or equivalent|as needed";
/// Words of headings and bold groups below which no passage counts.
const EXCLUDING: &str = "not|non goal|nongoal|out of scope|won't|deferred|later|future|follow up|followup|alternative|\
    considered|rejected|discarded|dropped|done|completed|history|background|context|current|existing|example|template|\
    appendix|appendice|reference|rollback|optional|maybe|untouched|unchanged|unaffected|frozen|backlog|blocked|previous|\
    root cause|investigate";
/// What a heading may begin with so that the text behind its colon is a title: "Task 3: Never retry".
const UNITS: &str = "task|step|unit|story|phase";

/// The words in lower case; `’` is an apostrophe.
pub(super) fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .replace('’', "'")
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '_'))
        .map(|word| word.trim_matches(['\'', '_']))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether one of the phrases occurs among the words.
pub(super) fn has_phrase(words: &[String], list: &str) -> bool {
    list.split('|').any(|phrase| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|found| found == phrase)
    })
}

/// Whether a word is in a list.
pub(super) fn is_in(word: &str, list: &str) -> bool {
    list.split('|').any(|other| other == word)
}

/// Whether the remark of an item takes back what the item grants.
pub(super) fn denies(remark: &str, is_typed: bool) -> bool {
    let words = words(remark);
    let is_phase = |pair: &[String]| matches!(pair, [phase, number] if phase == "phase" && number.starts_with(|c: char| c.is_ascii_digit()));
    has_phrase(&words, DENIAL_PHRASES)
        || !is_typed
            && (has_phrase(&words, DENIAL_WORDS)
                || words.iter().any(|word| word.ends_with("n't"))
                || words.windows(2).any(is_phase)
                || remark.contains('?'))
}

/// Whether a text is nothing but a denial phrase.
pub(super) fn is_denial(text: &str) -> bool {
    is_in(&words(text).join(" "), DENIAL_PHRASES)
}

/// Whether a heading or a bold group excludes the passages below it.
pub(super) fn excludes(heading: &str) -> bool {
    let Some(title) = unit_title(heading) else {
        return has_excluding(heading);
    };
    let notes = title.split('(').skip(1);
    consists_of_excluding(title.split('(').next().unwrap_or(""))
        || notes
            .filter_map(|note| note.split(')').next())
            .any(has_excluding)
}

/// The title of a numbered unit: "Task 3: Never retry".
pub(super) fn unit_title(heading: &str) -> Option<&str> {
    let (head, title) = heading.split_once(':')?;
    let head = words(head);
    let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
    matches!(head.as_slice(), [.., unit, number] if is_in(unit, UNITS) && is_number(number))
        .then_some(title)
}

fn has_excluding(text: &str) -> bool {
    has_phrase(&singular(text), EXCLUDING)
}

fn consists_of_excluding(text: &str) -> bool {
    let words = singular(text);
    !words.is_empty()
        && words.iter().enumerate().all(|(at, word)| {
            let around = words.get(at.saturating_sub(2)..(at + 3).min(words.len()));
            is_in(word, EXCLUDING)
                || EXCLUDING.split('|').any(|phrase| {
                    phrase.split(' ').any(|part| part == word)
                        && has_phrase(around.unwrap_or(&[]), phrase)
                })
        })
}

/// The words without the ending of a plural.
fn singular(text: &str) -> Vec<String> {
    let singular = |word: String| match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => match word.strip_suffix('s') {
            Some(stem)
                if !is_in(&word, EXCLUDING) && is_in(stem, EXCLUDING)
                    || is_in(&word, "goals|ups|causes") =>
            {
                stem.to_owned()
            }
            _ => word,
        },
    };
    words(text).into_iter().map(singular).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for phrase in EXCLUDING.split('|').filter(|phrase| *phrase != "appendice") {
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
