//! Which designs a commit is judged by, without judging it.

use gix::bstr::BString;

use super::policy_loader::{PolicyInputs, load_for_changes, load_to_show};
use super::{Options, merge_commits};
use crate::error::Result;
use crate::git::{Index, Parents, Repository};
use crate::policy::{ChosenBy, Policy};

/// The designs that the settings select for the current branch; none if there is no such design.
pub fn selected_by_settings(repo: &Repository) -> Vec<BString> {
    let policy = load_to_show(repo, &Options::default());
    policy.map_or_else(|_| Vec::new(), |policy| own_designs(&policy))
}

/// The designs of this branch that judge the staged changes; none if no staged change needs a design. Standing
/// designs, which join every commit, are left out.
///
/// # Errors
/// As for `staged`.
pub fn governing_designs(repo: &Repository, options: &Options) -> Result<Vec<BString>> {
    let index = Index::open(repo)?;
    let parents = Parents::of_next_commit(repo, options.githead)?;
    let changes = merge_commits::of_next_commit(repo, &parents, &index)?.changes;
    let tree = index.tree()?;
    let policy = {
        let inputs = PolicyInputs::of_next_commit(repo, &tree, &parents)?;
        load_for_changes(repo, inputs, &changes, options)?
    };
    if changes
        .iter()
        .all(|change| policy.is_exempt(change.path.as_ref()))
    {
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
