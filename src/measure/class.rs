//! The class of a change: NEW, MODIFY, REPLACE, DELETE.

use super::share::Lost;

/// When a change is destructive.
#[derive(Debug, Clone, Copy, PartialEq)]
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
