//! Lines that a change takes out of one file and adds to another, in runs of at least three consecutive lines, of which
//! two have words.
//!
//! An added run pays for one lost run, and a file pays for no more lines than it gains. Lines are compared by hashes with
//! random keys, in nearly linear time.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};

use super::carried::carries_content;
use super::count::MovedLines;
use super::line_diff;
use super::reformat::{BlockReader, has_blocks};
use super::text::{Text, Unit, words};

/// The fewest lines that move together. Fewer are in any two programs.
const RUN: usize = 3;
/// How many of them have words; others, such as `}`, are in any two programs.
const WITH_WORDS: usize = 2;
/// The maximum number of added lines; further files are ignored.
const LINE_LIMIT: usize = 1 << 22;

/// Lines that a change adds to files, which may pay for lines that another file loses.
#[derive(Default)]
pub struct AddedLines {
    hasher: RandomState,
    /// By the hash of [`RUN`] consecutive added lines, the files that have them, and how often they may still pay.
    runs: HashMap<u64, Vec<(usize, usize)>>,
    /// For each file, the number of lines that have not paid yet.
    unpaid: Vec<usize>,
    lines: usize,
}

/// A line without blanks around it. One in a comment differs from the same one in code.
#[derive(Clone, Copy)]
struct HashedLine {
    hash: u64,
    has_word: bool,
    has_content: bool,
}

fn lines_of(text: &Text<'_>, hasher: &RandomState) -> Vec<HashedLine> {
    let mut blocks = has_blocks(&text.bytes).then(BlockReader::default);
    let lines = text.trimmed().map(|line| {
        let is_in_block = blocks.as_mut().is_some_and(|blocks| blocks.read(line));
        HashedLine {
            hash: hasher.hash_one((is_in_block, line)),
            has_word: words(line).next().is_some(),
            has_content: carries_content(line),
        }
    });
    lines.collect()
}

impl AddedLines {
    /// Adds what a file gains, and returns the file's number; `None` if the change adds too many lines.
    pub fn add(&mut self, old: &[u8], new: &[u8]) -> Option<usize> {
        let old = Text::of(old);
        let new = Text::of(new);
        let hunks = line_diff::changes(&old.bytes, &new.bytes, Unit::Lines)?;
        let gained = hunks.iter().map(|hunk| hunk.after.len()).sum();
        if self.lines + gained > LINE_LIMIT {
            return None;
        }
        self.lines += gained;
        let file = self.unpaid.len();
        let lines = lines_of(&new, &self.hasher);
        self.unpaid.push(gained);
        for hunk in hunks {
            let added = &lines[hunk.after.start as usize..hunk.after.end as usize];
            for run in added.windows(RUN) {
                let files = self.runs.entry(self.hash(run)).or_default();
                match files.last_mut().filter(|(last, _)| *last == file) {
                    Some((_, count)) => *count += 1,
                    None => files.push((file, 1)),
                }
            }
        }
        Some(file)
    }

    /// Takes the lines that a file loses and others gain: how many each file gains, by number. The file `own` is the one
    /// that loses them.
    pub fn take(&mut self, old: &[u8], new: &[u8], own: Option<usize>) -> Vec<(usize, MovedLines)> {
        let old = Text::of(old);
        let new = Text::of(new);
        let hunks = line_diff::changes(&old.bytes, &new.bytes, Unit::Lines);
        let lines = lines_of(&old, &self.hasher);
        let mut taken: BTreeMap<usize, MovedLines> = BTreeMap::new();
        for hunk in hunks.into_iter().flatten() {
            let lost = &lines[hunk.before.start as usize..hunk.before.end as usize];
            let mut at = 0;
            while at + RUN <= lost.len() {
                let Some((file, length)) = self.take_run(&lost[at..], own) else {
                    at += 1;
                    continue;
                };
                let run = &lost[at..at + length];
                // Lines that moved once are not kept twice: the file pays only for what it gained.
                let paid = length.min(self.unpaid[file]);
                if paid >= RUN && run.iter().filter(|line| line.has_word).count() >= WITH_WORDS {
                    self.unpaid[file] -= paid;
                    let taken = taken.entry(file).or_default();
                    taken.lines += paid;
                    let content = run[..paid].iter().filter(|line| line.has_content);
                    taken.with_content += content.count();
                }
                at += length;
            }
        }
        taken.into_iter().collect()
    }

    /// The longest run of added lines with which the lost lines begin, in the first file that has one: the file and its
    /// length. It does not pay again.
    fn take_run(&mut self, lost: &[HashedLine], own: Option<usize>) -> Option<(usize, usize)> {
        let mut file = None;
        let mut length = 0;
        for run in lost.windows(RUN) {
            let hash = self.hash(run);
            let mut files = self.runs.get_mut(&hash).into_iter().flatten();
            let usable = files.find(|(other, count)| {
                *count > 0 && Some(*other) != own && file.is_none_or(|file| file == *other)
            });
            let Some((found, count)) = usable else {
                break;
            };
            *count -= 1;
            (file, length) = (Some(*found), length.max(RUN - 1) + 1);
        }
        Some((file?, length))
    }

    fn hash(&self, run: &[HashedLine]) -> u64 {
        let hashes: [u64; RUN] = std::array::from_fn(|at| run[at].hash);
        self.hasher.hash_one(hashes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(range: std::ops::Range<usize>) -> String {
        range.map(|n| format!("line {n}\n")).collect()
    }

    fn moved(old: &str, new: &str, added: &[(&str, &str)]) -> Vec<(usize, usize)> {
        let mut pool = AddedLines::default();
        for (before, after) in added {
            pool.add(before.as_bytes(), after.as_bytes());
        }
        let taken = pool.take(old.as_bytes(), new.as_bytes(), None);
        taken.into_iter().map(lines_in).collect()
    }

    fn lines_in((file, taken): (usize, MovedLines)) -> (usize, usize) {
        (file, taken.lines)
    }

    #[test]
    fn a_run_of_three_moves_and_one_of_two_does_not() {
        let old = lines(0..20);
        assert_eq!(moved(&old, "", &[("", &lines(5..8))]), [(0, 3)]);
        assert_eq!(moved(&old, "", &[("", &lines(5..7))]), []);
        assert_eq!(moved(&old, "", &[("", "line 7\nline 6\nline 5\n")]), []);
        let first = lines(0..10);
        let second = lines(10..20);
        assert_eq!(
            moved(&old, "", &[("", &first), ("", &second)]),
            [(0, 10), (1, 10)]
        );
    }

    #[test]
    fn lines_without_words_move_only_inside_a_run_and_indentation_does_not_count() {
        let old = "a\nb\n\n}\nc\n}\n}\n";
        assert_eq!(moved(old, "", &[("", "  a\n  b\n\n  }\n")]), [(0, 4)]);
        let apart = "a\nb\n\nx\n}\n\n}\n";
        assert_eq!(moved(old, "", &[("", apart)]), [(0, 3)]);
        assert_eq!(moved(old, "", &[("", "}\n\n}\n}\n")]), []);
        assert_eq!(moved(old, "", &[("", "c\n}\n}\n")]), [], "one word");
    }

    #[test]
    fn what_either_file_keeps_is_not_moved() {
        let old = lines(0..20);
        let half = lines(0..10);
        assert_eq!(moved(&old, &half, &[("", &old)]), [(0, 10)]);
        assert_eq!(moved(&old, "", &[(&old, &old)]), []);
        assert_eq!(moved(&old, "", &[(&half, &old)]), [(0, 10)]);
    }

    #[test]
    fn an_added_line_pays_once() {
        let old = "same\n".repeat(30);
        assert_eq!(moved(&old, "", &[("", &"same\n".repeat(6))]), [(0, 6)]);
        let mut pool = AddedLines::default();
        let text = lines(0..10);
        pool.add(b"", text.as_bytes());
        let lines = 10;
        let with_content = 10;
        let all = MovedLines {
            lines,
            with_content,
        };
        assert_eq!(pool.take(text.as_bytes(), b"", None), [(0, all)]);
        assert_eq!(pool.take(text.as_bytes(), b"", None), []);
    }

    #[test]
    fn a_file_pays_for_no_more_lines_than_it_gains() {
        let run = "same\n".repeat(3);
        let old = format!("{run}apart\n{run}");
        assert_eq!(
            moved(&old, "apart\n", &[("", &"same\n".repeat(4))]),
            [(0, 3)]
        );
        assert_eq!(
            moved(&old, "apart\n", &[("", &"same\n".repeat(6))]),
            [(0, 6)]
        );
    }

    #[test]
    fn a_file_that_has_paid_leaves_the_next_lines_to_another() {
        let run = lines(0..3);
        let old = format!("{run}apart\n{run}");
        assert_eq!(moved(&old, "", &[("", &run), ("", &run)]), [(0, 3), (1, 3)]);
    }

    #[test]
    fn more_lines_than_the_limit_are_not_taken_in() {
        let lines = LINE_LIMIT - 5;
        let mut pool = AddedLines {
            lines,
            ..AddedLines::default()
        };
        assert_eq!(pool.add(b"", b"a\nb\nc\nd\ne\nf\n"), None);
        assert_eq!(pool.add(b"", b"a\nb\nc\n"), Some(0));
        assert_eq!(pool.add(b"", b"a\nb\n"), Some(1));
        assert_eq!(pool.add(b"", b"a\n"), None);
    }

    #[test]
    fn several_runs_that_move_to_one_file_add_up() {
        let old = lines(0..20);
        let new = format!("{}other\n{}", lines(2..6), lines(10..15));
        let mut pool = AddedLines::default();
        pool.add(b"", new.as_bytes());
        let both = MovedLines {
            lines: 9,
            with_content: 9,
        };
        assert_eq!(pool.take(old.as_bytes(), b"", None), [(0, both)]);
    }

    #[test]
    fn a_file_does_not_pay_for_itself() {
        let mut pool = AddedLines::default();
        let text = lines(0..10);
        let own = pool.add(b"", text.as_bytes());
        assert!(own.is_some());
        assert_eq!(pool.take(text.as_bytes(), b"", own), []);
    }

    #[test]
    fn lines_in_a_comment_are_not_the_code() {
        let text = lines(0..10);
        for comment in [format!("/*\n{text}*/\n"), format!("\"\"\"\n{text}\"\"\"\n")] {
            assert_eq!(moved(&text, "", &[("", &comment)]), []);
            assert_eq!(moved(&comment, "", &[("", &comment)]).len(), 1);
        }
    }

    #[test]
    fn repeated_lines_are_compared_in_nearly_linear_time() {
        let old = "a\nb\nc\n".repeat(40_000);
        let mut pool = AddedLines::default();
        pool.add(b"", "a\nb\nc\nd\n".repeat(40_000).as_bytes());
        let all: usize = pool
            .take(old.as_bytes(), b"", None)
            .iter()
            .map(|file| file.1.lines)
            .sum();
        assert_eq!(all, 120_000);
    }
}
