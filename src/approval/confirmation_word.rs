//! The word that a person types to approve. It comes from the change, so that people approve only what they have seen.

use gix::bstr::{BStr, ByteSlice};

/// The word to reject; never the word to approve.
pub const REJECT: &str = "reject";

/// The words for other strategies; never the word to approve.
const STRATEGIES: &[&str] = &["replace", "append", "insert", "extend"];

/// Shorter words are typed by accident, longer ones with mistakes.
const LENGTH: std::ops::RangeInclusive<usize> = 4..=24;

/// The first suitable word of the lost content, of the file name, or the change's id.
pub fn word(lost: &[u8], path: &BStr, id: &str) -> String {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    first(lost)
        .or_else(|| first(name))
        .unwrap_or_else(|| id.to_owned())
}

/// ASCII only, so that any keyboard can type it.
fn first(text: &[u8]) -> Option<String> {
    text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .filter(|word| LENGTH.contains(&word.len()))
        .find(|word| word[0].is_ascii_alphabetic() && !is_answer(word))
        .map(|word| word.to_str_lossy().into_owned())
}

/// Whether the word has another meaning in the prompt.
fn is_answer(word: &[u8]) -> bool {
    let mut answers = STRATEGIES.iter().chain([&REJECT]);
    answers.any(|answer| word.eq_ignore_ascii_case(answer.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confirmation_word_comes_from_lost_text_then_from_the_name() {
        let of = |lost: &str, path: &str| word(lost.as_bytes(), path.into(), "0123abcd");
        assert_eq!(of("x = 1\nclass State:", "src/state.py"), "class");
        assert_eq!(of("# reject_all", "a"), "reject_all");
        assert_eq!(of("REJECT state", "a"), "state");
        assert_eq!(of("Append extend insert replace state", "a"), "state");
        assert_eq!(of("1234 äöüß", "src/state.py"), "state");
        assert_eq!(of("", "a"), "0123abcd");
    }
}
