//! The settings and the grants in force, for people, programs and prompts.

// Shows the settings of the work tree.
#![allow(clippy::disallowed_methods)]

use gix::bstr::BStr;

use super::Options;
use super::pipeline::{designs_used, texts};
use super::policy_loader::{CHOICE_KEY, GUARD_USE, load_to_show};
use super::tree_view::{GitTreeView, work_tree};
use crate::error::Result;
use crate::git::{Index, Repository, show_file};
use crate::path::TreeView;
use crate::policy::{ChosenBy, Policy};
use crate::rules;
use crate::scope::settings::{self, KeyPlaces, Settings, parse_with_places};
use crate::scope::{Grant, GrantKind, Scope};
use crate::verdict::{ChosenDesigns, PromptSection, ScopeGrant, ScopeListing, SettingsInForce};

/// All grants, with whether their files exist.
///
/// # Errors
/// The policy cannot be loaded.
pub fn scope(repo: &Repository, options: &Options) -> Result<ScopeListing> {
    listing(repo, &load_to_show(repo, options)?)
}

fn listing(repo: &Repository, policy: &Policy) -> Result<ScopeListing> {
    let designs = policy.designs.iter().map(|governing| &governing.design);
    let mentions = designs.clone().flat_map(|design| design.mentions.clone());
    Ok(ScopeListing {
        designs: designs_used(policy),
        grants: grants(repo, policy)?,
        mentions: mentions.collect(),
        problems: designs.flat_map(|design| design.findings()).collect(),
        notes: policy.notes.clone(),
        texts: texts(policy),
    })
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
    let mut standing = policy.designs.clone();
    standing.retain(|governing| governing.chosen_by == ChosenBy::Standing);
    let standing = standing.into_iter().map(|one| one.design.path).collect();
    let scope = listing(repo, &policy)?;
    Ok(Some(PromptSection::new(scope, standing)))
}

/// All grants in force, each with whether its file exists; in a bare repository none does. Only the tree of the next
/// commit lists all files, so a glob matches there.
fn grants(repo: &Repository, policy: &Policy) -> Result<Vec<ScopeGrant>> {
    let designs = policy.designs.iter();
    let all = designs.flat_map(|governing| governing.design.grants.iter().cloned());
    let scope = Scope::new(all.collect());
    let head = repo.tree_of(repo.head_commit()?)?;
    let mut facts = Vec::with_capacity(scope.grants().len());
    for grant in scope.grants() {
        facts.push((head.get(grant.path.as_ref())?.is_some(), false));
    }
    if let Ok(root) = repo.workdir() {
        let (index, boundary) = (Index::open(repo)?, work_tree(root)?);
        let (disk, tree) = (boundary.view(), index.tree()?);
        let view = GitTreeView::of(&tree);
        let matched = rules::matched(scope.grants(), &[&view]);
        for (at, grant) in scope.grants().iter().enumerate() {
            let is_on_disk = || disk.entry(grant.path.as_ref()).is_some();
            facts[at].1 = matched[at] || grant.kind != GrantKind::Glob && is_on_disk();
        }
    }
    Ok(listed(&policy.settings, scope, facts))
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

/// The settings in force with their places, and any designs chosen by hand.
///
/// # Errors
/// HEAD's `guard.toml` is invalid, or HEAD cannot be read.
pub fn settings(repo: &Repository, options: &Options) -> Result<SettingsInForce> {
    let commit = repo.head_commit()?;
    let file = BStr::new(settings::FILE);
    let committed = repo.tree_of(commit)?.read(file)?;
    let (in_force, places) = match &committed {
        Some(bytes) => parse_with_places(bytes)?,
        None => (Settings::default(), KeyPlaces::new()),
    };
    let on_disk = repo
        .workdir()
        .ok()
        .and_then(|root| std::fs::read(root.join(settings::FILE)).ok());
    let mut notes = Vec::new();
    if committed.is_none() {
        notes.push("HEAD has no guard.toml; the defaults apply".to_owned());
    }
    if on_disk.is_some_and(|bytes| settings::parse(&bytes).ok().as_ref() != Some(&in_force)) {
        notes.push(
            "the guard.toml in the work tree differs; it takes effect once committed".to_owned(),
        );
    }
    Ok(SettingsInForce {
        commit: committed.and(commit).map(|id| id.to_string()),
        settings: in_force,
        places,
        designs: chosen(repo, options)?,
        variables: Vec::new(),
        notes,
    })
}

/// The designs chosen by hand, which override `[lld] path`.
fn chosen(repo: &Repository, options: &Options) -> Result<Option<ChosenDesigns>> {
    if !options.designs.is_empty() {
        return Ok(Some(ChosenDesigns {
            files: options.designs.iter().map(|file| show_file(file)).collect(),
            by: options.designs_from.to_owned(),
        }));
    }
    let Some(branch) = repo.branch()? else {
        return Ok(None);
    };
    let chosen = repo.branch_values(branch.name.as_ref(), CHOICE_KEY);
    let files: Vec<String> = chosen.iter().map(ToString::to_string).collect();
    Ok((!files.is_empty()).then(|| ChosenDesigns {
        files,
        by: GUARD_USE.to_owned(),
    }))
}
