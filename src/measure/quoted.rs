//! Counts the words of a text, those in comments and strings, and the marks between them, without knowing its language.
//!
//! Two layouts of one program have equal counts, even where this reading misjudges a language, because it misjudges
//! both versions alike.

use gix::bstr::ByteSlice;

use super::text::{character_length, word_length};

/// Comments and strings of several lines.
const BLOCKS: [(&[u8], &[u8]); 4] = [
    (b"\"\"\"", b"\"\"\""),
    (b"'''", b"'''"),
    (b"/*", b"*/"),
    (b"<!--", b"-->"),
];

/// Marks that formatters add, drop and exchange as they like.
const FREE: &[u8] = b",;\\\"'`";
/// Marks that formatters add, and rarely drop.
const BRACKETS: &[u8] = b"()[]{}";
/// Words that begin a comment at the start of a line.
const COMMENT_WORDS: [&[u8]; 3] = [b"REM", b"rem", b"dnl"];
/// The letters before a quote that belong to the string, as in `rb''`.
const STRING_PREFIXES: &[u8] = b"rbfuRBFUL";

/// Whether a comment or string of the text may go on over several lines.
pub(super) fn has_blocks(text: &[u8]) -> bool {
    BLOCKS.iter().any(|(start, _)| text.find(start).is_some())
}

/// What a text is made of.
#[derive(Debug, Clone)]
pub(super) struct Makeup {
    /// The number of words.
    pub(super) words: usize,
    /// The number of words in comments and strings.
    pub(super) quoted: usize,
    /// The number of each ASCII mark, except those in [`FREE`]. A row of equal marks, as in a table, is one.
    marks: [usize; 128],
}

impl Makeup {
    pub(super) fn of(text: &[u8]) -> Makeup {
        let mut found = Makeup {
            words: 0,
            quoted: 0,
            marks: [0; 128],
        };
        let mut reader = QuoteReader::default();
        for line in text.split(|&byte| byte == b'\n') {
            reader.read(line, Some(&mut found));
        }
        found
    }

    /// The number of marks.
    pub(super) fn marks(&self) -> usize {
        self.marks.iter().sum()
    }

    /// The number of marks that this text has more of than the other, and how many of these are no brackets.
    pub(super) fn marks_beyond(&self, other: &Makeup) -> (usize, usize) {
        let (mut all, mut other_than_brackets) = (0, 0);
        for (mark, (mine, theirs)) in (0_u8..).zip(self.marks.iter().zip(&other.marks)) {
            let beyond = mine.saturating_sub(*theirs);
            all += beyond;
            if !BRACKETS.contains(&mark) {
                other_than_brackets += beyond;
            }
        }
        (all, other_than_brackets)
    }

    fn add_mark(&mut self, mark: u8) {
        if !FREE.contains(&mark)
            && let Some(count) = self.marks.get_mut(usize::from(mark))
        {
            *count += 1;
        }
    }
}

/// What a reader is in.
#[derive(Clone, Copy, PartialEq)]
enum Quotation {
    Code,
    /// A comment up to the end of the line.
    Comment,
    /// A string that ends with this quote on the same line.
    String(u8),
    /// A comment or string that ends with this, perhaps on another line.
    Block(&'static [u8]),
}

/// Reads a text line by line.
#[derive(Default)]
pub(super) struct QuoteReader {
    /// The end of the block in which the next line begins.
    block: Option<&'static [u8]>,
}

impl QuoteReader {
    /// Whether the next line begins in a comment or string.
    pub(super) fn is_in_block(&self) -> bool {
        self.block.is_some()
    }

    /// Reads one line.
    pub(super) fn read(&mut self, line: &[u8], mut found: Option<&mut Makeup>) {
        let mut position = Position {
            line,
            at: 0,
            before: b'\n',
            word: &[],
            is_first: true,
            unclosed: [false; 3],
        };
        let mut place = self.block.map_or(Quotation::Code, Quotation::Block);
        let mut last_mark = 0;
        while let Some(&byte) = position.rest().first() {
            if byte.is_ascii_whitespace() {
                position.skip(1, &[]);
                last_mark = 0;
                continue;
            }
            let length = word_length(position.rest());
            if length > 0 {
                let (word, after) = position.rest().split_at(length);
                let is_alone = after.first().is_none_or(u8::is_ascii_whitespace);
                let is_comment = position.is_first && is_alone && COMMENT_WORDS.contains(&word);
                if is_comment && place == Quotation::Code {
                    place = Quotation::Comment;
                }
                if let Some(found) = found.as_deref_mut() {
                    found.words += 1;
                    found.quoted += usize::from(place != Quotation::Code);
                }
                position.skip(length, word);
                position.is_first = false;
                last_mark = 0;
                continue;
            }
            let (next, length) = match byte.is_ascii() {
                true => position.after_mark(byte, place),
                false => (place, character_length(position.rest())),
            };
            let marks = &position.rest()[..length];
            if let Some(found) = found.as_deref_mut() {
                for &mark in marks {
                    let mark = position.without_bullet(mark);
                    if mark != last_mark {
                        found.add_mark(mark);
                    }
                    last_mark = mark;
                }
            }
            place = next;
            position.skip(length, &[]);
            position.is_first = false;
        }
        self.block = match place {
            Quotation::Block(end) => Some(end),
            _ => None,
        };
    }
}

/// A position in a line, and what comes before it.
struct Position<'a> {
    line: &'a [u8],
    at: usize,
    /// The byte before; a line feed at the start.
    before: u8,
    /// The word that ends here, or nothing.
    word: &'a [u8],
    /// Whether only blanks come before.
    is_first: bool,
    /// The quotes that do not occur again in the line.
    unclosed: [bool; 3],
}

impl<'a> Position<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.line[self.at..]
    }

    fn skip(&mut self, length: usize, word: &'a [u8]) {
        self.at += length;
        self.before = self.line[self.at - 1];
        self.word = word;
    }

    /// The bullets of a list are one mark, because formatters exchange them.
    fn without_bullet(&self, mark: u8) -> u8 {
        let is_bullet = self.is_first && matches!(mark, b'*' | b'+' | b'-');
        let next = self.rest().get(1);
        match is_bullet && next.is_none_or(u8::is_ascii_whitespace) {
            true => b'-',
            false => mark,
        }
    }

    /// The place after the mark here, and the bytes that the mark takes.
    fn after_mark(&mut self, byte: u8, place: Quotation) -> (Quotation, usize) {
        let rest = self.rest();
        match place {
            Quotation::Block(end) if rest.starts_with(end) => return (Quotation::Code, end.len()),
            Quotation::String(quote) if byte == quote => return (Quotation::Code, 1),
            Quotation::String(_) if byte == b'\\' => {
                let is_escape = rest.get(1).is_some_and(u8::is_ascii);
                return (place, 1 + usize::from(is_escape));
            }
            Quotation::Code => {}
            _ => return (place, 1),
        }
        for (start, end) in BLOCKS {
            if rest.starts_with(start) && !(start == b"/*" && self.is_in_pattern()) {
                return (Quotation::Block(end), start.len());
            }
        }
        let is_after_blank = self.before.is_ascii_whitespace();
        let is_comment = match byte {
            b'/' => rest.starts_with(b"//"),
            b'#' => is_after_blank,
            b'-' => {
                let is_dash = rest.starts_with(b"--") && is_after_blank;
                is_dash && rest.get(2).is_none_or(u8::is_ascii_whitespace)
            }
            b';' | b'%' => self.is_first,
            b'"' | b'\'' | b'`' => return (self.quote(byte), 1),
            _ => false,
        };
        match is_comment {
            true => (Quotation::Comment, 1),
            false => (Quotation::Code, 1),
        }
    }

    /// Whether `/*` here is part of a pattern such as `src/*.py`.
    fn is_in_pattern(&self) -> bool {
        !self.word.is_empty() || matches!(self.before, b'*' | b'.' | b'"' | b'\'')
    }

    /// The place after a quote.
    fn quote(&mut self, quote: u8) -> Quotation {
        let is_prefix =
            |word: &[u8]| word.len() < 3 && word.iter().all(|c| STRING_PREFIXES.contains(c));
        // An apostrophe, or a lifetime of Rust.
        if quote == b'\'' && (!is_prefix(self.word) || matches!(self.before, b'&' | b'<')) {
            return Quotation::Code;
        }
        let unclosed = match quote {
            b'"' => &mut self.unclosed[0],
            b'\'' => &mut self.unclosed[1],
            _ => &mut self.unclosed[2],
        };
        if !*unclosed && ends_with_quote(&self.line[self.at + 1..], quote) {
            return Quotation::String(quote);
        }
        *unclosed = true;
        match self.is_first {
            true => Quotation::Comment,
            false => Quotation::Code,
        }
    }
}

/// Whether the quote occurs unescaped.
fn ends_with_quote(rest: &[u8], quote: u8) -> bool {
    let mut bytes = rest.iter();
    while let Some(&byte) = bytes.next() {
        if byte == quote {
            return true;
        }
        if byte == b'\\' {
            bytes.next();
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str) -> (usize, usize) {
        let makeup = Makeup::of(text.as_bytes());
        (makeup.quoted, makeup.words)
    }

    #[test]
    fn words_after_a_comment_mark_are_quoted() {
        for comment in [
            "# a b", "  # a b", "// a b", "-- a b", "; a b", "% a b", "' a b", "\" a b", "dnl a b",
        ] {
            let words = 2 + usize::from(comment.starts_with("dnl"));
            assert_eq!(quoted(comment), (words, words), "{comment}");
            assert_eq!(
                quoted(&format!("{comment}\nc")),
                (words, words + 1),
                "{comment}"
            );
        }
        assert_eq!(quoted("x = 1 // a b"), (2, 4));
        assert_eq!(quoted("x -- a"), (1, 2));
        assert_eq!(quoted("i--; a#b; a % b; x; y"), (0, 7));
    }

    #[test]
    fn words_in_blocks_and_strings_are_quoted() {
        assert_eq!(quoted("a /* b\nc */ d"), (2, 4));
        assert_eq!(quoted("a \"\"\"b\nc\"\"\" d"), (2, 4));
        assert_eq!(quoted("<!-- a\nb --> c"), (2, 3));
        assert_eq!(quoted("f('a b', \"c\") d"), (3, 5));
        assert_eq!(quoted(r#"f("a \" b") c"#), (2, 4));
        assert_eq!(quoted("src/*.py src/**/*.rs a"), (0, 5));
    }

    #[test]
    fn apostrophes_and_lifetimes_do_not_open_strings() {
        assert_eq!(quoted("it isn't a user's b"), (0, 7));
        assert_eq!(quoted("fn f<'a>(x: &'a str, y: &'a str)"), (0, 9));
        assert_eq!(quoted("a \"b\nc"), (0, 3), "the line has no second quote");
    }

    #[test]
    fn free_marks_and_rows_of_a_mark_do_not_count() {
        let marks = |text: &str| Makeup::of(text.as_bytes()).marks();
        assert_eq!(marks("a, b; 'c' \\"), 0);
        assert_eq!(marks("|---|----------|"), 5);
        assert_eq!(marks("f(a + b)"), 3);
        let (old, new) = (Makeup::of(b"* a\n* b"), Makeup::of(b"- a\n- b"));
        assert_eq!(old.marks_beyond(&new), (0, 0));
    }

    #[test]
    fn every_byte_is_read_whatever_the_text() {
        let mut dice = crate::random::Random(11);
        let bytes = b"\"'`/*#-<!>\\\n \tarb\xc3\xa9;%\xff";
        for _ in 0..20_000 {
            let text: Vec<u8> = (0..dice.below(40))
                .map(|_| bytes[dice.below(bytes.len())])
                .collect();
            let makeup = Makeup::of(&text);
            assert!(makeup.quoted <= makeup.words);
        }
    }
}
