//! Myers' diff with git's heuristics in little memory: texts are numbered first, and then not kept.

use gix::diff::blob::sources::byte_lines;
use gix::diff::blob::{
    Algorithm, Diff, Hunk, IndentHeuristic, IndentLevel, InternedInput, Token, TokenSource,
};

use super::longest_common::{self, Common};
use super::text::line_count;

/// The diff library numbers tokens in 31 bits and panics beyond.
pub(super) const DIFF_LIMIT: usize = i32::MAX as usize - 1;

/// With more units between the equal ends of both sides, Myers' diff takes too long to wait for.
const WHOLE: usize = 1 << 16;

/// Of longer texts, only so many lines per side are compared for previews.
const HEAD: usize = 1 << 14;

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
    pub(super) fn new<'a, S: TokenSource<Token = &'a [u8]>>(old: S, new: S) -> Numbered {
        let input = InternedInput::new(old, new);
        Numbered {
            count: input.interner.num_tokens(),
            before: input.before,
            after: input.after,
        }
    }

    /// The diff, if it is quick.
    pub(super) fn quick_diff(&self) -> Option<LineDiff> {
        self.head().is_none().then(|| self.diff())
    }

    /// The diff, limited to a head if the whole would take long.
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

    /// The number of units that the shortest diff keeps.
    pub(super) fn kept(&self) -> Common {
        longest_common::kept(&self.before, &self.after)
    }

    /// The ends of the head on both sides, and the start of the equal tails; `None` if the whole is quick.
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

/// A position in the old and in the new side.
type LinePair = (usize, usize);

/// The units that two texts share. For very large texts only a head is compared; the rest, up to the equal tail,
/// counts as changed.
pub struct LineDiff {
    diff: Diff,
    until: LinePair,
    resume: LinePair,
}

impl LineDiff {
    /// The number of removed units.
    pub(super) fn count_removals(&self) -> usize {
        self.diff.count_removals() as usize + self.resume.0 - self.until.0
    }

    /// Whether the unit at this position of the old side is removed.
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
