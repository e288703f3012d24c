//! The lost share: how much of the old version a line diff does not keep; and the class of a change that it decides: NEW,
//! MODIFY, REPLACE, DELETE.
//!
//! The counts equal those of `git diff --minimal --numstat`, apart from blanks.

use std::collections::HashMap;

use gix_imara_diff::Token;

use super::carried::carries_content;
use super::common::longest_common;
use super::count::{LostPart, MovedLines};
use super::line_diff::{self, Numbered};
use super::look::{self, Missed};
use super::text::{Text, Unit, equal_head, equal_tail, words};

/// The size that corresponds to 100 lines if lines are very long or absent: 8 KiB.
const BYTES_PER_HUNDRED_LINES: usize = 8 * 1_024;
/// The share of the lines that carry content counts where more of them are lost. A few lost lines are an ordinary edit,
/// even of a file that is mostly blank lines and brackets.
const FEW: usize = 50;

/// The loss of an old version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost {
    /// Units of the old version.
    pub all: LostPart,
    /// Those of them that carry content. Blank lines, brackets and rules do not; where lines are not counted, all do.
    pub content: LostPart,
    /// The unit.
    pub unit: Unit,
    /// The bytes of the old version's text.
    pub bytes: usize,
    /// Whether the count is exact. Otherwise the versions are too large, and the true loss may be smaller.
    pub is_exact: bool,
}

impl Lost {
    /// No content, so no loss.
    pub const NOTHING: Lost = Lost {
        all: LostPart::whole(0),
        content: LostPart::whole(0),
        unit: Unit::Lines,
        bytes: 0,
        is_exact: true,
    };

    /// All bytes of an old version that is not text, or so many of them.
    pub(super) fn bytes(lost: usize, total: usize) -> Lost {
        let all = LostPart { lost, total };
        Lost {
            all,
            content: all,
            unit: Unit::Bytes,
            bytes: total,
            is_exact: true,
        }
    }

    /// Everything in `old` is lost.
    pub(super) fn all_of(old: &Text<'_>) -> Lost {
        let unit = old.unit();
        let all = LostPart::whole(unit.count(&old.bytes));
        Lost {
            all,
            content: match unit {
                Unit::Lines => LostPart::whole(lines_with_content(&old.bytes)),
                _ => all,
            },
            unit,
            bytes: old.bytes.len(),
            is_exact: true,
        }
    }

    /// Whether the loss is that of the lines that carry content, because their share is larger than that of all lines.
    pub fn is_of_content(&self) -> bool {
        // Blank lines and brackets stay in any rewrite, and would dilute the loss of everything else.
        self.content.lost > FEW && self.content.share() > self.all.share()
    }

    /// The part with the larger share.
    pub fn part(&self) -> LostPart {
        if self.is_of_content() {
            self.content
        } else {
            self.all
        }
    }

    /// The lost share, 0 to 1; 0 for no content.
    pub fn share(&self) -> f64 {
        self.part().share()
    }

    /// Whether the share is at least `threshold`; false if there is no content.
    ///
    /// Exact for decimal thresholds: the quotient is the double nearest to the true share, and the threshold the
    /// double nearest to its decimals, so equal numbers compare equal (7 of 100 is at least 0.07).
    pub fn at_least(&self, threshold: f64) -> bool {
        self.all.total > 0 && self.share() >= threshold
    }

    /// Whether the old version is larger than this many lines. If lines are not counted, 8 KiB correspond to 100
    /// lines.
    pub fn exceeds_lines(&self, lines: usize) -> bool {
        match self.unit {
            Unit::Lines => self.all.total > lines,
            Unit::Tokens | Unit::Bytes => {
                self.bytes.saturating_mul(100) > lines.saturating_mul(BYTES_PER_HUNDRED_LINES)
            }
        }
    }

    /// The same version, of which so many units are lost, and so many with content.
    fn losing(self, of_all: usize, of_content: usize) -> Lost {
        Lost {
            all: LostPart {
                lost: of_all,
                ..self.all
            },
            content: LostPart {
                lost: of_content,
                ..self.content
            },
            ..self
        }
    }

    /// The loss without these lines, which moved elsewhere.
    #[must_use]
    pub fn without(self, moved: &MovedLines) -> Lost {
        Lost {
            all: self.all.without(moved.lines),
            content: self.content.without(moved.with_content),
            ..self
        }
    }
}

fn lines_with_content(text: &[u8]) -> usize {
    let lines = Unit::Lines.of(text);
    lines.filter(|line| carries_content(line)).count()
}

/// The share of the words of `old` that `new` lacks, wherever they stand; 1 if `old` has none.
pub fn lost_words(old: &[u8], new: &[u8]) -> f64 {
    let old = Text::of(old);
    let new = Text::of(new);
    let mut kept: HashMap<&[u8], usize> = HashMap::new();
    for word in words(&new.bytes) {
        *kept.entry(word).or_default() += 1;
    }
    let mut total = 0_usize;
    let mut lost = 0_usize;
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
/// mark are decoded. The count is exact, but for texts of more than about 500,000 lines that are nearly all like many
/// others: they lose everything that a look in linear time does not find.
pub fn lost(old: &[u8], new: &[u8]) -> Lost {
    compare(&Text::of(old), &Text::of(new))
}

/// As [`lost`].
pub(super) fn compare(old: &Text<'_>, new: &Text<'_>) -> Lost {
    let all = Lost::all_of(old);
    if new.bytes.is_empty() || all.all.total == 0 {
        return all;
    }
    // What a look misses, and so how much a diff keeps at least. Where most is lost, it says nothing.
    let missed = match all.unit {
        Unit::Lines => look::missed(&old.bytes, &new.bytes, all.all.total, all.all.total / 2),
        _ => None,
    };
    if missed == Some(Missed::default()) {
        return all.losing(0, 0);
    }
    let unit = all.unit;
    let head = equal_head(&old.bytes, &new.bytes, unit);
    let old_rest = &old.bytes[head..];
    let new_rest = &new.bytes[head..];
    let tail = equal_tail(old_rest, new_rest, unit);
    let old_rest = &old_rest[..old_rest.len() - tail];
    let new_rest = &new_rest[..new_rest.len() - tail];
    let numbered = line_diff::numbered_all(old_rest, new_rest, unit);
    match lost_between(&numbered, unit, missed) {
        Some((of_all, of_content)) => all.losing(of_all, of_content),
        None => inexact(old, new, all),
    }
}

/// How many units, and how many with content, a shortest diff loses; `None` if it takes too long to tell. `missed` is
/// what a look misses.
fn lost_between(
    numbered: &Numbered<'_>,
    unit: Unit,
    missed: Option<Missed>,
) -> Option<(usize, usize)> {
    let mut old = numbers(&numbered.before);
    let mut new = numbers(&numbered.after);
    let kinds = numbered.interner.num_tokens();
    let (most, most_of_content) = missed
        .map(|missed| (missed.lines, missed.with_content))
        .unzip();
    let of_all = lost_of(&old, &new, kinds as usize, most)?;
    if unit != Unit::Lines {
        return Some((of_all, of_all));
    }
    let carries: Vec<bool> = (0..kinds)
        .map(|kind| carries_content(numbered.interner[kind.into()]))
        .collect();
    if carries.iter().all(|carries| *carries) {
        return Some((of_all, of_all));
    }
    old.retain(|line| carries[*line as usize]);
    new.retain(|line| carries[*line as usize]);
    let of_content = lost_of(&old, &new, kinds as usize, most_of_content)?;
    Some((of_all, of_content))
}

fn numbers(tokens: &[Token]) -> Vec<u32> {
    tokens.iter().map(|token| token.0).collect()
}

/// How many of the old units a shortest diff loses, at most so many if that is known.
fn lost_of(old: &[u32], new: &[u32], kinds: usize, most: Option<usize>) -> Option<usize> {
    let least = most.map_or(0, |most| old.len().saturating_sub(most));
    Some(old.len() - longest_common(old, new, kinds, least)?)
}

/// All that a look does not find, where more takes too long.
fn inexact(old: &Text<'_>, new: &Text<'_>, all: Lost) -> Lost {
    let missed = match all.unit {
        Unit::Lines => look::missed(&old.bytes, &new.bytes, all.all.total, usize::MAX),
        _ => None,
    };
    Lost {
        is_exact: false,
        ..missed.map_or(all, |missed| all.losing(missed.lines, missed.with_content))
    }
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
    let whole = Lost {
        all: LostPart::whole(old.lines),
        unit: old.unit(),
        bytes: old.bytes.len(),
        ..Lost::NOTHING
    };
    if !whole.exceeds_lines(thresholds.lines) {
        return true;
    }
    if whole.unit != Unit::Lines {
        return false;
    }
    let Some(most) = most_lost(old.lines, thresholds.share) else {
        return false;
    };
    let missed = look::missed(&old.bytes, &new.bytes, old.lines, most);
    missed.is_some_and(|missed| {
        let lost = missed.with_content;
        lost <= FEW || {
            let total = lines_with_content(&old.bytes);
            LostPart { lost, total }.share() < thresholds.share
        }
    })
}

/// The most lines of so many that may be lost while the lost share is below `share`; `None` if none may.
fn most_lost(total: usize, share: f64) -> Option<usize> {
    let mut lost = total.min((share * total as f64).ceil() as usize);
    // The product may be rounded, so the share itself decides.
    while (LostPart { lost, total }).share() >= share {
        lost = lost.checked_sub(1)?;
    }
    Some(lost)
}

#[cfg(test)]
mod tests;
