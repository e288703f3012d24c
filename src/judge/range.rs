//! Judges the net change of a range and, on request, each of its commits.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::BString;

use super::criss_cross::MergeBases;
use super::merge_commits::MergedContents;
use super::pipeline::{self, Input};
use super::policy_loader::PolicyInputs;
use super::settings::settings_of;
use super::tree_view::GitTree;
use super::{Collect, Options, per_commit, review};
use crate::error::{Error, Result};
use crate::git::{Commit, Range, Repository};
use crate::policy::Stage;
use crate::trailer;
use crate::verdict::{Source, SourceKind, Verdict};

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
    let mut source = Source {
        kind: SourceKind::Range,
        base: range.base.map(|id| id.to_string()),
        head: range.head.map(|id| id.to_string()),
        branch: range.branch.clone(),
        reverts: None,
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
    let changes = bases.changes(repo.objects(), &tree)?;
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
            operation: None,
            commits: &range.commits,
            trailers: designs_named_by(&range.commits),
        },
        changes,
        merged: &MergedContents::default(),
        merge_bases: Some(&bases),
        commits: &range.commits,
        known: &range.known,
        approvals: &[],
    };
    let mut judged = pipeline::judge(repo, input, options)?;
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
    judged.verdict(source)
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

/// The designs that the commits name, in commit order, each with the first commit that does.
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
