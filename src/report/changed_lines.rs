//! How many lines a change keeps, loses and adds, for the maps of the page and of the terminal.

use std::collections::HashSet;

use gix::bstr::BStr;

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

    /// The old lines.
    pub(super) fn old(self) -> usize {
        self.kept + self.lost
    }

    /// Whole per cent of the old lines that are lost, rounded down so that a share below a threshold never appears to
    /// reach it; `None` without old lines.
    pub(super) fn lost_percent(self) -> Option<usize> {
        (self.lost * 100).checked_div(self.old())
    }

    pub(super) fn add(&mut self, other: ChangedLines) {
        self.kept += other.kept;
        self.lost += other.lost;
        self.added += other.added;
    }
}

/// The old paths of renamed files: their lines count at the new path.
pub(super) fn renamed_away(verdict: &Verdict) -> HashSet<&BStr> {
    let changes = verdict.changes.iter();
    let from = changes.filter_map(|change| change.from.as_ref());
    from.map(|path| path.as_ref()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(old: Option<usize>, new: Option<usize>, share: Option<f64>) -> Option<ChangedLines> {
        ChangedLines::of(&JudgedChange {
            original_lines: old,
            new_lines: new,
            lost_share: share,
            ..JudgedChange::default()
        })
    }

    #[test]
    fn lines_are_kept_lost_and_added() {
        let counted = |kept, lost, added| Some(ChangedLines { kept, lost, added });
        assert_eq!(lines(Some(120), Some(50), Some(0.75)), counted(30, 90, 20));
        assert_eq!(lines(None, Some(7), None), counted(0, 0, 7));
        assert_eq!(lines(Some(7), None, Some(1.0)), counted(0, 7, 0));
        assert_eq!(lines(None, None, None), None);
        // A rewrite that keeps every word, with lines joined.
        assert_eq!(lines(Some(10), Some(4), Some(0.0)), counted(10, 0, 0));
    }

    #[test]
    fn lost_share_is_rounded_down() {
        let lines = ChangedLines {
            kept: 101,
            lost: 100,
            added: 0,
        };
        assert_eq!(lines.lost_percent(), Some(49));
        assert_eq!(ChangedLines::default().lost_percent(), None);
    }
}
