//! Judging a range: what its commits change altogether and, on request, each of them.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::BString;

use super::criss_cross::MergeBases;
use super::pipeline::{self, Input};
use super::policy_loader::PolicyInputs;
use super::settings::settings_of;
use super::tree_view::GitTree;
use super::{Options, per_commit};
use crate::error::{Error, Result};
use crate::git::{Commit, Range, Repository};
use crate::policy::Stage;
use crate::trailer;
use crate::verdict::{Source, SourceKind, Verdict};

/// Judges what a range changes altogether; with `each_commit`, also every commit of it.
///
/// # Errors
/// Whatever keeps guard from a verdict.
pub fn range(
    repo: &Repository,
    range: &Range,
    each_commit: Option<&per_commit::Progress<'_>>,
    options: &Options,
) -> Result<Verdict> {
    let mut source = Source {
        kind: SourceKind::Range,
        base: range.base.map(|id| id.to_string()),
        head: range.head.map(|id| id.to_string()),
        branch: range.branch.clone(),
    };
    let Some(head) = range.head else {
        return Ok(Verdict {
            source,
            notes: range.notes.clone(),
            ..Verdict::default()
        });
    };
    if source.base.is_none() {
        source.base = Some(repo.tree_of(None)?.id().to_string());
    }
    let (base, tree) = (repo.tree_of(range.base)?, repo.tree_of(Some(head))?);
    let bases = MergeBases::of(repo, range, &base)?;
    let changes = bases.changes(&repo.objects(), &tree)?;
    if !changes.is_empty() {
        refuse_older_than_settings(repo, range)?;
    }
    let input = Input {
        policy: PolicyInputs {
            stage: Stage::Range,
            base: range.base,
            proposal: GitTree::Tree(&tree),
            head: Some(head),
            branch: range.branch.clone(),
            trailers: designs_named_by(&range.commits),
        },
        changes,
        parents: &[],
        merge_bases: Some(&bases),
        commits: &range.commits,
        known: &range.known,
        approvals: &[],
    };
    let mut judged = pipeline::judge(repo, input, options)?;
    let mut notes = range.notes.clone();
    if range.is_cut {
        notes.push(
            "the clone is shallow: trailers of commits that it lacks are not seen".to_owned(),
        );
    }
    judged.policy.notes.splice(0..0, notes);
    if let Some(progress) = each_commit {
        let of_commits = per_commit::judge(
            repo,
            range,
            &judged.policy,
            &judged.commit_approvals,
            progress,
        )?;
        // A commit's own finding says the same and more, unless an approval cleared only that.
        judged.findings.retain(|net| {
            !of_commits
                .iter()
                .any(|own| own.rule == net.rule && own.path == net.path && own.level >= net.level)
        });
        judged.findings.extend(of_commits);
    }
    judged.verdict(source)
}

/// Work may begin before the first `guard.toml`, and would then be judged by no rules but its own.
fn refuse_older_than_settings(repo: &Repository, range: &Range) -> Result<()> {
    let beside = |known: &&ObjectId| Some(**known) != range.base;
    let mut beside = range.known.iter().filter(beside).peekable();
    if beside.peek().is_none() || settings_of(repo, range.base)?.is_some() {
        return Ok(());
    }
    for &known in beside {
        if settings_of(repo, Some(known))?.is_some() {
            return Err(Error::new(format!(
                "the merge base has no guard.toml, but commit {}, which the work is beside, has one",
                known.to_hex_with_len(12)
            ))
            .help("merge or rebase, so that the work is judged by it"));
        }
    }
    Ok(())
}

/// The designs that the commits name, each with the first commit that does, in the order of the commits.
pub(super) fn designs_named_by(commits: &[Commit]) -> Vec<(BString, ObjectId)> {
    let mut known = HashSet::new();
    let mut named = Vec::new();
    for commit in commits {
        for path in trailer::values(&commit.trailers, trailer::DESIGN) {
            if known.insert(path) {
                named.push((path.into(), commit.id));
            }
        }
    }
    named
}
