//! Whether a heading excludes the files below it.

/// Words that make a heading exclude its files.
const WORDS: &[&str] = &[
    "not",
    "never",
    "dont",
    "wont",
    "cannot",
    "unchanged",
    "untouched",
    "excluded",
    "excluding",
    "exclusion",
    "exclusions",
    "except",
    "forbidden",
    "deferred",
    "postponed",
    "later",
    "future",
    "rejected",
    "nongoal",
    "nongoals",
];
/// Phrases that do the same.
const PHRASES: &[&[&str]] = &[
    &["out", "of", "scope"],
    &["out", "of", "bounds"],
    &["off", "limits"],
    &["non", "goal"],
    &["non", "goals"],
    &["no", "goals"],
    &["no", "change"],
    &["no", "changes"],
    &["follow", "up"],
    &["follow", "ups"],
    &["followups"],
];
/// Words for using a file without changing it.
pub(super) const LOOK: &[&str] = &["investigate", "read", "reference", "references"];
/// Words before a negation that keep its meaning.
const LEAD: &[&str] = &[
    "do",
    "must",
    "should",
    "explicitly",
    "intentionally",
    "deliberately",
    "currently",
    "what",
    "is",
    "are",
    "we",
    "will",
    "things",
    "work",
    "changes",
    "files",
    "file",
    "everything",
    "that",
    "which",
    "the",
    "all",
    "these",
    "those",
    "this",
    "to",
    "be",
    "known",
];

/// Whether a text contains a word that excludes files.
pub(super) fn is_in(text: &str) -> bool {
    let words = words(text);
    words
        .iter()
        .any(|word| is_word(word) || LOOK.contains(&word.as_str()))
        || (0..words.len()).any(|at| phrase(words.get(at..).unwrap_or(&[])))
}

/// Whether a word of a heading is one that [`is_in`] looks for.
pub(super) fn is_word(word: &str) -> bool {
    WORDS.contains(&word) || word.ends_with("n't")
}

/// Whether a heading as a whole excludes what is below it: a part of it begins or ends with a negation. For the
/// document title, a part must be only a negation: "Deferred loading" may be the topic of the document.
pub(super) fn governs(text: &str, is_title: bool) -> bool {
    let is_title = is_title || is_numbered(text);
    text.split(['(', ')', '[', ']', ':', '—', '–'])
        .flat_map(|part| part.split(" - "))
        .map(words)
        .any(|words| {
            let lead = words
                .iter()
                .take_while(|word| LEAD.contains(&word.as_str()) || is_number(word))
                .count();
            let rest = words.get(lead..).unwrap_or(&[]);
            if is_title {
                return is_whole(rest);
            }
            starts(rest) || ends(rest)
        })
}

/// "Task 3: Never retry": what the task is about, not whether it is done.
fn is_numbered(text: &str) -> bool {
    const UNITS: &[&str] = &[
        "task", "step", "unit", "fix", "story", "commit", "chunk", "part", "u",
    ];
    let Some((head, _)) = text.split_once(':') else {
        return false;
    };
    let head = words(head);
    let is_count = |word: &String| word.chars().any(|c| c.is_ascii_digit());
    matches!(head.as_slice(), [unit, number] if UNITS.contains(&unit.as_str()) && is_count(number))
}

fn is_number(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit())
}

fn starts(words: &[String]) -> bool {
    words.first().is_some_and(|word| is_word(word)) || phrase(words)
}

fn ends(words: &[String]) -> bool {
    let is_adjective = |word: &&String| {
        WORDS.contains(&word.as_str()) && !matches!(word.as_str(), "not" | "never" | "cannot")
    };
    words.last().filter(is_adjective).is_some()
        || (0..words.len()).any(|at| is_whole(words.get(at..).unwrap_or(&[])))
}

/// Whether the words are a single negation, such as "future work".
fn is_whole(words: &[String]) -> bool {
    let is_tail = |word: &String| matches!(word.as_str(), "work" | "changes" | "files" | "now");
    match words {
        [] => false,
        [word, tail @ ..] if is_word(word) => tail.iter().all(is_tail) || whole_rest(words),
        _ => PHRASES
            .iter()
            .any(|phrase| words.len() == phrase.len() && words.iter().eq(phrase.iter())),
    }
}

/// Phrases such as "not in scope" and "not part of this change".
fn whole_rest(words: &[String]) -> bool {
    let rest: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    matches!(
        *rest,
        ["in", "scope"]
            | ["in" | "for", "this", _]
            | ["part", "of", "this", _]
            | ["be", "touched" | "changed"]
            | ["touched" | "changed"]
    )
}

fn phrase(words: &[String]) -> bool {
    PHRASES
        .iter()
        .any(|phrase| words.len() >= phrase.len() && words.iter().zip(*phrase).all(|(a, b)| a == b))
}

/// The words in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    split(text).map(lower_case).collect()
}

/// The first of these words, or nothing.
pub(super) fn first_word(text: &str) -> String {
    split(text).next().map(lower_case).unwrap_or_default()
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .filter(|word| !word.is_empty())
}

fn lower_case(word: &str) -> String {
    let lower = word.to_lowercase();
    match lower.contains('’') {
        true => lower.replace('’', "'"),
        false => lower,
    }
}
