//! Lines that a change takes out of one file and adds to another, in runs of at least three consecutive lines, of which
//! two have words.
//!
//! Each added line pays for one lost line. Texts are compared by hashes with random keys, in nearly linear time.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};

use super::reformat::{BlockReader, has_blocks};
use super::text::{Text, words};

/// The fewest lines that move together. Fewer are in any two programs.
const RUN: usize = 3;
/// How many of them have words; others, such as `}`, are in any two programs.
const WITH_WORDS: usize = 2;
/// The number of equal places among which to look for the longest run.
const CHOICES: usize = 16;
/// The maximum number of added lines; further files are ignored.
const LINE_LIMIT: usize = 1 << 22;

/// Lines that a change adds to files, each of which may pay for one line that another file loses.
#[derive(Default)]
pub struct AddedLines {
    hasher: RandomState,
    /// The lines that some file loses.
    wanted: HashSet<LineHash>,
    /// Where the lines of each file end.
    ends: Vec<usize>,
    /// The lines of all files.
    lines: Vec<AddedLine>,
    /// Where runs of [`RUN`] wanted lines start, by their hash and in order.
    runs: HashMap<u64, VecDeque<usize>>,
}

/// The hash of a line without blanks around it. A line in a comment differs from the same line in code.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct LineHash {
    hash: u64,
    has_word: bool,
}

struct AddedLine {
    line: LineHash,
    file: usize,
    /// Whether the file gains this line, and it has not yet paid for a lost one.
    is_free: bool,
}

fn counts(lines: &[LineHash]) -> HashMap<LineHash, usize> {
    let mut counts = HashMap::new();
    for &line in lines {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

/// Takes one of these lines; returns whether there was one.
fn take_one(counts: &mut HashMap<LineHash, usize>, line: LineHash) -> bool {
    let count = counts.get_mut(&line).filter(|count| **count > 0);
    count.map(|count| *count -= 1).is_some()
}

impl AddedLines {
    fn hashed(&self, blob: &[u8]) -> Vec<LineHash> {
        let text = Text::of(blob);
        let mut blocks = has_blocks(text.bytes()).then(BlockReader::default);
        let hashed = text.trimmed().map(|line| {
            let is_in_block = blocks.as_mut().is_some_and(|blocks| blocks.read(line));
            LineHash {
                hash: self.hasher.hash_one((is_in_block, line)),
                has_word: words(line).next().is_some(),
            }
        });
        hashed.collect()
    }

    /// The hash of the run at the start of `lines`. It begins with a line with words only, as others are everywhere.
    fn run(&self, lines: &[LineHash]) -> Option<u64> {
        let run = lines.get(..RUN)?;
        run[0].has_word.then(|| self.hasher.hash_one(run))
    }

    /// The lines that a file loses.
    fn lost(&self, before: &[LineHash], new: &[u8]) -> HashMap<LineHash, usize> {
        let mut lost = counts(before);
        for line in self.hashed(new) {
            take_one(&mut lost, line);
        }
        lost.retain(|_, count| *count > 0);
        lost
    }

    /// Notes what a file loses. Every such file comes before those that gain lines.
    pub fn want(&mut self, old: &[u8], new: &[u8]) {
        let lost = self.lost(&self.hashed(old), new);
        self.wanted.extend(lost.into_keys());
    }

    /// Whether a file may gain lines that another loses.
    pub fn is_wanted(&self, new: &[u8]) -> bool {
        let wanted = |line: &LineHash| line.has_word && self.wanted.contains(line);
        let after = self.hashed(new);
        after.into_iter().filter(wanted).take(WITH_WORDS).count() == WITH_WORDS
    }

    /// Adds what a file gains, and returns the file's number; `None` if the change adds too many lines.
    pub fn add(&mut self, old: &[u8], new: &[u8]) -> Option<usize> {
        let after = self.hashed(new);
        let (file, start) = (self.ends.len(), self.lines.len());
        if start + after.len() > LINE_LIMIT {
            return None;
        }
        let mut known = counts(&self.hashed(old));
        for (at, &line) in after.iter().enumerate() {
            // As many equal lines as before are the old ones.
            let is_free = !take_one(&mut known, line);
            self.lines.push(AddedLine {
                line,
                file,
                is_free,
            });
            if is_free
                && self.wanted.contains(&line)
                && let Some(run) = self.run(&after[at..])
            {
                self.runs.entry(run).or_default().push_back(start + at);
            }
        }
        self.ends.push(self.lines.len());
        Some(file)
    }

    /// Takes the lines that a file loses and others gain: how many each file gains, by number. The file `own` is the one
    /// that loses them.
    pub fn take(&mut self, old: &[u8], new: &[u8], own: Option<usize>) -> Vec<(usize, usize)> {
        let before = self.hashed(old);
        let mut lost = self.lost(&before, new);
        let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
        let mut rest = before.as_slice();
        while rest.len() >= RUN {
            let Some((at, length)) = self.longest_run(rest, own) else {
                rest = &rest[1..];
                continue;
            };
            let count = self.take_run(at, length, &mut lost);
            if count > 0 {
                *taken.entry(self.lines[at].file).or_default() += count;
            }
            rest = &rest[length..];
        }
        taken.into_iter().collect()
    }

    /// The start and length of the longest of the first runs that equal the start of `lines`.
    fn longest_run(&mut self, lines: &[LineHash], own: Option<usize>) -> Option<(usize, usize)> {
        let run = self.run(lines)?;
        let starts = self.runs.get_mut(&run)?;
        while starts.front().is_some_and(|&at| !self.lines[at].is_free) {
            starts.pop_front();
        }
        let length = |at: usize| {
            let end = self.ends[self.lines[at].file];
            let both = self.lines[at..end].iter().zip(lines);
            both.take_while(|(added, line)| added.line == **line)
                .count()
        };
        let others = starts.iter().take(CHOICES).filter(|&&at| {
            let added = &self.lines[at];
            added.is_free && Some(added.file) != own
        });
        let runs = others.map(|&at| (at, length(at)));
        let runs = runs.filter(|&(_, length)| length >= RUN);
        // The first of the longest.
        runs.rev().max_by_key(|&(_, length)| length)
    }

    /// Takes the lines of a run that one file gains and the other loses, where enough of them are consecutive.
    fn take_run(&mut self, at: usize, length: usize, lost: &mut HashMap<LineHash, usize>) -> usize {
        let (mut all, mut start) = (0, at);
        while start < at + length {
            let (mut end, mut with_words) = (start, 0);
            for added in &mut self.lines[start..at + length] {
                if !added.is_free || !take_one(lost, added.line) {
                    break;
                }
                added.is_free = false;
                with_words += usize::from(added.line.has_word);
                end += 1;
            }
            if end - start >= RUN && with_words >= WITH_WORDS {
                all += end - start;
            } else {
                for added in &mut self.lines[start..end] {
                    added.is_free = true;
                    *lost.entry(added.line).or_default() += 1;
                }
            }
            start = end + 1;
        }
        all
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
        pool.want(old.as_bytes(), new.as_bytes());
        for (before, after) in added {
            pool.add(before.as_bytes(), after.as_bytes());
        }
        pool.take(old.as_bytes(), new.as_bytes(), None)
    }

    #[test]
    fn a_run_of_three_moves_and_one_of_two_does_not() {
        let old = lines(0..20);
        assert_eq!(moved(&old, "", &[("", &lines(5..8))]), [(0, 3)]);
        assert_eq!(moved(&old, "", &[("", &lines(5..7))]), []);
        assert_eq!(moved(&old, "", &[("", "line 7\nline 6\nline 5\n")]), []);
        let (first, second) = (lines(0..10), lines(10..20));
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
        let (old, half) = (lines(0..20), lines(0..10));
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
        pool.want(text.as_bytes(), b"");
        pool.add(b"", text.as_bytes());
        assert_eq!(pool.take(text.as_bytes(), b"", None), [(0, 10)]);
        assert_eq!(pool.take(text.as_bytes(), b"", None), []);
    }

    #[test]
    fn a_file_does_not_pay_for_itself() {
        let mut pool = AddedLines::default();
        let text = lines(0..10);
        pool.want(text.as_bytes(), b"");
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
        pool.want(old.as_bytes(), b"");
        pool.add(b"", "a\nb\nc\nd\n".repeat(40_000).as_bytes());
        let all: usize = pool
            .take(old.as_bytes(), b"", None)
            .iter()
            .map(|file| file.1)
            .sum();
        assert_eq!(all, 120_000);
    }
}
