//! Splits a text into the units for counting it: lines, or tokens if lines are very long.

use std::borrow::Cow;

use bstr::{self, ByteSlice};

use super::content::{countable, line_count};

/// Above this average of bytes per line, an old version is counted in tokens.
const LONG_LINES: usize = 400;

/// Bytes to compare at once.
const STEP: usize = 64;

/// The maximum length of a token.
const TOKEN_LIMIT: usize = 256;

named! {
    /// The unit.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Unit {
        /// Lines, as git counts them; blank lines count.
        Lines = "lines",
        /// Words, if the old version averages more than 400 bytes per line.
        Tokens = "tokens",
        /// Bytes of content that is not text, which is lost whole or not at all.
        Bytes = "bytes",
    }
}

/// The text of a blob, with its lines counted once.
pub(super) struct Text<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// The number of lines.
    pub(super) lines: usize,
}

impl<'a> Text<'a> {
    pub(super) fn of(blob: &'a [u8]) -> Self {
        let bytes = countable(blob);
        let lines = line_count(&bytes);
        Text { bytes, lines }
    }

    /// The trimmed lines.
    pub(super) fn trimmed(&self) -> impl Iterator<Item = &[u8]> {
        Unit::Lines.of(&self.bytes)
    }

    /// The unit for this text as an old version.
    pub(super) fn unit(&self) -> Unit {
        if self.bytes.len() > LONG_LINES.saturating_mul(self.lines) {
            Unit::Tokens
        } else {
            Unit::Lines
        }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }
}

impl Unit {
    /// The trimmed units of a text, in order.
    pub(super) fn of(self, text: &[u8]) -> Box<dyn Iterator<Item = &[u8]> + '_> {
        match self {
            Unit::Lines => Box::new(text.lines_with_terminator().map(<[u8]>::trim_ascii)),
            Unit::Tokens | Unit::Bytes => Box::new(tokens(text)),
        }
    }

    /// How many of them there are.
    pub(super) fn count(self, text: &[u8]) -> usize {
        match self {
            Unit::Lines => line_count(text),
            Unit::Tokens => tokens(text).count(),
            Unit::Bytes => text.len(),
        }
    }

    /// Whether no unit goes on behind this byte.
    fn ends_at(self, byte: u8) -> bool {
        byte == b'\n' || self != Unit::Lines && byte.is_ascii_whitespace()
    }
}

/// The bytes of the equal units at the start of both texts. The last is left out where the texts differ behind it, since
/// one of them may go on: that costs a little time, and no exactness.
pub(super) fn equal_head(old: &[u8], new: &[u8], unit: Unit) -> usize {
    let same = equal_start(old, new);
    if same == old.len() && same == new.len() {
        same
    } else {
        let end = old[..same].iter().rposition(|byte| unit.ends_at(*byte));
        end.map_or(0, |at| at + 1)
    }
}

/// The bytes of the equal units at the end; the first may be left out.
pub(super) fn equal_tail(old: &[u8], new: &[u8], unit: Unit) -> usize {
    let same = equal_end(old, new);
    let mut tail = old[old.len() - same..].iter();
    let end = tail.position(|byte| unit.ends_at(*byte));
    end.map_or(0, |at| same - at - 1)
}

/// The number of equal bytes at the start of both.
fn equal_start(one: &[u8], other: &[u8]) -> usize {
    let steps = one.chunks_exact(STEP).zip(other.chunks_exact(STEP));
    let near = STEP * steps.take_while(|(a, b)| a == b).count();
    let rest = one[near..].iter().zip(&other[near..]);
    near + rest.take_while(|(a, b)| a == b).count()
}

/// The number of equal bytes at the end of both.
fn equal_end(one: &[u8], other: &[u8]) -> usize {
    let steps = one.rchunks_exact(STEP).zip(other.rchunks_exact(STEP));
    let near = STEP * steps.take_while(|(a, b)| a == b).count();
    let rest = one[..one.len() - near].iter().rev();
    let rest = rest.zip(other[..other.len() - near].iter().rev());
    near + rest.take_while(|(a, b)| a == b).count()
}

/// The tokens of a text.
fn tokens(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || next_token(&mut text))
}

/// A token is a word, or one character of a script without blanks, with the punctuation directly after it: `var
/// a=f(b);}` is `var`, `a=`, `f(` and `b);}`. Separate punctuation tokens would occur in any program and hide that
/// the text is another one.
fn next_token<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let text = rest.trim_ascii_start();
    let mut end = 0;
    let mut may_grow = true;
    while end < TOKEN_LIMIT {
        let (class, length) = classify(&text[end..]);
        match class {
            CharClass::End => break,
            CharClass::Punctuation => may_grow = false,
            CharClass::Word if may_grow => {}
            CharClass::Single if end == 0 => may_grow = false,
            CharClass::Word | CharClass::Single => break,
        }
        end += length;
    }
    let (token, tail) = text.split_at(end);
    *rest = tail;
    (!token.is_empty()).then_some(token)
}

/// The words of a text: runs of letters, digits and `_`, or single characters of a script without blanks.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = tokens(text).map(|token| &token[..word_length(token)]);
    words.filter(|word| !word.is_empty())
}

/// The length of a token without the punctuation after it.
fn word_length(token: &[u8]) -> usize {
    let mut end = 0;
    while let (CharClass::Word | CharClass::Single, length) = classify(&token[end..]) {
        end += length;
    }
    end
}

/// The effect of a character on tokens.
enum CharClass {
    /// A letter, digit or `_` of a script that separates words.
    Word,
    /// A character of a script that does not; each is a token.
    Single,
    /// Any other visible character.
    Punctuation,
    /// A blank, or an invalid character.
    End,
}

/// The class of the first character, and its length in bytes.
fn classify(text: &[u8]) -> (CharClass, usize) {
    match text.first() {
        None => (CharClass::End, 0),
        Some(byte) if byte.is_ascii_whitespace() => (CharClass::End, 1),
        Some(&byte) if byte.is_ascii() => match byte {
            b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => (CharClass::Word, 1),
            _ => (CharClass::Punctuation, 1),
        },
        Some(_) => match bstr::decode_utf8(text) {
            (Some(c), length) => (class_beyond_ascii(c), length),
            // Probably a letter of an older encoding.
            (None, length) => (CharClass::Word, length.max(1)),
        },
    }
}

fn class_beyond_ascii(c: char) -> CharClass {
    if !c.is_alphanumeric() {
        CharClass::Punctuation
    } else if is_written_without_blanks(c) {
        CharClass::Single
    } else {
        CharClass::Word
    }
}

/// Whether the script of a letter separates words without blanks: Thai, Lao, Tibetan and Myanmar, Khmer, Han with
/// Bopomofo, Kana and Yi. Hangul uses blanks.
fn is_written_without_blanks(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{312f}'
        | '\u{31a0}'..='\u{a4cf}'
        | '\u{a9e0}'..='\u{a9ff}'
        | '\u{aa60}'..='\u{aa7f}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}'
        | '\u{1b000}'..='\u{1b16f}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &[u8]) -> Vec<std::borrow::Cow<'_, str>> {
        super::tokens(text).map(ByteSlice::to_str_lossy).collect()
    }

    #[test]
    fn word_includes_the_punctuation_after_it() {
        assert_eq!(
            tokens(b" var a_1=f(b);}\n  (x)"),
            ["var", "a_1=", "f(", "b);}", "(", "x)"]
        );
        assert_eq!(
            tokens("Gr\u{f6}\u{df}e, \u{d55c}\u{ad6d}\u{c5b4}".as_bytes()).len(),
            2
        );
    }

    #[test]
    fn scripts_without_blanks_are_counted_by_character() {
        assert_eq!(
            tokens("\u{8fd9}\u{662f}\u{3002}\u{304b}\u{306a} \u{e44}\u{e17}\u{e22}".as_bytes()),
            [
                "\u{8fd9}",
                "\u{662f}\u{3002}",
                "\u{304b}",
                "\u{306a}",
                "\u{e44}",
                "\u{e17}",
                "\u{e22}"
            ]
        );
    }

    #[test]
    fn more_than_400_bytes_per_line_are_counted_by_tokens() {
        let line = "a b ".repeat(99) + "end\n";
        assert_eq!(line.len(), LONG_LINES);
        assert_eq!(Text::of(line.repeat(2).as_bytes()).unit(), Unit::Lines);
        let longer = line.repeat(2) + &line.replace("end", "ends");
        assert_eq!(Text::of(longer.as_bytes()).unit(), Unit::Tokens);
        assert_eq!(Text::of(b"").unit(), Unit::Lines);
    }

    #[test]
    fn equal_ends_reach_to_the_byte_that_differs() {
        let text: Vec<u8> = (0..3 * STEP as u8 + 9).collect();
        for at in 0..text.len() {
            let mut other = text.clone();
            other[at] = 255;
            assert_eq!(equal_start(&text, &other), at);
            assert_eq!(equal_end(&text, &other), text.len() - at - 1);
            assert_eq!(equal_start(&text, &text[..at]), at);
            assert_eq!(equal_end(&text, &text[at..]), text.len() - at);
        }
        assert_eq!(equal_start(&text, &text), text.len());
        assert_eq!(equal_end(&text, &text), text.len());
    }

    #[test]
    fn equal_ends_are_cut_where_units_end() {
        for (old, new, unit, expected) in [
            ("a b c d", "a b x d", Unit::Tokens, ("c ", "x ")),
            ("a b c", "a b c", Unit::Tokens, ("", "")),
            ("aa bb", "aa cc bb", Unit::Tokens, ("bb", "cc bb")),
            ("aab bb", "aac bb", Unit::Tokens, ("aab ", "aac ")),
            ("xa b", "ya b", Unit::Tokens, ("xa ", "ya ")),
            ("abc", "abd", Unit::Tokens, ("abc", "abd")),
            ("", "a b", Unit::Tokens, ("", "a b")),
            (
                "a b c\nd\n",
                "a b x\nd\n",
                Unit::Lines,
                ("a b c\n", "a b x\n"),
            ),
        ] {
            let old = old.as_bytes();
            let new = new.as_bytes();
            let head = equal_head(old, new, unit);
            let old = &old[head..];
            let new = &new[head..];
            let tail = equal_tail(old, new, unit);
            let rest = |text: &[u8]| text[..text.len() - tail].to_str_lossy().into_owned();
            let expected = (expected.0.to_owned(), expected.1.to_owned());
            assert_eq!((rest(old), rest(new)), expected);
            assert_eq!(Unit::Tokens.count(old), tokens(old).len());
        }
    }

    #[test]
    fn every_non_blank_byte_belongs_to_a_token() {
        let long = "x".repeat(1_000);
        let texts = [
            long.as_bytes(),
            b"a\xff\xfe;b\0c",
            "\u{3000}a\u{a0}\u{20000}".as_bytes(),
        ];
        for text in texts {
            assert_eq!(super::tokens(text).collect::<Vec<_>>().concat(), text);
        }
    }
}
