//! The settings and the grants in force, and where the work on a branch stands, for people, programs and prompts.

// Shows the settings of the work tree.
#![allow(clippy::disallowed_methods)]

use gix::bstr::{BStr, BString};

use super::facts::BaseCommit;
use super::overlap::note_on_overlap;
use super::pipeline::{designs_used, texts};
use super::policy_loader::{CHOICE_KEY, load_to_show};
use super::tree_view::{GitTreeView, work_tree};
use super::{Options, staged};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Finding;
use write_guard_policy::policy::{ChosenBy, Policy, note_on_done};
use write_guard_policy::rules::{self, ResultTree};
use write_guard_policy::scope::settings::{self, KeyPlaces, Settings, parse_with_places};
use write_guard_policy::scope::{GrantKind, Scope};
use write_guard_policy::verdict::{
    BranchStatus, ChosenDesigns, PromptSection, RowsSoFar, ScopeGrant, ScopeListing,
    SettingsInForce, Verdict,
};
use write_guard_repo::{Index, Repository, changes_between, show_file};

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
    let mut notes = policy.notes.clone();
    notes.extend(note_on_done(&policy.done).filter(|note| !policy.notes.contains(note)));
    let denials = designs.clone().flat_map(|design| design.denials.clone());
    let mut problems: Vec<Finding> = designs.flat_map(|design| design.findings()).collect();
    Ok(ScopeListing {
        designs: designs_used(policy),
        grants: grants(repo, policy, &mut problems)?,
        mentions: mentions.collect(),
        denials: denials.collect(),
        problems,
        notes,
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
    let mut section = PromptSection::new(listing(repo, &policy)?);
    // A row of another design may grant what a front matter forbids.
    section.denials.retain(|denial| {
        denial.kind == GrantKind::Glob || policy.denial(denial.path.as_ref()).is_some()
    });
    Ok(Some(section))
}

/// All grants in force, each with whether its file exists. Only the tree of the next commit lists all files, so a glob
/// matches there. `problems` gets the rows that mean another file.
fn grants(
    repo: &Repository,
    policy: &Policy,
    problems: &mut Vec<Finding>,
) -> Result<Vec<ScopeGrant>> {
    let designs = policy.designs.iter();
    let all = designs.flat_map(|governing| governing.design.grants.iter().cloned());
    let disk = work_tree(repo.workdir()?)?;
    let index = Index::open(repo)?;
    let head = repo.tree_of(repo.head_commit()?)?;
    let tree = index.tree()?;
    let head = GitTreeView::new(&head, None);
    let tree = GitTreeView::new(&tree, None);
    let scope = Scope::new(all.collect());
    let (listed, shortened) = listed(&policy.settings, &scope, &head, &tree, &disk);
    problems.extend(shortened);
    head.failed.finish()?;
    tree.failed.finish()?;
    Ok(listed)
}

/// The grants of a scope, each with whether its file exists: a glob by what `tree` lists, a path by what is there `now`.
/// Rows that mean another file are left out, and what is wrong with them is the second answer.
pub(super) fn listed(
    settings: &Settings,
    scope: &Scope,
    head: &dyn ResultTree,
    tree: &dyn ResultTree,
    now: &dyn ResultTree,
) -> (Vec<ScopeGrant>, Vec<Finding>) {
    let shortened = rules::check_shortened_rows(scope.grants(), &[tree, head, now]);
    let places: Vec<_> = shortened
        .iter()
        .filter_map(|finding| finding.design.as_ref())
        .collect();
    let matched = rules::matched(scope.grants(), &[tree]);
    let mut listed = Vec::new();
    for (grant, is_matched) in scope.grants().iter().zip(matched) {
        if places.contains(&&grant.anchor) {
            continue;
        }
        let path: &BStr = grant.path.as_ref();
        let exists = match grant.kind {
            GrantKind::Glob => is_matched,
            _ => now.entry(path).is_some(),
        };
        let is_committed = exists && grant.kind != GrantKind::File || head.entry(path).is_some();
        listed.push(ScopeGrant {
            protection: rules::protection(settings, scope, grant, is_committed, exists),
            grant: grant.clone(),
            exists,
        });
    }
    (listed, shortened)
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
        by: ChosenBy::GuardUse.to_string(),
    }))
}

/// Where the work on the current branch stands. Each part says itself why guard cannot tell it.
///
/// # Errors
/// HEAD cannot be read.
pub fn status(repo: &Repository, options: &Options) -> Result<BranchStatus> {
    let commit = staged(repo, options);
    let (designs, done, rows, mut notes) = match load_to_show(repo, options) {
        Ok(policy) => {
            let rows = rows(repo, &policy, commit.as_ref().ok());
            (Ok(designs_used(&policy)), policy.done, rows, policy.notes)
        }
        Err(error) => (Err(error), Vec::new(), Ok(None), Vec::new()),
    };
    let own: Vec<BString> = match &designs {
        Ok(used) => used
            .iter()
            .filter(|design| !design.is_standing)
            .map(|design| design.path.clone())
            .collect(),
        Err(_) => Vec::new(),
    };
    notes.extend(note_on_overlap(repo, &own));
    for note in commit.iter().flat_map(|verdict| &verdict.notes) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    Ok(BranchStatus {
        branch: repo.branch()?.map(|branch| branch.name),
        designs,
        done,
        rows,
        commit,
        notes,
    })
}

/// The rows of this branch's own designs, by what was committed since the merge base and what is staged.
fn rows(repo: &Repository, policy: &Policy, staged: Option<&Verdict>) -> Result<Option<RowsSoFar>> {
    let mut designs = policy.designs.iter();
    if designs.all(|governing| governing.is_standing()) {
        return Ok(None);
    }
    let head = repo.head_commit()?;
    let target = policy.settings.base.as_deref();
    let head = BaseCommit::new(repo, head)?;
    let Some((_, first)) = head.merge_base(repo, target)? else {
        return Err(Error::new(
            "guard does not know the commit at which this work began, so it cannot tell which \
             rows are done",
        )
        .help("name the branch that it began at: `[lld] base = \"main\"` in guard.toml"));
    };
    let committed = changes_between(repo.objects(), first.id(), head.tree.id())?;
    let committed = committed.iter().map(|change| change.path.as_ref());
    let staged = staged.into_iter().flat_map(|verdict| &verdict.changes);
    let paths = committed.chain(staged.map(|change| change.path.as_ref()));
    let (done, open) = rules::done_and_open(policy, paths);
    Ok(Some(RowsSoFar {
        done: done.len(),
        open: open.into_iter().cloned().collect(),
    }))
}
