//! Collects what the review page shows beyond findings and changes.

use std::cmp::Reverse;
use std::collections::HashMap;

use gix::bstr::{BStr, BString};

use super::approvals::CommitApprovals;
use crate::approve::Approval;
use crate::error::Result;
use crate::finding::{Finding, refused_paths};
use crate::git::{Commit, Objects, Range, Repository};
use crate::measure::{Class, is_binary, unified_preview};
use crate::policy::Policy;
use crate::rules::{MeasuredChange, place};
use crate::verdict::{ReviewApproval, ReviewCommit, ReviewRow};

/// The most lines of a file.
const LINES: usize = 400;
/// The most text of all files together. The page holds 5 MB with its markup.
const TEXT: usize = 1 << 20;
/// The longest version to compare. Of a longer one, the page gives the counts only.
const MOST_BYTES: usize = 4 << 20;
/// The most versions to read, which bounds the time that many small files take.
const MOST_FILES: usize = 400;

/// The rows of the designs, with the changes that they cover.
pub(super) fn rows(
    policy: &Policy,
    changes: &[MeasuredChange],
    findings: &[Finding],
) -> Vec<ReviewRow> {
    let mut rows = Vec::new();
    let mut place_of: HashMap<(&BStr, usize), usize> = HashMap::new();
    for governing in &policy.designs {
        for grant in &governing.design.grants {
            place_of.insert(place(grant), rows.len());
            rows.push(ReviewRow {
                grant: grant.clone(),
                in_force: governing.in_force,
                touched: 0,
                refused: 0,
            });
        }
    }
    let refused = refused_paths(findings);
    for changed in changes {
        let covering = policy
            .scope
            .iter()
            .flat_map(|scope| scope.lookup(changed.path()).grants);
        for at in covering.filter_map(|grant| place_of.get(&place(grant))) {
            rows[*at].touched += 1;
            rows[*at].refused += usize::from(refused.contains(&changed.change.path));
        }
    }
    rows
}

/// The hunks of refused, replaced and deleted files, the refused and the largest first, as far as they fit on the page.
///
/// # Errors
/// A blob cannot be read.
pub(super) fn hunks(
    objects: &Objects,
    changes: &[MeasuredChange],
    findings: &[Finding],
) -> Result<HashMap<BString, String>> {
    let refused = refused_paths(findings);
    let is_wanted = |changed: &&MeasuredChange| {
        let change = &changed.change;
        let is_moved = change.new.is_none() && change.renamed.is_some();
        let is_shown = changed.measured.is_some_and(|measured| {
            measured.destroys() || measured.class == Class::Delete && !is_moved
        });
        is_shown || refused.contains(&change.path)
    };
    let mut wanted: Vec<_> = changes.iter().filter(is_wanted).collect();
    wanted.sort_by_key(|changed| {
        let lost = changed.measured.map(|measured| measured.lost.bytes);
        Reverse((refused.contains(&changed.change.path), lost))
    });
    let mut shown = HashMap::new();
    let mut left = TEXT;
    for changed in wanted.into_iter().take(MOST_FILES) {
        let change = &changed.change;
        let (old, new) = objects.both(changed.compared, change.new)?;
        let is_binary = is_binary(&old) || is_binary(&new);
        if old.len() + new.len() > MOST_BYTES || is_binary && changed.measured.is_none() {
            continue;
        }
        let hunks = unified_preview(&old, &new, "", "", LINES);
        if let Some(rest) = left.checked_sub(hunks.len()) {
            left = rest;
            shown.insert(changed.change.path.clone(), hunks);
        }
    }
    Ok(shown)
}

/// The approvals in the commits, and those of this repository that are for one of the changes.
pub(super) fn approvals(
    of_commits: &CommitApprovals,
    counted: &[Approval],
    changes: &[MeasuredChange],
) -> Vec<ReviewApproval> {
    let mut all: Vec<ReviewApproval> = of_commits
        .all
        .iter()
        .map(|one| ReviewApproval {
            approval: one.approval.clone(),
            commit: Some(one.commit.to_string()),
            why_not: one.verdict.as_ref().err().cloned(),
        })
        .collect();
    for approval in counted {
        let is_known = all.iter().any(|one| one.approval.id == approval.id);
        if !is_known && changes.iter().any(|one| approval.is_for(&one.change)) {
            all.push(ReviewApproval {
                approval: approval.clone(),
                commit: None,
                why_not: None,
            });
        }
    }
    all
}

/// The commits of a range, oldest first.
///
/// # Errors
/// A commit cannot be read.
pub(super) fn commits(repo: &Repository, range: &Range) -> Result<Vec<ReviewCommit>> {
    let commit = |commit: &Commit| {
        let headline = repo.headline(commit.id)?;
        Ok(ReviewCommit {
            id: commit.id.to_string(),
            subject: headline.subject,
            author: headline.author,
        })
    };
    range.commits.iter().map(commit).collect()
}
