//! Judges the next commit: the index, or what `git add --all` would stage.

use gix::bstr::BString;

use super::Options;
use super::facts::{JudgementFacts, NextCommit};
use super::pipeline::{self, Judged};
use super::policy_loader::{load_for_changes, load_to_show};
use crate::change::Change;
use crate::error::Result;
use crate::git::{Index, Repository};
use crate::policy::{ChosenBy, Policy};
use crate::rules::{self, at_level};
use crate::verdict::{SourceKind, Verdict};

const GITHEAD_IGNORED: &str = "guard ignores the GITHEAD_ variables: they count only in `guard hook pre-merge-commit` while git merges";

/// Judges what `git commit` would record now.
///
/// # Errors
/// No design, an unusable design, or settings or objects that cannot be read.
pub fn staged(repo: &Repository, options: &Options) -> Result<Verdict> {
    judge_staged(repo, options)?.verdict()
}

/// Judges what `git add --all` and `git commit` would record now.
///
/// # Errors
/// As for [`staged`], and `Repository::add_everything`.
pub fn everything(mut repo: Repository, options: &Options) -> Result<Verdict> {
    let index = repo.add_everything()?;
    judge_index(&repo, &index, SourceKind::WorkTree, options)?.verdict()
}

/// What `git add --all` and `git commit` would record now, unjudged.
///
/// # Errors
/// As for [`everything`].
pub fn uncommitted(mut repo: Repository) -> Result<Vec<Change>> {
    let index = repo.add_everything()?;
    Ok(NextCommit::of(&repo, &index, false)?.own.changes)
}

/// What `git commit` would record now, unjudged; `githead` as in [`Options`].
///
/// # Errors
/// The index or HEAD cannot be read.
pub(super) fn staged_now(repo: &Repository, githead: bool) -> Result<Vec<Change>> {
    Ok(NextCommit::of(repo, &Index::open(repo)?, githead)?
        .own
        .changes)
}

pub(super) fn judge_staged(repo: &Repository, options: &Options) -> Result<Judged> {
    repo.workdir()?;
    judge_index(repo, &Index::open(repo)?, SourceKind::Index, options)
}

fn judge_index(
    repo: &Repository,
    index: &Index,
    source: SourceKind,
    options: &Options,
) -> Result<Judged> {
    let next = NextCommit::of(repo, index, options.githead)?;
    let ignores_githead = next.parents.ignores_githead;
    let facts = JudgementFacts {
        source,
        ..next.facts(repo, index.tree()?)?
    };
    let contradiction = index.contradiction(&facts.changes)?;
    let contradiction = contradiction.map(rules::index_contradiction);
    let mut judged = pipeline::judge(facts, options)?;
    let contradiction = contradiction.and_then(|it| at_level(&judged.policy.settings, it));
    judged.findings.extend(contradiction);
    if options.in_hook && ignores_githead {
        judged.policy.notes.push(GITHEAD_IGNORED.to_owned());
    }
    Ok(judged)
}

/// The designs that the settings select for the current branch; none if there is no such design.
pub fn selected_by_settings(repo: &Repository) -> Vec<BString> {
    let policy = load_to_show(repo, &Options::default());
    policy.map_or_else(|_| Vec::new(), |policy| own_designs(&policy))
}

/// The designs of this branch that judge the staged changes; none if no staged change needs a design. Standing
/// designs, which join every commit, are left out.
///
/// # Errors
/// As for [`staged`].
pub fn governing_designs(repo: &Repository, options: &Options) -> Result<Vec<BString>> {
    let index = Index::open(repo)?;
    let next = NextCommit::of(repo, &index, options.githead)?;
    let facts = next.facts(repo, index.tree()?)?;
    let policy = load_for_changes(&facts, options)?;
    let mut changes = facts.changes.iter();
    if changes.all(|change| policy.is_exempt(change.path.as_ref())) {
        return Ok(Vec::new());
    }
    Ok(own_designs(&policy))
}

pub(super) fn own_designs(policy: &Policy) -> Vec<BString> {
    policy
        .designs
        .iter()
        .filter(|governing| governing.chosen_by != ChosenBy::Standing)
        .map(|governing| governing.design.path.clone())
        .collect()
}
