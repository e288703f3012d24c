//! Myers' diff with git's heuristics in little memory: texts are numbered first, and then not kept. And what a merge took
//! over, in contrast to what was written during the merge.

use std::ops::Range;

use gix::diff::blob::{Algorithm, Diff, Hunk, InternedInput, Token, diff_with_slider_heuristics};

use super::longest_common;
use super::text::{equal_end, equal_start};

/// The diff library numbers tokens in 31 bits and panics beyond.
pub(super) const DIFF_LIMIT: usize = i32::MAX as usize - 1;

/// With more lines between the equal ends of both sides, a preview takes too long to wait for.
const MOST_BETWEEN: usize = 1 << 16;

/// With more units between the equal ends of both sides, Myers' diff takes too long to count with.
const MOST_QUICK: usize = 1 << 16;

/// Two texts as numbers; equal units have equal numbers.
pub(super) struct Numbered {
    before: Vec<Token>,
    after: Vec<Token>,
    /// The number of distinct units.
    count: u32,
}

impl Numbered {
    /// At most [`DIFF_LIMIT`] units per side.
    pub(super) fn new<'a>(
        old: impl Iterator<Item = &'a [u8]>,
        new: impl Iterator<Item = &'a [u8]>,
        counts: [usize; 2],
    ) -> Numbered {
        let mut input = InternedInput::default();
        let [before, after] = counts.map(|count| u32::try_from(count).unwrap_or(0));
        input.reserve(before, after);
        input.update_before(old);
        input.update_after(new);
        Numbered {
            count: input.interner.num_tokens(),
            before: input.before,
            after: input.after,
        }
    }

    /// The whole diff. It takes long for texts that have little in common.
    pub(super) fn diff(&self) -> Diff {
        let mut diff = Diff::default();
        diff.compute_with(Algorithm::Myers, &self.before, &self.after, self.count);
        diff
    }

    /// How many units of the old side the diff drops, and whether no diff drops fewer. Myers' diff with git's heuristics
    /// counts first; where it may have missed the shortest one, that is computed, too.
    pub(super) fn lost(&self) -> (usize, bool) {
        let [before, after] = between_ends(&self.before, &self.after).map(|range| range.len());
        let lost = match before + after <= MOST_QUICK {
            true => self.diff().count_removals() as usize,
            false => before,
        };
        // No diff loses less than what occurs nowhere.
        let gone = self.gone();
        if lost <= gone {
            return (lost, true);
        }
        let kept = longest_common::kept(&self.before, &self.after);
        let lost = lost.min(self.before.len() - kept.count);
        (lost, kept.is_exact || lost == gone)
    }

    /// The size of the multiset difference old - new.
    pub(super) fn gone(&self) -> usize {
        let mut more = vec![0_u32; self.count as usize];
        for token in &self.before {
            more[token.0 as usize] += 1;
        }
        for token in &self.after {
            let count = &mut more[token.0 as usize];
            *count = count.saturating_sub(1);
        }
        more.iter().map(|&count| count as usize).sum()
    }
}

/// The places where two lists of at most [`DIFF_LIMIT`] lines differ. If very many lines are between their equal ends,
/// that is one place.
pub(super) fn changed_places<'a>(
    before: impl Iterator<Item = &'a [u8]>,
    after: impl Iterator<Item = &'a [u8]>,
) -> Vec<Hunk> {
    let mut input = InternedInput::default();
    input.update_before(before);
    input.update_after(after);
    let [before, after] = between_ends(&input.before, &input.after);
    if before.len() + after.len() > MOST_BETWEEN {
        return vec![Hunk { before, after }];
    }
    diff_with_slider_heuristics(Algorithm::Myers, &input)
        .hunks()
        .collect()
}

/// What is between the equal ends of both sides.
fn between_ends(before: &[Token], after: &[Token]) -> [Range<u32>; 2] {
    let head = equal_start(before, after);
    let tail = equal_end(&before[head..], &after[head..]);
    [before, after].map(|side| head as u32..(side.len() - tail) as u32)
}

/// The lines of one side at such a place.
pub(super) fn lines_at<'t, 'a>(lines: &'t [&'a [u8]], place: &Range<u32>) -> &'t [&'a [u8]] {
    &lines[place.start as usize..place.end as usize]
}

/// Whether every place of `merged` equals one of its parents, so that the merge itself changes nothing.
///
/// A place is a run of lines, or a gap where a parent has more lines. Adjacent places count as one, because git's
/// merge would report a conflict.
pub fn is_taken_over(merged: &[u8], parents: &[&[u8]]) -> bool {
    let unlike = parents.iter().map(|parent| {
        let diff = Diff::compute(Algorithm::Myers, &InternedInput::new(*parent, merged));
        let places = diff.hunks().map(|hunk| hunk.after);
        places.collect::<Vec<_>>()
    });
    let unlike_all = unlike.reduce(|places, others| common(&places, &others));
    unlike_all.is_some_and(|places| places.is_empty())
}

/// Where a place of one list overlaps or touches a place of the other.
fn common(places: &[Range<u32>], others: &[Range<u32>]) -> Vec<Range<u32>> {
    let touching = |place: &Range<u32>| {
        let (start, end) = (place.start, place.end);
        let first = others.partition_point(|other| other.end < start);
        let near = others[first..].iter();
        let near = near.take_while(move |other| other.start <= end);
        near.map(move |other| start.min(other.start)..end.max(other.end))
    };
    places.iter().flat_map(touching).collect()
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
    fn content_without_parents_was_written_in_the_merge() {
        assert!(!is_taken_over(b"1\n", &[]));
    }
}
