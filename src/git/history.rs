//! The history between two points, read from the commit objects alone: no commit-graph file, no grafts, and a
//! shallow clone's missing parents are told apart from a first commit.

use std::collections::{BTreeSet, BinaryHeap, HashSet};

use gix::ObjectId;
use gix::hashtable::HashMap;

use super::{Commit, Objects, Repository, failed};
use crate::error::Result;

/// How a head stands to what was there before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// The best common ancestors, the newest first; more than one after criss-cross merges.
    pub bases: Vec<ObjectId>,
    /// The commits that only the head has, parents before children.
    pub ahead: Vec<Commit>,
    /// Some of `ahead` lack their parents here, because the clone is shallow.
    pub ahead_is_cut: bool,
    /// A commit that only one side has lacks its parents here: `bases` may not be the best.
    pub is_cut: bool,
}

const KNOWN: u8 = 1;
const HEAD: u8 = 2;
const COMMON: u8 = KNOWN | HEAD;
/// Below a common ancestor.
const STALE: u8 = 4;

struct VisitedCommit {
    commit: Commit,
    marks: u8,
    /// The boundary of a shallow clone: the parents are not here.
    cut: bool,
}

impl VisitedCommit {
    /// The parents that the clone has.
    fn parents(&self) -> &[ObjectId] {
        if self.cut { &[] } else { &self.commit.parents }
    }
}

impl Repository {
    /// Whether the object is in the repository.
    pub(crate) fn has(&self, id: ObjectId) -> bool {
        self.objects.has(id)
    }

    /// Compares `head` with the commits that were `known` before; with none of them, all of `head` is new.
    ///
    /// # Errors
    /// A commit on the way is missing, other than beyond the boundary of a shallow clone, or damaged.
    pub(crate) fn history(&self, known: &[ObjectId], head: ObjectId) -> Result<History> {
        History::between(self.objects(), &self.boundary()?, known, head)
    }

    /// The commits whose parents a shallow clone lacks.
    ///
    /// # Errors
    /// The list cannot be read.
    pub(super) fn boundary(&self) -> Result<HashSet<ObjectId>> {
        let shallow = self
            .repo
            .shallow_commits()
            .map_err(|error| failed("the list of shallow commits cannot be read", &error))?;
        let commits = shallow.as_ref().map(|commits| commits.iter().copied());
        Ok(commits.into_iter().flatten().collect())
    }
}

impl History {
    /// As [`Repository::history`], with a handle that may be another thread's.
    ///
    /// # Errors
    /// As there.
    pub(super) fn between(
        objects: Objects,
        boundary: &HashSet<ObjectId>,
        known: &[ObjectId],
        head: ObjectId,
    ) -> Result<History> {
        let mut walk = HistoryWalk {
            objects,
            boundary,
            buffer: Vec::new(),
            seen: Vec::new(),
            places: HashMap::default(),
            queue: BinaryHeap::new(),
            wait: 0,
        };
        for &id in known {
            walk.mark(id, KNOWN)?;
        }
        walk.mark(head, HEAD)?;
        walk.paint()?;
        walk.finish(head)
    }
}

struct HistoryWalk<'a> {
    objects: Objects,
    boundary: &'a HashSet<ObjectId>,
    buffer: Vec<u8>,
    seen: Vec<VisitedCommit>,
    /// Where each of them is.
    places: HashMap<ObjectId, usize>,
    /// Commits whose marks their parents do not have yet, the newest first.
    queue: BinaryHeap<(i64, ObjectId)>,
    /// Steps until it is worth asking again whether the walk may end.
    wait: usize,
}

impl HistoryWalk<'_> {
    fn get(&self, id: &ObjectId) -> Option<&VisitedCommit> {
        self.places.get(id).and_then(|&place| self.seen.get(place))
    }

    fn mark(&mut self, id: ObjectId, marks: u8) -> Result<()> {
        let place = match self.places.get(&id) {
            Some(&place) => place,
            None => {
                let commit = Commit::read(&self.objects, id, &mut self.buffer)?;
                let cut = self.boundary.contains(&id) && !commit.parents.is_empty();
                self.seen.push(VisitedCommit {
                    commit,
                    marks: 0,
                    cut,
                });
                self.places.insert(id, self.seen.len() - 1);
                self.seen.len() - 1
            }
        };
        let seen = &mut self.seen[place];
        if seen.marks & marks == marks {
            return Ok(());
        }
        seen.marks |= marks;
        self.queue.push((seen.commit.time, id));
        Ok(())
    }

    /// Hands the marks down until every commit that only one side has is known to be such.
    fn paint(&mut self) -> Result<()> {
        while let Some((_, id)) = self.queue.pop() {
            let Some(seen) = self.get(&id) else {
                continue;
            };
            let below = if seen.marks & COMMON == COMMON {
                seen.marks | STALE
            } else {
                seen.marks
            };
            for parent in seen.parents().to_owned() {
                self.mark(parent, below)?;
            }
            if self.is_settled() {
                break;
            }
        }
        Ok(())
    }

    /// Whether the rest of the queue is below common ancestors, and older than every commit of one side: dates
    /// that run backwards could otherwise hide that a commit is an old one.
    fn is_settled(&mut self) -> bool {
        self.wait = self.wait.saturating_sub(1);
        if self.wait > 0 {
            return false;
        }
        let marks = |id: &ObjectId| self.get(id).map_or(0, |seen| seen.marks);
        let fresh = self.queue.iter().filter(|(_, id)| marks(id) & STALE == 0);
        // A step uses up one of them at most, so the next look can wait that long.
        self.wait = fresh.count();
        if self.wait > 0 {
            return false;
        }
        let one_sided = self.seen.iter().filter(is_one_sided);
        let oldest = one_sided.map(|seen| seen.commit.time).min();
        match (self.queue.peek(), oldest) {
            (Some((newest, _)), Some(oldest)) if *newest >= oldest => {
                self.wait = self.seen.len() / 4;
                false
            }
            _ => true,
        }
    }

    fn finish(mut self, head: ObjectId) -> Result<History> {
        let candidates = self.seen.iter().filter(|seen| seen.marks == COMMON);
        let mut bases: Vec<(i64, ObjectId)> = candidates
            .map(|seen| (seen.commit.time, seen.commit.id))
            .collect();
        bases.sort_by(|a, b| b.cmp(a));
        let bases = self.without_ancestors(bases.into_iter().map(|(_, id)| id).collect())?;
        let is_cut = self.seen.iter().filter(is_one_sided).any(|seen| seen.cut);
        let is_ahead_and_cut = |seen: &VisitedCommit| seen.marks == HEAD && seen.cut;
        let ahead_is_cut = self.seen.iter().any(is_ahead_and_cut);
        let order = self.parents_first(head);
        let mut commits: Vec<_> = self
            .seen
            .into_iter()
            .map(|seen| Some(seen.commit))
            .collect();
        let ahead = order.into_iter().filter_map(|place| commits[place].take());
        Ok(History {
            bases,
            ahead: ahead.collect(),
            ahead_is_cut,
            is_cut,
        })
    }

    /// Removes those that another one has among its ancestors.
    fn without_ancestors(&mut self, all: Vec<ObjectId>) -> Result<Vec<ObjectId>> {
        if all.len() < 2 {
            return Ok(all);
        }
        let mut old = BTreeSet::new();
        for &tip in &all {
            let mut found = HashSet::new();
            let mut open = vec![tip];
            while let Some(id) = open.pop() {
                let parents = match self.get(&id) {
                    Some(seen) => seen.parents().to_owned(),
                    None if self.boundary.contains(&id) => Vec::new(),
                    None => Commit::read(&self.objects, id, &mut self.buffer)?.parents,
                };
                for parent in parents {
                    if found.insert(parent) {
                        open.push(parent);
                    }
                }
            }
            old.extend(all.iter().copied().filter(|id| found.contains(id)));
        }
        Ok(all.into_iter().filter(|id| !old.contains(id)).collect())
    }

    /// Where the commits are that only the head has. The order depends on the commits alone.
    fn parents_first(&self, head: ObjectId) -> Vec<usize> {
        let own = |id: &ObjectId| {
            let place = *self.places.get(id)?;
            let seen = self.seen.get(place).filter(|seen| seen.marks == HEAD)?;
            Some((place, seen))
        };
        let mut order = Vec::new();
        let mut entered = vec![false; self.seen.len()];
        let mut open = vec![(head, false)];
        while let Some((id, parents_are_done)) = open.pop() {
            let Some((place, seen)) = own(&id) else {
                continue;
            };
            if parents_are_done {
                order.push(place);
            } else if !std::mem::replace(&mut entered[place], true) {
                open.push((id, true));
                open.extend(seen.parents().iter().rev().map(|&parent| (parent, false)));
            }
        }
        order
    }
}

fn is_one_sided(seen: &&VisitedCommit) -> bool {
    seen.marks & COMMON != COMMON
}
