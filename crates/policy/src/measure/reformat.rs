//! Whether a new version only lays out the old one anew, as formatters do.
//!
//! A formatter keeps the words of the lines that it changes, in order. So does a program that disables the code: it
//! comments every line out, or puts all of it into a string. Therefore the new version may not add words either, hardly
//! any word may get into a comment, as far as that can be told without knowing the language, quotes may not become many,
//! and the marks between the words must stay, except separators and brackets, which formatters exchange or add.
//!
//! Symbols and repeated marks such as `==` or `,,` say something, so they are words: each character beyond ASCII, and
//! each run of equal marks.
//!
//! Two layouts of one program have equal counts, even where this reading misjudges a language, because it misjudges
//! both versions alike.

use std::ops::Range;

use bstr::ByteSlice;
use gix_imara_diff::{Diff, InternedInput};

use super::carried::carries_content;
use super::count::LostPart;
use super::line_diff;
use super::text::{self, Text};

/// The new version keeps at least one line of so many.
const LINES: usize = 4;
/// So few symbols and repeated marks may be lost, however few there are.
const FEW_SIGNS: usize = 10;

/// Comments and strings of several lines.
const BLOCKS: [(&[u8], &[u8]); 4] = [
    (b"\"\"\"", b"\"\"\""),
    (b"'''", b"'''"),
    (b"/*", b"*/"),
    (b"<!--", b"-->"),
];
/// What begins a comment at the start of a line.
const COMMENTS: [&[u8]; 10] = [
    b"#", b"//", b"-- ", b";", b"%", b"' ", b"\" ", b"REM ", b"rem ", b"dnl ",
];
/// Marks that formatters add, drop and exchange as they like.
const FREE: &[u8] = b",;\\\"'`";
/// Marks that say nothing when they are repeated: formatters put `))` into two lines, and exchange quotes.
const NEVER_SIGN: &[u8] = b"()[]{}\\\"'`";
/// Marks at the start of a line that begin a comment or a list, which are repeated on each line of a paragraph.
const LINE_START: &[u8] = b"/#-*;%!>";

/// Whether `new` has the words of `old` in another layout.
pub(super) fn is_reformat(old: &Text<'_>, new: &Text<'_>) -> bool {
    let before = with_content(old);
    let after = with_content(new);
    if after.len() * LINES < before.len() {
        return false;
    }
    let Some(changes) = line_diff::changes_of_lines(&before, &after) else {
        return false;
    };
    let before = lines_at(&before, changes.iter().map(|change| &change.before));
    let after = lines_at(&after, changes.iter().map(|change| &change.after));
    let words = line_diff::numbered(
        before.iter().flat_map(|line| words_and_signs(line)),
        after.iter().flat_map(|line| words_and_signs(line)),
    );
    // What takes the least time goes first.
    words.is_some_and(|words| {
        has_words(&words)
            && is_alike(&Makeup::of(&old.bytes), &Makeup::of(&new.bytes))
            && keeps_words(&before, &line_diff::diff(&words), words.before.len())
    })
}

/// The trimmed lines that carry content: the others are in any layout.
fn with_content<'a>(text: &'a Text<'_>) -> Vec<&'a [u8]> {
    let lines = text.trimmed();
    lines.filter(|line| carries_content(line)).collect()
}

/// The lines at these places.
fn lines_at<'a, 'p>(
    lines: &[&'a [u8]],
    places: impl Iterator<Item = &'p Range<u32>>,
) -> Vec<&'a [u8]> {
    let parts = places.map(|place| &lines[place.start as usize..place.end as usize]);
    parts.flatten().copied().collect()
}

/// The words of a line, and its signs: symbols beyond ASCII and runs of two or more equal marks.
fn words_and_signs(line: &[u8]) -> Vec<&[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut found = Vec::new();
    let mut rest = line.trim_start_with(|c| c.is_ascii() && LINE_START.contains(&(c as u8)));
    while let Some(&first) = rest.first() {
        let (length, counts) = if is_word(&first) {
            (rest.iter().take_while(|byte| is_word(byte)).count(), true)
        } else if first.is_ascii() {
            let run = rest.iter().take_while(|byte| **byte == first).count();
            let is_mark = first.is_ascii_graphic() && !NEVER_SIGN.contains(&first);
            (run, run > 1 && is_mark)
        } else {
            let (c, length) = bstr::decode_utf8(rest);
            (length.max(1), !c.is_some_and(char::is_whitespace))
        };
        let (token, behind) = rest.split_at(length);
        if counts {
            found.push(token);
        }
        rest = behind;
    }
    found
}

/// Whether a word is a symbol or a run of marks.
fn is_sign(word: &[u8]) -> bool {
    let first = word.chars().next();
    first.is_some_and(|c| !c.is_alphanumeric() && c != '_')
}

/// Whether the new lines have nearly the words of the old ones, in whatever order.
fn has_words(words: &InternedInput<&[u8]>) -> bool {
    let mut free = vec![0_usize; words.interner.num_tokens() as usize];
    for word in &words.before {
        free[word.0 as usize] += 1;
    }
    let mut lost = words.before.len();
    let mut added = 0;
    for word in &words.after {
        match &mut free[word.0 as usize] {
            0 => added += 1,
            count => (*count, lost) = (*count - 1, lost - 1),
        }
    }
    is_little(lost, words.before.len()) && is_little(added, words.before.len())
}

/// Whether a part is less than a tenth of the whole.
fn is_little(part: usize, whole: usize) -> bool {
    part == 0 || part * 10 < whole
}

/// The bounds that take linear time.
fn is_alike(before: &Makeup, after: &Makeup) -> bool {
    let words = before.words;
    let marks = before.marks.iter().sum();
    words > 0
        && is_little(words.abs_diff(after.words), words)
        && is_little(after.commented.saturating_sub(before.commented), words)
        && is_little(after.quotes.saturating_sub(before.quotes), words)
        && is_little(before.marks_beyond(after, b""), marks)
        && is_little(after.marks_beyond(before, b"()[]{}"), marks)
}

/// What a text is made of.
struct Makeup {
    /// The number of words.
    words: usize,
    /// The number of words in lines that begin in a comment or block.
    commented: usize,
    quotes: usize,
    /// The number of each ASCII mark, except those in [`FREE`]. A row of equal marks, as in a table, is one.
    marks: [usize; 128],
}

impl Makeup {
    fn of(text: &[u8]) -> Makeup {
        let mut found = Makeup {
            words: 0,
            commented: 0,
            quotes: 0,
            marks: [0; 128],
        };
        let mut blocks = BlockReader::default();
        for line in text.lines() {
            let line = line.trim_ascii();
            let words = text::words(line).count();
            found.words += words;
            let is_comment = COMMENTS.iter().any(|mark| line.starts_with(mark));
            if blocks.read(line) || is_comment {
                found.commented += words;
            }
            let mut last = b' ';
            for (at, &byte) in line.iter().enumerate() {
                found.quotes += usize::from(b"\"'`".contains(&byte));
                // The bullets of a list are one mark, because formatters exchange them.
                let is_bullet = at == 0 && b"*+-".contains(&byte) && line.get(1) == Some(&b' ');
                let mark = if is_bullet { b'-' } else { byte };
                if mark.is_ascii_punctuation()
                    && mark != b'_'
                    && mark != last
                    && !FREE.contains(&mark)
                {
                    found.marks[usize::from(mark)] += 1;
                }
                last = mark;
            }
        }
        found
    }

    /// How many marks this text has more of than the other, except these.
    fn marks_beyond(&self, other: &Makeup, except: &[u8]) -> usize {
        let both = (0_u8..).zip(self.marks.iter().zip(&other.marks));
        let counted = both.filter(|(mark, _)| !except.contains(mark));
        counted
            .map(|(_, (mine, theirs))| mine.saturating_sub(*theirs))
            .sum()
    }
}

/// Whether a comment or string of the text may go on over several lines.
pub(super) fn has_blocks(text: &[u8]) -> bool {
    BLOCKS.iter().any(|(start, _)| text.contains_str(start))
}

/// Reads a text line by line, and knows which lines begin in a comment or string of several lines.
#[derive(Default)]
pub(super) struct BlockReader {
    /// The end of the block in which the next line begins.
    end: Option<&'static [u8]>,
}

impl BlockReader {
    /// Reads one line. The answer is whether it begins in a block.
    pub(super) fn read(&mut self, line: &[u8]) -> bool {
        let was_in_block = self.end.is_some();
        let mut at = 0;
        while at < line.len() {
            let rest = &line[at..];
            at += match self.end {
                Some(end) => match rest.find(end) {
                    Some(found) => {
                        self.end = None;
                        found + end.len()
                    }
                    None => break,
                },
                None => match BLOCKS.iter().find(|(start, _)| rest.starts_with(start)) {
                    // `/*` may be part of a pattern such as `src/*.py`.
                    Some((start, end)) if *start != b"/*" || !is_in_pattern(&line[..at]) => {
                        self.end = Some(end);
                        start.len()
                    }
                    _ => 1,
                },
            };
        }
        was_in_block
    }
}

fn is_in_pattern(before: &[u8]) -> bool {
    let last = before.last();
    last.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_*.\"'".contains(byte))
}

/// Whether the lines that replace the changed ones miss fewer than a tenth of their words, of the bytes of these words,
/// of their lines and of their signs, and add fewer than a tenth.
fn keeps_words(before: &[&[u8]], diff: &Diff, count: usize) -> bool {
    let removals = diff.count_removals();
    let additions = diff.count_additions();
    if !is_little(removals as usize, count) || !is_little(additions as usize, count) {
        return false;
    }
    let mut at = 0_u32;
    let mut bytes = LostPart::default();
    let mut lines = LostPart::default();
    let mut signs = LostPart::default();
    for line in before {
        let mut words = LostPart::default();
        for word in words_and_signs(line) {
            let is_lost = diff.is_removed(at);
            words.add(1, is_lost);
            bytes.add(word.len(), is_lost);
            signs.add(usize::from(is_sign(word)), is_lost);
            at += 1;
        }
        lines.add(usize::from(words.total > 0), 2 * words.lost >= words.total);
    }
    let are_signs_kept = signs.lost <= FEW_SIGNS || is_little(signs.lost, signs.total);
    are_signs_kept && is_little(bytes.lost, bytes.total) && is_little(lines.lost, lines.total)
}

#[cfg(test)]
mod tests;
