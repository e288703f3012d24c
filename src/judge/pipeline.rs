//! The pipeline of every judgement: load the policy, check approvals, measure the changes, run the rules.

use std::collections::HashSet;

use gix::bstr::{BString, ByteSlice};

use super::approvals::CommitApprovals;
use super::facts::{JudgementFacts, old_state};
use super::measured_changes::{Judge, for_each};
use super::policy_loader::load_for_changes;
use super::{Options, excuses, review};
use crate::approve::Approval;
use crate::change::Change;
use crate::error::Result;
use crate::finding::{Finding, Level, Rule};
use crate::git::{Objects, changes_between};
use crate::measure::{Class, unified_preview};
use crate::policy::{Governing, Policy, Stage};
use crate::rules::MeasuredChange;
use crate::verdict::{DesignUsed, JudgedChange, Review, ReviewCommit, Source, Texts, Verdict};

/// Lines of a preview: about a screenful with the finding.
const PREVIEW_LINES: usize = 20;

/// A finished judgement and what it rests on.
pub(super) struct Judged {
    pub(super) objects: Objects,
    source: Source,
    pub(super) policy: Policy,
    pub(super) changes: Vec<MeasuredChange>,
    pub(super) findings: Vec<Finding>,
    /// The approvals in the trailers of the commits.
    pub(super) commit_approvals: CommitApprovals,
    /// The paths of approved changes.
    approved: HashSet<BString>,
    /// The approvals that count for a commit or a request.
    counted: Vec<Approval>,
    for_page: bool,
    /// The commits of a range, each judged on its own; for the review page.
    pub(super) commits: Vec<ReviewCommit>,
}

/// Runs the pipeline.
///
/// # Errors
/// No design, an unusable design, or settings or objects that cannot be read.
pub(super) fn judge(mut facts: JudgementFacts<'_>, options: &Options) -> Result<Judged> {
    let mut policy = load_for_changes(&facts, options)?;
    let mut changes = std::mem::take(&mut facts.changes);
    let (repo, objects, base) = (facts.repo, facts.repo.objects(), &facts.base);
    let commit_approvals = CommitApprovals::judge(&facts, &policy.settings)?;
    policy.notes.extend_from_slice(&commit_approvals.notes);
    if let Some(bases) = facts.merge_bases {
        bases.worst(objects, &policy.settings.thresholds, &mut changes)?;
    }
    let is_range = facts.stage == Stage::Range;
    let target = policy.settings.base.as_deref();
    // With several merge bases, each change is compared with one of them.
    let of_range = changes.iter().filter(|_| is_range);
    let of_range: Vec<Change> = of_range.cloned().collect();
    let judge = Judge {
        objects,
        policy: &policy,
        base: Some(base.tree()),
        result: &facts.result,
        precision: options.precision,
        earlier: &|| match base.merge_base(repo, target) {
            Ok(Some((_, first))) if facts.stage == Stage::Commit => {
                changes_between(objects, first.id(), base.tree().id())
            }
            // In doubt, lines of earlier commits do not count.
            _ => Ok(Vec::new()),
        },
        merge_base: &|path| match is_range {
            true => Ok(old_state(&of_range, path)),
            false => base.at_merge_base(repo, target, path),
        },
    };
    let changes = judge.measure(changes, &facts.merged)?;
    let mut counted = Vec::new();
    if !is_range {
        counted.extend_from_slice(&options.approvals);
        let of_commits = facts.commits.iter();
        counted.extend(of_commits.flat_map(|commit| commit_approvals.counted_in(commit.id)));
    }
    let mut findings = judge.check(&changes, &counted)?;
    let approved = match is_range {
        true => commit_approvals.clear(&judge, &changes, &mut findings)?,
        false => {
            let is_approved =
                |one: &&MeasuredChange| counted.iter().any(|approval| approval.is_for(&one.change));
            let approved = changes.iter().filter(is_approved);
            approved.map(|one| one.change.path.clone()).collect()
        }
    };
    excuses::excuse_revert(&facts, &mut policy, &changes, &mut findings)?;
    commit_approvals.tell(&mut findings, None);
    let (objects, source) = (objects.clone(), source(&facts));
    Ok(Judged {
        commit_approvals,
        approved,
        counted,
        for_page: options.for_page,
        ..Judged::unapproved(objects, source, policy, changes, findings)
    })
}

fn source(facts: &JudgementFacts<'_>) -> Source {
    let base = facts.base.commit().map(|id| id.to_string());
    let is_committed = facts.head.is_some();
    Source {
        kind: facts.source,
        base: base.or_else(|| is_committed.then(|| facts.base.tree().id().to_string())),
        head: facts.head.map(|id| id.to_string()),
        repository: facts.repo.config("remote.origin.url").or_else(|| {
            let directory = facts.repo.workdir().ok()?.canonicalize().ok()?;
            Some(gix::path::into_bstr(directory).ok()?.into_owned())
        }),
        branch: facts.branch.clone(),
        reverts: None,
    }
}

/// Rows that could not be parsed grant nothing; guard only warns about them. Of the passages that guard does not read,
/// it names the first one of each design.
fn document_faults(policy: &Policy) -> Vec<Finding> {
    let mut all = Vec::new();
    for governing in &policy.designs {
        let mut is_first = true;
        for mut finding in governing.design.findings() {
            let is_unread = finding.rule == Rule::DesignUnread;
            if if is_unread {
                is_first
            } else {
                finding.level == Level::Error
            } {
                finding.level = Level::Warning;
                all.push(finding);
            }
            is_first &= !is_unread;
        }
    }
    all
}

impl Judged {
    /// Without approvals, as where there is no repository.
    pub(super) fn unapproved(
        objects: Objects,
        source: Source,
        policy: Policy,
        changes: Vec<MeasuredChange>,
        mut findings: Vec<Finding>,
    ) -> Judged {
        findings.extend(document_faults(&policy));
        Judged {
            objects,
            source,
            policy,
            changes,
            findings,
            commit_approvals: CommitApprovals::default(),
            approved: HashSet::new(),
            counted: Vec::new(),
            for_page: false,
            commits: Vec::new(),
        }
    }

    /// The verdict.
    ///
    /// # Errors
    /// A content to show cannot be read.
    pub(super) fn verdict(mut self) -> Result<Verdict> {
        let review = self.review()?;
        let changes = std::mem::take(&mut self.changes);
        let previews = for_each(changes.len(), &self.objects, |objects, at| {
            preview(objects, &changes[at])
        })?;
        let judged = |(one, preview)| judged_change(one, preview, &self.approved);
        let changes = changes.into_iter().zip(previews).map(judged).collect();
        Ok(Verdict {
            changes,
            source: Source {
                reverts: self.policy.reverts.map(|commit| commit.to_string()),
                ..self.source
            },
            designs: designs_used(&self.policy),
            texts: texts(&self.policy),
            notes: self.policy.notes,
            findings: self.findings,
            review,
        })
    }

    /// What the reader asked for beyond findings and changes.
    fn review(&mut self) -> Result<Option<Box<Review>>> {
        if !self.for_page {
            return Ok(None);
        }
        Ok(Some(Box::new(Review {
            rows: review::rows(&self.policy, &self.changes, &self.findings),
            hunks: review::hunks(&self.objects, &self.changes, &self.findings)?,
            approvals: review::approvals(&self.commit_approvals, &self.counted, &self.changes),
            commits: std::mem::take(&mut self.commits),
        })))
    }
}

/// The unified diff of a destructive change.
fn preview(objects: &Objects, judged: &MeasuredChange) -> Result<Option<String>> {
    if !judged.measured.is_some_and(|measured| measured.destroys()) {
        return Ok(None);
    }
    let change = &judged.change;
    let (old, new) = objects.both(judged.compared, change.new)?;
    let from = change.renamed.as_ref().unwrap_or(&change.path);
    let (from, to) = (from.to_str_lossy(), change.path.to_str_lossy());
    let shown = unified_preview(&old, &new, &from, &to, PREVIEW_LINES);
    Ok(Some(shown))
}

fn judged_change(
    judged: MeasuredChange,
    preview: Option<String>,
    approved: &HashSet<BString>,
) -> JudgedChange {
    let (change, measured) = (judged.change, judged.measured);
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
        reformatted: measured.is_some_and(|measured| measured.reformatted),
        moved_to: judged.moved_to,
        preview,
    }
}

pub(super) fn designs_used(policy: &Policy) -> Vec<DesignUsed> {
    let used = |governing: &Governing| DesignUsed {
        path: governing.design.path.clone(),
        from: governing.origin.clone(),
        selected_by: governing.chosen_by.clone(),
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
