//! Collects what reports show beyond findings and changes: previews and, for the review page, rows and commits.

use std::cmp::Reverse;
use std::collections::HashMap;

use gix::bstr::{BStr, BString, ByteSlice};

use write_guard_policy::error::Result;
use write_guard_policy::finding::{Finding, refused_paths};
use write_guard_policy::measure::{Class, is_binary, unified_preview};
use write_guard_policy::policy::Policy;
use write_guard_policy::rules::MeasuredChange;
use write_guard_policy::verdict::{ReviewCommit, ReviewRow};
use write_guard_repo::{Objects, Range, Repository};

/// The most lines of a preview: about a screenful with the finding, and those on the page.
const LINES: usize = 20;
const PAGE_LINES: usize = 400;
/// The most text of all files together. The page holds 5 MB with its markup.
const TEXT: usize = 1 << 20;
/// The longest version to compare. Of a longer one, reports give the counts only.
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
            place_of.insert(grant.place(), rows.len());
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
            .flat_map(|scope| scope.lookup(changed.path()));
        for at in covering.filter_map(|grant| place_of.get(&grant.place())) {
            rows[*at].touched += 1;
            rows[*at].refused += usize::from(refused.contains(&changed.change.path));
        }
    }
    rows
}

/// The previews of destructive changes and, for the page, of all refused and deleted files: the refused and the largest
/// first, as far as they fit.
///
/// # Errors
/// A blob cannot be read.
pub(super) fn previews(
    objects: &Objects,
    changes: &[MeasuredChange],
    findings: &[Finding],
    for_page: bool,
) -> Result<HashMap<BString, String>> {
    let refused = refused_paths(findings);
    let mut wanted = Vec::new();
    for changed in changes {
        let change = &changed.change;
        let is_moved = change.new.is_none() && change.renamed.is_some();
        let is_lost = changed.measured.is_some_and(|measured| {
            measured.destroys() || for_page && measured.class == Class::Delete && !is_moved
        });
        if is_lost || for_page && refused.contains(&change.path) {
            wanted.push(changed);
        }
    }
    wanted.sort_by_key(|changed| {
        let lost = changed.measured.map(|measured| measured.lost.bytes);
        Reverse((refused.contains(&changed.change.path), lost))
    });
    let mut previews = HashMap::new();
    let mut left = TEXT;
    for changed in wanted.into_iter().take(MOST_FILES) {
        let change = &changed.change;
        let (old, new) = objects.both(changed.compared, change.new)?;
        let is_binary = is_binary(&old) || is_binary(&new);
        if old.len() + new.len() > MOST_BYTES || is_binary && changed.measured.is_none() {
            continue;
        }
        let from = change.renamed.as_ref().unwrap_or(&change.path);
        let from = from.to_str_lossy();
        let to = change.path.to_str_lossy();
        let lines = if for_page { PAGE_LINES } else { LINES };
        let preview = unified_preview(&old, &new, &from, &to, lines);
        if let Some(rest) = left.checked_sub(preview.len()) {
            left = rest;
            previews.insert(change.path.clone(), preview);
        }
    }
    Ok(previews)
}

/// The commits of a range, oldest first.
///
/// # Errors
/// A commit cannot be read.
pub(crate) fn commits(repo: &Repository, range: &Range) -> Result<Vec<ReviewCommit>> {
    range
        .commits
        .iter()
        .map(|commit| {
            let headline = repo.headline(commit.id)?;
            Ok(ReviewCommit {
                id: commit.id.to_string(),
                subject: headline.subject,
                author: headline.author,
            })
        })
        .collect()
}
