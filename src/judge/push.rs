//! Judges a push: each ref by its own range, in one report.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};

use super::range::{commit, range};
use super::settings::settings_of;
use super::{Options, Progress};
use crate::error::{Error, Result};
use crate::git::{PushSide, Repository, Update};
use crate::path::escaped;
use crate::verdict::{Source, SourceKind, Verdict};

/// Judges every ref of a push.
///
/// # Errors
/// guard cannot judge one of them.
pub fn push(
    repo: &Repository,
    updates: &[Update],
    side: PushSide<'_>,
    each_commit: Option<&Progress<'_>>,
    options: &Options,
) -> Result<Verdict> {
    let target = repo.target(base_setting(repo, repo.head_commit()?)?.as_deref(), side)?;
    let ranges = repo.ranges_of_push(updates, target.as_ref(), side)?;
    let reports = ranges.iter().map(|one| {
        let report = range(repo, one, each_commit, options);
        of_ref(report, one.reference.as_ref().map(|name| name.as_bstr()))
    });
    Ok(together(reports.collect::<Result<_>>()?))
}

/// Judges the new commits that ref updates bring to branches, each as before it was made. Commits on another local or
/// remote branch are not new.
///
/// # Errors
/// As for [`push`].
pub fn new_commits(repo: &Repository, updates: &[Update], options: &Options) -> Result<Verdict> {
    let of_remotes = updates
        .iter()
        .filter(|update| update.name.starts_with(b"refs/remotes/"))
        .filter_map(|update| update.new);
    let mut known: Vec<_> = of_remotes.collect();
    for prefix in ["refs/heads/", "refs/remotes/"] {
        known.extend(
            repo.branches(prefix)?
                .into_iter()
                .filter_map(|(_, tip)| tip),
        );
    }
    let mut seen = HashSet::new();
    let mut reports = Vec::new();
    for update in updates {
        let (Some(branch), Some(new)) = (update.branch(), update.new) else {
            continue;
        };
        for new in repo.history(&known, new)?.ahead {
            if seen.insert(new.id) {
                let report = commit(repo, new.id, Some(branch.to_owned()), options);
                reports.push(of_ref(report, Some(update.name.as_ref()))?);
            }
        }
    }
    Ok(together(reports))
}

/// `[lld] base` in the settings of a commit; unreadable settings are reported when the range is judged.
pub(super) fn base_setting(repo: &Repository, commit: Option<ObjectId>) -> Result<Option<String>> {
    let settings = settings_of(repo, commit)?;
    let base = settings.and_then(|settings| settings.ok()?.base);
    Ok(base.map(|base| {
        let places = ["refs/heads/", "refs/remotes/origin/", "origin/"];
        let short = places.iter().find_map(|place| base.strip_prefix(place));
        short.map(str::to_owned).unwrap_or(base)
    }))
}

/// Adds the name of the ref to findings and errors.
fn of_ref(report: Result<Verdict>, name: Option<&BStr>) -> Result<Verdict> {
    let Some(name) = name else {
        return report;
    };
    match report {
        Ok(mut report) => {
            for finding in &mut report.findings {
                finding
                    .details
                    .insert("ref", escaped(name).to_string().into());
            }
            Ok(report)
        }
        Err(error) => Err(Error {
            message: format!("{}: {}", escaped(name), error.message),
            ..error
        }),
    }
}

/// Joins several reports.
fn together(mut reports: Vec<Verdict>) -> Verdict {
    if reports.len() == 1 {
        return reports.remove(0);
    }
    let mut all = Verdict {
        source: Source {
            kind: SourceKind::Range,
            ..Source::default()
        },
        ..Verdict::default()
    };
    for report in reports {
        for design in report.designs {
            if !all.designs.contains(&design) {
                all.designs.push(design);
            }
        }
        all.findings.extend(report.findings);
        all.changes.extend(report.changes);
        all.notes.extend(report.notes);
        all.texts.extend(report.texts);
        if let Some(review) = report.review {
            all.review.get_or_insert_default().join(*review);
        }
    }
    all
}
