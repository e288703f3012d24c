//! How similar two files are, by their lines in any order.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::text::{Text, Unit};

/// The minimum similarity of the two ends of a rename, in percent.
pub(super) const MIN_SIMILARITY: u8 = 50;

/// The number of distinct lines in a profile: 32 KiB, for an error of about 2 %.
const PROFILE_LINES: usize = 2_048;

/// The hashed lines of a file with their sizes: enough to compare files without keeping them.
///
/// If a file has more distinct lines, those with the smallest hashes are kept, so that two profiles sample the same
/// lines.
#[derive(Debug, Clone)]
pub struct Profile {
    unit: Unit,
    /// Hash and bytes (of all occurrences, with line ends), sorted by hash.
    lines: Vec<(u64, u64)>,
    /// Hashes from this one on were dropped.
    end: Option<u64>,
}

impl Profile {
    /// The profile of a blob. Blanks around lines are ignored, as in [`super::lost`].
    pub fn of(blob: &[u8]) -> Profile {
        let text = Text::of(blob);
        let lines = text.unit().of(&text.bytes);
        let mut lines: Vec<(u64, u64)> = lines
            .map(|line| (hash(line), line.len() as u64 + 1))
            .collect();
        lines.sort_unstable();
        lines.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        let end = lines.get(PROFILE_LINES).map(|&(hash, _)| hash);
        lines.truncate(PROFILE_LINES);
        lines.shrink_to_fit();
        Profile {
            unit: text.unit(),
            lines,
            end,
        }
    }

    /// The similarity in percent: the bytes of common lines relative to the larger file, rounded down. Symmetric; 100
    /// means the same lines in any order; 0 if one is empty or the units differ.
    pub fn similarity(&self, other: &Profile) -> u8 {
        if self.unit != other.unit {
            return 0;
        }
        let end = [self.end, other.end].into_iter().flatten().min();
        let mine = self.until(end);
        let theirs = other.until(end);
        let size = bytes(mine).max(bytes(theirs));
        if size == 0 {
            return 0;
        }
        u8::try_from(common(mine, theirs) * 100 / size).unwrap_or(100)
    }

    fn until(&self, end: Option<u64>) -> &[(u64, u64)] {
        let count = end.map_or(self.lines.len(), |end| {
            self.lines.partition_point(|&(hash, _)| hash < end)
        });
        &self.lines[..count]
    }
}

fn hash(line: &[u8]) -> u64 {
    // Fixed keys give the same result in every run of one build.
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

fn bytes(lines: &[(u64, u64)]) -> u64 {
    lines.iter().map(|&(_, bytes)| bytes).sum()
}

/// The bytes in the intersection of two multisets sorted by hash.
fn common(mut left: &[(u64, u64)], mut right: &[(u64, u64)]) -> u64 {
    let mut shared = 0;
    while let ([(l, l_bytes), l_rest @ ..], [(r, r_bytes), r_rest @ ..]) = (left, right) {
        if l == r {
            shared += l_bytes.min(r_bytes);
        }
        if l <= r {
            left = l_rest;
        }
        if r <= l {
            right = r_rest;
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    fn similarity(left: &str, right: &str) -> u8 {
        let left = Profile::of(left.as_bytes());
        let right = Profile::of(right.as_bytes());
        assert_eq!(left.similarity(&right), right.similarity(&left));
        left.similarity(&right)
    }

    fn numbered(range: std::ops::Range<usize>) -> String {
        range.map(|n| format!("line {n:06}\n")).collect()
    }

    #[test]
    fn equal_files_are_similar_and_disjoint_ones_are_not() {
        assert_eq!(similarity("a\nb\n", "a\nb\n"), 100);
        assert_eq!(similarity("a\nb\n", "b\na\n"), 100);
        assert_eq!(similarity("a\nb\n", "c\nd\n"), 0);
        assert_eq!(similarity("", ""), 0);
        assert_eq!(similarity("", "a\n"), 0);
    }

    #[test]
    fn similarity_is_measured_against_the_larger_file() {
        assert_eq!(similarity(&numbered(0..10), &numbered(0..20)), 50);
        assert_eq!(similarity(&numbered(0..10), &numbered(5..15)), 50);
        assert_eq!(similarity(&numbered(0..100), &numbered(1..100)), 99);
    }

    #[test]
    fn two_samples_are_compared_below_the_first_hash_that_one_lacks() {
        let profile = |lines: &[(u64, u64)], end| Profile {
            unit: Unit::Lines,
            lines: lines.to_vec(),
            end,
        };
        let whole = profile(&[(1, 10), (2, 10), (3, 10)], None);
        assert_eq!(whole.until(Some(2)), [(1, 10)]);
        assert_eq!(whole.until(None).len(), 3);
        let sample = profile(&[(1, 10)], Some(2));
        assert_eq!(whole.similarity(&sample), 100);
        assert_eq!(
            sample.similarity(&profile(&[(1, 10), (4, 30)], Some(5))),
            100
        );
    }

    #[test]
    fn repeated_lines_count_as_often_as_both_have_them() {
        assert_eq!(similarity("x\nx\nx\nx\n", "x\n"), 25);
    }

    #[test]
    fn a_sampled_profile_is_small_and_close_to_the_truth() {
        let profile = Profile::of(numbered(0..20_000).as_bytes());
        assert_eq!(profile.lines.len(), PROFILE_LINES);
        // 12,000 of 20,000 lines are common: 60 %.
        let estimate = similarity(&numbered(0..20_000), &numbered(8_000..28_000));
        assert!((55..=65).contains(&estimate), "{estimate}");
        assert_eq!(similarity(&numbered(0..20_000), &numbered(0..20_000)), 100);
    }

    #[test]
    fn minified_files_are_compared_by_tokens() {
        let line: String = (0..200).map(|n| format!("f{n}=g({n});")).collect();
        assert!(similarity(&line, &line.replace("f7=", "f8=")) >= 98);
    }
}
