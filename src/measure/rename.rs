//! Pairs deletes and adds as renames.
//!
//! A rename is judged as a delete plus an add. The pairing explains it and selects the old version for the lost
//! share.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

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
    mut fetch: impl FnMut(ObjectId) -> Result<Vec<u8>, E>,
) -> Result<Vec<Rename>, E> {
    let mut pairing = Pairing {
        ends: [deleted, added],
        taken: [vec![false; deleted.len()], vec![false; added.len()]],
        renames: Vec::new(),
    };
    for by_name in [true, false] {
        let content = |end: &RenameEnd<'_>| {
            let kind = (!end.kind.is_file()).then_some(end.kind.mode());
            Some((end.id, kind))
        };
        for (from, to) in pairing.groups(by_name, content) {
            for to in to {
                for &from in &from {
                    pairing.pair(from, to, 100);
                }
            }
        }
    }
    let mut profiles: [HashMap<usize, Profile>; 2] = Default::default();
    let (mut pairs_left, mut blobs_left) = (MAX_PAIRS, MAX_BLOBS);
    for by_name in [true, false] {
        let file = |end: &RenameEnd<'_>| end.kind.is_file().then_some(());
        for (from, to) in pairing.groups(by_name, file) {
            let (pairs, blobs) = (from.len() * to.len(), from.len() + to.len());
            if pairs > pairs_left || blobs > blobs_left {
                continue;
            }
            (pairs_left, blobs_left) = (pairs_left - pairs, blobs_left - blobs);
            let mut candidates = Vec::new();
            let both = from
                .iter()
                .flat_map(|from| to.iter().map(|to| [*from, *to]));
            for [from, to] in both.filter(|[from, to]| pairing.may_pair(*from, *to)) {
                for (side, at) in [from, to].into_iter().enumerate() {
                    if !profiles[side].contains_key(&at) {
                        let blob = fetch(pairing.ends[side][at].id)?;
                        profiles[side].insert(at, Profile::of(&blob));
                    }
                }
                let similarity = profiles[0][&from].similarity(&profiles[1][&to]);
                if similarity >= MIN_SIMILARITY {
                    candidates.push((
                        Reverse(similarity),
                        deleted[from].path,
                        added[to].path,
                        from,
                        to,
                    ));
                }
            }
            candidates.sort();
            for (Reverse(similarity), _, _, from, to) in candidates {
                pairing.pair(from, to, similarity);
            }
        }
    }
    pairing.renames.sort_by_key(|rename| rename.to);
    Ok(pairing.renames)
}

/// The deleted and the added ends, which of them are paired already, and the pairs.
struct Pairing<'a> {
    ends: [&'a [RenameEnd<'a>]; 2],
    taken: [Vec<bool>; 2],
    renames: Vec<Rename>,
}

impl<'a> Pairing<'a> {
    fn may_pair(&self, from: usize, to: usize) -> bool {
        let [deleted, added] = self.ends;
        let is_taken = self.taken[0][from] || self.taken[1][to];
        let have_rows = deleted[from].has_row && added[to].has_row;
        !is_taken && !have_rows
    }

    fn pair(&mut self, from: usize, to: usize, similarity: u8) {
        if self.may_pair(from, to) {
            self.taken[0][from] = true;
            self.taken[1][to] = true;
            self.renames.push(Rename {
                from,
                to,
                similarity,
            });
        }
    }

    /// The open ends, without empty files, for which `key` and perhaps the file name are the same: each group of
    /// deleted ends with the added ones.
    fn groups<K: Ord>(
        &self,
        by_name: bool,
        key: impl Fn(&RenameEnd<'a>) -> Option<K>,
    ) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut groups: BTreeMap<_, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for (side, ends) in self.ends.into_iter().enumerate() {
            for (at, end) in ends.iter().enumerate() {
                let is_open = !self.taken[side][at] && !end.id.is_empty_blob();
                if let Some(key) = key(end).filter(|_| is_open) {
                    let group = groups
                        .entry((by_name.then(|| end.name()), key))
                        .or_default();
                    match side {
                        0 => group.0.push(at),
                        _ => group.1.push(at),
                    }
                }
            }
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        groups.retain(|(from, to)| !from.is_empty() && !to.is_empty());
        for (from, to) in &mut groups {
            // One with a row has fewer partners.
            from.sort_by_key(|&at| (!self.ends[0][at].has_row, self.ends[0][at].path));
            to.sort_by_key(|&at| self.ends[1][at].path);
        }
        groups
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
