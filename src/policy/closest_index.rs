//! An index of granted files and directories for finding the closest one.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use gix::bstr::{BString, ByteSlice};

use super::path_name::{DIRECTORIES, EXTENSION, PathName, overlap};
use super::{Grant, GrantKind};

/// The minimum score of a suggestion based on similarity alone.
const MIN_SIMILAR: f64 = 0.55;

/// The minimum score of a suggestion in the same directory: that of an equal extension.
const MIN_SIBLING: f64 = DIRECTORIES + EXTENSION;

/// With more grants than this, only the most promising are compared in full.
pub(super) const MANY: usize = 200;

/// How many candidates count as promising.
const PROMISING: usize = 64;

/// The number of candidates to compare in one run. Later suggestions come only from [`MANY`] files of the same name or
/// directory.
const ALL_LOOKS: usize = 20_000_000;

/// Why a path is close.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Closeness {
    /// The same file name in another directory.
    SameName,
    /// Another file of the same directory.
    SameDirectory,
    /// A similar spelling.
    Similar,
}

/// An index of granted files and directories.
#[derive(Debug, Clone)]
pub(super) struct ClosestIndex {
    candidates: Vec<ClosestCandidate>,
    /// Positions of files by folded file name.
    names: HashMap<String, Vec<usize>>,
    /// Positions of files by directory.
    directories: HashMap<BString, Vec<usize>>,
    /// How many more candidates may be compared.
    pub(super) looks: Arc<AtomicUsize>,
}

#[derive(Debug, Clone)]
pub(super) struct ClosestCandidate {
    pub(super) grant: usize,
    pub(super) path: BString,
    pub(super) name: PathName,
    /// Whether the grant is a directory; `name` is then that of any file in it.
    pub(super) directory: bool,
}

impl ClosestIndex {
    pub(super) fn new(grants: &[Grant]) -> ClosestIndex {
        let mut index = ClosestIndex {
            candidates: Vec::new(),
            names: HashMap::new(),
            directories: HashMap::new(),
            looks: Arc::new(AtomicUsize::new(ALL_LOOKS)),
        };
        for (number, grant) in grants.iter().enumerate() {
            let offered = grant.kind != GrantKind::Glob && !grant.path.is_empty();
            if !offered || grant.actions.is_empty() {
                continue;
            }
            let directory = grant.kind == GrantKind::Directory;
            let name = if directory {
                PathName::new([grant.path.as_slice(), b"/"].concat().as_bstr())
            } else {
                PathName::new(grant.path.as_ref())
            };
            let position = index.candidates.len();
            if !directory {
                let names = index.names.entry(name.folded()).or_default();
                names.push(position);
                let siblings = index.directories.entry(name.directory.clone()).or_default();
                siblings.push(position);
            }
            index.candidates.push(ClosestCandidate {
                grant: number,
                path: grant.path.clone(),
                name,
                directory,
            });
        }
        index
    }

    /// A file of the same name; of several, the one in the most similar directory.
    pub(super) fn same_name(
        &self,
        asked: &PathName,
        permits: impl Fn(&ClosestCandidate) -> bool,
    ) -> Option<(&ClosestCandidate, Closeness)> {
        let named = self.names.get(&asked.folded())?.iter();
        let named = named.map(|&at| &self.candidates[at]).take(self.looks());
        let found = self.best(asked, named, permits, |candidate| {
            let score = asked.score(&candidate.name);
            let related = !asked.common
                || asked.is_above_or_below(&candidate.name)
                || asked.directory_similarity(&candidate.name) > 0.0;
            // An equal name comes before one that only looks the same.
            let exact = if candidate.name.base == asked.base {
                1.0
            } else {
                0.0
            };
            related.then_some(score + exact)
        })?;
        let why = if found.name.base == asked.base {
            Closeness::SameName
        } else {
            Closeness::Similar
        };
        Some((found, why))
    }

    pub(super) fn same_directory(
        &self,
        asked: &PathName,
        permits: impl Fn(&ClosestCandidate) -> bool,
    ) -> Option<(&ClosestCandidate, Closeness)> {
        let siblings = self.directories.get(&asked.directory)?.iter();
        let siblings = siblings.map(|&at| &self.candidates[at]).take(self.looks());
        let found = self.best(asked, siblings, permits, |candidate| {
            let score = asked.score(&candidate.name);
            // In the root, everything is in the same directory.
            let least = if asked.directory.is_empty() {
                MIN_SIMILAR
            } else {
                MIN_SIBLING
            };
            (score >= least).then_some(score)
        })?;
        Some((found, Closeness::SameDirectory))
    }

    pub(super) fn similar(
        &self,
        asked: &PathName,
        permits: impl Fn(&ClosestCandidate) -> bool,
    ) -> Option<(&ClosestCandidate, Closeness)> {
        if self.candidates.len() > self.looks() {
            return None;
        }
        let found = self.best(asked, self.candidates.iter(), permits, |candidate| {
            let score = if candidate.directory {
                asked.directory_similarity(&candidate.name)
            } else {
                asked.score(&candidate.name)
            };
            let may_replace = candidate.directory || asked.may_stand_for(&candidate.name);
            (may_replace && score >= MIN_SIMILAR).then_some(score)
        })?;
        Some((found, Closeness::Similar))
    }

    /// How many candidates one answer may compare.
    fn looks(&self) -> usize {
        self.looks.load(Relaxed).max(MANY)
    }

    /// All candidates or, of many, those whose names and directories share the most letter pairs with the asked path.
    fn promising<'a>(
        &self,
        asked: &PathName,
        among: impl ExactSizeIterator<Item = &'a ClosestCandidate>,
        permits: impl Fn(&ClosestCandidate) -> bool,
    ) -> Vec<&'a ClosestCandidate> {
        let left = self.looks.load(Relaxed).saturating_sub(among.len());
        self.looks.store(left, Relaxed);
        let mut candidates: Vec<&ClosestCandidate> =
            among.filter(|candidate| permits(candidate)).collect();
        if candidates.len() > MANY {
            let rank = |candidate: &ClosestCandidate| {
                let stems = overlap(asked.stem_mask, candidate.name.stem_mask);
                let directories = overlap(asked.directory_mask, candidate.name.directory_mask);
                let rank = if candidate.directory {
                    3 * directories
                } else {
                    2 * stems + directories
                };
                // A name that every directory has says nothing.
                let is_same = !asked.common && candidate.name.base == asked.base;
                (Reverse((is_same, rank)), candidate.grant)
            };
            let mut ranked: Vec<_> = candidates.iter().map(|one| (rank(one), *one)).collect();
            // The best ones, in any order.
            ranked.select_nth_unstable_by_key(PROMISING, |(rank, _)| *rank);
            ranked.truncate(PROMISING);
            candidates = ranked.into_iter().map(|(_, candidate)| candidate).collect();
        }
        candidates
    }

    /// The promising candidate with the highest score; ties go to the smaller path.
    fn best<'a>(
        &self,
        asked: &PathName,
        among: impl ExactSizeIterator<Item = &'a ClosestCandidate>,
        permits: impl Fn(&ClosestCandidate) -> bool,
        score: impl Fn(&ClosestCandidate) -> Option<f64>,
    ) -> Option<&'a ClosestCandidate> {
        let candidates = self.promising(asked, among, permits).into_iter();
        let scored = candidates.filter_map(|one| Some((score(one)?, one)));
        let best = scored.max_by(|(left, a), (right, b)| {
            let by_path = || (&b.path, b.grant).cmp(&(&a.path, a.grant));
            left.total_cmp(right).then_with(by_path)
        });
        best.map(|(_, candidate)| candidate)
    }
}
