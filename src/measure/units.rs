//! What a text is counted in: lines, or tokens where its lines are very long.

use std::borrow::Cow;

use gix::bstr::{self, ByteSlice};
use gix::diff::blob::TokenSource;

use super::text::{countable, line_count};

/// Above this many bytes a line, on average, an old version is counted in tokens.
const LONG_LINES: usize = 400;

/// A token is cut after this many bytes.
const TOKEN_LIMIT: usize = 256;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Lines, as git counts them; blank lines count.
    Lines,
    /// Words and statements, where the old version has over 400 bytes a line.
    Tokens,
}

impl Unit {
    /// The unit that suits an old version of this content.
    fn of(old: &[u8], lines: usize) -> Unit {
        if old.len() > LONG_LINES.saturating_mul(lines) {
            Unit::Tokens
        } else {
            Unit::Lines
        }
    }

    /// The word used in messages and JSON: `lines`, `tokens`.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Lines => "lines",
            Unit::Tokens => "tokens",
        }
    }
}

/// A text with its unit and how many of them it has.
pub(super) struct Counted<'a> {
    text: Cow<'a, [u8]>,
    /// What is counted.
    pub(super) unit: Unit,
    /// How many units there are.
    pub(super) count: usize,
}

impl<'a> Counted<'a> {
    /// An old version, which chooses the unit.
    pub(super) fn old(blob: &'a [u8]) -> Self {
        let text = countable(blob);
        let lines = line_count(&text);
        match Unit::of(&text, lines) {
            Unit::Lines => Counted {
                text,
                unit: Unit::Lines,
                count: lines,
            },
            Unit::Tokens => Counted::in_unit(text, Unit::Tokens),
        }
    }

    /// A text in a given unit.
    pub(super) fn in_unit(text: Cow<'a, [u8]>, unit: Unit) -> Self {
        let count = match unit {
            Unit::Lines => line_count(&text),
            Unit::Tokens => Units::Tokens(&text).count(),
        };
        Counted { text, unit, count }
    }

    /// The lines from either end, without the blanks around them.
    pub(super) fn lines(&self) -> impl DoubleEndedIterator<Item = &[u8]> + Clone {
        self.text.lines_with_terminator().map(<[u8]>::trim_ascii)
    }

    /// The units in order, without the blanks around them.
    pub(super) fn units(&self) -> Units<'_> {
        match self.unit {
            Unit::Lines => Units::Lines(self.text.lines_with_terminator()),
            Unit::Tokens => Units::Tokens(&self.text),
        }
    }
}

impl<'a> TokenSource for &'a Counted<'_> {
    type Token = &'a [u8];
    type Tokenizer = Units<'a>;

    fn tokenize(&self) -> Units<'a> {
        self.units()
    }

    fn estimate_tokens(&self) -> u32 {
        u32::try_from(self.count).unwrap_or(u32::MAX)
    }
}

/// The units of a text.
pub(super) enum Units<'a> {
    /// Trimmed lines.
    Lines(bstr::LinesWithTerminator<'a>),
    /// What is left to cut into tokens.
    Tokens(&'a [u8]),
}

impl<'a> Iterator for Units<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        match self {
            Units::Lines(lines) => lines.next().map(<[u8]>::trim_ascii),
            Units::Tokens(rest) => next_token(rest),
        }
    }
}

/// A token runs up to a blank or through the delimiters that end it:
/// `var a=f(b);}` is `var` and `a=f(b);}`. Single punctuation marks would be
/// found again in any other program and hide that it is another one.
fn next_token<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let text = rest.trim_ascii_start();
    let mut delimited = false;
    let end = text
        .iter()
        .take(TOKEN_LIMIT)
        .position(|&byte| {
            let delimiter = matches!(byte, b';' | b',' | b'{' | b'}' | b'>');
            let ends = byte.is_ascii_whitespace() || (delimited && !delimiter);
            delimited |= delimiter;
            ends
        })
        .unwrap_or(text.len().min(TOKEN_LIMIT));
    let (token, tail) = text.split_at(end);
    *rest = tail;
    (!token.is_empty()).then_some(token)
}
