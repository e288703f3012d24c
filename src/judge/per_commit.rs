//! Judges every commit of a range, because the net difference hides what was done and undone.

use gix::ObjectId;
use gix::hashtable::HashMap;

use super::approvals::CommitApprovals;
use super::merge_commits::{self, OwnChanges};
use super::steps::Judge;
use super::tree_view::GitTree;
use super::{merge_base, reverts};
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::git::{Commit, Merges, Objects, Range, Repository, Tree, changes_between};
use crate::measure::Precision;
use crate::policy::{Policy, Stage};
use crate::threads::{self, Batches};

/// Reports how many of how many commits are judged.
pub type Progress<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// What is found in the single commits of a range.
pub(super) struct JudgedCommits {
    /// The findings in commit order.
    pub(super) findings: Vec<Finding>,
    /// Notes on them.
    pub(super) notes: Vec<String>,
    /// The number of changes of each commit, in commit order.
    pub(super) changes: Vec<usize>,
}

/// Judges each commit of the range by the policy of the range.
pub(super) fn judge(
    repo: &Repository,
    range: &Range,
    policy: &Policy,
    commit_approvals: &CommitApprovals,
    progress: &Progress<'_>,
) -> Result<JudgedCommits> {
    if range.is_cut {
        return Err(Error::new(
            "the clone is shallow and lacks some commits of the range, so guard cannot judge each commit",
        )
        .help("run `git fetch --unshallow`"));
    }
    let objects = repo.objects().remembering();
    let policy = Policy {
        stage: Stage::Step,
        ..policy.clone()
    };
    let work = CommitQueue {
        commits: &range.commits,
        trees: range
            .commits
            .iter()
            .map(|commit| (commit.id, commit.tree))
            .collect(),
        base: range.base,
        merges: repo.merges()?,
        policy: &policy,
        commit_approvals,
        batches: Batches::new(range.commits.len(), BATCH),
        progress,
    };
    let threads = threads::most().min(range.commits.len());
    let done = threads::share(threads, &objects, |objects| work.run(objects))?;
    let mut done: Vec<_> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|commit| commit.at);
    let mut judged = JudgedCommits {
        findings: Vec::new(),
        notes: Vec::new(),
        changes: done.iter().map(|commit| commit.changes).collect(),
    };
    for commit in done {
        judged.findings.extend(commit.findings);
        judged.notes.extend(commit.note);
    }
    Ok(judged)
}

/// The result for one commit.
struct JudgedCommit {
    /// Its position.
    at: usize,
    /// The number of its own changes.
    changes: usize,
    findings: Vec<Finding>,
    /// That it is an exact revert, if that excuses anything.
    note: Option<String>,
}

/// The number of commits per batch; neighbours share most of their trees.
const BATCH: usize = 32;

/// Commits that threads take in batches.
struct CommitQueue<'a> {
    commits: &'a [Commit],
    /// The tree of each commit.
    trees: HashMap<ObjectId, ObjectId>,
    /// The merge base.
    base: Option<ObjectId>,
    merges: Merges,
    policy: &'a Policy,
    /// The approvals in the messages of the range.
    commit_approvals: &'a CommitApprovals,
    batches: Batches,
    progress: &'a Progress<'a>,
}

impl CommitQueue<'_> {
    /// Judges batches until none is left.
    fn run(&self, objects: &Objects) -> Result<Vec<JudgedCommit>> {
        let base = Tree::of_commit(objects, self.base)?;
        let mut done = Vec::new();
        while let Some(batch) = self.batches.take() {
            for at in batch {
                let judged = self.judge(objects, &base, at, &self.commits[at]);
                done.push(judged.inspect_err(|_| self.batches.stop())?);
                (self.progress)(at + 1, self.commits.len());
            }
        }
        Ok(done)
    }

    fn judge(
        &self,
        objects: &Objects,
        base: &Tree<'_>,
        place: usize,
        commit: &Commit,
    ) -> Result<JudgedCommit> {
        let id = commit.id;
        let mut judged = JudgedCommit {
            at: place,
            changes: 0,
            findings: Vec::new(),
            note: None,
        };
        let tree = Tree::at(objects, commit.tree);
        let OwnChanges { changes, merged } =
            merge_commits::of_commit(objects, &self.merges, &commit.parents, &tree)?;
        if changes.is_empty() {
            return Ok(judged);
        }
        judged.changes = changes.len();
        let judge = Judge {
            objects,
            policy: self.policy,
            base: Some(base),
            result: GitTree::Tree(&tree),
            // Only the findings on single commits are reported.
            precision: Precision::Verdict,
            earlier: &|| {
                let parent = Tree::of_commit(objects, commit.parents.first().copied())?;
                changes_between(objects, base.id(), parent.id())
            },
        };
        let changes = judge.measure(changes, &merged)?.all;
        let merge_base = merge_base::at(base, self.policy, &changes)?;
        let mut findings =
            judge.check(&changes, &merge_base, &self.commit_approvals.counted_in(id))?;
        if !merged.is_merge
            && findings.iter().any(reverts::may_be_excused)
            && let Some(&parent) = commit.parents.first()
        {
            let changes = changes.iter().map(|one| &one.change);
            if let Some(reverted) = reverts::reverted(objects, parent, changes)?
                && !self.is_merge_of_target(reverted)
                && reverts::excuse(
                    self.policy,
                    self.trees.contains_key(&reverted),
                    &mut findings,
                )
            {
                let note = reverts::note(reverted);
                judged.note = Some(format!("commit {}: {note}", id.to_hex_with_len(12)));
            }
        }
        self.commit_approvals.tell(&mut findings, Some(id));
        for finding in &mut findings {
            finding.message += &format!(" (in commit {})", id.to_hex_with_len(12));
            finding.details.insert("commit", id.to_string().into());
            finding.commit = Some(place);
        }
        judged.findings = findings;
        Ok(judged)
    }

    /// Whether a commit of the range merged what existed before.
    fn is_merge_of_target(&self, commit: ObjectId) -> bool {
        let found = self.commits.iter().find(|one| one.id == commit);
        let mut others = found.into_iter().flat_map(|one| one.parents.iter().skip(1));
        others.any(|parent| !self.trees.contains_key(parent))
    }
}
