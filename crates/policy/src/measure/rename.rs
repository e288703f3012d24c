//! Pairs deletes and adds as renames.
//!
//! A rename is judged as a delete plus an add. The pairing explains it and selects the old version for the lost
//! share.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use bstr::{BStr, ByteSlice};
use gix_hash::ObjectId;

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
        self.path.rsplit_str("/").next().unwrap_or_default()
    }
}

/// Pairs deleted with added paths: first by equal content, then by equal file name and similar content, then by
/// similar content (50 % or more). The most similar pairs come first; ties go to the first paths. A pair is the index
/// of the deleted and that of the added path.
///
/// Two ends that both have a row never pair. Files pair with files; links and submodules pair only by equal content;
/// empty files do not pair. `fetch` is called at most once per blob, only for files, and no blob is held during
/// another fetch. Above 1,000,000 pairs or 4,000 blobs, a group of paths is not compared by similarity.
///
/// # Errors
///
/// `fetch` failed.
pub fn pair_renames<E>(
    deleted: &[RenameEnd<'_>],
    added: &[RenameEnd<'_>],
    fetch: impl FnMut(ObjectId) -> Result<Vec<u8>, E>,
) -> Result<Vec<(usize, usize)>, E> {
    let mut matcher = Matcher {
        deleted,
        added,
        is_paired: [vec![false; deleted.len()], vec![false; added.len()]],
        fetch,
        profiles: HashMap::new(),
        compared: 0,
        renames: Vec::new(),
    };
    for by_name in [true, false] {
        matcher.pair_equal(by_name);
    }
    for by_name in [true, false] {
        matcher.pair_similar(by_name)?;
    }
    Ok(matcher.renames)
}

struct Matcher<'a, F> {
    deleted: &'a [RenameEnd<'a>],
    added: &'a [RenameEnd<'a>],
    /// Which deleted and which added ends have a partner.
    is_paired: [Vec<bool>; 2],
    fetch: F,
    profiles: HashMap<ObjectId, Profile>,
    /// The number of pairs that were compared.
    compared: usize,
    renames: Vec<(usize, usize)>,
}

impl<'a, F> Matcher<'a, F> {
    /// The deleted and the added ends without a partner that have the same key.
    fn groups<K: Ord>(&self, key: impl Fn(&RenameEnd<'a>) -> Option<K>) -> Vec<[Vec<usize>; 2]> {
        let mut groups: BTreeMap<K, [Vec<usize>; 2]> = BTreeMap::new();
        for (side, ends) in [self.deleted, self.added].into_iter().enumerate() {
            for (at, end) in ends.iter().enumerate() {
                let is_open = !self.is_paired[side][at] && !end.id.is_empty_blob();
                if is_open && let Some(key) = key(end) {
                    groups.entry(key).or_default()[side].push(at);
                }
            }
        }
        groups.into_values().collect()
    }

    fn may_pair(&self, from: usize, to: usize) -> bool {
        let is_free = !self.is_paired[0][from] && !self.is_paired[1][to];
        is_free && !(self.deleted[from].has_row && self.added[to].has_row)
    }

    fn pair(&mut self, from: usize, to: usize) {
        self.is_paired[0][from] = true;
        self.is_paired[1][to] = true;
        self.renames.push((from, to));
    }

    /// Pairs equal ids of the same kind, and of the same name if that matters.
    fn pair_equal(&mut self, by_name: bool) {
        let groups = self.groups(|end| {
            let mode = (!end.kind.is_file()).then(|| end.kind.mode());
            Some((end.id, mode, by_name.then(|| end.name())))
        });
        for [deleted, added] in groups {
            let (with_row, without): (Vec<_>, Vec<_>) = deleted
                .into_iter()
                .partition(|&at| self.deleted[at].has_row);
            let mut with_row = with_row.into_iter();
            let mut without = without.into_iter();
            for to in added {
                // A deleted file with a row may only go to a path without one, so it is taken first.
                let from = if self.added[to].has_row {
                    without.next()
                } else {
                    with_row.next().or_else(|| without.next())
                };
                if let Some(from) = from {
                    self.pair(from, to);
                }
            }
        }
    }

    /// Pairs similar files, of the same name if that matters.
    fn pair_similar<E>(&mut self, by_name: bool) -> Result<(), E>
    where
        F: FnMut(ObjectId) -> Result<Vec<u8>, E>,
    {
        let groups = self.groups(|end| {
            let name = by_name.then(|| end.name());
            end.kind.is_file().then_some(name)
        });
        for [deleted, added] in groups {
            let blobs = self.profiles.len() + deleted.len() + added.len();
            let pairs = deleted.len().saturating_mul(added.len());
            if pairs > MAX_PAIRS - self.compared || blobs > MAX_BLOBS {
                continue;
            }
            let mut candidates = Vec::new();
            for &from in &deleted {
                for &to in added.iter().filter(|&&to| self.may_pair(from, to)) {
                    candidates.push((0, from, to));
                }
            }
            self.compared += candidates.len();
            for (similarity, from, to) in &mut candidates {
                let ids = [self.deleted[*from].id, self.added[*to].id];
                for id in ids {
                    if !self.profiles.contains_key(&id) {
                        let profile = Profile::of(&(self.fetch)(id)?);
                        self.profiles.insert(id, profile);
                    }
                }
                let [old, new] = ids.map(|id| &self.profiles[&id]);
                *similarity = old.similarity(new);
            }
            candidates.sort_by_key(|&(similarity, from, to)| (Reverse(similarity), from, to));
            for (similarity, from, to) in candidates {
                if similarity >= MIN_SIMILARITY && self.may_pair(from, to) {
                    self.pair(from, to);
                }
            }
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
                ObjectId::empty_blob(gix_hash::Kind::Sha1)
            } else {
                ObjectId::from_hex(format!("{number:040x}").as_bytes()).unwrap()
            };
            self.paths.push((path.to_owned(), kind, id));
        }

        /// Pairs the first `deleted` paths with the others; shows `old -> new` and how many blobs were fetched.
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
            let mut shown: Vec<_> = renames
                .iter()
                .map(|&(old, new)| format!("{} -> {}", from[old].path, to[new].path))
                .collect();
            shown.sort();
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
        assert_eq!(renames, ["a/one.rs -> b/new.rs", "a/two.rs -> b/two.rs"]);
        assert_eq!(fetched, 0);
    }

    #[test]
    fn the_same_name_comes_before_more_similar_content() {
        let mut store = Store::default();
        store.add("old/lib.rs", &text(0..100));
        store.add("new/lib.rs", &text(0..60));
        store.add("new/other.rs", &text(0..99));
        let (renames, fetched) = store.pair(1);
        assert_eq!(renames, ["old/lib.rs -> new/lib.rs"]);
        assert_eq!(fetched, 2, "the third blob need not be looked at");
    }

    #[test]
    fn the_same_name_alone_is_not_enough() {
        let mut store = Store::default();
        store.add("old/lib.rs", &text(0..100));
        store.add("new/lib.rs", &text(51..151));
        store.add("new/other.rs", &text(50..150));
        let (renames, fetched) = store.pair(1);
        assert_eq!(renames, ["old/lib.rs -> new/other.rs"]);
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
        assert_eq!(store.pair(2).0, ["a -> x", "b -> y"]);
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
        assert_eq!(store.pair(2).0, ["a -> y", "b -> x"]);
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
        assert_eq!(renames, ["a -> c", "b -> d"]);
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
    fn a_file_that_becomes_executable_pairs_without_a_fetch() {
        let mut store = Store::default();
        store.add("a.sh", "echo a\n");
        store.add_kind("bin/a", Kind::Executable, "echo a\n");
        assert_eq!(store.pair(1), (vec!["a.sh -> bin/a".to_owned()], 0));
    }

    #[test]
    fn executables_and_links_pair_with_the_same_kind() {
        let mut store = Store::default();
        store.add("a", "text");
        store.add_kind("l", Kind::Symlink, "target");
        store.add_kind("b", Kind::Executable, "text");
        store.add_kind("m", Kind::Symlink, "target");
        assert_eq!(store.pair(2).0, ["a -> b", "l -> m"]);
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
            (vec!["old/0007 -> new/same".to_owned()], 0)
        );
    }

    #[test]
    fn the_limit_of_blobs_is_that_of_all_names_together() {
        let mut store = Store::default();
        for (name, files) in [("a.rs", 2_400), ("b.rs", 1_700)] {
            for number in 0..files {
                store.add(&format!("{number}/{name}"), &format!("{name} {number}\n"));
            }
        }
        let moved = |name: &str| format!("{name} 7\n").repeat(9);
        let deleted = store.paths.len() + 2;
        store.add("7/of/a.rs", &moved("a.rs"));
        store.add("7/of/b.rs", &moved("b.rs"));
        store.add("new/a.rs", &(moved("a.rs") + "end\n"));
        store.add("new/b.rs", &(moved("b.rs") + "end\n"));
        assert_eq!(
            store.pair(deleted),
            (vec!["7/of/a.rs -> new/a.rs".to_owned()], 2_402)
        );
    }

    #[test]
    fn the_limit_of_pairs_is_that_of_all_names_together() {
        let mut store = Store::default();
        for (side, lines) in [("old", 0..9), ("new", 0..10)] {
            for name in ["a.rs", "b.rs"] {
                for number in 0..800 {
                    store.add(&format!("{side}/{number}/{name}"), &text(lines.clone()));
                }
            }
        }
        let (renames, fetched) = store.pair(1_600);
        assert_eq!((renames.len(), fetched), (800, 2));
        assert!(renames.iter().all(|rename| rename.ends_with("a.rs")));
    }
}
