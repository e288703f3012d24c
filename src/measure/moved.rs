//! Lines that a change takes out of one file and adds to another, in runs of at least three consecutive lines, of which
//! two have words.
//!
//! Each added line pays for one lost line. Texts are compared by hashes with random keys, in nearly linear time.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use gix::hashtable::{HashMap, HashSet};

use super::reformat::{BlockReader, has_blocks};
use super::text::{Text, words};

/// The fewest lines that move together. Fewer are in any two programs.
const RUN: usize = 3;
/// How many of them have words; others, such as `}`, are in any two programs.
const WITH_WORDS: usize = 2;
/// The number of equal places among which to look for the longest run.
const CHOICES: usize = 4;
/// The number of equal places to look at, of which some may have paid already.
const LOOKS: usize = 64;
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
    /// The hashes of [`RUN`] consecutive lines of a file and where they start, sorted.
    runs: Vec<(LineHash, usize)>,
    is_sorted: bool,
    /// By hash, the first of the equal runs that may be free.
    first_free: HashMap<LineHash, usize>,
}

/// The hash of consecutive lines, or of one without blanks around it: then its lowest bit says whether the line has a
/// word. A line in a comment differs from the same line in code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LineHash(u64);

impl LineHash {
    fn has_word(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Hash for LineHash {
    // Maps take the bytes of a hash as they are.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(&self.0.to_ne_bytes());
    }
}

struct AddedLine {
    line: LineHash,
    file: usize,
    /// Whether the file gains this line, and it has not yet paid for a lost one.
    is_free: bool,
}

fn hashed(blob: &[u8], hasher: &RandomState) -> Vec<LineHash> {
    let text = Text::of(blob);
    let mut found = Vec::with_capacity(text.lines);
    let mut blocks = has_blocks(text.bytes()).then(BlockReader::default);
    for line in text.trimmed() {
        let is_in_block = blocks.as_mut().is_some_and(|blocks| blocks.read(line));
        let has_word = words(line).next().is_some();
        let hash = hasher.hash_one((is_in_block, line));
        found.push(LineHash(hash & !1 | u64::from(has_word)));
    }
    found
}

fn counts(lines: &[LineHash]) -> HashMap<LineHash, usize> {
    let mut counts = HashMap::default();
    counts.reserve(lines.len());
    for &line in lines {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

/// What a text has more of than another.
fn beyond(mine: &[LineHash], theirs: &[LineHash]) -> HashMap<LineHash, usize> {
    let mut more = counts(mine);
    for line in theirs {
        if let Some(count) = more.get_mut(line) {
            *count = count.saturating_sub(1);
        }
    }
    more.retain(|_, count| *count > 0);
    more
}

/// A run may start with a line with words only, as others are everywhere.
fn starts_run(run: &[LineHash]) -> bool {
    run.first().is_some_and(|line| line.has_word())
}

impl AddedLines {
    /// Notes what a file loses. Every such file comes before those that gain lines.
    pub fn want(&mut self, old: &[u8], new: &[u8]) {
        let (before, after) = (hashed(old, &self.hasher), hashed(new, &self.hasher));
        self.wanted.extend(beyond(&before, &after).into_keys());
    }

    /// Whether a file may gain lines that another loses.
    pub fn is_wanted(&self, new: &[u8]) -> bool {
        let wanted = |line: &LineHash| line.has_word() && self.wanted.contains(line);
        let after = hashed(new, &self.hasher);
        after.into_iter().filter(wanted).take(WITH_WORDS).count() == WITH_WORDS
    }

    /// Adds what a file gains, and returns the file's number; `None` if the change adds too many lines.
    pub fn add(&mut self, old: &[u8], new: &[u8]) -> Option<usize> {
        let after = hashed(new, &self.hasher);
        if self.lines.len() + after.len() > LINE_LIMIT {
            return None;
        }
        let mut known = counts(&hashed(old, &self.hasher));
        let (file, start) = (self.ends.len(), self.lines.len());
        for &line in &after {
            // As many equal lines as before are the old ones.
            let old = known.get_mut(&line).filter(|count| **count > 0);
            let is_free = old.map(|count| *count -= 1).is_none();
            self.lines.push(AddedLine {
                line,
                file,
                is_free,
            });
        }
        for (run, at) in after.windows(RUN).zip(start..) {
            if starts_run(run) {
                self.runs.push((LineHash(self.hasher.hash_one(run)), at));
            }
        }
        self.is_sorted = false;
        self.ends.push(self.lines.len());
        Some(file)
    }

    /// Takes the lines that a file loses and others gain: how many each file gains, by number. The file `own` is the one
    /// that loses them.
    pub fn take(&mut self, old: &[u8], new: &[u8], own: Option<usize>) -> Vec<(usize, usize)> {
        if !self.is_sorted {
            self.runs.sort_unstable();
            self.first_free.clear();
            self.is_sorted = true;
        }
        let before = hashed(old, &self.hasher);
        let mut gone = beyond(&before, &hashed(new, &self.hasher));
        let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
        let mut rest = before.as_slice();
        while let Some(run) = rest.get(..RUN) {
            let longest = match starts_run(run) {
                true => self.longest_run(rest, LineHash(self.hasher.hash_one(run)), own),
                false => None,
            };
            let length = match longest {
                Some((at, length)) => {
                    let count = self.take_run(at, length, &mut gone);
                    if count > 0 {
                        *taken.entry(self.lines[at].file).or_default() += count;
                    }
                    length
                }
                None => 1,
            };
            rest = &rest[length..];
        }
        taken.into_iter().collect()
    }

    /// The start and length of the longest of the first runs with this hash that equal the start of `lines`.
    fn longest_run(
        &mut self,
        lines: &[LineHash],
        hash: LineHash,
        own: Option<usize>,
    ) -> Option<(usize, usize)> {
        let runs = &self.runs;
        let first = self
            .first_free
            .entry(hash)
            .or_insert_with(|| runs.partition_point(|&(other, _)| other < hash));
        let is_used = |run: &&(LineHash, usize)| run.0 == hash && !self.lines[run.1].is_free;
        *first += runs[*first..].iter().take_while(is_used).count();
        let equal = runs[*first..].iter().take_while(|run| run.0 == hash);
        let starts = equal.take(LOOKS).map(|run| run.1);
        let other = starts.filter(|&at| Some(self.lines[at].file) != own && self.lines[at].is_free);
        let length = |at: usize| {
            let end = self.ends[self.lines[at].file];
            let both = self.lines[at..end].iter().zip(lines);
            both.take_while(|(added, line)| added.line == **line)
                .count()
        };
        let found = other.take(CHOICES).map(|at| (at, length(at)));
        found
            .filter(|&(_, length)| length >= RUN)
            .max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// Takes the lines of a run that one file gains and the other loses, where enough of them are consecutive.
    fn take_run(&mut self, at: usize, length: usize, gone: &mut HashMap<LineHash, usize>) -> usize {
        let (mut all, mut start) = (0, at);
        while start < at + length {
            let (mut end, mut with_words) = (start, 0);
            for added in &mut self.lines[start..at + length] {
                let count = gone.get_mut(&added.line).filter(|count| **count > 0);
                let Some(count) = count.filter(|_| added.is_free) else {
                    break;
                };
                *count -= 1;
                added.is_free = false;
                with_words += usize::from(added.line.has_word());
                end += 1;
            }
            if end - start >= RUN && with_words >= WITH_WORDS {
                all += end - start;
            } else {
                for added in &mut self.lines[start..end] {
                    added.is_free = true;
                    *gone.entry(added.line).or_default() += 1;
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
