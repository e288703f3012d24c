//! Pairs deletes and adds as renames.
//!
//! A rename is judged as a delete plus an add. The pairing explains it and selects the old version for the lost
//! share.

use std::collections::{BTreeMap, HashMap, VecDeque};

use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};

use super::similarity::{MIN_SIMILARITY, Profile};
use crate::change::Kind;

/// The maximum number of pairs to compare.
const MAX_PAIRS: usize = 1_000_000;

/// The maximum number of blobs to fetch; each leaves a profile of at most 32 KiB.
const MAX_BLOBS: usize = 4_000;

/// A deleted or added path.
#[derive(Debug, Clone, Copy)]
pub struct RenameEnd<'a> {
    /// The path.
    pub path: &'a BStr,
    /// The kind of the entry.
    pub kind: Kind,
    /// The blob, or the commit of a submodule.
    pub id: ObjectId,
    /// Whether a row covers the end: a Delete row for a deleted path, an Add row for an added one. Two such ends are
    /// not a rename.
    pub has_row: bool,
}

impl<'a> RenameEnd<'a> {
    fn name(&self) -> &'a [u8] {
        self.path
            .rsplit_once_str("/")
            .map_or(self.path, |(_, name)| name)
    }
}

/// A delete and an add that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rename {
    /// Index into the deleted paths.
    pub from: usize,
    /// Index into the added paths.
    pub to: usize,
    /// The similarity in percent; 100 for equal content.
    pub similarity: u8,
}

/// Pairs deleted with added paths: first by equal content, then by equal file name and similar content, then by
/// similar content (50 % or more). The most similar pairs come first; ties go to the smaller paths.
///
/// Two ends that both have a row never pair. Files pair with files; links and submodules pair only by equal content;
/// empty files do not pair. `fetch` is called at most once per end, only for files, and no blob is held during
/// another fetch. Above 1,000,000 pairs or 4,000 blobs, a group of paths is not compared by similarity.
///
/// # Errors
///
/// `fetch` failed.
pub fn pair_renames<E>(
    deleted: &[RenameEnd<'_>],
    added: &[RenameEnd<'_>],
    fetch: impl FnMut(ObjectId) -> Result<Vec<u8>, E>,
) -> Result<Vec<Rename>, E> {
    let mut matcher = Matcher {
        from: RenameEnds::new(deleted),
        to: RenameEnds::new(added),
        fetch,
        pairs_left: MAX_PAIRS,
        blobs_left: MAX_BLOBS,
        renames: Vec::new(),
    };
    matcher.pair_same_content();
    for [from, to] in matcher.same_names() {
        matcher.pair_similar(&from, &to)?;
    }
    let (from, to) = (matcher.from.open(), matcher.to.open());
    matcher.pair_similar(&from, &to)?;
    let mut renames = matcher.renames;
    renames.sort_by_key(|rename| rename.to);
    Ok(renames)
}

/// One side: its ends, those already paired, and the profiles so far.
struct RenameEnds<'a> {
    ends: &'a [RenameEnd<'a>],
    taken: Vec<bool>,
    profiles: HashMap<usize, Profile>,
}

impl<'a> RenameEnds<'a> {
    fn new(ends: &'a [RenameEnd<'a>]) -> Self {
        RenameEnds {
            ends,
            taken: vec![false; ends.len()],
            profiles: HashMap::new(),
        }
    }

    /// What is not paired yet, without empty files, in path order.
    fn unpaired(&self) -> Vec<usize> {
        let all = 0..self.ends.len();
        let is_open = |&at: &usize| !self.taken[at] && !self.ends[at].id.is_empty_blob();
        let mut open: Vec<usize> = all.filter(is_open).collect();
        open.sort_by_key(|&at| self.ends[at].path);
        open
    }

    /// The files that are not paired yet.
    fn open(&self) -> Vec<usize> {
        let mut open = self.unpaired();
        open.retain(|&at| self.ends[at].kind.is_file());
        open
    }

    /// The number of files without a profile.
    fn unknown(&self, indices: &[usize]) -> usize {
        indices
            .iter()
            .filter(|index| !self.profiles.contains_key(index))
            .count()
    }

    fn look_at<E>(
        &mut self,
        indices: &[usize],
        fetch: &mut impl FnMut(ObjectId) -> Result<Vec<u8>, E>,
    ) -> Result<(), E> {
        for &index in indices {
            if !self.profiles.contains_key(&index) {
                let profile = Profile::of(&fetch(self.ends[index].id)?);
                self.profiles.insert(index, profile);
            }
        }
        Ok(())
    }
}

struct Matcher<'a, F> {
    from: RenameEnds<'a>,
    to: RenameEnds<'a>,
    fetch: F,
    pairs_left: usize,
    blobs_left: usize,
    renames: Vec<Rename>,
}

/// Deleted ends that may pair, in path order, with and without a row.
#[derive(Default)]
struct UnpairedEnds {
    with_row: VecDeque<usize>,
    without_row: VecDeque<usize>,
}

impl UnpairedEnds {
    fn push(&mut self, index: usize, end: &RenameEnd<'_>) {
        match end.has_row {
            true => self.with_row.push_back(index),
            false => self.without_row.push_back(index),
        }
    }

    /// The first that may pair with `to`.
    fn take(&mut self, to: &RenameEnd<'_>) -> Option<usize> {
        // One with a row has fewer partners.
        let with_row = (!to.has_row).then(|| self.with_row.pop_front()).flatten();
        with_row.or_else(|| self.without_row.pop_front())
    }
}

impl<'a, F> Matcher<'a, F> {
    fn pair(&mut self, from: usize, to: usize, similarity: u8) {
        if !self.from.taken[from] && !self.to.taken[to] {
            self.from.taken[from] = true;
            self.to.taken[to] = true;
            self.renames.push(Rename {
                from,
                to,
                similarity,
            });
        }
    }

    /// Pairs equal ids of the same kind: first those of the same name, then in path order.
    fn pair_same_content(&mut self) {
        let (from_ends, to_ends) = (self.from.ends, self.to.ends);
        for by_name in [true, false] {
            let key = |end: &RenameEnd<'a>| {
                let kind = (!end.kind.is_file()).then_some(end.kind);
                (end.id, kind, by_name.then(|| end.name()))
            };
            let mut waiting: HashMap<_, UnpairedEnds> = HashMap::new();
            for index in self.from.unpaired() {
                let end = &from_ends[index];
                waiting.entry(key(end)).or_default().push(index, end);
            }
            for index in self.to.unpaired() {
                let same = waiting.get_mut(&key(&to_ends[index]));
                if let Some(from) = same.and_then(|same| same.take(&to_ends[index])) {
                    self.pair(from, index, 100);
                }
            }
        }
    }

    /// The unpaired ends that share a file name, ordered by name.
    fn same_names(&self) -> Vec<[Vec<usize>; 2]> {
        let mut names: BTreeMap<&[u8], [Vec<usize>; 2]> = BTreeMap::new();
        for (side, ends) in [&self.from, &self.to].into_iter().enumerate() {
            for index in ends.open() {
                let name = ends.ends[index].name();
                names.entry(name).or_default()[side].push(index);
            }
        }
        let has_both = |sides: &[Vec<usize>; 2]| sides.iter().all(|side| !side.is_empty());
        names.into_values().filter(has_both).collect()
    }

    /// Compares all with all, within the remaining limits.
    fn pair_similar<E>(&mut self, from: &[usize], to: &[usize]) -> Result<(), E>
    where
        F: FnMut(ObjectId) -> Result<Vec<u8>, E>,
    {
        let without_row = |ends: &RenameEnds<'_>, all: &[usize]| -> Vec<usize> {
            let open = all.iter().copied();
            open.filter(|&at| !ends.ends[at].has_row).collect()
        };
        let (from_free, to_free) = (without_row(&self.from, from), without_row(&self.to, to));
        // If all of one side have a row, those of the other side with a row find no partner.
        let from = if to_free.is_empty() { &from_free } else { from };
        let to = if from_free.is_empty() { &to_free } else { to };
        let pairs = from_free.len().saturating_mul(to.len())
            + (from.len() - from_free.len()).saturating_mul(to_free.len());
        if pairs == 0 {
            return Ok(());
        }
        let blobs = self.from.unknown(from) + self.to.unknown(to);
        if pairs > self.pairs_left || blobs > self.blobs_left {
            return Ok(());
        }
        self.pairs_left -= pairs;
        self.blobs_left -= blobs;
        self.from.look_at(from, &mut self.fetch)?;
        self.to.look_at(to, &mut self.fetch)?;

        let mut candidates = Vec::new();
        for &f in from {
            let has_row = self.from.ends[f].has_row;
            for &t in if has_row { &to_free } else { to } {
                let similarity = self.from.profiles[&f].similarity(&self.to.profiles[&t]);
                if similarity >= MIN_SIMILARITY {
                    candidates.push((similarity, f, t));
                }
            }
        }
        candidates.sort_by(|&(left, f, t), &(right, g, u)| {
            let paths = |f: usize, t: usize| (self.from.ends[f].path, self.to.ends[t].path);
            right.cmp(&left).then_with(|| paths(f, t).cmp(&paths(g, u)))
        });
        for (similarity, f, t) in candidates {
            self.pair(f, t, similarity);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::convert::Infallible;

    /// A made-up repository: contents by a made-up id.
    #[derive(Default)]
    struct Store {
        blobs: Vec<String>,
        paths: Vec<(String, Kind, ObjectId)>,
        /// The paths that a row speaks of.
        rows: Vec<String>,
    }

    impl Store {
        fn add(&mut self, path: &str, content: &str) {
            self.add_kind(path, Kind::File, content);
        }

        fn add_kind(&mut self, path: &str, kind: Kind, content: &str) {
            let number = self
                .blobs
                .iter()
                .position(|blob| blob == content)
                .unwrap_or_else(|| {
                    self.blobs.push(content.to_owned());
                    self.blobs.len() - 1
                });
            let id = if content.is_empty() {
                ObjectId::empty_blob(gix::hash::Kind::Sha1)
            } else {
                ObjectId::from_hex(format!("{number:040x}").as_bytes()).unwrap()
            };
            self.paths.push((path.to_owned(), kind, id));
        }

        /// Pairs the first `deleted` paths with the others; shows `old -> new similarity`
        /// and how many blobs were fetched.
        fn pair(&self, deleted: usize) -> (Vec<String>, usize) {
            let ends: Vec<_> = self
                .paths
                .iter()
                .map(|(path, kind, id)| RenameEnd {
                    path: path.as_str().into(),
                    kind: *kind,
                    id: *id,
                    has_row: self.rows.iter().any(|row| row == path),
                })
                .collect();
            let (from, to) = ends.split_at(deleted);
            let mut fetched = 0;
            let renames = pair_renames(from, to, |id| {
                fetched += 1;
                let number = usize::from_str_radix(&id.to_string(), 16).unwrap();
                Ok::<_, Infallible>(self.blobs[number].clone().into_bytes())
            })
            .unwrap();
            let shown = renames
                .iter()
                .map(|r| {
                    format!(
                        "{} -> {} {}",
                        from[r.from].path, to[r.to].path, r.similarity
                    )
                })
                .collect();
            (shown, fetched)
        }
    }

    fn text(range: std::ops::Range<usize>) -> String {
        range.map(|n| format!("line {n:04}\n")).collect()
    }

    #[test]
    fn equal_content_pairs_without_a_fetch_and_by_name_first() {
        let mut store = Store::default();
        store.add("a/one.rs", &text(0..10));
        store.add("a/two.rs", &text(0..10));
        store.add("b/new.rs", &text(0..10));
        store.add("b/two.rs", &text(0..10));
        let (renames, fetched) = store.pair(2);
        assert_eq!(
            renames,
            ["a/one.rs -> b/new.rs 100", "a/two.rs -> b/two.rs 100"]
        );
        assert_eq!(fetched, 0);
    }

    #[test]
    fn the_same_name_comes_before_more_similar_content() {
        let mut store = Store::default();
        store.add("old/lib.rs", &text(0..100));
        store.add("new/lib.rs", &text(0..60));
        store.add("new/other.rs", &text(0..99));
        let (renames, fetched) = store.pair(1);
        assert_eq!(renames, ["old/lib.rs -> new/lib.rs 60"]);
        assert_eq!(fetched, 2, "the third blob need not be looked at");
    }

    #[test]
    fn the_same_name_alone_is_not_enough() {
        let mut store = Store::default();
        store.add("old/lib.rs", &text(0..100));
        store.add("new/lib.rs", &text(51..151));
        store.add("new/other.rs", &text(50..150));
        let (renames, fetched) = store.pair(1);
        assert_eq!(renames, ["old/lib.rs -> new/other.rs 50"]);
        assert_eq!(fetched, 3, "each blob at most once");
    }

    #[test]
    fn two_ends_with_rows_never_pair() {
        let mut store = Store::default();
        store.add("a", &text(0..100));
        store.add("b", &text(200..300));
        store.add("x", &text(0..100));
        store.add("y", &text(200..290));
        store.rows = ["a", "b", "x", "y"].map(str::to_owned).to_vec();
        assert_eq!(store.pair(2), (vec![], 0));
        // One row alone is nothing that would be obeyed.
        store.rows = ["a", "y"].map(str::to_owned).to_vec();
        assert_eq!(store.pair(2).0, ["a -> x 100", "b -> y 90"]);
    }

    #[test]
    fn an_end_with_a_row_pairs_with_one_that_has_none() {
        let mut store = Store::default();
        store.add("a", &text(0..100));
        store.add("b", &text(0..99));
        store.add("x", &text(0..100));
        store.add("y", &text(0..98));
        store.rows = ["a", "x"].map(str::to_owned).to_vec();
        // a and x hold the same.
        assert_eq!(store.pair(2).0, ["b -> x 99", "a -> y 98"]);
    }

    #[test]
    fn most_similar_pair_comes_first() {
        let mut store = Store::default();
        store.add("a", &text(0..100));
        store.add("b", &text(20..120));
        store.add("c", &text(10..100));
        store.add("d", &text(0..70));
        let (renames, _) = store.pair(2);
        // a-c 90, b-c 80, a-d 70, b-d 50: once a has c, d is left for b.
        assert_eq!(renames, ["a -> c 90", "b -> d 50"]);
    }

    #[test]
    fn links_and_files_and_empty_files_do_not_pair() {
        let mut store = Store::default();
        store.add("a", "target");
        store.add("e", "");
        store.add_kind("b", Kind::Symlink, "target");
        store.add("f", "");
        assert_eq!(store.pair(2), (vec![], 0));
    }

    #[test]
    fn executables_and_links_pair_with_the_same_kind() {
        let mut store = Store::default();
        store.add("a", "text");
        store.add_kind("l", Kind::Symlink, "target");
        store.add_kind("b", Kind::Executable, "text");
        store.add_kind("m", Kind::Symlink, "target");
        assert_eq!(store.pair(2).0, ["a -> b 100", "l -> m 100"]);
    }

    #[test]
    fn over_the_limit_only_equal_content_pairs() {
        let mut store = Store::default();
        for n in 0..1_001 {
            store.add(&format!("old/{n:04}"), &format!("old {n}\n"));
        }
        for n in 1_001..2_002 {
            store.add(&format!("new/{n:04}"), &format!("new {n}\n"));
        }
        store.add("new/same", "old 7\n");
        // 1,000 deleted x 1,001 added are more than a million pairs.
        assert_eq!(
            store.pair(1_001),
            (vec!["old/0007 -> new/same 100".to_owned()], 0)
        );
    }
}
