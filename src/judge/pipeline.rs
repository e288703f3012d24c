//! The pipeline of every judgement: load the policy, check approvals, measure changes, find the merge base, run the
//! rules. Each source (staged changes, a commit, a range) provides its input.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::BString;

use super::approvals::{CommitApprovals, WholeRange};
use super::criss_cross::MergeBases;
use super::measured_changes::MeasuredChanges;
use super::merge_commits::MergedContents;
use super::policy_loader::{PolicyInputs, load_for_changes};
use super::reverts::Reverted;
use super::steps::Judge;
use super::{Collect, Options, merge_base, reverts, review};
use crate::approval::Approval;
use crate::change::Change;
use crate::error::Result;
use crate::finding::{Finding, Level, Rule};
use crate::git::{Commit, Objects, Repository, changes_between};
use crate::measure::Class;
use crate::policy::design::Design;
use crate::policy::{Governing, Policy, Stage};
use crate::rules::MeasuredChange;
use crate::verdict::{DesignUsed, JudgedChange, Review, ReviewCommit, Source, Texts, Verdict};

/// The input from a source.
pub(super) struct Input<'a> {
    /// What to judge, and against what.
    pub(super) policy: PolicyInputs<'a>,
    pub(super) changes: Vec<Change>,
    /// What git merged, if a commit is a merge.
    pub(super) merged: &'a MergedContents,
    /// The merge bases of a range.
    pub(super) merge_bases: Option<&'a MergeBases<'a>>,
    /// The commits whose trailers may contain approvals.
    pub(super) commits: &'a [Commit],
    /// Commits that existed before the range, such as the tip of the target branch.
    pub(super) known: &'a [ObjectId],
    /// The approvals of this repository, which count without a signature.
    pub(super) approvals: &'a [Approval],
}

/// A finished judgement and its input.
pub(super) struct Judged<'a> {
    pub(super) objects: &'a Objects,
    /// The commit compared with.
    pub(super) base: Option<ObjectId>,
    /// The branch whose design was looked for.
    pub(super) branch: Option<BString>,
    pub(super) policy: Policy,
    pub(super) changes: MeasuredChanges,
    pub(super) findings: Vec<Finding>,
    /// The approvals in the trailers of the commits.
    pub(super) commit_approvals: CommitApprovals,
    /// The paths of approved changes.
    approved: HashSet<BString>,
    /// The approvals that count for a commit or a request.
    counted: Vec<Approval>,
    collect: Collect,
    /// The commits of a range, each judged on its own; for the review page.
    pub(super) commits: Vec<ReviewCommit>,
}

/// Runs the pipeline.
///
/// # Errors
/// No design, an unusable design, or settings or objects that cannot be read.
pub(super) fn judge<'a>(
    repo: &'a Repository,
    input: Input<'_>,
    options: &Options,
) -> Result<Judged<'a>> {
    let (stage, base_commit) = (input.policy.stage, input.policy.base);
    let (result, mut changes) = (input.policy.proposal, input.changes);
    let (branch, head) = (input.policy.branch.clone(), input.policy.head);
    let (objects, base) = (repo.objects(), repo.tree_of(base_commit)?);

    let mut policy = load_for_changes(repo, input.policy, &changes, options)?;
    let (settings, known) = (&policy.settings, input.known);
    let commit_approvals =
        CommitApprovals::judge(repo, input.commits, settings, base_commit, known)?;
    if let Some(bases) = input.merge_bases {
        bases.worst(objects, &settings.thresholds, &mut changes)?;
    }
    policy.notes.extend_from_slice(&commit_approvals.notes);

    let judge = Judge {
        objects,
        policy: &policy,
        base: Some(&base),
        result,
        precision: options.precision,
        earlier: &|| {
            let target = policy.settings.base.as_deref();
            match merge_base::commit(repo, target, base_commit) {
                Ok(Some(first)) if stage == Stage::Commit => {
                    changes_between(objects, repo.tree_of(Some(first))?.id(), base.id())
                }
                // In doubt, lines of earlier commits do not count.
                _ => Ok(Vec::new()),
            }
        },
    };
    let changes = judge.measure(changes, input.merged)?;
    let mut counted = Vec::new();
    let (mut findings, approved) = match stage {
        Stage::Range => {
            let merge_base = merge_base::of_old_sides(&policy, &changes.all);
            let mut findings = judge.check(&changes.all, &merge_base, &[])?;
            let range = WholeRange {
                judge: &judge,
                changes: &changes,
                merge_base: &merge_base,
            };
            let approved = range.clear(&commit_approvals, &mut findings)?;
            (findings, approved)
        }
        Stage::Commit | Stage::Step | Stage::Request => {
            let merge_base = merge_base::look_up(repo, &policy, base_commit, &changes.all)?;
            counted.extend_from_slice(input.approvals);
            for commit in input.commits {
                counted.extend(commit_approvals.counted_in(commit.id));
            }
            let findings = judge.check(&changes.all, &merge_base, &counted)?;
            let is_approved = |change: &Change| counted.iter().any(|one| one.is_for(change));
            let changes = changes.all.iter().map(|measured| &measured.change);
            let approved = changes.filter(|change| is_approved(change));
            (
                findings,
                approved.map(|change| change.path.clone()).collect(),
            )
        }
    };
    let is_reverting = policy.reverts.is_some();
    // In a merge, the changes are not the whole commit.
    let may_revert = !input.merged.is_merge && findings.iter().any(reverts::may_be_excused);
    if let Some(base) = base_commit.filter(|_| is_reverting || may_revert) {
        let changes = changes.all.iter().map(|one| &one.change);
        let reverted = match policy.reverts {
            None => reverts::reverted_above(repo, &policy.settings, stage, base, head, changes)?,
            Some(commit) => Some(Reverted {
                commit,
                is_own: false,
            }),
        };
        if let Some(Reverted { commit, is_own }) = reverted
            && (reverts::excuse(&policy, is_own, &mut findings) || is_reverting)
        {
            policy.reverts = Some(commit);
            policy.notes.push(reverts::note(commit));
        }
    }
    commit_approvals.tell(&mut findings, None);
    findings.extend(document_faults(&policy));
    Ok(Judged {
        objects,
        base: base_commit,
        branch,
        policy,
        changes,
        findings,
        commit_approvals,
        approved,
        counted,
        collect: options.collect,
        commits: Vec::new(),
    })
}

/// Rows that could not be parsed grant nothing; guard only warns about them. Of the passages that guard does not read,
/// it names the first one of each design.
fn document_faults(policy: &Policy) -> Vec<Finding> {
    let level = |finding: &Finding| policy.settings.level(finding.rule);
    let of_design = |design: &Design| {
        let (unread, faults): (Vec<_>, Vec<_>) = design
            .findings()
            .into_iter()
            .partition(|finding| finding.rule == Rule::DesignUnread);
        let errors = faults
            .into_iter()
            .filter(|finding| finding.level == Level::Error);
        errors.chain(first_of(unread)).collect::<Vec<_>>()
    };
    policy
        .designs
        .iter()
        .flat_map(|governing| of_design(&governing.design))
        .filter(|finding| level(finding).is_some())
        .map(|mut finding| {
            finding.level = Level::Warning;
            finding
        })
        .collect()
}

/// The first finding, which says how many more there are.
fn first_of(findings: Vec<Finding>) -> Option<Finding> {
    let more = findings.len().saturating_sub(1);
    let first = findings.into_iter().next()?;
    Some(match more {
        0 => first,
        1 => first.help("`guard scope check` shows 1 more passage that guard does not read"),
        _ => first.help(format!(
            "`guard scope check` shows {more} more passages that guard does not read"
        )),
    })
}

impl<'a> Judged<'a> {
    /// The same without a repository, and so without approvals.
    pub(super) fn unapproved(
        objects: &'a Objects,
        policy: Policy,
        changes: MeasuredChanges,
        mut findings: Vec<Finding>,
    ) -> Judged<'a> {
        findings.extend(document_faults(&policy));
        Judged {
            objects,
            base: None,
            branch: None,
            policy,
            changes,
            findings,
            commit_approvals: CommitApprovals::default(),
            approved: HashSet::new(),
            counted: Vec::new(),
            collect: Collect::Nothing,
            commits: Vec::new(),
        }
    }

    /// The verdict on the changes from `source`.
    ///
    /// # Errors
    /// A content to show cannot be read.
    pub(super) fn verdict(mut self, source: Source) -> Result<Verdict> {
        let source = Source {
            reverts: self.policy.reverts.map(|commit| commit.to_string()),
            ..source
        };
        let review = self.review()?;
        let changes = std::mem::take(&mut self.changes.all).into_iter();
        let changes = changes.map(|change| self.judged_change(change));
        Ok(Verdict {
            source,
            changes: changes.collect::<Result<_>>()?,
            designs: designs_used(&self.policy),
            texts: texts(&self.policy),
            notes: self.policy.notes,
            findings: self.findings,
            review,
        })
    }

    /// What the reader asked for beyond findings and changes.
    fn review(&mut self) -> Result<Option<Box<Review>>> {
        if self.collect == Collect::Nothing {
            return Ok(None);
        }
        let mut review = review::rows(&self.policy, &self.changes.all, &self.findings);
        review.hunks = review::hunks(self.objects, &self.changes, &self.findings)?;
        review.approvals =
            review::approvals(&self.commit_approvals, &self.counted, &self.changes.all);
        review.commits = std::mem::take(&mut self.commits);
        Ok(Some(Box::new(review)))
    }

    fn judged_change(&self, judged: MeasuredChange) -> Result<JudgedChange> {
        let MeasuredChange {
            change,
            measured,
            moved_to,
            ..
        } = judged;
        let shown = match measured {
            Some(measured) if measured.destroys() => {
                Some(self.changes.excerpts(self.objects, &change)?)
            }
            _ => None,
        };
        let (preview, deleted) = shown.map(|shown| (shown.preview, shown.deleted)).unzip();
        Ok(JudgedChange {
            action: change.action().name(),
            approved: self.approved.contains(&change.path),
            path: change.path,
            from: change.new.and(change.renamed),
            class: measured
                .map_or(Class::Modify, |measured| measured.class)
                .name(),
            original_lines: measured.and_then(|measured| measured.original_lines),
            new_lines: measured.and_then(|measured| measured.new_lines),
            lost_share: measured.and_then(|measured| measured.lost_share()),
            reformatted: measured.is_some_and(|measured| measured.reformatted),
            moved_to: moved_to.into_iter().map(|to| (to.path, to.lines)).collect(),
            preview,
            deleted,
        })
    }
}

pub(super) fn designs_used(policy: &Policy) -> Vec<DesignUsed> {
    let used = |governing: &Governing| DesignUsed {
        path: governing.design.path.clone(),
        from: governing.origin.name(),
        selected_by: governing.chosen_by.to_string(),
        grants: governing.design.grants.len(),
    };
    policy.designs.iter().map(used).collect()
}

/// The documents that findings may refer to.
pub(super) fn texts(policy: &Policy) -> Texts {
    policy
        .designs
        .iter()
        .map(|governing| (governing.design.path.clone(), governing.design.text.clone()))
        .collect()
}
