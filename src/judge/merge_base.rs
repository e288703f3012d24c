//! The merge base: where this piece of work began.

use std::collections::HashMap;

use gix::ObjectId;
use gix::bstr::BStr;

use super::settings::settings_of;
use crate::error::{Error, Result};
use crate::git::{Range, Repository, Tree};
use crate::path::escaped;
use crate::policy::Policy;
use crate::rules::{self, MeasuredChange, MergeBase};

/// What the merge base of `head` and the target branch holds at the paths whose verdict depends on it. If no verdict
/// does, it is not looked up.
///
/// # Errors
/// The configured base does not exist, or a commit cannot be read.
pub(super) fn look_up(
    repo: &Repository,
    policy: &Policy,
    head: Option<ObjectId>,
    changes: &[MeasuredChange],
) -> Result<MergeBase> {
    if is_wanted(policy, changes)
        && let Some(base) = commit(repo, policy.settings.base.as_deref(), head)?
    {
        return at(&repo.tree_of(Some(base))?, policy, changes);
    }
    Ok(MergeBase::Unknown)
}

/// Whether a verdict depends on the merge base.
pub(super) fn is_wanted(policy: &Policy, changes: &[MeasuredChange]) -> bool {
    wanted(policy, changes).next().is_some()
}

/// The same for a known merge base.
///
/// # Errors
/// Its tree cannot be read.
pub(super) fn at(
    base: &Tree<'_>,
    policy: &Policy,
    changes: &[MeasuredChange],
) -> Result<MergeBase> {
    let states = wanted(policy, changes)
        .map(|change| Ok((change.change.path.clone(), base.get(change.path())?)))
        .collect::<Result<HashMap<_, _>>>()?;
    Ok(MergeBase::Known(states))
}

/// The same from the old sides of the changes: with several merge bases, each change is compared with one of them.
pub(super) fn of_old_sides(policy: &Policy, changes: &[MeasuredChange]) -> MergeBase {
    let states = wanted(policy, changes);
    MergeBase::Known(
        states
            .map(|change| (change.change.path.clone(), change.change.old))
            .collect(),
    )
}

/// The changes whose verdict depends on the merge base.
fn wanted<'a>(
    policy: &'a Policy,
    changes: &'a [MeasuredChange],
) -> impl Iterator<Item = &'a MeasuredChange> {
    changes
        .iter()
        .filter(|change| rules::needs_merge_base(policy, change))
}

/// The merge base of HEAD and the target branch; `None` if unknown.
pub(super) fn commit(
    repo: &Repository,
    base: Option<&str>,
    head: Option<ObjectId>,
) -> Result<Option<ObjectId>> {
    let Some(head) = head else {
        return Ok(None);
    };
    let Some(target) = target(repo, base)? else {
        return Ok(None);
    };
    repo.merge_base(head, target)
}

/// The work on the current branch: from its merge base with the target branch to HEAD; `None` if the target is
/// unknown.
///
/// # Errors
/// The configured base does not exist, or the clone is too shallow to be sure.
pub fn range_of_branch(repo: &Repository) -> Result<Option<Range>> {
    let (head, branch) = repo.revision_and_branch("HEAD")?;
    let settings = settings_of(repo, Some(head))?.and_then(Result::ok);
    let base = settings.and_then(|settings| settings.base);
    let Some(target) = target(repo, base.as_deref())? else {
        return Ok(None);
    };
    let range = repo.range_from(&[target], head, &[])?;
    Ok(Some(Range { branch, ..range }))
}

/// `[lld] base`, else the default branch of the upstream, else `origin/HEAD`.
fn target(repo: &Repository, base: Option<&str>) -> Result<Option<ObjectId>> {
    let branch = repo.branch()?.map(|branch| branch.name);
    if let Some(base) = base {
        // On the base branch itself, only pushed commits are older than the work.
        let on_base = branch.as_ref().is_some_and(|branch| branch == base);
        // Branches come first: git would prefer a tag of the same name.
        let places: &[&str] = if on_base {
            &["refs/remotes/origin/"]
        } else {
            &["refs/heads/", "refs/remotes/", "refs/remotes/origin/"]
        };
        for place in places {
            if let Some(id) = repo.commit_of_ref(&format!("{place}{base}"))? {
                return Ok(Some(id));
            }
        }
        if !on_base && let Some(id) = repo.resolve_commit(BStr::new(base))? {
            return Ok(Some(id));
        }
        return if on_base {
            Ok(None)
        } else {
            Err(unknown(base))
        };
    }
    let upstream = branch.and_then(|branch| repo.config(&format!("branch.{branch}.remote")));
    for remote in upstream
        .iter()
        .map(|remote| remote.to_string())
        .chain(["origin".to_owned()])
    {
        let name = format!("refs/remotes/{remote}/HEAD");
        if let Some(id) = repo.resolve_commit(BStr::new(&name))? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

fn unknown(base: &str) -> Error {
    Error::new(format!(
        "guard.toml has `[lld] base = \"{}\"`, but this repository has no such branch",
        escaped(base)
    ))
    .help(format!(
        "fetch it: git fetch origin {0}:refs/remotes/origin/{0}",
        escaped(base)
    ))
}
