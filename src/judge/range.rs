//! Judges commits: the net change of a range and, on request, each of its commits; or one commit as before it was made.

use std::slice;

use gix::ObjectId;
use gix::bstr::BString;

use super::criss_cross::MergeBases;
use super::facts::JudgementFacts;
use super::merge_commits::{self, OwnChanges};
use super::settings::settings_of;
use super::{Collect, Options, per_commit, pipeline, review};
use crate::error::{Error, Result};
use crate::git::{Range, Repository, fetch_command};
use crate::policy::Stage;
use crate::verdict::{Source, SourceKind, Verdict};

/// Judges the commit `id` as a commit on `branch`, by the policy of its first parent.
///
/// # Errors
/// Whatever keeps guard from a verdict.
pub fn commit(
    repo: &Repository,
    id: ObjectId,
    branch: Option<BString>,
    options: &Options,
) -> Result<Verdict> {
    let made = repo.commit(id)?;
    if let Some(&parent) = made.parents.iter().find(|&&parent| !repo.has(parent)) {
        return Err(Error::new(format!(
            "commit {id} cannot be judged: its parent {parent} is not in this clone"
        ))
        .help(fetch_command(repo.is_shallow(), &[&parent.to_string()])));
    }
    let tree = repo.tree_of(Some(id))?;
    let OwnChanges { changes, merged } =
        merge_commits::of_commit(repo.objects(), &repo.merges()?, &made.parents, &tree)?;
    let base = made.parents.first().copied();
    let facts = JudgementFacts {
        head: Some(id),
        branch,
        commits: slice::from_ref(&made),
        changes,
        merged,
        ..JudgementFacts::new(repo, Stage::Commit, base, tree)?
    };
    pipeline::judge(facts, options)?.verdict()
}

/// Judges the net change of a range; with `each_commit`, also every commit.
///
/// # Errors
/// guard cannot reach a verdict.
pub fn range(
    repo: &Repository,
    range: &Range,
    each_commit: Option<&per_commit::Progress<'_>>,
    options: &Options,
) -> Result<Verdict> {
    let Some(head) = range.head else {
        let source = Source {
            kind: SourceKind::Range,
            base: range.base.map(|id| id.to_string()),
            branch: range.branch.clone(),
            ..Source::default()
        };
        return Ok(Verdict {
            source,
            notes: range.notes.clone(),
            ..Verdict::default()
        });
    };
    let (base, tree) = (repo.tree_of(range.base)?, repo.tree_of(Some(head))?);
    let bases = MergeBases::of(repo, range, &base)?;
    let changes = bases.changes(repo.objects(), &tree)?;
    if !changes.is_empty() {
        refuse_older_than_settings(repo, range)?;
    }
    let facts = JudgementFacts {
        head: Some(head),
        branch: range.branch.clone(),
        commits: &range.commits,
        known: &range.known,
        changes,
        merge_bases: Some(&bases),
        ..JudgementFacts::new(repo, Stage::Range, range.base, tree)?
    };
    let mut judged = pipeline::judge(facts, options)?;
    let mut notes = range.notes.clone();
    if range.is_cut {
        notes.push(
            "the clone is shallow, so guard cannot see the trailers of missing commits".to_owned(),
        );
    }
    judged.policy.notes.splice(0..0, notes);
    let wants_strip = options.collect == Collect::Page && !range.commits.is_empty();
    let judges_each = each_commit.is_some() || wants_strip && review::is_affordable(range);
    let of_commits = judges_each.then(|| {
        let progress = each_commit.unwrap_or(&|_, _| {});
        let (policy, approvals) = (&judged.policy, &judged.commit_approvals);
        per_commit::judge(repo, range, policy, approvals, progress)
    });
    let of_commits = of_commits.transpose()?;
    if wants_strip {
        judged.commits = review::commits(repo, range, of_commits.as_ref())?;
    }
    if let Some(of_commits) = of_commits.filter(|_| each_commit.is_some()) {
        judged.policy.notes.extend(of_commits.notes);
        let of_commits = of_commits.findings;
        // A finding on a single commit says the same in more detail, unless an approval cleared only that.
        judged.findings.retain(|net| {
            !of_commits
                .iter()
                .any(|own| own.rule == net.rule && own.path == net.path && own.level >= net.level)
        });
        judged.findings.extend(of_commits);
    }
    judged.verdict()
}

/// Work that began before the first `guard.toml` would be judged by no rules but its own.
fn refuse_older_than_settings(repo: &Repository, range: &Range) -> Result<()> {
    let beside = |known: &&ObjectId| Some(**known) != range.base;
    let mut beside = range.known.iter().filter(beside).peekable();
    if beside.peek().is_none() || settings_of(repo, range.base)?.is_some() {
        return Ok(());
    }
    for &known in beside {
        if settings_of(repo, Some(known))?.is_some() {
            return Err(Error::new(format!(
                "the merge base has no guard.toml, but the target branch ({}) does",
                known.to_hex_with_len(12)
            ))
            .help("rebase or merge, so that guard can judge by it"));
        }
    }
    Ok(())
}
