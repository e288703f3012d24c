//! The pipeline of every judgement: load the policy, check approvals, measure the changes, run the rules.

use std::collections::HashSet;

use gix::bstr::BString;

use super::document_faults::document_faults;
use super::facts::{JudgementFacts, old_state};
use super::measured_changes::Judge;
use super::policy_loader::load_for_changes;
use super::suggestions::suggestions;
use super::{Options, reverts, review};
use crate::approvals::CommitApprovals;
use write_guard_policy::error::Result;
use write_guard_policy::finding::Finding;
use write_guard_policy::measure::Class;
use write_guard_policy::policy::{Policy, Stage};
use write_guard_policy::rules::MeasuredChange;
use write_guard_policy::verdict::{
    DesignUsed, JudgedChange, Review, RowSuggestions, Source, Texts, Verdict,
};
use write_guard_repo::{Objects, changes_between, real_path};

/// A finished judgement and what it rests on.
pub(super) struct Judged {
    pub(super) objects: Objects,
    pub(super) source: Source,
    pub(super) policy: Policy,
    pub(super) changes: Vec<MeasuredChange>,
    pub(super) findings: Vec<Finding>,
    /// The approvals in the trailers of the commits.
    pub(super) commit_approvals: CommitApprovals,
    /// The paths of approved changes.
    pub(super) approved: HashSet<BString>,
    /// What the reader asked for beyond findings and changes.
    pub(super) review: Option<Box<Review>>,
    pub(super) suggestions: RowSuggestions,
}

/// Runs the pipeline.
///
/// # Errors
/// No design, an unusable design, or settings or objects that cannot be read.
pub(crate) fn judge(facts: JudgementFacts<'_>, options: &Options) -> Result<Judged> {
    let mut policy = load_for_changes(&facts, options)?;
    let repo = facts.repo;
    let objects = facts.repo.objects();
    let commit_approvals = CommitApprovals::judge(&facts, &policy.settings)?;
    policy.notes.extend_from_slice(&commit_approvals.notes);
    let is_range = facts.stage == Stage::Range;
    let base = &facts.base;
    let target = policy.settings.base.as_deref();
    let judge = Judge {
        objects,
        policy: &policy,
        base: Some(&base.tree),
        result: &facts.result,
        precision: options.precision,
        earlier: &|| match base.merge_base(repo, target) {
            Ok(Some((_, first))) if facts.stage == Stage::Commit => {
                changes_between(objects, first.id(), base.tree.id())
            }
            // In doubt, lines of earlier commits do not count.
            _ => Ok(Vec::new()),
        },
        merge_base: &|path| {
            if is_range && !facts.is_part {
                // With several merge bases, each change is compared with one of them.
                Ok(old_state(&facts.changes, path))
            } else {
                base.at_merge_base(repo, target, path)
            }
        },
    };
    let changes = judge.measure(&facts.changes, &facts.merged)?;
    let mut counted = Vec::new();
    if !is_range {
        counted.extend_from_slice(&options.approvals);
        let of_commits = facts.commits.iter();
        counted.extend(of_commits.flat_map(|commit| commit_approvals.counted_in(commit.id)));
    }
    let mut findings = judge.check(&changes, &counted)?;
    let approved = if is_range {
        commit_approvals.clear(&judge, &changes, &mut findings)?
    } else {
        let approved = facts
            .changes
            .iter()
            .filter(|one| counted.iter().any(|approval| approval.is_for(one)));
        approved.map(|change| change.path.clone()).collect()
    };
    reverts::excuse_revert(&facts, &mut policy, &mut findings)?;
    commit_approvals.tell(&mut findings, None);
    findings.extend(document_faults(&facts, &policy)?);
    Ok(Judged {
        objects: objects.clone(),
        source: source(&facts),
        suggestions: suggestions(&facts, &policy, &findings, options)?,
        review: options.for_page.then(|| review_of(&commit_approvals)),
        policy,
        changes,
        findings,
        commit_approvals,
        approved,
    })
}

/// What the page shows beside the verdict, without its rows and commits.
fn review_of(commit_approvals: &CommitApprovals) -> Box<Review> {
    Box::new(Review {
        approvals: commit_approvals.all.clone(),
        ..Review::default()
    })
}

fn source(facts: &JudgementFacts<'_>) -> Source {
    let base = facts.base.commit.map(|id| id.to_string());
    let is_committed = facts.head.is_some();
    Source {
        kind: facts.source,
        base: base.or_else(|| is_committed.then(|| facts.base.tree.id().to_string())),
        head: facts.head.map(|id| id.to_string()),
        repository: facts.repo.config("remote.origin.url").or_else(|| {
            let directory = real_path(facts.repo.workdir().ok()?).ok()?;
            Some(gix::path::into_bstr(directory).ok()?.into_owned())
        }),
        branch: facts.branch.clone(),
        reverts: None,
    }
}

impl Judged {
    /// The verdict.
    ///
    /// # Errors
    /// A content to show cannot be read.
    pub(super) fn verdict(mut self) -> Result<Verdict> {
        if let Some(review) = &mut self.review {
            review.rows = review::rows(&self.policy, &self.changes, &self.findings);
        }
        let changes = &self.changes;
        let for_page = self.review.is_some();
        let mut previews = review::previews(&self.objects, changes, &self.findings, for_page)?;
        Ok(Verdict {
            changes: self
                .changes
                .into_iter()
                .map(|one| {
                    let preview = previews.remove(&one.change.path);
                    judged_change(one, preview, &self.approved)
                })
                .collect(),
            source: Source {
                reverts: self.policy.reverts.map(|commit| commit.to_string()),
                ..self.source
            },
            designs: designs_used(&self.policy),
            texts: texts(&self.policy),
            notes: self.policy.notes,
            findings: self.findings,
            suggestions: self.suggestions,
            review: self.review,
        })
    }
}

fn judged_change(
    judged: MeasuredChange,
    preview: Option<String>,
    approved: &HashSet<BString>,
) -> JudgedChange {
    let change = judged.change;
    let measured = judged.measured;
    let class = measured.map_or(Class::Modify, |measured| measured.class);
    JudgedChange {
        action: change.action().name(),
        approved: approved.contains(&change.path),
        path: change.path,
        from: change.new.and(change.renamed),
        class: class.name(),
        original_lines: measured.and_then(|measured| measured.original_lines),
        new_lines: measured.and_then(|measured| measured.new_lines),
        lost_share: measured.and_then(|measured| measured.lost_share()),
        lost_of_all: measured.map(|measured| measured.lost.all.share()),
        reformatted: measured.is_some_and(|measured| measured.reformatted),
        moved_to: judged.moved_to,
        preview,
    }
}

pub(super) fn designs_used(policy: &Policy) -> Vec<DesignUsed> {
    policy
        .designs
        .iter()
        .map(|governing| DesignUsed {
            path: governing.design.path.clone(),
            from: governing.origin.clone(),
            selected_by: governing.chosen_by.to_string(),
            grants: governing.design.grants.len(),
            is_standing: governing.is_standing(),
        })
        .collect()
}

/// The documents that findings may refer to.
pub(super) fn texts(policy: &Policy) -> Texts {
    let designs = policy.designs.iter().map(|governing| &governing.design);
    designs
        .map(|design| (design.path.clone(), design.text.clone()))
        .collect()
}
