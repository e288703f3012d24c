//! A lower bound of the lines that a diff keeps, in linear time: most changes are surely below the threshold, and no
//! diff is needed to say so.

use gix::bstr::ByteSlice;

use super::content::line_count;
use super::text::{Unit, equal_head, equal_tail};

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
    let tail = equal_tail(old, new, Unit::Lines);
    let (mut old, rest) = old.split_at(old.len() - tail);
    let mut new = &new[..new.len() - tail];
    let kept = line_count(rest);
    let between = total.saturating_sub(kept);
    let may_lose = total.checked_sub(enough);
    let (mut found, mut lost) = (0, 0);
    while kept + found < enough && !old.is_empty() && !new.is_empty() {
        let equal = equal_head(old, new, Unit::Lines);
        if equal > 0 {
            found += line_count(&old[..equal]);
            (old, new) = (&old[equal..], &new[equal..]);
            continue;
        }
        let (before, after) = (window(old), window(new));
        let (at, there) = match first_equal(&before, &after) {
            Some((at, there)) => {
                found += 1;
                lost += at;
                (at, there)
            }
            None => {
                lost += before.len();
                (before.len() - 1, after.len() - 1)
            }
        };
        (old, new) = (&old[before[at].1..], &new[after[there].1..]);
        let seen = found + lost;
        let loses_more = |most: usize| lost.saturating_mul(between) > most.saturating_mul(seen);
        if seen >= SAMPLE && may_lose.is_some_and(loses_more) {
            break;
        }
    }
    kept + found
}

/// The next lines of a text without blanks around them, and where each ends.
fn window(text: &[u8]) -> Vec<(&[u8], usize)> {
    let mut end = 0;
    let lines = text.lines_with_terminator().take(WINDOW).map(|line| {
        end += line.len();
        (line.trim_ascii(), end)
    });
    lines.collect()
}

/// The positions of the first lines that are equal but for blanks around them, if possible with the lines behind them:
/// a brace or an empty line is equal to too many.
fn first_equal(before: &[(&[u8], usize)], after: &[(&[u8], usize)]) -> Option<(usize, usize)> {
    let is_equal = |at: usize, there: usize| {
        before.get(at).map(|(line, _)| line) == after.get(there).map(|(line, _)| line)
    };
    let mut single = None;
    for sum in 0..before.len() + after.len() {
        for at in 0..=sum.min(before.len() - 1) {
            let there = sum - at;
            if there < after.len() && is_equal(at, there) {
                if is_equal(at + 1, there + 1) {
                    return Some((at, there));
                }
                single = single.or(Some((at, there)));
            }
        }
    }
    single
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
