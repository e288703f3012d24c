//! The diff that git makes by default: Myers', with its heuristics. And what a merge took over, in contrast to what was
//! written during the merge.

use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, Hunk, InternedInput};

use super::content::line_count;
use super::text::{Unit, equal_head, equal_tail};

/// With more units on both sides together, a diff may take seconds.
const MOST: usize = 1 << 18;

/// The units of two texts, with a number for each.
pub(super) type Numbered<'a> = InternedInput<&'a [u8]>;

/// All units of two texts.
pub(super) fn numbered_all<'a>(old: &'a [u8], new: &'a [u8], unit: Unit) -> Numbered<'a> {
    let mut input = InternedInput::default();
    // A table that grows hashes again what it has.
    let [lines, new_lines] =
        [old, new].map(|text| u32::try_from(line_count(text)).unwrap_or_default());
    input.reserve(lines, new_lines);
    input.update_before(unit.of(old));
    input.update_after(unit.of(new));
    input
}

/// The units of two texts; `None` if there are too many to compare.
pub(super) fn numbered<'a>(
    old: impl Iterator<Item = &'a [u8]>,
    new: impl Iterator<Item = &'a [u8]>,
) -> Option<Numbered<'a>> {
    let mut input = InternedInput::default();
    input.update_before(old.take(MOST + 1));
    input.update_after(new.take(MOST + 1 - input.before.len()));
    (input.before.len() + input.after.len() <= MOST).then_some(input)
}

/// The diff of two texts.
pub(super) fn diff(input: &Numbered<'_>) -> Diff {
    Diff::compute(Algorithm::Myers, input)
}

/// Whether two texts have too many lines to compare. Counting them takes far less time than numbering them.
pub(super) fn are_too_many_lines(old: &[u8], new: &[u8]) -> bool {
    line_count(old) + line_count(new) > MOST
}

/// The places where two texts differ, by their units without the blanks around them. Only what is between the equal
/// ends is compared; `None` if that has too many units.
pub(super) fn changes(old: &[u8], new: &[u8], unit: Unit) -> Option<Vec<Hunk>> {
    let head = equal_head(old, new, unit);
    let start = unit.count(&old[..head]);
    let old = &old[head..];
    let new = &new[head..];
    let tail = equal_tail(old, new, unit);
    let old = &old[..old.len() - tail];
    let new = &new[..new.len() - tail];
    if unit == Unit::Lines && are_too_many_lines(old, new) {
        return None;
    }
    let diff = diff(&numbered(unit.of(old), unit.of(new))?);
    shifted(&diff, start)
}

/// The places where two lists of lines differ; `None` if there are too many to compare between the equal ends.
pub(super) fn changes_of_lines(old: &[&[u8]], new: &[&[u8]]) -> Option<Vec<Hunk>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let old = &old[head..];
    let new = &new[head..];
    let ends = old.iter().rev().zip(new.iter().rev());
    let tail = ends.take_while(|(a, b)| a == b).count();
    let old = &old[..old.len() - tail];
    let new = &new[..new.len() - tail];
    if old.len() + new.len() > MOST {
        return None;
    }
    let diff = diff(&numbered(old.iter().copied(), new.iter().copied())?);
    shifted(&diff, head)
}

/// The hunks of a diff, of texts that have so many equal units in front.
fn shifted(diff: &Diff, start: usize) -> Option<Vec<Hunk>> {
    let start = u32::try_from(start).ok()?;
    let hunks = diff.hunks().map(|Hunk { before, after }| Hunk {
        before: before.start + start..before.end + start,
        after: after.start + start..after.end + start,
    });
    Some(hunks.collect())
}

/// Whether every place of `merged` equals one of its parents, so that the merge itself changes nothing.
///
/// A place is a run of lines, or a gap where a parent has more lines. Adjacent places count as one, because git's
/// merge would report a conflict.
pub fn is_taken_over(merged: &[u8], parents: &[&[u8]]) -> bool {
    let mut parents = parents.iter();
    let Some(first) = parents.next() else {
        return false;
    };
    let mut unlike_all = unlike(first, merged);
    for parent in parents {
        if unlike_all.is_empty() {
            break;
        }
        unlike_all = common(&unlike_all, &unlike(parent, merged));
    }
    unlike_all.is_empty()
}

/// The places where `merged` differs from `parent`, in order.
fn unlike(parent: &[u8], merged: &[u8]) -> Vec<Range<u32>> {
    let input = InternedInput::new(parent, merged);
    let diff = Diff::compute(Algorithm::Myers, &input);
    diff.hunks().map(|hunk| hunk.after).collect()
}

/// Where a place of one list overlaps or touches a place of the other.
fn common(one: &[Range<u32>], other: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    let mut others = other.iter().peekable();
    for a in one {
        while others.next_if(|b| b.end < a.start).is_some() {}
        for b in others.clone().take_while(|b| b.start <= a.end) {
            found.push(a.start.min(b.start)..a.end.max(b.end));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

    fn taken_over(ours: &str, theirs: &str, merged: &str) -> bool {
        is_taken_over(merged.as_bytes(), &[ours.as_bytes(), theirs.as_bytes()])
    }

    #[test]
    fn edits_of_two_sides_at_two_places() {
        let ours = BASE.replace("2\n", "two\n");
        let theirs = BASE.replace("8\n", "");
        let merged = ours.replace("8\n", "");
        assert!(taken_over(&ours, &theirs, &merged));
        assert!(taken_over(&theirs, &ours, &merged));
    }

    #[test]
    fn same_edit_on_both_sides_is_not_a_difference() {
        let both = BASE.replace("2\n", "two\n");
        assert!(taken_over(&both, &both, &both));
    }

    #[test]
    fn a_line_that_neither_side_has() {
        let ours = BASE.replace("2\n", "two\n");
        let theirs = BASE.replace("8\n", "eight\n");
        let merged = ours.replace("8\n", "eight\n");
        assert!(!taken_over(
            &ours,
            &theirs,
            &merged.replace("5\n", "evil\n")
        ));
        assert!(!taken_over(
            &ours,
            &theirs,
            &merged.replace("5\n", "5\nevil\n")
        ));
    }

    #[test]
    fn a_line_that_both_sides_have_and_the_merge_lacks() {
        let ours = BASE.replace("2\n", "two\n");
        let theirs = BASE.replace("8\n", "eight\n");
        let merged = ours.replace("8\n", "eight\n").replace("5\n", "");
        assert!(!taken_over(&ours, &theirs, &merged));
    }

    #[test]
    fn conflict_resolved_by_keeping_both_was_written_in_the_merge() {
        let ours = BASE.replace("5\n", "five\n");
        let theirs = BASE.replace("5\n", "cinq\n");
        assert!(!taken_over(
            &ours,
            &theirs,
            &BASE.replace("5\n", "five\ncinq\n")
        ));
        assert!(!taken_over(&ours, &theirs, &BASE.replace("5\n", "fünf\n")));
    }

    #[test]
    fn three_parents_with_a_place_each() {
        let change = |from: &str, to: &str| BASE.replace(from, to);
        let (a, b, c) = (
            change("2\n", "a\n"),
            change("5\n", "b\n"),
            change("8\n", "c\n"),
        );
        let merged = "1\na\n3\n4\nb\n6\n7\nc\n9\n";
        let parents = [a.as_bytes(), b.as_bytes(), c.as_bytes()];
        assert!(is_taken_over(merged.as_bytes(), &parents));
        assert!(!is_taken_over(
            merged.replace("4\n", "").as_bytes(),
            &parents
        ));
    }

    #[test]
    fn as_many_lines_as_the_limit_are_compared() {
        let half = "x\n".repeat(MOST / 2).into_bytes();
        let more = [&half[..], b"x\n"].concat();
        assert!(!are_too_many_lines(&half, &half));
        assert!(are_too_many_lines(&half, &more));
        let units = |text| Unit::Lines.of(text);
        assert!(numbered(units(&half), units(&half)).is_some());
        assert!(numbered(units(&half), units(&more)).is_none());
        assert!(numbered(units(&more), units(&half)).is_none());
        let whole = [&half[..], &more].concat();
        assert!(numbered(units(&whole), units(b"")).is_none());
    }

    #[test]
    fn content_without_parents_was_written_in_the_merge() {
        assert!(!is_taken_over(b"1\n", &[]));
    }
}
