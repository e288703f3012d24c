//! What changes are judged against: a commit, and the merge base where this piece of work began.

use std::cell::OnceCell;
use std::collections::HashMap;

use gix::ObjectId;
use gix::bstr::BStr;

use super::settings::settings_of;
use crate::error::{Error, Result};
use crate::git::{Range, Repository, Tree};
use crate::path::escaped;
use crate::policy::Policy;
use crate::rules::{self, MeasuredChange, MergeBase};

/// The commit that changes are compared with. All that is judged by it shares what is read from it.
pub struct BaseCommit<'a> {
    commit: Option<ObjectId>,
    tree: Tree<'a>,
    /// The merge base with the target branch, and its tree; looked up when a verdict first depends on it.
    merge_base: OnceCell<Option<(ObjectId, Tree<'a>)>>,
}

impl<'a> BaseCommit<'a> {
    /// What is read from a commit; nothing for `None`.
    ///
    /// # Errors
    /// The commit is missing or damaged.
    pub fn new(repo: &'a Repository, commit: Option<ObjectId>) -> Result<BaseCommit<'a>> {
        Ok(BaseCommit {
            commit,
            tree: repo.tree_of(commit)?,
            merge_base: OnceCell::new(),
        })
    }

    /// The commit; `None` before the first one.
    pub fn commit(&self) -> Option<ObjectId> {
        self.commit
    }

    pub(super) fn tree(&self) -> &Tree<'a> {
        &self.tree
    }

    /// The merge base with `[lld] base` or, without that setting, the default branch; `None` if unknown.
    ///
    /// # Errors
    /// The configured base does not exist, or a commit cannot be read.
    pub(super) fn merge_base(
        &self,
        repo: &'a Repository,
        target: Option<&str>,
    ) -> Result<Option<&(ObjectId, Tree<'a>)>> {
        if let Some(known) = self.merge_base.get() {
            return Ok(known.as_ref());
        }
        let mut found = None;
        if let Some(commit) = self.commit
            && let Some((_, target)) = target_of(repo, target)?
        {
            found = repo.merge_base(commit, target)?;
        }
        let found = found
            .map(|id| Ok((id, repo.tree_of(Some(id))?)))
            .transpose()?;
        Ok(self.merge_base.get_or_init(|| found).as_ref())
    }

    /// What the merge base holds at the paths whose verdict depends on it; it is not looked up if no verdict does.
    ///
    /// # Errors
    /// As for [`BaseCommit::merge_base`].
    pub(super) fn states(
        &self,
        repo: &'a Repository,
        policy: &Policy,
        changes: &[MeasuredChange],
    ) -> Result<MergeBase> {
        if depending(policy, changes).next().is_some()
            && let Some((_, tree)) = self.merge_base(repo, policy.settings.base.as_deref())?
        {
            return states(tree, policy, changes);
        }
        Ok(MergeBase::Unknown)
    }
}

/// What a known merge base holds at the paths whose verdict depends on it.
///
/// # Errors
/// Its tree cannot be read.
pub(super) fn states(
    base: &Tree<'_>,
    policy: &Policy,
    changes: &[MeasuredChange],
) -> Result<MergeBase> {
    let states = depending(policy, changes)
        .map(|change| Ok((change.change.path.clone(), base.get(change.path())?)))
        .collect::<Result<HashMap<_, _>>>()?;
    Ok(MergeBase::Known(states))
}

/// The same from the old sides of the changes: with several merge bases, each change is compared with one of them.
pub(super) fn old_sides(policy: &Policy, changes: &[MeasuredChange]) -> MergeBase {
    let states = depending(policy, changes);
    MergeBase::Known(
        states
            .map(|change| (change.change.path.clone(), change.change.old))
            .collect(),
    )
}

/// The changes whose verdict depends on the merge base.
fn depending<'a>(
    policy: &'a Policy,
    changes: &'a [MeasuredChange],
) -> impl Iterator<Item = &'a MeasuredChange> {
    changes
        .iter()
        .filter(|change| rules::needs_merge_base(policy, change))
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
    let Some((_, target)) = target_of(repo, base.as_deref())? else {
        return Ok(None);
    };
    let range = repo.range_from(&[target], head, &[])?;
    Ok(Some(Range { branch, ..range }))
}

/// The name and the tip of `[lld] base`, else of the default branch of the upstream, else of `origin/HEAD`.
///
/// # Errors
/// The configured base does not exist.
pub(super) fn target_of(
    repo: &Repository,
    base: Option<&str>,
) -> Result<Option<(String, ObjectId)>> {
    let branch = repo.branch()?.map(|branch| branch.name);
    let Some(base) = base else {
        let upstream = branch.and_then(|branch| repo.config(&format!("branch.{branch}.remote")));
        let remotes = upstream.into_iter().chain(["origin".into()]);
        for remote in remotes {
            let name = format!("refs/remotes/{remote}/HEAD");
            if let Some(id) = repo.resolve_commit(BStr::new(&name))? {
                return Ok(Some((format!("{remote}/HEAD"), id)));
            }
        }
        return Ok(None);
    };
    // On the base branch itself, only pushed commits are older than the work.
    let is_on_base = branch.as_ref().is_some_and(|branch| branch == base);
    // Branches come first: git would prefer a tag of the same name.
    let places: &[&str] = match is_on_base {
        true => &["refs/remotes/origin/"],
        false => &["refs/heads/", "refs/remotes/", "refs/remotes/origin/"],
    };
    for place in places {
        let name = format!("{place}{base}");
        if let Some(id) = repo.commit_of_ref(&name)? {
            return Ok(Some((name, id)));
        }
    }
    if is_on_base {
        return Ok(None);
    }
    let unknown = || {
        let base = escaped(base);
        Error::new(format!(
            "guard.toml has `[lld] base = \"{base}\"`, but this repository has no such branch"
        ))
        .help(format!(
            "fetch it: git fetch origin {base}:refs/remotes/origin/{base}"
        ))
    };
    let found = repo.resolve_commit(BStr::new(base))?;
    Ok(Some((base.to_owned(), found.ok_or_else(unknown)?)))
}
