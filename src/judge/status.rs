//! Where the work on a branch stands: its designs, their rows, and the verdict on the staged changes.

use super::facts::BaseCommit;
use super::pipeline::designs_used;
use super::policy_loader::load_to_show;
use super::{Options, staged};
use crate::error::{Error, Result};
use crate::git::{Repository, changes_between};
use crate::policy::{ChosenBy, Policy};
use crate::rules;
use crate::verdict::{BranchStatus, RowsSoFar, Verdict};

/// Where the work on the current branch stands. Each part says itself why guard cannot tell it.
///
/// # Errors
/// HEAD cannot be read.
pub fn status(repo: &Repository, options: &Options) -> Result<BranchStatus> {
    let mut status = BranchStatus {
        branch: repo.branch()?.map(|branch| branch.name),
        designs: Ok(Vec::new()),
        rows: Ok(None),
        commit: staged(repo, options),
        notes: Vec::new(),
    };
    match load_to_show(repo, options) {
        Ok(policy) => {
            status.designs = Ok(designs_used(&policy));
            status.rows = rows(repo, &policy, status.commit.as_ref().ok());
            status.notes = policy.notes;
        }
        Err(error) => status.designs = Err(error),
    }
    for note in status.commit.iter().flat_map(|verdict| &verdict.notes) {
        if !status.notes.contains(note) {
            status.notes.push(note.clone());
        }
    }
    Ok(status)
}

/// The rows of this branch's own designs, by what was committed since the merge base and what is staged.
fn rows(repo: &Repository, policy: &Policy, staged: Option<&Verdict>) -> Result<Option<RowsSoFar>> {
    let mut designs = policy.designs.iter();
    if designs.all(|governing| governing.chosen_by == ChosenBy::Standing) {
        return Ok(None);
    }
    let (head, target) = (repo.head_commit()?, policy.settings.base.as_deref());
    let head = BaseCommit::new(repo, head)?;
    let Some((_, first)) = head.merge_base(repo, target)? else {
        let unknown = Error::new(
            "guard does not know the commit at which this work began, so it cannot tell which rows are done",
        );
        return Err(match target {
            Some(_) => unknown,
            None => unknown.help("set `[lld] base = \"main\"` in guard.toml"),
        });
    };
    let committed = changes_between(repo.objects(), first.id(), head.tree().id())?;
    let committed = committed.iter().map(|change| change.path.as_ref());
    let staged = staged.into_iter().flat_map(|verdict| &verdict.changes);
    let paths = committed.chain(staged.map(|change| change.path.as_ref()));
    let (done, open) = rules::done_and_open(policy, paths);
    Ok(Some(RowsSoFar {
        done: done.len(),
        open: open.into_iter().cloned().collect(),
    }))
}
