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
mod tests {
    use super::*;

    /// A module of this many functions, with one statement per line.
    fn module(functions: usize) -> String {
        (0..functions)
            .map(|n| {
                format!(
                    "def load_{n}(path, size):\n    # Read {n} first\n    data = read(path + '{n}', limit=size)\n    if data[{n}] > size * 2:\n        return parse(data)\n    return None\n\n"
                )
            })
            .collect()
    }

    fn is_reformat(old: &str, new: &str) -> bool {
        let old = Text::of(old.as_bytes());
        let new = Text::of(new.as_bytes());
        super::is_reformat(&old, &new)
    }

    #[test]
    fn words_symbols_and_repeated_marks_say_something() {
        for (line, said) in [
            ("a1_b == c, d", &["a1_b", "==", "c", "d"][..]),
            ("x = -y;", &["x", "y"]),
            ("f((a))  [[]]", &["f", "a"]),
            ("a,,b", &["a", ",,", "b"]),
            ("// x -- note", &["x", "--", "note"]),
            ("é→b\u{a0}", &["é", "→", "b"]),
        ] {
            let found = words_and_signs(line.as_bytes());
            let found: Vec<&str> = found.iter().map(|word| word.to_str().unwrap()).collect();
            assert_eq!(found, said, "{line}");
        }
    }

    /// As [`super::keeps_words`], of these lines.
    fn keeps_words(old: &[String], new: &[String]) -> bool {
        let [old, new] = [old, new].map(|lines| -> Vec<&[u8]> {
            let lines = lines.iter();
            lines.map(|line| line.as_bytes()).collect()
        });
        let words = line_diff::numbered(
            old.iter().flat_map(|line| words_and_signs(line)),
            new.iter().flat_map(|line| words_and_signs(line)),
        );
        let words = words.unwrap();
        super::keeps_words(&old, &line_diff::diff(&words), words.before.len())
    }

    /// So many of 100 lines are replaced.
    fn with_replaced(line: &str, replaced: usize, by: &str) -> bool {
        let old = vec![line.to_owned(); 100];
        let mut new = old.clone();
        new[..replaced].fill(by.to_owned());
        keeps_words(&old, &new)
    }

    #[test]
    fn signs_bytes_and_lines_are_kept_each_for_itself() {
        let line = "alpha beta == gamma delta";
        let other_sign = "alpha beta != gamma delta";
        assert!(with_replaced(line, FEW_SIGNS, other_sign));
        assert!(!with_replaced(line, FEW_SIGNS + 1, other_sign));
        // One word of three is not half of the line.
        let name = "n".repeat(80);
        let line = format!("a b {name}");
        assert!(with_replaced("a b c", 9, "a b x"));
        let mut old = vec!["a b c".to_owned(); 95];
        let mut new = old.clone();
        old.resize(100, line.clone());
        new.resize(100, "a b x".to_owned());
        assert!(!keeps_words(&old, &new), "half of the bytes are lost");
        let mut old = vec!["a b c d e f g h".to_owned(); 90];
        let mut new = old.clone();
        old.resize(100, "x".to_owned());
        new.resize(100, "y".to_owned());
        assert!(!keeps_words(&old, &new), "a tenth of the lines is lost");
        new[99] = "x".to_owned();
        assert!(keeps_words(&old, &new));
        let old = vec!["a b c d e f g h i j".to_owned(); 10];
        let with = |line: &str| [&old[..], &[line.to_owned()]].concat();
        assert!(keeps_words(&old, &with("k l m n o p q r s")));
        assert!(!keeps_words(&old, &with("k l m n o p q r s t")));
    }

    #[test]
    fn the_bullets_of_a_list_are_one_mark() {
        let marks = |line: &[u8]| Makeup::of(line).marks;
        assert_eq!(marks(b"* a"), marks(b"- a"));
        assert_eq!(marks(b"+ a"), marks(b"- a"));
        for [one, other] in [
            [&b"*a"[..], b"-a"],
            [b"a * b", b"a - b"],
            [b"x* b", b"x- b"],
        ] {
            assert_ne!(marks(one), marks(other), "{}", one.as_bstr());
        }
    }

    #[test]
    fn a_pattern_of_files_begins_no_comment() {
        let begins = |line: &str| {
            let mut blocks = BlockReader::default();
            assert!(!blocks.read(line.as_bytes()), "{line}");
            blocks.read(b"x")
        };
        for line in ["src/*.py", "*/*.md", "\"/*\"", "./*", "_/*", "a /* b */ c"] {
            assert!(!begins(line), "{line}");
        }
        for line in [
            "/*",
            "a; /* b",
            "(/*",
            "<!-- x",
            "\"\"\"",
            "'''",
            "a /* b */ /*",
        ] {
            assert!(begins(line), "{line}");
        }
    }

    /// As [`super::has_words`], of words between blanks.
    fn has_words(old: &str, new: &str) -> bool {
        let mut input = InternedInput::default();
        input.update_before(old.split(' ').map(str::as_bytes));
        input.update_after(new.split(' ').map(str::as_bytes));
        super::has_words(&input)
    }

    #[test]
    fn fewer_than_a_tenth_of_the_words_may_be_lost_and_as_many_added() {
        let old = "a b c d e f g h i j k";
        assert!(has_words(old, "k j i h g f e d c b a"));
        assert!(has_words(old, "a b c d e f g h i j"));
        assert!(has_words(old, "a b c d e f g h i j k l"));
        assert!(!has_words(old, "a b c d e f g h i"), "two are lost");
        assert!(
            !has_words(old, "a b c d e f g h i j k l m"),
            "two are added"
        );
        assert!(!has_words("a a b", "a b"), "each counts by itself");
    }

    #[test]
    fn other_layout_quotes_and_separators_are_a_reformat() {
        let old = module(40);
        let new = old
            .replace('\'', "\"")
            .replace(", ", ",\n        ")
            .replace("size)", "size,)")
            .replace("2:", "2 :");
        assert!(is_reformat(&old, &new));
        assert!(is_reformat(&new, &old));
        let in_brackets = new.replace("return None", "return (\n(None)\n)");
        assert!(is_reformat(&old, &in_brackets));
    }

    #[test]
    fn words_that_are_shuffled_lost_or_added_are_no_reformat() {
        let old = module(40);
        let words: Vec<&str> = old.split_whitespace().collect();
        let mut shuffled = words.clone();
        let mut dice = fastrand::Rng::with_seed(5);
        for at in 1..shuffled.len() {
            shuffled.swap(at, dice.usize(..at + 1));
        }
        assert!(!is_reformat(&old, &shuffled.join("\n")));
        assert!(!is_reformat(
            &old,
            &old[..old.len() * 17 / 20].replace(", ", ",\n")
        ));
        assert!(!is_reformat(&old, &(old.replace(", ", ",\n") + &module(6))));
    }

    #[test]
    fn half_a_rewrite_does_not_hide_behind_the_other_half() {
        let old = module(40);
        let (first, second) = old.split_at(old.len() / 2);
        let new =
            first.replace(", ", ",\n") + &second.replace("data", "other").replace("size", "length");
        assert!(!is_reformat(&old, &new));
    }

    #[test]
    fn comments_and_strings_that_keep_the_words_are_no_reformat() {
        let old = module(40);
        let each =
            |mark: &str| -> String { old.lines().map(|line| format!("{mark}{line}\n")).collect() };
        for mark in [
            "# ", "#", "#[", "// ", "//", "-- ", ";", "% ", "dnl ", "REM ", ": ", "> ", "* ", "' ",
        ] {
            assert!(!is_reformat(&old, &each(mark)), "{mark}");
        }
        let in_strings: String = old
            .lines()
            .map(|line| format!("'{}',\n", line.replace('\'', "\"")))
            .collect();
        assert!(!is_reformat(&old, &in_strings));
        let one_line = old.replace('\n', " ");
        for mark in [
            "# ", "// ", "http://", "x = 1 # ", "/* ", "\"\"\"", "<!-- ", "",
        ] {
            assert!(!is_reformat(&old, &format!("{mark}{one_line}")), "{mark}");
        }
        let reflowed = old.replace(", ", ",\n");
        for (start, end) in [
            ("/*\n", "*/\n"),
            ("\"\"\"\n", "\"\"\"\n"),
            ("<!--\n", "-->\n"),
        ] {
            assert!(
                !is_reformat(&old, &format!("{start}{reflowed}{end}")),
                "{start}"
            );
        }
    }

    #[test]
    fn words_without_their_marks_or_with_others_are_no_reformat() {
        let old = module(40);
        let bare: String = old
            .chars()
            .map(|c| if "()[]:=+*>".contains(c) { '\n' } else { c })
            .collect();
        assert!(!is_reformat(&old, &bare));
        let other = old
            .replace(", ", ",\n")
            .replace('+', "-")
            .replace('*', "/")
            .replace('>', "<");
        assert!(!is_reformat(&old, &other));
    }

    #[test]
    fn text_without_words_is_no_reformat() {
        assert!(!is_reformat("{}\n{}\n", "{}{}\n"));
        assert!(!is_reformat("", "a\n"));
    }

    #[test]
    fn prose_may_be_wrapped_elsewhere() {
        let old = "The quick brown fox jumps over the lazy dog, and then it sleeps.\n".repeat(50);
        let new: String = old
            .split_whitespace()
            .collect::<Vec<_>>()
            .chunks(7)
            .map(|line| line.join(" ") + "\n")
            .collect();
        assert!(is_reformat(&old, &new));
    }

    /// Lines of 1 to `most` words, some of them long.
    fn lines_of_words(dice: &mut fastrand::Rng, most: usize) -> Vec<Vec<String>> {
        let word = |dice: &mut fastrand::Rng| {
            let word =
                ["load", "path", "size", "data", "if", "x", "return", "parse"][dice.usize(..8)];
            match dice.usize(..12) {
                0 => format!("{word}_{:x}", dice.usize(..1 << 40)).repeat(1 + dice.usize(..12)),
                1..6 => format!("{word}_{}", dice.usize(..400)),
                _ => word.to_owned(),
            }
        };
        let count = 120 + dice.usize(..200);
        (0..count)
            .map(|_| (0..1 + dice.usize(..most)).map(|_| word(dice)).collect())
            .collect()
    }

    #[test]
    fn dropped_words_bytes_or_lines_are_no_reformat() {
        let mut dice = fastrand::Rng::with_seed(0x6c8e_9cf5);
        let mut accepted = 0;
        for round in 0..800 {
            let most = 1 + dice.usize(..30);
            let mut lines = lines_of_words(&mut dice, most);
            if dice.usize(..3) == 0 {
                // Every other line is short.
                for line in lines.iter_mut().step_by(2) {
                    line.truncate(1 + round % 3);
                }
            }
            let old: String = lines.iter().map(|line| line.join(", ") + ";\n").collect();
            let share = dice.usize(..101);
            let way = dice.usize(..4);
            let (mut bytes, mut lost_bytes, mut words, mut lost_words, mut lost_lines) =
                (0, 0, 0, 0, 0);
            let mut new = String::new();
            let layout = [", ", ",\n    ", " , "][dice.usize(..3)];
            for line in &lines {
                let drops_line = dice.usize(..100) < share;
                let is_lost = |word: &&String| match way {
                    0 => drops_line,
                    1 => drops_line && line.len() < 4,
                    2 => drops_line && word.len() > 20,
                    _ => drops_line && word.len().is_multiple_of(2),
                };
                let kept: Vec<&str> = line
                    .iter()
                    .filter(|word| !is_lost(word))
                    .map(String::as_str)
                    .collect();
                let count = |words: &mut dyn Iterator<Item = &String>| {
                    words.map(String::len).sum::<usize>()
                };
                bytes += count(&mut line.iter());
                lost_bytes += count(&mut line.iter().filter(is_lost));
                words += line.len();
                lost_words += line.len() - kept.len();
                lost_lines += usize::from(kept.is_empty());
                if !kept.is_empty() {
                    new += &(kept.join(layout) + ";\n");
                }
            }
            if is_reformat(&old, &new) {
                accepted += 1;
                assert!(
                    2 * lost_bytes < bytes
                        && 2 * lost_words < words
                        && 2 * lost_lines < lines.len(),
                    "round {round}: {lost_bytes} of {bytes} bytes, {lost_words} of {words} words, {lost_lines} lines"
                );
            }
        }
        assert!((20..300).contains(&accepted), "{accepted}");
    }

    #[test]
    fn short_code_lines_between_long_ones_are_not_dropped() {
        let (long, short) = (
            |n: usize| format!("    \"{n} {}\",\n", "some long text ".repeat(12)),
            |n: usize| format!("    check_{n}\n"),
        );
        let old: String = (0..150).map(|n| long(n) + &short(n)).collect();
        let new: String = (0..150).map(long).collect();
        assert!(!is_reformat(&old, &new));
        let laid_out = new.replace("some long", "some\nlong");
        assert!(!is_reformat(&old, &laid_out), "with another layout");
        let hashes = |n: usize| format!("sum {n} {}\n", format!("{n:x}").repeat(120));
        let old: String = (0..200).map(hashes).collect();
        let new: String = (0..200).map(|n| format!("sum {n}\n")).collect();
        assert!(!is_reformat(&old, &new), "a word of each line");
    }

    #[test]
    fn version_with_few_lines_is_no_reformat() {
        let old = module(40);
        assert!(!is_reformat(
            &old,
            &old.replace(":\n", ": ").replace('\n', "; ")
        ));
    }

    #[test]
    fn chinese_prose_may_be_wrapped_elsewhere() {
        let sentence = "\u{8fd9}\u{662f}\u{4e00}\u{4e2a}Git\u{ff0c}\u{4ed3}\u{5e93}\u{ff0c}Rust\u{3002}\u{ff08}x\u{ff09}\u{6587}";
        let old = format!("{sentence}\n").repeat(200);
        let wrapped: Vec<char> = sentence.repeat(200).chars().collect();
        let new: String = wrapped
            .chunks(23)
            .map(|line| line.iter().collect::<String>() + "\n")
            .collect();
        assert!(is_reformat(&old, &new));
    }

    #[test]
    fn hostile_text_is_compared_within_bounds() {
        let word = "a ".repeat(1 << 16);
        assert!(is_reformat(&word, &word.replace(' ', "\n")));
        let mut dice = fastrand::Rng::with_seed(3);
        let mut noise = || -> String {
            (0..20_000)
                .map(|_| ["a ", "b ", "c "][dice.usize(..3)])
                .collect()
        };
        let old = noise();
        let new = noise();
        assert!(!is_reformat(&old, &new));
    }
}
