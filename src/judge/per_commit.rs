//! Judges every commit of a range, because the net difference hides what was done and undone.

use gix::ObjectId;

use super::approvals::CommitApprovals;
use super::excuses;
use super::measured_changes::{Judge, for_each};
use super::merge_commits::{self, OwnChanges};
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::git::{Commit, Objects, Range, Repository, Tree, changes_between};
use crate::measure::Precision;
use crate::policy::{Policy, Stage};
use crate::rules;

/// Reports how many of how many commits are judged.
pub type Progress<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// The result for one commit.
#[derive(Default)]
pub(super) struct JudgedCommit {
    pub(super) findings: Vec<Finding>,
    /// That it is an exact revert, if that excuses anything.
    pub(super) note: Option<String>,
}

/// Judges each commit of the range by the policy of the range, in commit order.
pub(super) fn judge(
    repo: &Repository,
    range: &Range,
    policy: &Policy,
    commit_approvals: &CommitApprovals,
    progress: &Progress<'_>,
) -> Result<Vec<JudgedCommit>> {
    if range.is_cut {
        return Err(Error::new(
            "the clone is shallow and lacks some commits of the range, so guard cannot check each commit",
        )
        .help("run `git fetch --unshallow`"));
    }
    let policy = Policy {
        stage: Stage::Step,
        ..policy.clone()
    };
    let objects = repo.objects().remembering();
    let commits = &range.commits;
    let judge = CommitJudge {
        commits,
        base: repo.tree_of(range.base)?.id(),
        policy: &policy,
        commit_approvals,
    };
    let work = |objects: &Objects, at: usize| {
        let judged = judge.judge(objects, at)?;
        progress(at + 1, commits.len());
        Ok(judged)
    };
    for_each(commits.len(), &objects, work)
}

/// Judges single commits.
struct CommitJudge<'a> {
    commits: &'a [Commit],
    /// The tree of the merge base.
    base: ObjectId,
    policy: &'a Policy,
    /// The approvals in the messages of the range.
    commit_approvals: &'a CommitApprovals,
}

impl CommitJudge<'_> {
    fn judge(&self, objects: &Objects, at: usize) -> Result<JudgedCommit> {
        let commit = &self.commits[at];
        let (base, tree) = (Tree::at(objects, self.base), Tree::at(objects, commit.tree));
        let OwnChanges { changes, merged } =
            merge_commits::of_commit(objects, &commit.parents, &tree)?;
        let mut judged = JudgedCommit::default();
        if changes.is_empty() {
            return Ok(judged);
        }
        let judge = Judge {
            objects,
            policy: self.policy,
            base: Some(&base),
            result: &tree,
            // Only the findings on single commits are reported.
            precision: Precision::Verdict,
            earlier: &|| {
                let parent = Tree::of_commit(objects, commit.parents.first().copied())?;
                changes_between(objects, base.id(), parent.id())
            },
            merge_base: &|path| base.get(path).map(Some),
        };
        let changes = judge.measure(changes, &merged)?;
        let approvals = self.commit_approvals.counted_in(commit.id);
        let mut findings = judge.check(&changes, &approvals)?;
        let short = commit.id.to_hex_with_len(12);
        if !merged.is_merge
            && findings.iter().any(rules::can_be_cleared)
            && let Some(&parent) = commit.parents.first()
        {
            let changes = changes.iter().map(|one| &one.change);
            if let Some(reverted) = excuses::reverted(objects, parent, changes)?
                && !self.is_merge_of_target(reverted)
            {
                let is_own = self.is_new(reverted);
                let note = || format!("commit {short}: {}", excuses::note(reverted));
                judged.note = excuses::excuse(self.policy, is_own, &mut findings).then(note);
            }
        }
        self.commit_approvals.tell(&mut findings, Some(commit.id));
        for finding in &mut findings {
            finding.message += &format!(" (in commit {short})");
            finding
                .details
                .insert("commit", commit.id.to_string().into());
            finding.commit = Some(at);
        }
        judged.findings = findings;
        Ok(judged)
    }

    /// Whether the range brings this commit.
    fn is_new(&self, commit: ObjectId) -> bool {
        self.commits.iter().any(|one| one.id == commit)
    }

    /// Whether a commit of the range merged what existed before.
    fn is_merge_of_target(&self, commit: ObjectId) -> bool {
        let found = self.commits.iter().find(|one| one.id == commit);
        let mut others = found.into_iter().flat_map(|one| one.parents.iter().skip(1));
        others.any(|parent| !self.is_new(*parent))
    }
}
