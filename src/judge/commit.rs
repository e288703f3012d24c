//! Judges one commit as before it was made, by the policy of its first parent.

use std::slice;

use gix::ObjectId;
use gix::bstr::BString;

use super::Options;
use super::merge_commits::{self, OwnChanges};
use super::pipeline::{self, Input};
use super::policy_loader::PolicyInputs;
use super::range::designs_named_by;
use super::tree_view::GitTree;
use crate::error::{Error, Result};
use crate::git::{Repository, fetch_command};
use crate::policy::Stage;
use crate::verdict::{Source, SourceKind, Verdict};

/// Judges the commit `id` as a commit on `branch`.
///
/// # Errors
/// Whatever keeps guard from a verdict.
pub fn commit(
    repo: &Repository,
    id: ObjectId,
    branch: Option<BString>,
    options: &Options,
) -> Result<Verdict> {
    let objects = repo.objects();
    let made = repo.commit(id)?;
    if let Some(&parent) = made.parents.iter().find(|&&parent| !repo.has(parent)) {
        return Err(Error::new(format!(
            "commit {id} cannot be judged: its parent {parent} is not in this clone"
        ))
        .help(fetch_command(repo.is_shallow(), &[&parent.to_string()])));
    }
    let base = made.parents.first().copied();
    let tree = repo.tree_of(Some(id))?;
    let OwnChanges { changes, merged } =
        merge_commits::of_commit(objects, &repo.merges()?, &made.parents, &tree)?;
    let source = Source {
        kind: SourceKind::Range,
        base: Some(base.unwrap_or(repo.tree_of(None)?.id()).to_string()),
        head: Some(id.to_string()),
        branch: branch.clone(),
        reverts: None,
    };
    let input = Input {
        policy: PolicyInputs {
            stage: Stage::Commit,
            base,
            proposal: GitTree::Tree(&tree),
            head: Some(id),
            branch,
            operation: None,
            commits: &[],
            trailers: designs_named_by(slice::from_ref(&made)),
        },
        changes,
        merged: &merged,
        merge_bases: None,
        commits: slice::from_ref(&made),
        known: &[],
        approvals: &options.approvals,
    };
    pipeline::judge(repo, input, options)?.verdict(source)
}
