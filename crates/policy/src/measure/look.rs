//! An upper bound of the lines that a diff loses, in linear time: most changes are surely below the threshold, and no
//! diff is needed to say so.

use bstr::ByteSlice;

use super::carried::carries_content;
use super::content::line_count;
use super::text::{Unit, equal_head, equal_tail};

/// Where lines differ, equal ones are searched in so many lines of either side.
const WINDOW: usize = 8;

/// Behind a replaced line, two equal ones are searched in so many bytes.
const NEAR: usize = 512;

/// After so many lines, the look ends if the rest is unlikely to keep the loss within its bound.
const SAMPLE: usize = 256;

/// Lines that a look does not find in the new version. A diff loses at most as many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Missed {
    pub(super) lines: usize,
    /// Those of them that carry content.
    pub(super) with_content: usize,
}

impl Missed {
    fn add<'a>(&mut self, lines: impl Iterator<Item = &'a [u8]>) {
        for line in lines {
            self.lines += 1;
            self.with_content += usize::from(carries_content(line));
        }
    }
}

/// Counts lines of `old` that `new` does not keep in order, as far as a look tells; `None` if they are more than `most`
/// or will probably be.
///
/// Both are texts with a newline at the end of each line; `total` is the number of lines of `old`.
pub(super) fn missed(old: &[u8], new: &[u8], total: usize, most: usize) -> Option<Missed> {
    let tail = equal_tail(old, new, Unit::Lines);
    let mut old = &old[..old.len() - tail];
    let mut new = &new[..new.len() - tail];
    let mut kept = 0_usize;
    let mut missed = Missed::default();
    while !old.is_empty() {
        let head = equal_head(old, new, Unit::Lines);
        if head > 0 {
            kept += line_count(&old[..head]);
            (old, new) = (&old[head..], &new[head..]);
            continue;
        }
        if let Some(behind) = behind_replaced_line(old, new) {
            missed.add([&old[..line_end(old)]].into_iter());
            (old, new) = behind;
        } else {
            let mut before = Window::of(old);
            let mut after = Window::of(new);
            let equal = before.first_equal(&mut after);
            kept += usize::from(equal.is_some());
            let (lost, added) =
                equal.map_or((before.count, after.count), |(at, there)| (at, there + 1));
            missed.add(before.lines[..lost].iter().map(|line| line.0));
            let passed = lost + usize::from(equal.is_some());
            (old, new) = (before.behind(passed), after.behind(added));
        }
        let seen = kept + missed.lines;
        // If the rest is like what was seen, more than `most` of all lines are missed.
        let will_exceed = missed.lines.saturating_mul(total) > most.saturating_mul(seen);
        if missed.lines > most || seen >= SAMPLE && will_exceed {
            return None;
        }
    }
    Some(missed)
}

/// What is behind the first line of both, if two lines of either are equal there: one line is most often replaced by one.
fn behind_replaced_line<'a>(old: &'a [u8], new: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let (line, behind) = old.split_at(line_end(old));
    let (new_line, new_behind) = new.split_at(line_end(new));
    if line.trim_ascii() == new_line.trim_ascii() {
        return None;
    }
    let [near, new_near] = [behind, new_behind].map(|text| &text[..text.len().min(NEAR)]);
    let equal = &near[..equal_head(near, new_near, Unit::Lines)];
    (line_count(equal) > 1).then_some((behind, new_behind))
}

/// Where the first line ends.
fn line_end(text: &[u8]) -> usize {
    text.find_byte(b'\n').map_or(text.len(), |at| at + 1)
}

/// The next lines of a text, found when they are needed.
struct Window<'a> {
    text: &'a [u8],
    /// The lines without blanks around them, and where each ends.
    lines: [(&'a [u8], usize); WINDOW],
    count: usize,
}

impl<'a> Window<'a> {
    fn of(text: &'a [u8]) -> Window<'a> {
        Window {
            text,
            lines: Default::default(),
            count: 0,
        }
    }

    /// What is behind so many lines that were found.
    fn behind(&self, lines: usize) -> &'a [u8] {
        let last = self.lines[..lines].last();
        &self.text[last.map_or(0, |last| last.1)..]
    }

    fn line(&mut self, at: usize) -> Option<&'a [u8]> {
        while self.count <= at.min(WINDOW - 1) {
            let end = self.lines[..self.count].last().map_or(0, |last| last.1);
            let line = self.text[end..].lines_with_terminator().next()?;
            self.lines[self.count] = (line.trim_ascii(), end + line.len());
            self.count += 1;
        }
        self.lines.get(at).map(|(line, _)| *line)
    }

    /// The positions of the first lines that are equal but for blanks around them, if possible with the lines behind
    /// them: a brace or an empty line is equal to too many.
    fn first_equal(&mut self, other: &mut Window<'_>) -> Option<(usize, usize)> {
        let mut single = None;
        for sum in 0..2 * WINDOW - 1 {
            for at in 0..=sum {
                let there = sum - at;
                if let Some((line, new)) = self.line(at).zip(other.line(there))
                    && line == new
                {
                    let next = self.line(at + 1).zip(other.line(there + 1));
                    if next.is_some_and(|(a, b)| a == b) {
                        return Some((at, there));
                    }
                    single = single.or(Some((at, there)));
                }
            }
        }
        single
    }
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

    use super::{Missed, SAMPLE, behind_replaced_line, missed};

    /// All that is found.
    fn found(old: &str, new: &str) -> usize {
        let total = old.lines().count();
        let missed = missed(old.as_bytes(), new.as_bytes(), total, usize::MAX);
        total - missed.map_or(total, |missed| missed.lines)
    }

    #[test]
    fn equal_ends_and_what_is_near_between_them_is_found() {
        assert_eq!(found("a\nb\nc\n", "a\nb\nc\n"), 3);
        assert_eq!(found("a\nb\nc\nd\n", "a\nx\nc\nd\n"), 3);
        assert_eq!(found("a\nb\nc\nd", "a\nc\nx\ny\nd"), 3);
        assert_eq!(found("a\nb\nc\n", "x\na\ny\nb\nz\nc\nw\n"), 3);
        assert_eq!(found("a\nb\n", "\ta\r\nb"), 2, "blanks play no part");
        assert_eq!(found("", "a\n"), 0);
        assert_eq!(found("a\n", ""), 0);
    }

    #[test]
    fn a_part_of_a_line_is_no_line() {
        assert_eq!(found("ab\nc\n", "a\nc\n"), 1);
        assert_eq!(found("ab", "a"), 0);
        assert_eq!(found("ab\n", "b\n"), 0);
        assert_eq!(found("x\nab", "ab"), 1);
    }

    #[test]
    fn an_equal_line_counts_once() {
        assert_eq!(found("a\na\na\n", "a\n"), 1);
        assert_eq!(found("a\n", "a\na\na\n"), 1);
        assert_eq!(found("a\nb\n", "b\na\n"), 1);
    }

    #[test]
    fn lines_that_carry_content_are_counted_too() {
        let found = |old: &str, new: &str| missed(old.as_bytes(), new.as_bytes(), 9, 9);
        let lines = 4;
        let with_content = 2;
        let expected = Missed {
            lines,
            with_content,
        };
        assert_eq!(found("a\n{\n\nb\nc\n", "c\n"), Some(expected));
    }

    #[test]
    fn one_equal_line_behind_another_does_not_show_that_it_was_replaced() {
        assert_eq!(found("x\n}\np\nq\n", "y\n}\nx\n}\np\nr\n"), 3);
        assert_eq!(found("x\n}\np\nq\n", "y\n}\np\nx\n"), 2);
    }

    #[test]
    fn a_line_is_found_among_the_next_eight() {
        let text = |word: &str, before: usize| -> String {
            let lines = (0..before).map(|n| format!("{word}{n}\n"));
            lines.collect::<String>() + "same\nlast " + word
        };
        assert_eq!(found(&text("a", 7), &text("b", 7)), 1);
        assert_eq!(found(&text("a", 8), &text("b", 7)), 0);
        assert_eq!(found(&text("a", 7), &text("b", 8)), 0);
    }

    #[test]
    fn half_of_the_sample_may_be_missed_where_half_of_all_may() {
        let lines = |by: &str| -> String {
            let changed = (0..SAMPLE).map(|n| match n % 2 {
                0 => format!("same {n}\n"),
                _ => format!("{by} {n}\n"),
            });
            let same = (SAMPLE..1_000).map(|n| format!("same {n}\n"));
            changed.chain(same).collect()
        };
        let look = |most| missed(lines("a").as_bytes(), lines("b").as_bytes(), 1_000, most);
        assert_eq!(look(500).map(|missed| missed.lines), Some(SAMPLE / 2));
        assert_eq!(look(499), None);
    }

    #[test]
    fn a_line_is_replaced_where_two_behind_it_are_equal() {
        let behind = |old: &'static str, new: &'static str| {
            let behind = behind_replaced_line(old.as_bytes(), new.as_bytes());
            behind.map(|both| [both.0, both.1].map(|text| text.to_str_lossy().into_owned()))
        };
        let found = behind("a\nb\nc\nd\n", "x\nb\nc\ne\n");
        assert_eq!(found, Some(["b\nc\nd\n", "b\nc\ne\n"].map(str::to_owned)));
        assert_eq!(behind("a\nb\nc\n", "x\nb\nd\n"), None);
        assert_eq!(behind("a\nb\nc\n", " a\nb\nc\n"), None);
    }

    #[test]
    fn as_many_as_allowed_may_be_missed() {
        let look = |most| missed(b"a\nb\nc\nd\n", b"d\n", 4, most);
        assert_eq!(look(3).map(|missed| missed.lines), Some(3));
        assert_eq!(look(2), None);
    }

    #[test]
    fn the_search_ends_where_too_many_are_missed() {
        let text = |word: fn(usize) -> String| (0..2_000).map(word).collect::<String>();
        let old = text(|n| format!("a{n}\n"));
        let found = |new: String| {
            let found = missed(old.as_bytes(), new.as_bytes(), 2_000, 999);
            found.map(|missed| missed.lines)
        };
        let most = text(|n| format!("{}{n}\n", if n % 10 == 4 { "b" } else { "a" }));
        assert_eq!(found(most), Some(200));
        let half = text(|n| format!("{}{n}\n", if n % 2 == 0 { "b" } else { "a" }));
        assert_eq!(found(half), None);
        assert_eq!(found(text(|n| format!("b{n}\n"))), None);
    }
}
