//! Remarks: what stands in a row beside its type and its paths. One function judges the other cells of a table, the
//! notes in parentheses, and the text behind a dash or colon.
//!
//! A remark never widens a row. It may take it back, in words of closed lists; what else it says is for people.

use std::sync::LazyLock;

use super::source::PIECE as CODE;
use super::types::{self, RowAction};
use super::words::{Phrases, as_seen, words};

/// What a remark does to its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Remark {
    /// Nothing.
    Plain,
    /// The row only mentions its paths.
    Mention,
    /// It says another thing than the type, so the row is bad.
    Contradiction,
    /// DO NOT MODIFY: nobody may change the paths.
    Forbidden,
}

/// The words that protect a file, in any case.
const FORBIDDEN: &[&str] = &["do not modify"];

/// A remark, or a clause of it, that is one of these phrases denies the row.
const DENIALS: &[&str] = &[
    "no",
    "nope",
    "none needed",
    "not planned",
    "rejected",
    "refused",
    "declined",
    "dropped",
    "discarded",
    "deferred",
    "postponed",
    "cancelled",
    "canceled",
    "abandoned",
    "excluded",
    "forbidden",
    "denied",
    "prohibited",
    "disallowed",
    "out of bounds",
    "out of scope",
    "future work",
    "not now",
    "not here",
    "not yet",
    "not touched",
];

/// The same, but only as the whole remark: inside of one, these words have other meanings.
const WHOLE_DENIALS: &[&str] = &[
    "not",
    "frozen",
    "protected",
    "readonly",
    "blocked",
    "optional",
    "maybe",
    "perhaps",
    "possibly",
    "tentative",
    "undecided",
    "future",
    "follow up",
    "followup",
    "later",
];

/// A remark that contains one of these phrases makes its row a mention. Whole words; those of scripts without blanks
/// anywhere.
const MENTIONING: &[&str] = &[
    "do not",
    "don't",
    "dont",
    "must not",
    "mustn't",
    "never",
    "not part of",
    "not need changes",
    "not need to change",
    "not in scope",
    "not to be",
    "no change",
    "no changes",
    "no edit",
    "no edits",
    "no modification",
    "no modifications",
    "unchanged",
    "untouched",
    "unmodified",
    "off limits",
    "out of scope",
    "out of bounds",
    "only if",
    "if needed",
    "if necessary",
    "if required",
    "if approved",
    "if time permits",
    "later",
    "tbd",
    "to be decided",
    "to be determined",
    "must stay",
    "must remain",
    "stays as",
    "stay as",
    "stays the same",
    "stay the same",
    "remains as",
    "remain as",
    "remains the same",
    "left as",
    "leave as",
    "leave alone",
    "left alone",
    "leave it",
    "leave this",
    "keep as is",
    "kept as is",
    "as is",
    "hands off",
    "stretch goal",
    "nice to have",
    "won't be",
    "will not be",
    "cannot be changed",
    "cannot be modified",
    "cannot be edited",
    "cannot be touched",
    "can't be changed",
    "can't be modified",
    "can't be touched",
    "should not be changed",
    "should not be modified",
    "should not be touched",
    "should not change",
    "should not touch",
    "shouldn't be changed",
    "shouldn't be touched",
    "shouldn't change",
    "may not be changed",
    "may not be modified",
    "is not changed",
    "is not modified",
    "is not touched",
    "isn't changed",
    "isn't touched",
    "are not changed",
    "won't change",
    "will not change",
    "won't touch",
    "will not touch",
    "reference only",
    "read only",
    "for reference",
    // German, French, Spanish, Russian, Chinese, Japanese.
    "nicht ändern",
    "nicht anfassen",
    "nicht bearbeiten",
    "unverändert",
    "ne pas modifier",
    "ne pas toucher",
    "inchangé",
    "no modificar",
    "no tocar",
    "sin cambios",
    "не менять",
    "не изменять",
    "не трогать",
    "без изменений",
    "不在本次",
    "不在范围",
    "不修改",
    "不变",
    "不动",
    "不要",
    "禁止",
    "請勿",
    "请勿",
    "変更しない",
    "変更なし",
    "触らない",
    "修正しない",
];

static FORBIDDEN_PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(FORBIDDEN));
static MENTIONING_PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(MENTIONING));

/// The words of the longest phrase of [`DENIALS`].
const MAX_DENIAL_WORDS: usize = 3;

/// Symbols that say no. A remark that begins with one denies the row.
const CROSSES: &[char] = &['❌', '✗', '✘', '✖', '🚫', '⛔', '🛑'];

/// A remark that begins with one of these words makes a row without a type, and an item, a mention.
const MENTION_WORDS: &[&str] = &[
    "verify",
    "read",
    "check",
    "review",
    "reference",
    "keep",
    "done",
    "exists",
    "unchanged",
    "skip",
];

/// Punctuation that ends a clause.
const CLAUSE_ENDS: [char; 14] = [
    ';', '.', ':', '!', '?', '(', ')', '—', '–', '|', '；', '。', '：', '！',
];

/// Judges a remark, in which [`CODE`] stands for each code span. `is_open` says that the row has no type, or is an item.
pub(super) fn judge(text: &str, action: RowAction, is_open: bool) -> Remark {
    if text.trim_start().starts_with(CROSSES) {
        return Remark::Contradiction;
    }
    let said = words(text);
    if said.is_empty() {
        return Remark::Plain;
    }
    if FORBIDDEN_PHRASES.are_in(&said) {
        return Remark::Forbidden;
    }
    let said_type = types::of_text(text).map(|row_type| row_type.action);
    let is_mention = said_type == Some(RowAction::Mention);
    if is_open && (is_mention || begins_as_mention(text)) {
        return Remark::Mention;
    }
    let is_other_type =
        said_type.is_some_and(|other| !types::is_note(text) && !types::agrees(action, other));
    if is_other_type || is_denial(text, &said) {
        return Remark::Contradiction;
    }
    if MENTIONING_PHRASES.are_in(&said) {
        return Remark::Mention;
    }
    Remark::Plain
}

/// Whether a text says DO NOT MODIFY.
pub(super) fn forbids(text: &str) -> bool {
    FORBIDDEN_PHRASES.are_in(&words(text))
}

/// Whether the first word is a mention word. "Read/write settings" begins with another one.
fn begins_as_mention(text: &str) -> bool {
    let text = as_seen(text).to_lowercase();
    let first = text.split_whitespace().next().unwrap_or("");
    let first = first.trim_matches(|c: char| !c.is_alphanumeric() && c != CODE);
    MENTION_WORDS.contains(&first)
}

/// Whether a text or a clause of it is a denial; `said` are the words of the text. A clause with code says more than its
/// words.
fn is_denial(text: &str, said: &[String]) -> bool {
    if !text.contains(CODE) && (is_one_of(said, WHOLE_DENIALS) || is_one_of(said, DENIALS)) {
        return true;
    }
    let clauses = text
        .split(CLAUSE_ENDS)
        .flat_map(|clause| clause.split(" - "));
    let mut parts = clauses.filter(|clause| !clause.contains(CODE));
    parts.any(|clause| is_one_of(&words(clause), DENIALS))
}

/// Whether these words are a phrase of a list.
fn is_one_of(said: &[String], phrases: &[&str]) -> bool {
    said.len() <= MAX_DENIAL_WORDS && phrases.contains(&said.join(" ").as_str())
}

#[cfg(test)]
mod tests {
    use super::super::types::{add, any};
    use super::*;
    use crate::scope::Actions;

    const MODIFY: RowAction = RowAction::Grant(Actions::MODIFY);

    #[test]
    fn a_remark_that_is_a_denial_or_another_type_contradicts_the_row() {
        for text in [
            "No",
            "Rejected",
            "Out of bounds",
            "Optional",
            "Delete",
            "New",
            "Added",
            "Move",
            "the parser; rejected",
            "the parser (deferred)",
            "the parser - dropped",
        ] {
            assert_eq!(judge(text, MODIFY, false), Remark::Contradiction, "{text}");
        }
        for text in ["Unchanged", "Read only", "Verify", "Existing", "Keep"] {
            assert_ne!(judge(text, MODIFY, false), Remark::Plain, "{text}");
            assert_ne!(judge(text, MODIFY, true), Remark::Plain, "{text}");
        }
    }

    #[test]
    fn each_phrase_that_a_remark_contains_makes_the_row_a_mention() {
        for phrase in MENTIONING {
            let text = format!("the parser, {phrase} the printer");
            let said = judge(&text, MODIFY, false);
            assert_ne!(said, Remark::Plain, "{text}");
            assert_ne!(
                judge(&text.to_uppercase(), MODIFY, false),
                Remark::Plain,
                "{text}"
            );
        }
        for text in [
            "never blocks",
            "DON’T touch it",
            "only if the tests fail",
            "is used later",
            "unchanged API",
        ] {
            assert_eq!(judge(text, MODIFY, false), Remark::Mention, "{text}");
        }
    }

    #[test]
    fn ordinary_remarks_leave_the_row_as_it_is() {
        for text in [
            "",
            "Add retry to the parser",
            "not the parser, only the printer",
            "collateral, whenever, notebook, another",
            "handle rejected promises",
            "verify the input",
            "lines 12-34",
            "tests",
            "Modify",
            "sample verdict (blocked, 3 issues)",
        ] {
            assert_eq!(judge(text, MODIFY, false), Remark::Plain, "{text}");
        }
    }

    #[test]
    fn a_mention_word_counts_at_the_beginning_where_a_row_has_no_type() {
        for word in MENTION_WORDS {
            let text = format!("{word} the parser");
            assert_eq!(
                judge(&text, RowAction::Grant(any()), true),
                Remark::Mention,
                "{text}"
            );
        }
        for text in [
            "the parser; verify it",
            "Read/write settings",
            "Checkpoints",
            "reader",
        ] {
            assert_eq!(
                judge(text, RowAction::Grant(any()), true),
                Remark::Plain,
                "{text}"
            );
        }
    }

    #[test]
    fn do_not_modify_forbids_under_any_type() {
        for action in [
            MODIFY,
            RowAction::Grant(add()),
            RowAction::Rename,
            RowAction::Mention,
        ] {
            assert_eq!(
                judge("scaffolded, Do Not Modify!", action, false),
                Remark::Forbidden
            );
        }
    }

    #[test]
    fn each_denial_denies_as_a_whole_or_as_a_clause() {
        for phrase in DENIALS.iter().chain(WHOLE_DENIALS) {
            assert_eq!(
                judge(phrase, MODIFY, false),
                Remark::Contradiction,
                "{phrase}"
            );
        }
        for phrase in DENIALS {
            let text = format!("the parser ({phrase})");
            assert_eq!(judge(&text, MODIFY, false), Remark::Contradiction, "{text}");
        }
    }

    #[test]
    fn code_is_not_searched() {
        assert_eq!(judge("\u{fffc}", MODIFY, false), Remark::Plain);
        assert_eq!(judge("Add \u{fffc}", MODIFY, false), Remark::Plain);
        assert_eq!(judge("no \u{fffc}", MODIFY, false), Remark::Plain);
    }
}
