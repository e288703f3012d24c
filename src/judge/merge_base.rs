//! Where this piece of work began: the merge base with the target branch.

use std::collections::HashMap;

use gix::ObjectId;
use gix::bstr::BStr;

use crate::error::{Error, Result};
use crate::git::Repository;
use crate::path::show;
use crate::policy::Policy;
use crate::rules::{self, MeasuredChange, MergeBase};

/// What the merge base holds at the paths whose verdict depends on it; not looked for where none does.
///
/// # Errors
/// The base that the settings name is not there, or a commit cannot be read.
pub fn look_up<'a>(
    repo: &Repository,
    policy: &Policy,
    head: Option<ObjectId>,
    subjects: impl Iterator<Item = &'a MeasuredChange>,
) -> Result<MergeBase> {
    let mut wanted = subjects
        .filter(|subject| rules::needs_merge_base(policy, subject))
        .peekable();
    if wanted.peek().is_none() {
        return Ok(MergeBase::Unknown);
    }
    let Some(base) = commit(repo, policy.settings.base.as_deref(), head)? else {
        return Ok(MergeBase::Unknown);
    };
    let tree = repo.tree_of(Some(base))?;
    let mut states = HashMap::new();
    for subject in wanted {
        states.insert(subject.change.path.clone(), tree.get(subject.path())?);
    }
    Ok(MergeBase::Known(states))
}

/// The merge base of HEAD and the target branch; `None` where there is none to know.
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

/// `[lld] base`, else the default branch of the upstream, else of `origin`.
fn target(repo: &Repository, base: Option<&str>) -> Result<Option<ObjectId>> {
    let branch = repo.branch()?.map(|branch| branch.name);
    if let Some(base) = base {
        // On the base branch itself only what is pushed is older than the work.
        let on_base = branch.as_ref().is_some_and(|branch| branch == base);
        // Branches before anything else that has the name: git would take a tag.
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
        "`[lld] base = \"{}\"` of guard.toml names no branch here",
        show(base)
    ))
    .help(format!(
        "fetch it: git fetch origin {0}:refs/remotes/origin/{0}",
        show(base)
    ))
}
