//! A lower bound of the lines that a diff keeps, in linear time: most changes are surely below the threshold, and no
//! diff is needed to say so.

use gix::bstr::ByteSlice;

use super::content::line_count;

/// Where lines differ, equal ones are searched in so many lines of either side.
const WINDOW: usize = 8;

/// After so many lines, the comparison stops if the rest is unlikely to reach the goal.
const SAMPLE: usize = 256;

/// Enough for no text: looks to the end.
pub(super) const ALL: usize = usize::MAX;

/// Counts lines of `old` that `new` keeps in order, until `enough` are found or will hardly be. A diff keeps at least as
/// many.
///
/// Both are texts with a newline at the end of each line; `total` is the number of lines of `old`.
pub(super) fn kept(old: &[u8], new: &[u8], total: usize, enough: usize) -> usize {
    let head = equal_head(old, new);
    let (old, new) = (&old[head.bytes..], &new[head.bytes..]);
    let mut kept = head.lines;
    if kept >= enough {
        return kept;
    }
    let tail = equal_tail(old, new);
    kept += tail.lines;
    if kept >= enough {
        return kept;
    }
    let (mut old, mut new) = (
        &old[..old.len() - tail.bytes],
        &new[..new.len() - tail.bytes],
    );
    let between = total.saturating_sub(kept);
    let may_lose = total.checked_sub(enough);
    let (mut found, mut lost) = (0, 0);
    while kept + found < enough && !old.is_empty() && !new.is_empty() {
        let equal = equal_head(old, new);
        if equal.lines > 0 {
            found += equal.lines;
            (old, new) = (&old[equal.bytes..], &new[equal.bytes..]);
            continue;
        }
        let (mut before, mut after) = (Window::of(old), Window::of(new));
        match before.first_equal(&mut after) {
            Some((at, other)) => {
                found += 1;
                lost += at;
                (old, new) = (before.behind(at), after.behind(other));
            }
            None => {
                lost += before.count;
                (old, new) = (&old[before.end()..], &new[after.end()..]);
            }
        }
        let seen = found + lost;
        let loses_more = |most: usize| lost.saturating_mul(between) > most.saturating_mul(seen);
        if seen >= SAMPLE && may_lose.is_some_and(loses_more) {
            break;
        }
    }
    kept + found
}

/// Whole lines with the same bytes on both sides.
struct EqualLines {
    bytes: usize,
    lines: usize,
}

impl EqualLines {
    fn of(lines: &[u8]) -> EqualLines {
        EqualLines {
            bytes: lines.len(),
            lines: line_count(lines),
        }
    }
}

/// Bytes to compare at once.
const STEP: usize = 64;

fn equal_head(old: &[u8], new: &[u8]) -> EqualLines {
    let steps = old.chunks_exact(STEP).zip(new.chunks_exact(STEP));
    let near = STEP * steps.take_while(|(old, new)| old == new).count();
    let rest = old[near..].iter().zip(&new[near..]);
    let same = near + rest.take_while(|(old, new)| old == new).count();
    if same == old.len() && same == new.len() {
        return EqualLines::of(old);
    }
    let end = old[..same].rfind_byte(b'\n').map_or(0, |at| at + 1);
    EqualLines::of(&old[..end])
}

/// The equal lines at the end; the first of them may be left out.
fn equal_tail(old: &[u8], new: &[u8]) -> EqualLines {
    let steps = old.rchunks_exact(STEP).zip(new.rchunks_exact(STEP));
    let near = STEP * steps.take_while(|(old, new)| old == new).count();
    let before = old[..old.len() - near].iter().rev();
    let rest = before.zip(new[..new.len() - near].iter().rev());
    let same = near + rest.take_while(|(old, new)| old == new).count();
    let tail = &old[old.len() - same..];
    let start = tail.find_byte(b'\n').map_or(tail.len(), |at| at + 1);
    EqualLines::of(&tail[start..])
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
            lines: [(&[], 0); WINDOW],
            count: 0,
        }
    }

    /// Where the last known line ends.
    fn end(&self) -> usize {
        self.lines[..self.count].last().map_or(0, |line| line.1)
    }

    fn line(&mut self, at: usize) -> Option<&'a [u8]> {
        while self.count <= at && self.count < WINDOW {
            let start = self.end();
            let rest = &self.text[start..];
            if rest.is_empty() {
                return None;
            }
            let length = rest.find_byte(b'\n').map_or(rest.len(), |at| at + 1);
            self.lines[self.count] = (rest[..length].trim_ascii(), start + length);
            self.count += 1;
        }
        self.lines.get(at).map(|line| line.0)
    }

    /// The positions of the first lines that are equal but for blanks around them, if possible with the lines behind
    /// them: a brace or an empty line is equal to too many.
    fn first_equal(&mut self, other: &mut Window<'a>) -> Option<(usize, usize)> {
        let mut single = None;
        for sum in 0..2 * WINDOW {
            for at in 0..=sum.min(WINDOW) {
                let there = sum - at;
                let line = self.line(at);
                if line.is_none() || line != other.line(there) {
                    continue;
                }
                if self.line(at + 1) == other.line(there + 1) {
                    return Some((at, there));
                }
                single = single.or(Some((at, there)));
            }
        }
        single
    }

    /// The text behind the line at `at`.
    fn behind(&self, at: usize) -> &'a [u8] {
        self.lines.get(at).map_or(&[], |line| &self.text[line.1..])
    }
}

#[cfg(test)]
mod tests {
    use super::super::content::line_count;
    use super::{ALL, kept};

    /// All that is found.
    fn found(old: &str, new: &str) -> usize {
        let total = line_count(old.as_bytes());
        kept(old.as_bytes(), new.as_bytes(), total, ALL)
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
    fn the_search_ends_where_enough_is_found_or_out_of_sight() {
        let text = |word: fn(usize) -> String| (0..2_000).map(word).collect::<String>();
        let old = text(|n| format!("a{n}\n"));
        let found = |new: String| kept(old.as_bytes(), new.as_bytes(), 2_000, 1_001);
        let tail = text(|n| format!("{}{n}\n", if n < 900 { "b" } else { "a" }));
        assert_eq!(found(tail), 1_100);
        let most = text(|n| format!("{}{n}\n", if n % 10 == 4 { "b" } else { "a" }));
        assert!((1_001..1_100).contains(&found(most)));
        let half = text(|n| format!("{}{n}\n", if n % 2 == 0 { "b" } else { "a" }));
        assert!((1..200).contains(&found(half)));
        assert_eq!(found(text(|n| format!("b{n}\n"))), 0);
    }
}
