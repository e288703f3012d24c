//! Myers' diff with git's bounds, in little memory: the texts are numbered and forgotten before they are compared.

use gix::diff::blob::sources::byte_lines;
use gix::diff::blob::{
    Algorithm, Diff, Hunk, IndentHeuristic, IndentLevel, InternedInput, Token, TokenSource,
};

use super::text::line_count;

/// The diff numbers its tokens in 31 bits and panics beyond.
pub(super) const DIFF_LIMIT: usize = i32::MAX as usize - 1;

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

    pub(super) fn diff(&self) -> Diff {
        let mut diff = Diff::default();
        diff.compute_with(Algorithm::Myers, &self.before, &self.after, self.count);
        diff
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
    let mut diff = numbered.diff();
    let level = |token: Token| levels[token.0 as usize];
    diff.postprocess_with(
        &numbered.before,
        &numbered.after,
        IndentHeuristic::new(level),
    );
    diff.hunks().collect()
}
