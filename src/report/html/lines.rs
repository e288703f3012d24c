//! How many lines a change keeps, loses and adds.

use std::collections::HashSet;

use gix::bstr::BString;

use crate::verdict::{JudgedChange, Verdict};

/// Lines that a change keeps, loses and adds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ChangedLines {
    pub(super) kept: usize,
    pub(super) lost: usize,
    pub(super) added: usize,
}

impl ChangedLines {
    /// The lines of a change; `None` if the content is not text or was not counted.
    pub(super) fn of(change: &JudgedChange) -> Option<ChangedLines> {
        if change.original_lines.is_none() && change.new_lines.is_none() {
            return None;
        }
        let old = change.original_lines.unwrap_or(0);
        let share = match change.new_lines {
            None => 1.0,
            Some(_) => change.lost_share.unwrap_or(0.0),
        };
        // A share of a number of lines; rounding cannot leave 0..=old.
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss
        )]
        let lost = ((old as f64 * share).round() as usize).min(old);
        let kept = old - lost;
        Some(ChangedLines {
            kept,
            lost,
            added: change.new_lines.unwrap_or(0).saturating_sub(kept),
        })
    }

    pub(super) fn total(self) -> usize {
        self.kept + self.lost + self.added
    }

    /// The lost share in words, rounded down so that a share below a threshold never appears to reach it.
    pub(super) fn lost_percent(self) -> String {
        let percent = (self.lost * 100).checked_div(self.kept + self.lost);
        percent.map_or_else(String::new, |percent| format!(" ({percent} %)"))
    }

    pub(super) fn add(&mut self, other: ChangedLines) {
        self.kept += other.kept;
        self.lost += other.lost;
        self.added += other.added;
    }
}

/// The old paths of renamed files: their lines count at the new path.
pub(super) fn renamed_away(verdict: &Verdict) -> HashSet<&BString> {
    let changes = verdict.changes.iter();
    changes.filter_map(|change| change.from.as_ref()).collect()
}

/// A number with its thousands apart.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_lost_and_added() {
        let lines = |old, new, share| {
            let lines = ChangedLines::of(&JudgedChange {
                original_lines: old,
                new_lines: new,
                lost_share: share,
                ..JudgedChange::default()
            });
            lines.map(|lines| (lines.kept, lines.lost, lines.added))
        };
        assert_eq!(lines(Some(120), Some(50), Some(0.75)), Some((30, 90, 20)));
        assert_eq!(lines(None, Some(7), None), Some((0, 0, 7)));
        assert_eq!(lines(Some(7), None, Some(1.0)), Some((0, 7, 0)));
        assert_eq!(lines(None, None, None), None);
        // A rewrite that keeps every word, with lines joined.
        assert_eq!(lines(Some(10), Some(4), Some(0.0)), Some((10, 0, 0)));
    }

    #[test]
    fn figures_are_rounded_down_and_grouped() {
        let lines = |kept, lost| ChangedLines {
            kept,
            lost,
            added: 0,
        };
        assert_eq!(lines(101, 100).lost_percent(), " (49 %)");
        assert_eq!(lines(0, 0).lost_percent(), "");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
    }
}
