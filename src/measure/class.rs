//! The class of a change: NEW, MODIFY, REPLACE, DELETE.

use super::lower_bound;
use super::share::Lost;
use super::text::{Text, Unit};

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
    let all = Lost::all_lines(old);
    if !all.exceeds_lines(thresholds.lines) {
        return true;
    }
    let is_enough =
        |enough| lower_bound::kept(old.bytes(), new.bytes(), all.total, enough) >= enough;
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
