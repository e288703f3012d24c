//! The verdict on each commit of a range, for the review page.

use super::per_commit::JudgedCommits;
use crate::error::Result;
use crate::finding::{Finding, Level};
use crate::git::{Range, Repository};
use crate::verdict::ReviewCommit;

/// Longer ranges are judged commit by commit only on request: the page should not take minutes.
const MOST_COMMITS: usize = 500;
/// The most messages per commit.
const MOST_MESSAGES: usize = 5;

/// Whether judging each commit takes a moment only. A shallow clone may lack some.
pub(super) fn is_affordable(range: &Range) -> bool {
    range.commits.len() <= MOST_COMMITS && !range.is_cut
}

/// The commits of a range, oldest first, with the verdict on each if there is one.
///
/// # Errors
/// A commit cannot be read.
pub(super) fn of(
    repo: &Repository,
    range: &Range,
    judged: Option<&JudgedCommits>,
) -> Result<Vec<ReviewCommit>> {
    let mut strip = Vec::with_capacity(range.commits.len());
    for (at, commit) in range.commits.iter().enumerate() {
        let headline = repo.headline(commit.id)?;
        strip.push(ReviewCommit {
            id: commit.id.to_string(),
            subject: headline.subject,
            author: headline.author,
            changes: judged.and_then(|judged| judged.changes.get(at).copied()),
            ..ReviewCommit::default()
        });
    }
    let findings = judged.map_or(&[][..], |judged| &judged.findings);
    for Finding {
        level,
        message,
        commit,
        ..
    } in findings
    {
        let Some(shown) = commit.and_then(|at| strip.get_mut(at)) else {
            continue;
        };
        match level {
            Level::Error => {
                shown.errors += 1;
                if shown.messages.len() < MOST_MESSAGES {
                    shown.messages.push(message.clone());
                }
            }
            Level::Warning => shown.warnings += 1,
            Level::Note => {}
        }
    }
    Ok(strip)
}
