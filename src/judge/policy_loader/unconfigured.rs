//! Work that began before the first `guard.toml`: whether it did, and what guard still checks there.

use gix::ObjectId;
use gix::bstr::{BStr, BString};

use crate::judge::facts::{settings_of, target_of};
use write_guard_policy::error::Result;
use write_guard_policy::path::escaped;
use write_guard_policy::scope::settings::{self, Settings};
use write_guard_repo::{Index, Range, Repository, Tree};

/// The branches that a repository without other evidence starts work from.
const USUAL_TARGETS: &[&str] = &["main", "master"];

/// The branch with settings that work on HEAD goes into, if HEAD began before its first `guard.toml` and has had none
/// since; `next` is the tree of the next commit.
///
/// # Errors
/// A commit, a tree or the branches cannot be read.
pub(super) fn target_of_older_work(
    repo: &Repository,
    head: Option<ObjectId>,
    next: &Tree<'_>,
) -> Result<Option<String>> {
    if has_settings(next)? {
        return Ok(None);
    }
    let Some((name, tip)) = target_with_settings(repo)? else {
        return Ok(None);
    };
    let Some(head) = head else {
        // A branch without commits has lost nothing.
        return Ok(Some(name));
    };
    let is_older = never_had_settings(repo, &repo.history(&[tip], head)?)?;
    Ok(is_older.then_some(name))
}

/// Whether neither the merge base of a range nor a commit since has settings. In a shallow clone without the merge base
/// nobody can tell.
///
/// # Errors
/// A commit or a tree cannot be read.
pub(in crate::judge) fn never_had_settings(repo: &Repository, range: &Range) -> Result<bool> {
    if range.is_uncertain || range.base.is_none() && repo.is_shallow() {
        return Ok(false);
    }
    if has_settings(&repo.tree_of(range.base)?)? {
        return Ok(false);
    }
    for commit in &range.commits {
        if has_settings(&Tree::at(repo.objects(), commit.tree))? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn has_settings(tree: &Tree<'_>) -> Result<bool> {
    Ok(tree.get(BStr::new(settings::FILE))?.is_some())
}

/// The branch that work goes into, if it has settings: that of the remote, or the one that the settings of a local branch
/// name.
///
/// # Errors
/// The branches or a commit cannot be read.
pub(in crate::judge) fn target_with_settings(
    repo: &Repository,
) -> Result<Option<(String, ObjectId)>> {
    if let Some((name, tip)) = target_of(repo, None)?
        && has_settings(&repo.tree_of(Some(tip))?)?
    {
        return Ok(Some((name, tip)));
    }
    for prefix in ["refs/heads/", "refs/remotes/origin/"] {
        for (name, tip) in repo.branches(prefix)? {
            let Some(settings) = settings_of(repo, tip)?.and_then(Result::ok) else {
                continue;
            };
            let target = target_named(repo, &settings, prefix, &name)?;
            if target.is_some() {
                return Ok(target);
            }
        }
    }
    Ok(None)
}

/// The branch that the settings of the branch `name` call the base, else that branch if its name is a usual one.
fn target_named(
    repo: &Repository,
    settings: &Settings,
    prefix: &str,
    name: &BString,
) -> Result<Option<(String, ObjectId)>> {
    let base = match &settings.base {
        Some(base) => base.clone(),
        None if USUAL_TARGETS.iter().any(|usual| name == usual) => name.to_string(),
        None => return Ok(None),
    };
    let tip = repo.commit_of_ref(&format!("{prefix}{base}"))?;
    let Some(tip) = tip else {
        return Ok(None);
    };
    let is_set_up = has_settings(&repo.tree_of(Some(tip))?)?;
    Ok(is_set_up.then_some((base, tip)))
}

/// The note on what guard checks there.
pub(in crate::judge) fn note(target: &str) -> String {
    let target = escaped(target);
    format!(
        "this work began before guard.toml, which {target} has, so guard checks only links and \
         names that leave the repository; to check everything before it goes there, merge or rebase"
    )
}

/// The tree of the next commit, for a judgement that is not about the index.
///
/// # Errors
/// The index cannot be read.
pub(super) fn index_of(repo: &Repository) -> Result<Option<Index>> {
    repo.workdir()
        .is_ok()
        .then(|| Index::open(repo))
        .transpose()
}
