//! The lost share: how much of the old version a line diff does not keep; and the class of a change that it decides: NEW,
//! MODIFY, REPLACE, DELETE.
//!
//! The counts equal those of `git diff --numstat`, apart from blanks.

use std::collections::HashMap;

use gix_imara_diff::Hunk;

use super::text::{Text, Unit, words};
use super::{line_diff, lower_bound};

/// The size that corresponds to 100 lines if lines are very long or absent: 8 KiB.
const BYTES_PER_HUNDRED_LINES: usize = 8 * 1_024;

/// The loss of an old version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost {
    /// Units of the old version that the diff does not keep in place.
    pub lost: usize,
    /// Units of the old version.
    pub total: usize,
    /// The unit.
    pub unit: Unit,
    /// The bytes of the old version's text.
    pub bytes: usize,
    /// Whether the diff was complete. Otherwise the versions are too large, and the true loss may be smaller.
    pub is_exact: bool,
}

impl Lost {
    /// No content, so no loss.
    pub const NOTHING: Lost = Lost::all(0, Unit::Lines, 0);

    /// All units of an old version of this many bytes.
    pub(super) const fn all(total: usize, unit: Unit, bytes: usize) -> Lost {
        Lost {
            lost: total,
            total,
            unit,
            bytes,
            is_exact: true,
        }
    }

    /// Everything in `old` is lost.
    pub(super) fn all_of(old: &Text<'_>) -> Lost {
        let (unit, bytes) = (old.unit(), &old.bytes);
        Lost::all(unit.count(bytes), unit, bytes.len())
    }

    /// The lost share, 0 to 1; 0 for no content.
    pub fn share(&self) -> f64 {
        match self.total {
            0 => 0.0,
            total => self.lost as f64 / total as f64,
        }
    }

    /// Whether the share is at least `threshold`; false if there is no content.
    ///
    /// Exact for decimal thresholds: the quotient is the double nearest to the true share, and the threshold the
    /// double nearest to its decimals, so equal numbers compare equal (7 of 100 is at least 0.07).
    pub fn at_least(&self, threshold: f64) -> bool {
        self.total > 0 && self.share() >= threshold
    }

    /// Whether the old version is larger than this many lines. If lines are not counted, 8 KiB correspond to 100
    /// lines.
    pub fn exceeds_lines(&self, lines: usize) -> bool {
        match self.unit {
            Unit::Lines => self.total > lines,
            Unit::Tokens | Unit::Bytes => {
                self.bytes.saturating_mul(100) > lines.saturating_mul(BYTES_PER_HUNDRED_LINES)
            }
        }
    }
}

/// The share of the words of `old` that `new` lacks, wherever they stand; 1 if `old` has none.
pub fn lost_words(old: &[u8], new: &[u8]) -> f64 {
    let (old, new) = (Text::of(old), Text::of(new));
    let mut kept: HashMap<&[u8], usize> = HashMap::new();
    for word in words(&new.bytes) {
        *kept.entry(word).or_default() += 1;
    }
    let (mut total, mut lost) = (0_usize, 0_usize);
    for word in words(&old.bytes) {
        total += 1;
        match kept.get_mut(word) {
            Some(left) if *left > 0 => *left -= 1,
            _ => lost += 1,
        }
    }
    match total {
        0 => 1.0,
        _ => lost as f64 / total as f64,
    }
}

/// Counts the loss from `old` to `new`.
///
/// Leading and trailing ASCII blanks, line endings and a UTF-8 byte order mark are ignored; UTF-16 and UTF-32 with a
/// mark are decoded. Texts that are too large to compare lose everything that a look in linear time does not find.
pub fn lost(old: &[u8], new: &[u8]) -> Lost {
    compare(&Text::of(old), &Text::of(new)).0
}

/// Like [`lost`], with the places where the texts differ, in the unit of the loss; `None` if they were not compared.
pub(super) fn compare(old: &Text<'_>, new: &Text<'_>) -> (Lost, Option<Vec<Hunk>>) {
    let all = Lost::all_of(old);
    if new.bytes.is_empty() || all.total == 0 {
        return (all, None);
    }
    let hunks = line_diff::changes(&old.bytes, &new.bytes, all.unit);
    let is_exact = hunks.is_some();
    let mut lost = match &hunks {
        Some(hunks) => hunks.iter().map(|hunk| hunk.before.len()).sum(),
        None => all.total,
    };
    if lost > 0 && all.unit == Unit::Lines {
        // A verdict without a count may not be milder.
        let kept = lower_bound::kept(&old.bytes, &new.bytes, all.total, lower_bound::ALL);
        lost = lost.min(all.total - kept);
    }
    let lost = Lost {
        lost,
        is_exact,
        ..all
    };
    (lost, hunks)
}

/// When a change is destructive.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Thresholds {
    /// Old versions with at most this many lines are never REPLACE.
    pub lines: usize,
    /// The lost share, 0 to 1, from which on (inclusive) a change is REPLACE.
    pub share: f64,
}

impl Default for Thresholds {
    /// More than 100 lines, 50 % or more lost.
    fn default() -> Self {
        Thresholds {
            lines: 100,
            share: 0.5,
        }
    }
}

named! {
    /// The class of a change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Class {
        /// The file is new.
        New = "NEW",
        /// The file stays recognisable, or was small.
        Modify = "MODIFY",
        /// A large file lost most of its content.
        Replace = "REPLACE",
        /// The file is deleted.
        Delete = "DELETE",
    }
}

/// The class of a change with an old and a new version: REPLACE if both the lines of the old version and the lost
/// share reach their thresholds.
pub fn classify(lost: &Lost, thresholds: &Thresholds) -> Class {
    if lost.exceeds_lines(thresholds.lines) && lost.at_least(thresholds.share) {
        Class::Replace
    } else {
        Class::Modify
    }
}

/// Whether a text that becomes another is surely no REPLACE, by its size or by a look in linear time. If not, only
/// counting can tell.
pub(super) fn is_surely_modify(old: &Text<'_>, new: &Text<'_>, thresholds: &Thresholds) -> bool {
    let all = Lost::all(old.lines, old.unit(), old.bytes.len());
    if !all.exceeds_lines(thresholds.lines) {
        return true;
    }
    let is_enough = |enough| lower_bound::kept(&old.bytes, &new.bytes, all.total, enough) >= enough;
    all.unit == Unit::Lines && enough_lines(&all, thresholds.share).is_some_and(is_enough)
}

/// The fewest lines to keep so that the lost share is below `share`; `None` if all are too few.
fn enough_lines(all: &Lost, share: f64) -> Option<usize> {
    let reaches = |lost| Lost { lost, ..*all }.at_least(share);
    let mut lost = all.total.min((share * all.total as f64).ceil() as usize);
    while reaches(lost) {
        lost = lost.checked_sub(1)?;
    }
    Some(all.total - lost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    fn lines(range: std::ops::Range<usize>) -> String {
        range.map(|n| format!("line {n}\n")).collect()
    }

    fn count(old: &str, new: &str) -> (usize, usize) {
        let lost = lost(old.as_bytes(), new.as_bytes());
        (lost.lost, lost.total)
    }

    #[test]
    fn removed_and_rewritten_lines_are_lost_and_kept_ones_are_not() {
        assert_eq!(count("a\nb\nc\n", "a\nB\nc\n"), (1, 3));
        assert_eq!(count("a\nb\nc\n", "a\nb\nc\n"), (0, 3));
        assert_eq!(count("a\nb\nc\n", ""), (3, 3));
        assert_eq!(count("", "a\n"), (0, 0));
        assert_eq!(count("", ""), (0, 0));
        assert_eq!(count("a\nb\n", "x\na\ny\nb\nz\n"), (0, 2));
    }

    #[test]
    fn more_tokens_than_can_be_compared_count_as_lost_except_at_the_common_ends() {
        let old = "w ".repeat(1 << 18);
        let at_the_end = lost(old.as_bytes(), format!("{old}w").as_bytes());
        assert_eq!((at_the_end.lost, at_the_end.is_exact), (0, true));
        let at_both_ends = lost(old.as_bytes(), format!("x {old}x").as_bytes());
        assert_eq!((at_both_ends.lost, at_both_ends.is_exact), (1 << 18, false));
    }

    #[test]
    fn a_missing_final_newline_loses_nothing() {
        assert_eq!(count("a\nb\n", "a\nb"), (0, 2));
        assert_eq!(count("a\nb", "a\nb\nc"), (0, 2));
    }

    #[test]
    fn line_endings_and_indentation_lose_nothing() {
        let old = lines(0..200);
        assert_eq!(count(&old, &old.replace('\n', "\r\n")), (0, 200));
        assert_eq!(count(&old, &old.replace("line", "\t  line")), (0, 200));
        assert_eq!(count(&old, &old.replace('\n', "  \n")), (0, 200));
        assert_eq!(count("a b\n", "ab\n"), (1, 1), "blanks inside a line count");
    }

    #[test]
    fn blank_lines_count_as_git_counts_them() {
        assert_eq!(count("a\n\n\nb\n", "a\nb\n"), (2, 4));
        assert_eq!(count("a\n  \nb\n", "a\n\nb\n"), (0, 3));
    }

    #[test]
    fn moved_lines_are_lost_in_place() {
        let old = lines(0..200);
        let new: String = (0..200).rev().map(|n| format!("line {n}\n")).collect();
        let lost = lost(old.as_bytes(), new.as_bytes());
        assert_eq!((lost.lost, lost.total), (199, 200));
    }

    #[test]
    fn added_lines_never_lower_the_lost_share() {
        let mut dice = Rng::with_seed(0x9e37_79b9_7f4a_7c15);
        for round in 0..300 {
            let size = 1 + dice.usize(..60);
            let old: Vec<String> = (0..size).map(|n| format!("old {n}")).collect();
            let kept: Vec<String> = old
                .iter()
                .filter(|_| dice.usize(..3) > 0)
                .cloned()
                .collect();
            let before = lost(old.join("\n").as_bytes(), kept.join("\n").as_bytes());
            assert_eq!(before.lost, size - kept.len(), "round {round}");
            let mut diluted = kept;
            for junk in 0..dice.usize(..400) {
                let place = dice.usize(..diluted.len() + 1);
                diluted.insert(place, format!("junk {junk}"));
            }
            let after = lost(old.join("\n").as_bytes(), diluted.join("\n").as_bytes());
            assert_eq!(after.lost, before.lost);
        }
    }

    /// The length of the longest common subsequence, the slow way.
    fn longest_common<T: PartialEq>(old: &[T], new: &[T]) -> usize {
        let mut row = vec![0; new.len() + 1];
        for token in old {
            let mut diagonal = 0;
            for (at, other) in new.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if token == other {
                    diagonal + 1
                } else {
                    above.max(row[at])
                };
                diagonal = above;
            }
        }
        row[new.len()]
    }

    #[test]
    fn no_new_version_keeps_more_than_the_longest_common_subsequence() {
        let mut dice = Rng::with_seed(7);
        let mut minimal = 0;
        for round in 0..300 {
            let symbols = 2 + dice.usize(..20);
            let mut text = |most| -> Vec<String> {
                let size = 1 + dice.usize(..most);
                (0..size)
                    .map(|_| format!("l{}", dice.usize(..symbols)))
                    .collect()
            };
            let (old, new) = (text(60), text(150));
            let lost = lost(old.join("\n").as_bytes(), new.join("\n").as_bytes());
            let least = old.len() - longest_common(&old, &new);
            assert!(
                (least..=lost.total).contains(&lost.lost),
                "round {round}: {lost:?}"
            );
            assert!(lost.is_exact);
            minimal += usize::from(lost.lost == least);
        }
        assert!(minimal > 200, "{minimal} of 300 are minimal");
    }

    #[test]
    fn a_count_that_gave_up_shows_no_more_than_a_look() {
        let mut dice = Rng::with_seed(5);
        let mut line = || format!("l{}\n", dice.usize(..40));
        let old: Vec<String> = (0..300_000).map(|_| line()).collect();
        let mut new = old.clone();
        for at in (0..new.len()).step_by(3) {
            new[at] = line();
        }
        let (old, new) = (old.concat(), new.concat());
        let (old, new) = (Text::of(old.as_bytes()), Text::of(new.as_bytes()));
        let (lost, _) = compare(&old, &new);
        assert!(!lost.is_exact);
        let kept = lower_bound::kept(&old.bytes, &new.bytes, old.lines, lower_bound::ALL);
        assert_eq!(lost.lost, old.lines - kept);
        assert!(2 * kept > old.lines);
    }

    #[test]
    fn a_minified_file_is_counted_in_tokens() {
        let old: String = (0..500)
            .map(|n| format!("function f{n}(a){{return a+{n}}}"))
            .collect();
        let same = lost(old.as_bytes(), old.replace("f7(", "f7777(").as_bytes());
        assert_eq!((same.unit, same.lost), (Unit::Tokens, 1));
        // function · f0( · a){ · return · a+ · 0}
        assert_eq!(same.total, 3_000);
        let stub = lost(old.as_bytes(), b"export default {}");
        assert_eq!((stub.lost, stub.total), (3_000, 3_000));
        // 8 KiB stand for a hundred lines.
        let lines = old.len() * 100 / 8_192;
        assert!(stub.exceeds_lines(lines) && !stub.exceeds_lines(lines + 1));
    }

    #[test]
    fn a_pretty_printed_minified_file_keeps_its_tokens() {
        let old: String = (0..500).map(|n| format!("a{n}=1;")).collect();
        let new = old.replace(';', ";\n");
        assert_eq!(count(&old, &new), (0, 1_000));
    }

    #[test]
    fn tokens_are_counted_above_400_bytes_a_line_and_not_at_400() {
        let line = |width: usize| format!("{}\n", "x".repeat(width - 1));
        assert_eq!(lost(line(400).as_bytes(), b"y").unit, Unit::Lines);
        assert_eq!(lost(line(401).as_bytes(), b"y").unit, Unit::Tokens);
    }

    #[test]
    fn utf16_and_utf8_of_the_same_text_lose_nothing() {
        let text = lines(0..150);
        let mut wide = b"\xff\xfe".to_vec();
        wide.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        let back = lost(&wide, text.as_bytes());
        assert_eq!((back.lost, back.total), (0, 150));
        let stub = lost(&wide, b"stub\n");
        assert_eq!((stub.lost, stub.total), (150, 150));
    }

    #[test]
    fn thresholds_compare_exactly() {
        let of = |lost, total| Lost {
            lost,
            total,
            ..Lost::NOTHING
        };
        assert!(of(100, 200).at_least(0.5));
        assert!(!of(99, 200).at_least(0.5));
        assert!(!of(499_999, 1_000_000).at_least(0.5));
        for hundredths in 1..=100 {
            let threshold: f64 = hundredths as f64 / 100.0;
            assert!(of(hundredths, 100).at_least(threshold), "{hundredths}");
            assert!(!of(hundredths * 10 - 1, 1_000).at_least(threshold));
        }
        assert!(!of(0, 0).at_least(0.0));
    }

    #[test]
    fn enough_lines_are_just_fewer_lost_than_the_share() {
        for total in 1..400 {
            let all = Lost {
                total,
                ..Lost::NOTHING
            };
            for share in [0.01, 0.07, 0.33, 0.5, 0.9, 1.0] {
                let enough = enough_lines(&all, share).unwrap_or(total + 1);
                let reaches = |kept: usize| {
                    let lost = total - kept;
                    Lost { lost, ..all }.at_least(share)
                };
                assert!(enough > total || !reaches(enough), "{total}, {share}");
                assert!(reaches(enough - 1), "{total}, {share}");
            }
            assert_eq!(enough_lines(&all, 0.0), None);
        }
    }
}
