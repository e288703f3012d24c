//! Commits, and the history between two points. It is read from commit objects alone: no commit-graph file, no grafts;
//! and it tells the missing parents of a shallow clone apart from a root commit. And the parents of the next commit.

use std::collections::{BinaryHeap, HashSet};
use std::fs;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::hashtable::HashMap;
use gix::objs::CommitRef;

use super::{Objects, Repository, Tree};
use crate::disk::if_there;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::trailer;

/// The parts of a commit that guard needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: ObjectId,
    /// The id of its tree.
    pub tree: ObjectId,
    /// The parents that it names, even if the clone lacks them.
    pub parents: Vec<ObjectId>,
    /// The commit time in seconds since 1970; only a hint for the order of a walk.
    pub time: i64,
    /// The trailers of its message, see `write_guard_policy::trailer::of_guard`.
    pub trailers: BString,
}

impl Commit {
    /// Reads a commit.
    ///
    /// # Errors
    /// It is missing, damaged or not a commit.
    pub fn read(objects: &Objects, id: ObjectId) -> Result<Commit> {
        Commit::parse(objects, id, |commit| Commit {
            id,
            tree: commit.tree(),
            parents: commit.parents().collect(),
            time: commit.time().map_or(0, |time| time.seconds),
            trailers: trailer::of_guard(commit.message).into(),
        })
    }

    fn parse<T>(
        objects: &Objects,
        id: ObjectId,
        take: impl FnOnce(&CommitRef<'_>) -> T,
    ) -> Result<T> {
        let mut buffer = Vec::new();
        objects.commit(id, &mut buffer)?;
        let commit = CommitRef::from_bytes(&buffer, id.kind())
            .map_err(|error| Error::new(format!("commit {id} is damaged: {error}")))?;
        Ok(take(&commit))
    }
}

/// What a person recognises a commit by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// The first line of its message.
    pub subject: BString,
    /// The name of its author.
    pub author: BString,
    /// When its author wrote it, in seconds since 1970, which a rebase keeps. [`i64::MAX`] if it does not say.
    pub authored: i64,
}

/// Commits to judge together or one by one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Range {
    /// The merge base, or what a forced push replaced; `None` if nothing existed before.
    pub base: Option<ObjectId>,
    /// Further merge bases, older than `base`; several after criss-cross merges.
    pub other_bases: Vec<ObjectId>,
    /// What existed before, such as the tip of the target branch, which may be newer than the merge base.
    pub known: Vec<ObjectId>,
    /// The last commit; `None` if nothing is left to judge, for example after a branch was deleted.
    pub head: Option<ObjectId>,
    /// The commits between, parents before children.
    pub commits: Vec<Commit>,
    /// Whether the clone is shallow and lacks some of the commits.
    pub is_cut: bool,
    /// Whether it lacks some on one side, so that `base` may not be the best.
    pub is_uncertain: bool,
    /// Whether `base` may be a commit of the same branch, as where a session's new commits are judged. What is new on
    /// the branch is then decided by its merge base with the target.
    pub is_part: bool,
    /// The branch of the commits.
    pub branch: Option<BString>,
    /// How this range was determined, one sentence each.
    pub notes: Vec<String>,
}

impl Range {
    /// Like [`Repository::history`], with a handle that may belong to another thread.
    ///
    /// # Errors
    /// As for [`Repository::history`].
    pub(super) fn between(objects: &Objects, known: &[ObjectId], head: ObjectId) -> Result<Range> {
        HistoryWalk::painted(objects, known, head)?.finish(head)
    }

    /// The same range, judged from the previous state of the branch: what a forced push removes from the target
    /// branch counts as lost, by the rules in force then.
    pub fn judged_from(mut self, before: Option<ObjectId>) -> Range {
        if before.is_some() {
            self.base = before;
            self.other_bases.clear();
        }
        self
    }
}

const KNOWN: u8 = 1;
const HEAD: u8 = 2;
const COMMON: u8 = KNOWN | HEAD;
/// Below a merge base.
const STALE: u8 = 4;

struct VisitedCommit {
    commit: Commit,
    marks: u8,
    /// At the boundary of a shallow clone: the parents are missing.
    cut: bool,
}

impl VisitedCommit {
    /// The parents in the clone.
    fn parents(&self) -> &[ObjectId] {
        if self.cut { &[] } else { &self.commit.parents }
    }
}

impl Repository {
    /// Reads a commit.
    ///
    /// # Errors
    /// It is missing, damaged or not a commit.
    pub fn commit(&self, id: ObjectId) -> Result<Commit> {
        Commit::read(&self.objects, id)
    }

    /// The whole message of a commit.
    ///
    /// # Errors
    /// As for [`Repository::commit`].
    pub fn message(&self, id: ObjectId) -> Result<BString> {
        Commit::parse(&self.objects, id, |commit| commit.message.to_owned())
    }

    /// The tree of a commit; the empty tree for `None`.
    ///
    /// # Errors
    /// The commit or its tree is missing or damaged.
    pub fn tree_of(&self, commit: Option<ObjectId>) -> Result<Tree<'_>> {
        Tree::of_commit(&self.objects, commit)
    }

    /// What a person recognises a commit by.
    ///
    /// # Errors
    /// As for [`Repository::commit`].
    pub fn headline(&self, id: ObjectId) -> Result<Headline> {
        Commit::parse(&self.objects, id, |commit| {
            let author = commit.author().ok();
            let time = author.and_then(|author| author.time().ok());
            Headline {
                subject: commit.message.lines().next().unwrap_or_default().into(),
                author: author.map_or_else(BString::default, |author| author.name.to_owned()),
                authored: time.map_or(i64::MAX, |time| time.seconds),
            }
        })
    }

    /// Whether the object is in the repository.
    pub fn has(&self, id: ObjectId) -> bool {
        self.objects.has(id)
    }

    /// Compares `head` with commits `known` before; without any, all of `head` is new.
    ///
    /// # Errors
    /// A commit is missing (other than at the boundary of a shallow clone) or damaged.
    pub fn history(&self, known: &[ObjectId], head: ObjectId) -> Result<Range> {
        Range::between(&self.objects, known, head)
    }
}

impl<'repo> Tree<'repo> {
    /// The tree of a commit (empty for `None`), read with a handle that may belong to another thread.
    ///
    /// # Errors
    /// The commit is missing or damaged.
    pub fn of_commit(objects: &'repo Objects, commit: Option<ObjectId>) -> Result<Self> {
        let id = match commit {
            Some(commit) => Commit::read(objects, commit)?.tree,
            None => ObjectId::empty_tree(objects.hash_kind()),
        };
        Ok(Tree::at(objects, id))
    }
}

/// Whether `head` is neither one of the commits `known` nor an ancestor of one.
///
/// # Errors
/// As for [`Repository::history`].
fn is_new(objects: &Objects, known: &[ObjectId], head: ObjectId) -> Result<bool> {
    let walk = HistoryWalk::painted(objects, known, head)?;
    Ok(walk.marks(&head) & KNOWN == 0)
}

/// These parents without those that are ancestors of others, as git drops them. The first one always stays.
///
/// # Errors
/// A commit is missing or damaged.
pub fn merge_heads(objects: &Objects, parents: &[ObjectId]) -> Result<Vec<ObjectId>> {
    let mut heads = parents.to_vec();
    for &parent in parents.iter().skip(1) {
        let at = heads.iter().rposition(|&head| head == parent);
        let Some(at) = at.filter(|&at| at > 0) else {
            continue;
        };
        heads.remove(at);
        if is_new(objects, &heads, parent)? {
            heads.insert(at, parent);
        }
    }
    Ok(heads)
}

struct HistoryWalk<'a> {
    objects: &'a Objects,
    seen: HashMap<ObjectId, VisitedCommit>,
    /// Commits whose marks are not yet passed to their parents, newest first.
    queue: BinaryHeap<(i64, ObjectId)>,
}

impl<'a> HistoryWalk<'a> {
    /// Marks what the commits `known` and `head` have.
    fn painted(objects: &'a Objects, known: &[ObjectId], head: ObjectId) -> Result<Self> {
        let mut walk = HistoryWalk {
            objects,
            seen: HashMap::default(),
            queue: BinaryHeap::new(),
        };
        for &id in known {
            walk.mark(id, KNOWN)?;
        }
        walk.mark(head, HEAD)?;
        walk.paint()?;
        Ok(walk)
    }

    fn marks(&self, id: &ObjectId) -> u8 {
        self.seen.get(id).map_or(0, |seen| seen.marks)
    }

    fn mark(&mut self, id: ObjectId, marks: u8) -> Result<()> {
        if !self.seen.contains_key(&id) {
            let commit = Commit::read(self.objects, id)?;
            let cut = self.objects.boundary().contains(&id) && !commit.parents.is_empty();
            let visited = VisitedCommit {
                commit,
                marks: 0,
                cut,
            };
            self.seen.insert(id, visited);
        }
        if let Some(seen) = self.seen.get_mut(&id)
            && seen.marks & marks != marks
        {
            seen.marks |= marks;
            self.queue.push((seen.commit.time, id));
        }
        Ok(())
    }

    /// Passes marks to parents until all commits of one side only are known: the rest is below merge bases, and older
    /// than all commits that looked one-sided. Otherwise wrong dates could hide that a commit is old.
    fn paint(&mut self) -> Result<()> {
        let mut oldest = i64::MAX;
        while let Some((time, id)) = self.queue.pop() {
            let Some(seen) = self.seen.get(&id) else {
                continue;
            };
            let mut below = seen.marks;
            if is_one_sided(&seen) {
                oldest = oldest.min(time)
            } else {
                below |= STALE
            }
            for parent in seen.parents().to_owned() {
                self.mark(parent, below)?;
            }
            let is_older = self.queue.peek().is_none_or(|(newest, _)| *newest < oldest);
            let mut queued = self.queue.iter();
            if is_older && queued.all(|(_, other)| self.marks(other) & STALE != 0) {
                break;
            }
        }
        Ok(())
    }

    fn finish(mut self, head: ObjectId) -> Result<Range> {
        let candidates = self.seen.values().filter(|seen| seen.marks == COMMON);
        let mut bases: Vec<(i64, ObjectId)> = candidates
            .map(|seen| (seen.commit.time, seen.commit.id))
            .collect();
        bases.sort_by(|a, b| b.cmp(a));
        let mut bases: Vec<ObjectId> = bases.into_iter().map(|(_, id)| id).collect();
        for id in bases.clone() {
            let others: Vec<_> = bases.iter().copied().filter(|other| *other != id).collect();
            if !others.is_empty() && !is_new(self.objects, &others, id)? {
                bases = others;
            }
        }
        let mut bases = bases.into_iter();
        let mut cut = self.seen.values().filter(|seen| seen.cut);
        Ok(Range {
            base: bases.next(),
            other_bases: bases.collect(),
            head: Some(head),
            is_uncertain: cut.clone().any(|seen| is_one_sided(&seen)),
            is_cut: cut.any(|seen| seen.marks == HEAD),
            commits: self.parents_first(head),
            ..Range::default()
        })
    }

    /// The commits that only the head has. The order depends only on the commits.
    fn parents_first(&mut self, head: ObjectId) -> Vec<Commit> {
        let mut order = Vec::new();
        let mut entered = HashSet::new();
        let mut open = vec![(head, false)];
        while let Some((id, parents_are_done)) = open.pop() {
            let Some(seen) = self.seen.get(&id).filter(|seen| seen.marks == HEAD) else {
                continue;
            };
            if parents_are_done {
                order.push(id);
            } else if entered.insert(id) {
                open.push((id, true));
                open.extend(seen.parents().iter().rev().map(|&parent| (parent, false)));
            }
        }
        let taken = order.into_iter().filter_map(|id| self.seen.remove(&id));
        taken.map(|seen| seen.commit).collect()
    }
}

fn is_one_sided(seen: &&VisitedCommit) -> bool {
    seen.marks & COMMON != COMMON
}

/// HEAD, and the other parents of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parents {
    /// The HEAD commit; `None` before the first commit.
    pub head: Option<ObjectId>,
    /// The commits being merged; empty for an ordinary commit.
    pub merged: Vec<ObjectId>,
    /// The operation of git during which it commits no single files.
    pub operation: Option<&'static str>,
}

impl Parents {
    /// HEAD and the commits in `MERGE_HEAD`. `git merge` writes that file only after the pre-merge-commit hook, for
    /// which it names the commits in `GITHEAD_*`. These variables count only if `githead` is set and `ORIG_HEAD` is
    /// HEAD, as during `git merge`; otherwise git would not make them parents.
    ///
    /// # Errors
    /// A file or variable of git does not contain commit ids.
    pub fn of_next_commit(repo: &Repository, githead: bool) -> Result<Parents> {
        let head = repo.head_commit()?;
        let mut merged = commits_in(repo, "MERGE_HEAD")?;

        if merged.is_empty()
            && githead
            && head.is_some()
            && commits_in(repo, "ORIG_HEAD")?.first() == head.as_ref()
        {
            let ids = std::env::vars_os().filter_map(|(name, _)| {
                let id = name.as_encoded_bytes().strip_prefix(b"GITHEAD_")?;
                Some(commit_id(id, "a GITHEAD_ variable"))
            });
            merged = ids.collect::<Result<_>>()?;
            // The environment has no order.
            merged.sort();
        }
        if let Some(head) = head
            && !merged.is_empty()
        {
            merged.insert(0, head);
            merged = merge_heads(repo.objects(), &merged)?.split_off(1);
        }
        // A rebase picks commits, too.
        let operation = if !merged.is_empty() {
            Some("merge")
        } else if !repo.git_dir().join("CHERRY_PICK_HEAD").exists() {
            None
        } else if repo.git_dir().join("rebase-merge").exists() {
            Some("rebase")
        } else {
            Some("cherry-pick")
        };
        Ok(Parents {
            head,
            merged,
            operation,
        })
    }

    /// All parents, HEAD first.
    pub fn all(&self) -> Vec<ObjectId> {
        self.head.iter().chain(&self.merged).copied().collect()
    }
}

/// The commands of a rebase that repeat a commit.
const REPEATING: &[&[u8]] = &[
    b"pick", b"p", b"reword", b"r", b"edit", b"e", b"squash", b"s", b"fixup", b"f",
];

/// The commits that a rebase in progress has repeated so far, and the one that it repeats now. Where git applies patches
/// instead, it calls no hook that would ask.
///
/// # Errors
/// git's record of the rebase cannot be read.
pub fn repeated_by_rebase(repo: &Repository) -> Result<Vec<ObjectId>> {
    let done = if_there(fs::read(repo.git_dir().join("rebase-merge/done")));
    let done = done.map_err(|error| Error::new(format!("the rebase cannot be read: {error}")))?;
    let mut repeated = Vec::new();
    for line in done.unwrap_or_default().lines() {
        let mut words = line.split(u8::is_ascii_whitespace);
        let is_repeating = words
            .next()
            .is_some_and(|command| REPEATING.contains(&command));
        let commit = words.find(|word| !word.starts_with(b"-"));
        if is_repeating && let Some(commit) = commit {
            repeated.extend(repo.resolve_commit(commit.into())?);
        }
    }
    Ok(repeated)
}

/// The commits listed in a file of the git directory; none if it does not exist.
fn commits_in(repo: &Repository, name: &str) -> Result<Vec<ObjectId>> {
    let content = if_there(fs::read(repo.git_dir().join(name)))
        .map_err(|error| Error::new(format!("{name} cannot be read: {error}")))?;
    let content = content.unwrap_or_default();
    content.lines().map(|line| commit_id(line, name)).collect()
}

fn commit_id(text: &[u8], source: &str) -> Result<ObjectId> {
    ObjectId::from_hex(text.trim())
        .map_err(|_| Error::new(format!("{source} does not contain a commit id")))
}
