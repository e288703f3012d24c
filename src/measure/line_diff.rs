//! Myers' diff with git's bounds, in little memory: the texts are numbered and forgotten before they are compared.

use gix::diff::blob::sources::byte_lines;
use gix::diff::blob::{
    Algorithm, Diff, Hunk, IndentHeuristic, IndentLevel, InternedInput, Token, TokenSource,
};

use super::longest_common::{self, Common};
use super::text::line_count;

/// The diff numbers its tokens in 31 bits and panics beyond.
pub(super) const DIFF_LIMIT: usize = i32::MAX as usize - 1;

/// With more units between the equal ends, on both sides together, Myers' diff takes longer than a person waits.
const WHOLE: usize = 1 << 16;

/// Of such texts so many lines of each side are compared for a person, who is shown the first few changes.
const HEAD: usize = 1 << 14;

/// How many columns a tab has where hunks are moved to what is indented least; git's number.
const TAB: u8 = 8;

/// Two texts as numbers, equal where their units are.
pub(super) struct Numbered {
    before: Vec<Token>,
    after: Vec<Token>,
    /// How many different ones there are.
    count: u32,
}

impl Numbered {
    /// At most [`DIFF_LIMIT`] units a side.
    pub(super) fn new<'a, S: TokenSource<Token = &'a [u8]>>(old: S, new: S) -> Numbered {
        let input = InternedInput::new(old, new);
        Numbered {
            count: input.interner.num_tokens(),
            before: input.before,
            after: input.after,
        }
    }

    /// The diff, where it is quick.
    pub(super) fn quick_diff(&self) -> Option<LineDiff> {
        self.head().is_none().then(|| self.diff())
    }

    /// The diff, of a head only where all would take long.
    pub(super) fn diff(&self) -> LineDiff {
        let (until, resume) = self.head().unwrap_or_else(|| {
            let end = (self.before.len(), self.after.len());
            (end, end)
        });
        let mut diff = Diff::default();
        let (before, after) = (&self.before[..until.0], &self.after[..until.1]);
        diff.compute_with(Algorithm::Myers, before, after, self.count);
        LineDiff {
            diff,
            until,
            resume,
        }
    }

    /// How many units the shortest diff keeps.
    pub(super) fn kept(&self) -> Common {
        longest_common::kept(&self.before, &self.after)
    }

    /// Where a diff of a head ends on both sides, and where the equal tails begin; `None` where all is quick.
    fn head(&self) -> Option<(LinePair, LinePair)> {
        let (before, after) = (self.before.len(), self.after.len());
        if before + after <= WHOLE {
            return None;
        }
        let both = self.before.iter().zip(&self.after);
        let head = both.take_while(|(old, new)| old == new).count();
        let both = self.before[head..].iter().rev();
        let both = both.zip(self.after[head..].iter().rev());
        let tail = both.take_while(|(old, new)| old == new).count();
        let resume = (before - tail, after - tail);
        let is_quick = resume.0 + resume.1 - 2 * head <= WHOLE;
        let until = |resume: usize| resume.min(head + HEAD);
        (!is_quick).then(|| ((until(resume.0), until(resume.1)), resume))
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

/// A place of the old and one of the new side.
type LinePair = (usize, usize);

/// Which units two texts share. Of very large ones a head alone is compared; the rest, up to the equal tails, counts as
/// changed.
pub struct LineDiff {
    diff: Diff,
    until: LinePair,
    resume: LinePair,
}

impl LineDiff {
    /// How many units of the old side are removed.
    pub(super) fn count_removals(&self) -> usize {
        self.diff.count_removals() as usize + self.resume.0 - self.until.0
    }

    /// Whether the unit at this place of the old side is removed.
    pub(super) fn is_removed(&self, at: usize) -> bool {
        match u32::try_from(at) {
            Ok(index) if at < self.until.0 => self.diff.is_removed(index),
            _ => at < self.resume.0,
        }
    }

    fn hunks(&self) -> impl Iterator<Item = Hunk> + '_ {
        let range = |from: usize, to: usize| {
            let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            place(from)..place(to)
        };
        let rest = Hunk {
            before: range(self.until.0, self.resume.0),
            after: range(self.until.1, self.resume.1),
        };
        let rest = (self.until != self.resume).then_some(rest);
        self.diff.hunks().chain(rest)
    }
}

/// Where two texts differ, line by line with their blanks and endings; all of both where there are too many lines.
pub(super) fn whole_line_changes(old: &[u8], new: &[u8]) -> Vec<Hunk> {
    let (old_lines, new_lines) = (line_count(old), line_count(new));
    if old_lines > DIFF_LIMIT || new_lines > DIFF_LIMIT {
        let all = |lines: usize| 0..u32::try_from(lines).unwrap_or(u32::MAX);
        return vec![Hunk {
            before: all(old_lines),
            after: all(new_lines),
        }];
    }
    let input = InternedInput::new(byte_lines(old), byte_lines(new));
    let levels: Vec<IndentLevel> = (0..input.interner.num_tokens())
        .map(|number| {
            let line = input.interner[Token(number)];
            IndentLevel::for_ascii_line(line.iter().copied(), TAB)
        })
        .collect();
    let numbered = Numbered {
        count: input.interner.num_tokens(),
        before: input.before,
        after: input.after,
    };
    drop(input.interner);
    let mut lines = numbered.diff();
    let level = |token: Token| levels[token.0 as usize];
    let until = lines.until;
    lines.diff.postprocess_with(
        &numbered.before[..until.0],
        &numbered.after[..until.1],
        IndentHeuristic::new(level),
    );
    lines.hunks().collect()
}
