//! Myers' diff with git's heuristics in little memory: texts are numbered first, and then not kept. And what a merge took
//! over, in contrast to what was written during the merge.

use std::ops::Range;

use gix::bstr::ByteSlice;
use gix::diff::blob::{Algorithm, Diff, Hunk, IndentHeuristic, IndentLevel, InternedInput, Token};

use super::content::line_count;
use super::longest_common::{self, Common};

/// The diff library numbers tokens in 31 bits and panics beyond.
pub(super) const DIFF_LIMIT: usize = i32::MAX as usize - 1;

/// With more units between the equal ends of both sides, Myers' diff takes too long to wait for.
const WHOLE: usize = 1 << 16;

/// Of longer texts, only so many lines per side are compared for previews.
const HEAD: usize = 1 << 14;

/// Equal lines before them, into which a hunk may move.
const LEAD: usize = 1 << 10;

/// The width of a tab when hunks are moved to the least indentation; git's value.
const TAB: u8 = 8;

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

    /// The diff, if it is quick.
    pub(super) fn quick_diff(&self) -> Option<LineDiff> {
        let counts = (self.before.len(), self.after.len());
        let part = ComparedPart::of(self.before.iter(), self.after.iter(), counts);
        (part.until == counts).then(|| part.diff(&self.before, &self.after, self.count))
    }

    /// The whole diff. It takes long for texts that have little in common.
    pub(super) fn diff(&self) -> Diff {
        let mut diff = Diff::default();
        diff.compute_with(Algorithm::Myers, &self.before, &self.after, self.count);
        diff
    }

    /// At most how many units the shortest diff removes and adds.
    pub(super) fn changed(&self) -> (usize, usize) {
        let kept = match self.gone() * 2 > self.before.len() {
            true => 0,
            false => self.kept().count,
        };
        (self.before.len() - kept, self.after.len() - kept)
    }

    /// The number of units that the shortest diff keeps.
    pub(super) fn kept(&self) -> Common {
        longest_common::kept(&self.before, &self.after)
    }

    /// The size of the multiset difference old - new.
    pub(super) fn gone(&self) -> usize {
        let mut surplus = vec![0_i32; self.count as usize];
        for token in &self.before {
            surplus[token.0 as usize] += 1;
        }
        for token in &self.after {
            surplus[token.0 as usize] -= 1;
        }
        surplus
            .iter()
            .map(|&n| usize::try_from(n).unwrap_or(0))
            .sum()
    }
}

/// A position in the old and in the new side.
type LinePair = (usize, usize);

/// The part of two texts that is compared: all, or only a head if all would take long.
struct ComparedPart {
    /// Where it starts on both sides.
    from: usize,
    until: LinePair,
    /// Where the equal ends start.
    resume: LinePair,
}

impl ComparedPart {
    fn of<T: PartialEq>(
        before: impl DoubleEndedIterator<Item = T> + Clone,
        after: impl DoubleEndedIterator<Item = T> + Clone,
        counts: LinePair,
    ) -> ComparedPart {
        let whole = ComparedPart {
            from: 0,
            until: counts,
            resume: counts,
        };
        if counts.0 + counts.1 <= WHOLE {
            return whole;
        }
        let is_equal = |(old, new): &(T, T)| old == new;
        let both = before.clone().zip(after.clone());
        let head = both.take_while(is_equal).count();
        let rest = counts.0.min(counts.1) - head;
        let both = before.rev().zip(after.rev()).take(rest);
        let tail = both.take_while(is_equal).count();
        let resume = (counts.0 - tail, counts.1 - tail);
        if resume.0 + resume.1 - 2 * head <= WHOLE {
            return whole;
        }
        let until = |resume: usize| resume.min(head + HEAD);
        ComparedPart {
            from: head.saturating_sub(LEAD),
            until: (until(resume.0), until(resume.1)),
            resume,
        }
    }

    /// Compares the part, given as numbers of which `count` are distinct.
    fn diff(self, before: &[Token], after: &[Token], count: u32) -> LineDiff {
        let mut diff = Diff::default();
        diff.compute_with(Algorithm::Myers, before, after, count);
        LineDiff { diff, part: self }
    }
}

/// The units that two texts share. For very large texts only a head is compared; the rest, up to the equal tail,
/// counts as changed.
pub struct LineDiff {
    diff: Diff,
    part: ComparedPart,
}

impl LineDiff {
    /// The number of removed units.
    pub(super) fn count_removals(&self) -> usize {
        self.diff.count_removals() as usize + self.part.resume.0 - self.part.until.0
    }

    /// Whether the unit at this position of the old side is removed.
    pub(super) fn is_removed(&self, at: usize) -> bool {
        let ComparedPart {
            from,
            until,
            resume,
        } = &self.part;
        match at.checked_sub(*from).map(u32::try_from) {
            None => false,
            Some(Ok(index)) if at < until.0 => self.diff.is_removed(index),
            Some(_) => at < resume.0,
        }
    }

    /// The changed places.
    pub(super) fn hunks(&self) -> impl Iterator<Item = Hunk> + '_ {
        let ComparedPart {
            from,
            until,
            resume,
        } = self.part;
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let rest = Hunk {
            before: place(until.0)..place(resume.0),
            after: place(until.1)..place(resume.1),
        };
        let rest = (until != resume).then_some(rest);
        let moved = move |range: Range<u32>| range.start + place(from)..range.end + place(from);
        let hunks = self.diff.hunks().map(move |hunk| Hunk {
            before: moved(hunk.before),
            after: moved(hunk.after),
        });
        hunks.chain(rest)
    }
}

/// A diff of lines; of very large texts, only of a head. The lines of the compared part are numbered.
pub(super) fn numbered_diff<'a, L>(
    before: L,
    after: L,
    counts: LinePair,
) -> (InternedInput<&'a [u8]>, LineDiff)
where
    L: DoubleEndedIterator<Item = &'a [u8]> + Clone,
{
    let part = ComparedPart::of(before.clone(), after.clone(), counts);
    let within = |lines: L, until: usize| lines.skip(part.from).take(until - part.from);
    let mut input = InternedInput::default();
    input.update_before(within(before, part.until.0));
    input.update_after(within(after, part.until.1));
    let diff = part.diff(&input.before, &input.after, input.interner.num_tokens());
    (input, diff)
}

/// The line differences of two texts, including blanks and endings; everything if there are too many lines.
pub(super) fn whole_line_changes(old: &[u8], new: &[u8]) -> Vec<Hunk> {
    let (old_lines, new_lines) = (line_count(old), line_count(new));
    if old_lines > DIFF_LIMIT || new_lines > DIFF_LIMIT {
        let all = |lines: usize| 0..u32::try_from(lines).unwrap_or(u32::MAX);
        return vec![Hunk {
            before: all(old_lines),
            after: all(new_lines),
        }];
    }
    let counts = (old_lines, new_lines);
    let (old, new) = (old.lines_with_terminator(), new.lines_with_terminator());
    let (input, mut changes) = numbered_diff(old, new, counts);
    let (before, after, lines) = (&input.before, &input.after, &input.interner);
    let levels: Vec<IndentLevel> = (0..lines.num_tokens())
        .map(|number| IndentLevel::for_ascii_line(lines[Token(number)].iter().copied(), TAB))
        .collect();
    let level = |token: Token| levels[token.0 as usize];
    changes
        .diff
        .postprocess_with(before, after, IndentHeuristic::new(level));
    changes.hunks().collect()
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
    fn content_without_parents_was_written_in_the_merge() {
        assert!(!is_taken_over(b"1\n", &[]));
    }
}
