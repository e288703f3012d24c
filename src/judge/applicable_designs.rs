//! Which designs a commit is judged by, without judging it.

use std::path::Path;

use gix::bstr::BString;

use super::Options;
use super::policy_loader::{PolicyInputs, load_for_changes, load_to_show};
use crate::error::{Error, Result};
use crate::git::{Index, Parents, Repository, show_file};
use crate::policy::{ChosenBy, Origin, Policy};

/// A design that could be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidateDesign {
    /// Its path in the repository.
    pub path: BString,
    /// The number of its grants.
    pub grants: usize,
    /// Whether HEAD has it; otherwise it cannot judge commits.
    pub committed: bool,
}

/// Reads the design at `file`, relative to the current directory.
///
/// # Errors
/// The file is outside the repository, a directory, missing, or grants nothing.
pub fn candidate(repo: &Repository, file: &Path) -> Result<CandidateDesign> {
    let options = Options {
        designs: vec![file.to_owned()],
        designs_from: "guard use",
        ..Options::default()
    };
    let policy = load_to_show(repo, &options)?;
    let governing = policy
        .designs
        .first()
        .ok_or_else(|| Error::new(format!("there is no design at {}", show_file(file))))?;
    Ok(CandidateDesign {
        path: governing.design.path.clone(),
        grants: governing.design.grants.len(),
        committed: governing.origin == Origin::Head,
    })
}

/// The designs of this branch that judge the staged changes; none if no staged change needs a design. Standing
/// designs, which join every commit, are left out.
///
/// # Errors
/// As for `staged`.
pub fn governing_designs(repo: &Repository, options: &Options) -> Result<Vec<BString>> {
    let index = Index::open(repo)?;
    let parents = Parents::of_next_commit(repo, options.githead)?;
    let changes = parents.own_changes(repo, &index)?;
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
