//! Collects what the review page and the map of the change show.

use std::cmp::Reverse;
use std::collections::HashMap;

use gix::bstr::{BStr, BString};

use super::approvals::CommitApprovals;
use super::measured_changes::MeasuredChanges;
use crate::approval::Approval;
use crate::error::Result;
use crate::finding::{Finding, refused_paths};
use crate::git::Objects;
use crate::measure::{Class, SideBySide};
use crate::policy::{Grant, Policy};
use crate::rules::MeasuredChange;
use crate::verdict::{Review, ReviewApproval, ReviewRow};

/// The most lines per file, both versions next to each other.
const ROWS: usize = 400;
/// The most lines of a deleted file.
const DELETED_ROWS: usize = 60;
/// The most text of all files together. The page holds 5 MB with its markup.
const TEXT: usize = 1 << 20;
/// The longest version to compare. Of a longer one, the page gives the counts only.
const MOST_BYTES: usize = 4 << 20;
/// The most versions to read, which bounds the time that many small files take.
const MOST_FILES: usize = 400;

/// The rows of the designs, with the changes that they cover.
pub(super) fn rows(policy: &Policy, changes: &[MeasuredChange], findings: &[Finding]) -> Review {
    let mut review = Review::default();
    let mut place_of: HashMap<(&BStr, usize), usize> = HashMap::new();
    for governing in &policy.designs {
        for grant in &governing.design.grants {
            place_of.insert(place(grant), review.rows.len());
            review.rows.push(ReviewRow {
                grant: grant.clone(),
                in_force: governing.in_force,
                touched: 0,
                refused: 0,
            });
        }
        review.mentions.extend(governing.design.mentions.clone());
    }
    let Some(scope) = &policy.scope else {
        return review;
    };
    let refused = refused_paths(findings);
    for changed in changes {
        let covering = scope.lookup(changed.path()).grants;
        let covering: Vec<usize> = covering
            .into_iter()
            .filter_map(|grant| place_of.get(&place(grant)).copied())
            .collect();
        for &at in &covering {
            review.rows[at].touched += 1;
            review.rows[at].refused += usize::from(refused.contains(&changed.change.path));
        }
        if let Some(&narrowest) = covering.first() {
            review.row_of.insert(changed.change.path.clone(), narrowest);
        }
    }
    review
}

/// Identifies the row: two may name the same path.
fn place(grant: &Grant) -> (&BStr, usize) {
    (grant.anchor.path.as_ref(), grant.anchor.span.start)
}

/// The lines of replaced and deleted files, the refused and the largest first, as far as they fit on the page.
///
/// # Errors
/// A blob cannot be read.
pub(super) fn contents(
    objects: &Objects,
    changes: &MeasuredChanges,
    findings: &[Finding],
) -> Result<HashMap<BString, SideBySide>> {
    let refused = refused_paths(findings);
    let mut wanted: Vec<_> = changes
        .all
        .iter()
        .filter_map(|changed| {
            let measured = changed.measured?;
            let is_moved = changed.change.new.is_none() && changed.change.renamed.is_some();
            let is_shown = measured.destroys() || measured.class == Class::Delete && !is_moved;
            is_shown.then_some((changed, measured))
        })
        .collect();
    wanted.sort_by_key(|(changed, measured)| {
        let is_refused = refused.contains(&changed.change.path);
        Reverse((is_refused, measured.destroys(), measured.lost.bytes))
    });
    let mut shown = HashMap::new();
    let mut left = TEXT;
    for (changed, measured) in wanted.into_iter().take(MOST_FILES) {
        let (old, new) = changes.contents(objects, &changed.change)?;
        if old.len() + new.len() > MOST_BYTES {
            continue;
        }
        let rows = match measured.class {
            Class::Delete => DELETED_ROWS,
            _ => ROWS,
        };
        let lines = SideBySide::of(&old, &new, rows);
        let Some(rest) = left.checked_sub(lines.text_bytes()) else {
            continue;
        };
        left = rest;
        shown.insert(changed.change.path.clone(), lines);
    }
    Ok(shown)
}

/// The approvals in the commits, and those of this repository that are for one of the changes.
pub(super) fn approvals(
    of_commits: &CommitApprovals,
    counted: &[Approval],
    changes: &[MeasuredChange],
) -> Vec<ReviewApproval> {
    let stated = of_commits.all.iter().map(|one| ReviewApproval {
        approval: one.approval.clone(),
        commit: Some(one.commit.to_string()),
        why_not: one.verdict.as_ref().err().map(ToString::to_string),
    });
    let mut approvals: Vec<_> = stated.collect();
    let used = counted.iter().filter(|approval| {
        let mut changes = changes.iter();
        changes.any(|changed| approval.is_for(&changed.change))
    });
    for approval in used {
        if approvals
            .iter()
            .all(|known| known.approval.id != approval.id)
        {
            approvals.push(ReviewApproval {
                approval: approval.clone(),
                commit: None,
                why_not: None,
            });
        }
    }
    approvals
}
