//! What a person types: the word that approves a change, and the reason.

use gix::bstr::{BStr, ByteSlice};

/// The word to reject; never the word to approve.
pub const REJECT: &str = "reject";
/// What has another meaning in the prompt.
const ANSWERS: &[&str] = &["replace", "append", "insert", "extend", REJECT];
/// Shorter words are typed by accident, longer ones with mistakes.
const LENGTH: std::ops::RangeInclusive<usize> = 4..=24;
/// Longer reasons are cut.
const REASON_CHARS: usize = 500;

/// The word to approve: the first suitable one of the lost content, of the file name, or the change's id. It comes
/// from the change, so that people approve only what they have seen.
pub fn word(lost: &[u8], path: &BStr, id: &str) -> String {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    first(lost)
        .or_else(|| first(name))
        .unwrap_or_else(|| id.to_owned())
}

/// ASCII only, so that any keyboard can type it.
fn first(text: &[u8]) -> Option<String> {
    let is_answer = |word: &[u8]| {
        let mut answers = ANSWERS.iter();
        answers.any(|answer| word.eq_ignore_ascii_case(answer.as_bytes()))
    };
    text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .filter(|word| LENGTH.contains(&word.len()))
        .find(|word| word[0].is_ascii_alphabetic() && !is_answer(word))
        .map(|word| word.to_str_lossy().into_owned())
}

/// A reason for the log: printable, and of limited length.
pub fn reason_line(reason: &str) -> String {
    let printable = reason.chars().filter(|c| !c.is_control());
    let reason: String = printable.take(REASON_CHARS).collect();
    reason.trim().to_owned()
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

    #[test]
    fn a_reason_is_one_printable_line() {
        assert_eq!(reason_line(" a\u{1b}[2Jb\tc "), "a[2Jbc");
        assert_eq!(reason_line(&"x".repeat(600)).len(), 500);
    }
}
