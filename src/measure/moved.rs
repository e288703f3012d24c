//! Lines that a change takes out of one file and adds to another, in runs of at least three.
//!
//! Each added line pays for one lost line. Texts are compared by hashes with random keys, in nearly linear time.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use super::quoted::{QuoteReader, has_blocks};
use super::units::{Counted, Text, TextWords, Unit};

/// The fewest lines with a word that move together. Fewer are in any two programs.
const RUN: usize = 3;
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
    /// The lines with a word that some file loses.
    wanted: HashSet<u64>,
    files: Vec<AddedFile>,
    /// The lines with a word of all files.
    lines: Vec<AddedLine>,
    /// The hashes of [`RUN`] consecutive lines of a file and where they start, sorted.
    runs: Vec<(u64, usize)>,
    is_sorted: bool,
    /// By hash, the first of the equal runs that may be free.
    first_free: HashMap<u64, usize>,
}

struct AddedFile {
    /// Where its lines end.
    end: usize,
    /// The added lines without a word, such as `}`, by hash.
    wordless: HashMap<u64, usize>,
}

struct AddedLine {
    hash: u64,
    file: usize,
    /// Whether the file gains this line, and it has not yet paid for a lost one.
    is_free: bool,
}

/// The lines of a text by hash, without blanks around them. A line in a comment differs from the same line in code.
#[derive(Default)]
struct HashedLines {
    with_word: Vec<u64>,
    wordless: HashMap<u64, usize>,
}

impl HashedLines {
    fn of(blob: &[u8], hasher: &RandomState) -> HashedLines {
        let text = Text::of(blob);
        let mut found = HashedLines::default();
        let mut reader = has_blocks(text.bytes()).then(QuoteReader::default);
        for line in Counted::in_unit(&text, Unit::Lines).lines() {
            let is_in_block = reader.as_ref().is_some_and(QuoteReader::is_in_block);
            let hash = hasher.hash_one((is_in_block, line));
            if let Some(reader) = &mut reader {
                reader.read(line, None);
            }
            match TextWords(line).next() {
                Some(_) => found.with_word.push(hash),
                None => *found.wordless.entry(hash).or_default() += 1,
            }
        }
        found
    }

    fn counts(&self) -> HashMap<u64, usize> {
        let mut counts = HashMap::with_capacity(self.with_word.len());
        for &hash in &self.with_word {
            *counts.entry(hash).or_default() += 1;
        }
        counts
    }
}

/// What a text has more of than another.
fn beyond(mut mine: HashMap<u64, usize>, theirs: &HashMap<u64, usize>) -> HashMap<u64, usize> {
    mine.retain(|hash, count| {
        *count = count.saturating_sub(theirs.get(hash).copied().unwrap_or(0));
        *count > 0
    });
    mine
}

impl AddedLines {
    /// Notes what a file loses. Every such file comes before those that gain lines.
    pub fn want(&mut self, old: &[u8], new: &[u8]) {
        let after = HashedLines::of(new, &self.hasher);
        let before = HashedLines::of(old, &self.hasher);
        let gone = beyond(before.counts(), &after.counts());
        self.wanted.extend(gone.into_keys());
    }

    /// Whether a file may gain lines that another loses.
    pub fn is_wanted(&self, new: &[u8]) -> bool {
        let after = HashedLines::of(new, &self.hasher).with_word.into_iter();
        let wanted = after.filter(|hash| self.wanted.contains(hash));
        wanted.take(RUN).count() == RUN
    }

    /// Adds what a file gains, and returns the file's number; `None` if the change adds too many lines.
    pub fn add(&mut self, old: &[u8], new: &[u8]) -> Option<usize> {
        let after = HashedLines::of(new, &self.hasher);
        if self.lines.len() + after.with_word.len() > LINE_LIMIT {
            return None;
        }
        let before = HashedLines::of(old, &self.hasher);
        let mut known = before.counts();
        let file = self.files.len();
        let start = self.lines.len();
        for &hash in &after.with_word {
            // As many equal lines as before are the old ones.
            let old = known.get_mut(&hash).filter(|count| **count > 0);
            let is_free = old.map(|count| *count -= 1).is_none();
            self.lines.push(AddedLine {
                hash,
                file,
                is_free,
            });
        }
        let runs = after.with_word.windows(RUN).zip(start..);
        for (run, at) in runs {
            self.runs.push((self.hasher.hash_one(run), at));
        }
        self.is_sorted = false;
        self.files.push(AddedFile {
            end: self.lines.len(),
            wordless: beyond(after.wordless, &before.wordless),
        });
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
        let (before, after) = (
            HashedLines::of(old, &self.hasher),
            HashedLines::of(new, &self.hasher),
        );
        let mut gone = beyond(before.counts(), &after.counts());
        let mut taken: HashMap<usize, usize> = HashMap::new();
        let mut rest = before.with_word.as_slice();
        while let Some(run) = rest.get(..RUN) {
            let length = match self.longest_run(rest, self.hasher.hash_one(run), own) {
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
        let mut gone = beyond(before.wordless, &after.wordless);
        let mut taken: Vec<(usize, usize)> = taken.into_iter().collect();
        taken.sort_unstable();
        for (file, count) in &mut taken {
            *count += take_common(&mut gone, &mut self.files[*file].wordless);
        }
        taken
    }

    /// The start and length of the longest of the first runs with this hash that equal the start of `lines`.
    fn longest_run(
        &mut self,
        lines: &[u64],
        hash: u64,
        own: Option<usize>,
    ) -> Option<(usize, usize)> {
        let runs = &self.runs;
        let first = self
            .first_free
            .entry(hash)
            .or_insert_with(|| runs.partition_point(|&(other, _)| other < hash));
        let is_used = |run: &&(u64, usize)| run.0 == hash && !self.lines[run.1].is_free;
        *first += runs[*first..].iter().take_while(is_used).count();
        let equal = runs[*first..].iter().take_while(|run| run.0 == hash);
        let starts = equal.take(LOOKS).map(|run| run.1);
        let other = starts.filter(|&at| Some(self.lines[at].file) != own && self.lines[at].is_free);
        let length = |at: usize| {
            let end = self.files[self.lines[at].file].end;
            let both = self.lines[at..end].iter().zip(lines);
            both.take_while(|(line, hash)| line.hash == **hash).count()
        };
        let found = other.take(CHOICES).map(|at| (at, length(at)));
        found
            .filter(|&(_, length)| length >= RUN)
            .max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// Takes the lines of a run that the file gains and the other loses, if they are at least [`RUN`].
    fn take_run(&mut self, at: usize, length: usize, gone: &mut HashMap<u64, usize>) -> usize {
        let mut taken = Vec::new();
        for place in at..at + length {
            let line = &mut self.lines[place];
            if line.is_free
                && let Some(count) = gone.get_mut(&line.hash).filter(|count| **count > 0)
            {
                *count -= 1;
                line.is_free = false;
                taken.push(place);
            }
        }
        if taken.len() >= RUN {
            return taken.len();
        }
        for &place in &taken {
            let line = &mut self.lines[place];
            line.is_free = true;
            *gone.entry(line.hash).or_default() += 1;
        }
        0
    }
}

/// Takes what two multisets have in common out of both.
fn take_common(mine: &mut HashMap<u64, usize>, theirs: &mut HashMap<u64, usize>) -> usize {
    let mut all = 0;
    for (hash, count) in mine {
        if let Some(other) = theirs.get_mut(hash) {
            let common = (*count).min(*other);
            (*count, *other) = (*count - common, *other - common);
            all += common;
        }
    }
    all
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
    fn indentation_and_lines_without_words_between_do_not_end_a_run() {
        let old = "a\nb\n\n}\nc\n}\n";
        assert_eq!(moved(old, "", &[("", "  a\n  b\n  c\n  }\n")]), [(0, 4)]);
        assert_eq!(moved(old, "", &[("", "}\n\n}\n}\n")]), []);
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
