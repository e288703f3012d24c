//! Judges every commit of a range, because the net difference hides what was done and undone.

use super::measured_changes::{Judge, for_each};
use super::merge_commits;
use super::reverts::Revert;
use crate::approvals::CommitApprovals;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Finding;
use write_guard_policy::measure::Precision;
use write_guard_policy::policy::{Policy, Stage};
use write_guard_policy::rules;
use write_guard_repo::{Commit, Range, Repository, Tree, changes_between};

/// The result for one commit.
#[derive(Default)]
pub(super) struct JudgedCommit {
    pub(super) findings: Vec<Finding>,
    /// That it is an exact revert, if that excuses anything.
    pub(super) note: Option<String>,
}

/// Judges each commit of the range by the policy of the range, in commit order.
pub(crate) fn judge(
    repo: &Repository,
    range: &Range,
    policy: &Policy,
    commit_approvals: &CommitApprovals,
) -> Result<Vec<JudgedCommit>> {
    if range.is_cut {
        return Err(Error::new(
            "the clone is shallow and lacks some commits of the range, so guard cannot check each \
             commit",
        )
        .help("run `git fetch --unshallow`"));
    }
    let policy = Policy {
        stage: Stage::Step,
        ..policy.clone()
    };
    let commits = &range.commits;
    let base = repo.tree_of(range.base)?.id();
    let remembering = repo.objects().remembering();
    for_each(commits.len(), &remembering, |objects, at| {
        let commit: &Commit = &commits[at];
        let base = Tree::at(objects, base);
        let tree = Tree::at(objects, commit.tree);
        let (changes, merged) = merge_commits::of_commit(objects, &commit.parents, &tree)?;
        let mut judged = JudgedCommit::default();
        if changes.is_empty() {
            return Ok(judged);
        }
        let judge = Judge {
            objects,
            policy: &policy,
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
        let measured = judge.measure(&changes, &merged)?;
        let approvals = commit_approvals.counted_in(commit.id);
        let mut findings = judge.check(&measured, &approvals)?;
        let short = commit.id.to_hex_with_len(12);
        if !merged.is_merge
            && findings.iter().any(rules::can_be_cleared)
            && let Some(&parent) = commit.parents.first()
            && let Some(revert) = Revert::find(objects, parent, &changes, |id| {
                Ok(commits.iter().any(|one| one.id == id))
            })?
            && revert.excuse(objects, &changes, &policy, &mut findings)?
        {
            judged.note = Some(format!("commit {short}: {}", revert.note()));
        }
        commit_approvals.tell(&mut findings, Some(commit.id));
        for finding in &mut findings {
            finding.message += &format!(" (in commit {short})");
            finding
                .details
                .insert("commit", commit.id.to_string().into());
            finding.commit = Some(at);
        }
        judged.findings = findings;
        Ok(judged)
    })
}
