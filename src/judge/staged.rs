//! Judges the next commit: the index, or what `git add --all` would stage.

use super::Options;
use super::merge_commits::{self, OwnChanges};
use super::pipeline::{self, Input, Judged};
use super::policy_loader::PolicyInputs;
use crate::change::Change;
use crate::error::Result;
use crate::git::{Index, Parents, Repository};
use crate::rules::{self, at_level};
use crate::verdict::{Source, SourceKind, Verdict};

const GITHEAD_IGNORED: &str = "guard ignores the GITHEAD_ variables: they count only in `guard hook pre-merge-commit` while git merges";

/// Judges what `git commit` would record now.
///
/// # Errors
/// No design, an unusable design, or settings or objects that cannot be read.
pub fn staged(repo: &Repository, options: &Options) -> Result<Verdict> {
    let judged = judge_staged(repo, options)?;
    verdict(SourceKind::Index, judged)
}

/// Judges what `git add --all` and `git commit` would record now.
///
/// # Errors
/// As for [`staged`], and `Repository::add_everything`.
pub fn everything(mut repo: Repository, options: &Options) -> Result<Verdict> {
    let index = repo.add_everything()?;
    let judged = judge_index(&repo, &index, options)?;
    verdict(SourceKind::WorkTree, judged)
}

/// What `git add --all` and `git commit` would record now, unjudged.
///
/// # Errors
/// As for [`everything`].
pub fn uncommitted(mut repo: Repository) -> Result<Vec<Change>> {
    let index = repo.add_everything()?;
    let parents = Parents::of_next_commit(&repo, false)?;
    Ok(merge_commits::of_next_commit(&repo, &parents, &index)?.changes)
}

fn verdict(kind: SourceKind, judged: Judged<'_>) -> Result<Verdict> {
    let source = Source {
        kind,
        base: judged.base.map(|id| id.to_string()),
        head: None,
        branch: judged.branch.clone(),
        reverts: None,
    };
    judged.verdict(source)
}

pub(super) fn judge_staged<'a>(repo: &'a Repository, options: &Options) -> Result<Judged<'a>> {
    repo.workdir()?;
    judge_index(repo, &Index::open(repo)?, options)
}

fn judge_index<'a>(repo: &'a Repository, index: &Index, options: &Options) -> Result<Judged<'a>> {
    let tree = index.tree()?;
    let parents = Parents::of_next_commit(repo, options.githead)?;
    let OwnChanges { changes, merged } = merge_commits::of_next_commit(repo, &parents, index)?;
    let contradiction = index
        .contradiction(&changes)?
        .map(rules::index_contradiction);
    let input = Input {
        policy: PolicyInputs::of_next_commit(repo, &tree, &parents)?,
        changes,
        merged: &merged,
        merge_bases: None,
        commits: &[],
        known: &[],
        approvals: &options.approvals,
    };
    let mut judged = pipeline::judge(repo, input, options)?;
    let contradiction = contradiction.and_then(|it| at_level(&judged.policy.settings, it));
    judged.findings.extend(contradiction);
    if options.in_hook && parents.ignores_githead {
        judged.policy.notes.push(GITHEAD_IGNORED.to_owned());
    }
    Ok(judged)
}
