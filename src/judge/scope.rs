//! What the designs in force grant, for people, programs and prompts.

use std::path::Path;

use super::Options;
use super::pipeline::{designs_used, texts};
use super::policy_loader::load_to_show;
use super::tree_view::{GitTree, work_tree};
use crate::error::Result;
use crate::git::{Index, Repository};
use crate::path::TreeView;
use crate::policy::scope::Scope;
use crate::policy::settings::Settings;
use crate::policy::{ChosenBy, Governing, Grant, GrantKind, Policy};
use crate::rules;
use crate::verdict::{PromptSection, ScopeGrant, ScopeListing};

/// All grants, with whether their files exist.
///
/// # Errors
/// The policy cannot be loaded.
pub fn scope(repo: &Repository, options: &Options) -> Result<ScopeListing> {
    let policy = load_to_show(repo, options)?;
    let mut report = ScopeListing {
        designs: designs_used(&policy),
        notes: policy.notes.clone(),
        texts: texts(&policy),
        ..ScopeListing::default()
    };
    report.grants = grants(repo, &policy)?;
    for governing in &policy.designs {
        report
            .mentions
            .extend(governing.design.mentions.iter().cloned());
        report.problems.extend(governing.design.findings());
    }
    Ok(report)
}

/// The section of an agent's prompt that lists the writable paths; `None` if no design applies.
///
/// # Errors
/// The policy cannot be loaded.
pub fn prompt(repo: &Repository, options: &Options) -> Result<Option<PromptSection>> {
    let policy = load_to_show(repo, options)?;
    if policy.scope.as_ref().is_none_or(Scope::is_empty) {
        return Ok(None);
    }
    let lines = grants(repo, &policy)?;
    let designs = policy.designs.iter().map(|governing| &governing.design);
    let faults = designs.clone().map(|design| design.faults.len()).sum();
    let standing = |governing: &&Governing| governing.chosen_by == ChosenBy::Standing;
    let standing = policy.designs.iter().filter(standing);
    Ok(Some(PromptSection::new(
        policy.design_paths(),
        standing
            .map(|governing| governing.design.path.clone())
            .collect(),
        lines,
        designs.flat_map(|design| design.mentions.clone()).collect(),
        faults,
        policy.notes.clone(),
    )))
}

/// For each grant, whether its file exists. Only the index lists all files, so a glob matches there.
fn holds(repo: &Repository, root: &Path, grants: &[Grant]) -> Result<Vec<bool>> {
    let (index, boundary, objects) = (Index::open(repo)?, work_tree(root)?, repo.objects());
    let (disk, tree) = (boundary.view_of_many(), index.tree()?);
    let matched = rules::matched(grants, &[&GitTree::Tree(&tree).view(objects)]);
    let is_there = |(grant, matched): (&Grant, bool)| {
        matched || grant.kind != GrantKind::Glob && disk.entry(grant.path.as_ref()).is_some()
    };
    Ok(grants.iter().zip(matched).map(is_there).collect())
}

/// All grants in force, each with whether its file exists; in a bare repository none does.
fn grants(repo: &Repository, policy: &Policy) -> Result<Vec<ScopeGrant>> {
    let all: Vec<Grant> = policy
        .designs
        .iter()
        .flat_map(|governing| governing.design.grants.iter().cloned())
        .collect();
    let scope = Scope::new(all);
    let there = match repo.workdir() {
        Ok(root) => holds(repo, root, scope.grants())?,
        Err(_) => vec![false; scope.grants().len()],
    };
    let head = repo.tree_of(repo.head_commit()?)?;
    let mut is_committed = Vec::with_capacity(there.len());
    for grant in scope.grants() {
        is_committed.push(head.get(grant.path.as_ref())?.is_some());
    }
    let facts = is_committed.into_iter().zip(there);
    Ok(listed(&policy.settings, scope, facts.collect()))
}

/// The grants of a scope, each with whether HEAD has its file, and whether it exists.
pub(super) fn listed(
    settings: &Settings,
    scope: Scope,
    facts: Vec<(bool, bool)>,
) -> Vec<ScopeGrant> {
    let rows = scope.grants().iter().zip(facts);
    let line = |(grant, (is_committed, exists)): (&Grant, (bool, bool))| {
        let is_committed = is_committed || exists && grant.kind != GrantKind::File;
        ScopeGrant {
            protection: rules::protection(settings, &scope, grant, is_committed, exists),
            grant: grant.clone(),
            exists,
        }
    };
    rows.map(line).collect()
}
