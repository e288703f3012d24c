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

struct Seen {
    commit: Commit,
    marks: u8,
    /// The boundary of a shallow clone: the parents are not here.
    cut: bool,
}

impl Seen {
    /// The parents that the clone has.
    fn parents(&self) -> &[ObjectId] {
        if self.cut { &[] } else { &self.commit.parents }
    }
}

impl Repository {
    /// Whether the object is in the repository.
    pub fn has(&self, id: ObjectId) -> bool {
        self.objects.has(id)
    }

    /// Compares `head` with the commits that were `known` before; with none of them, all of `head` is new.
    ///
    /// # Errors
    /// A commit on the way is missing, other than beyond the boundary of a shallow clone, or damaged.
    pub fn history(&self, known: &[ObjectId], head: ObjectId) -> Result<History> {
        let shallow = self
            .repo
            .shallow_commits()
            .map_err(|error| failed("the list of shallow commits cannot be read", &error))?;
        let boundary = shallow
            .as_ref()
            .map(|commits| commits.iter().copied().collect())
            .unwrap_or_default();
        let mut walk = Walk {
            objects: self.objects(),
            boundary,
            buffer: Vec::new(),
            seen: HashMap::default(),
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

struct Walk {
    objects: Objects,
    boundary: HashSet<ObjectId>,
    buffer: Vec<u8>,
    seen: HashMap<ObjectId, Seen>,
    /// Commits whose marks their parents do not have yet, the newest first.
    queue: BinaryHeap<(i64, ObjectId)>,
    /// Steps until it is worth asking again whether the walk may end.
    wait: usize,
}

impl Walk {
    fn mark(&mut self, id: ObjectId, marks: u8) -> Result<()> {
        if !self.seen.contains_key(&id) {
            let commit = Commit::read(&self.objects, id, &mut self.buffer)?;
            let cut = self.boundary.contains(&id) && !commit.parents.is_empty();
            let seen = Seen {
                commit,
                marks: 0,
                cut,
            };
            self.seen.insert(id, seen);
        }
        let Some(seen) = self.seen.get_mut(&id) else {
            return Ok(());
        };
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
            let Some(seen) = self.seen.get(&id) else {
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
        let marks = |id: &ObjectId| self.seen.get(id).map_or(0, |seen| seen.marks);
        let fresh = self.queue.iter().filter(|(_, id)| marks(id) & STALE == 0);
        // A step uses up one of them at most, so the next look can wait that long.
        self.wait = fresh.count();
        if self.wait > 0 {
            return false;
        }
        let one_sided = self
            .seen
            .values()
            .filter(|seen| seen.marks & COMMON != COMMON);
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
        let candidates = self.seen.iter().filter(|(_, seen)| seen.marks == COMMON);
        let mut bases: Vec<(i64, ObjectId)> = candidates
            .map(|(&id, seen)| (seen.commit.time, id))
            .collect();
        bases.sort_by(|a, b| b.cmp(a));
        let bases = self.without_ancestors(bases.into_iter().map(|(_, id)| id).collect())?;
        let one_sided = |seen: &&Seen| seen.marks & COMMON != COMMON;
        let ahead = self.parents_first(head);
        Ok(History {
            is_cut: self.seen.values().filter(one_sided).any(|seen| seen.cut),
            ahead_is_cut: self
                .seen
                .values()
                .any(|seen| seen.marks == HEAD && seen.cut),
            ahead: ahead
                .iter()
                .filter_map(|id| self.seen.remove(id))
                .map(|seen| seen.commit)
                .collect(),
            bases,
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
                let parents = match self.seen.get(&id) {
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

    /// The commits that only the head has. The order depends on the commits alone.
    fn parents_first(&self, head: ObjectId) -> Vec<ObjectId> {
        let own = |id: &ObjectId| self.seen.get(id).filter(|seen| seen.marks == HEAD);
        let mut order = Vec::new();
        let mut entered = gix::hashtable::HashSet::default();
        let mut open = vec![(head, false)];
        while let Some((id, parents_are_done)) = open.pop() {
            let Some(seen) = own(&id) else { continue };
            if parents_are_done {
                order.push(id);
            } else if entered.insert(id) {
                open.push((id, true));
                open.extend(seen.parents().iter().rev().map(|&parent| (parent, false)));
            }
        }
        order
    }
}
