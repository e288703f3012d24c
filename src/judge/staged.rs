//! Judges the next commit: the index, or what `git add --all` would stage. Which staged changes a person can approve,
//! and which approvals the commit uses.

use std::collections::{BTreeMap, HashSet};

use gix::bstr::BString;

use super::Options;
use super::facts::JudgementFacts;
use super::merge_commits;
use super::pipeline::{self, Judged};
use super::policy_loader::load_for_changes;
use write_guard_policy::approve::{Approval, TRAILER};
use write_guard_policy::change::Change;
use write_guard_policy::error::Result;
use write_guard_policy::finding::{Finding, Level};
use write_guard_policy::policy::{DesignVersion, Policy, Stage};
use write_guard_policy::rules::{self, MeasuredChange};
use write_guard_policy::trailer;
use write_guard_policy::verdict::{SourceKind, Verdict};
use write_guard_repo::{Index, Parents, Repository, changes_between};

/// Judges what `git commit` would record now.
///
/// # Errors
/// No design, an unusable design, or settings or objects that cannot be read.
pub fn staged(repo: &Repository, options: &Options) -> Result<Verdict> {
    judge_staged(repo, options)?.verdict()
}

/// Judges what `git add --all` and `git commit` would record now.
///
/// # Errors
/// As for [`staged`], and `Repository::add_everything`.
pub fn everything(mut repo: Repository, options: &Options) -> Result<Verdict> {
    let index = repo.add_everything()?;
    judge_index(&repo, &index, SourceKind::WorkTree, options)?.verdict()
}

/// What `git add --all` and `git commit` would record now, unjudged.
///
/// # Errors
/// As for [`everything`].
pub fn uncommitted(mut repo: Repository) -> Result<Vec<Change>> {
    let index = repo.add_everything()?;
    Ok(facts_of(&repo, &index, false)?.changes)
}

/// What `git commit` would record now, unjudged; `githead` as in [`Options`].
///
/// # Errors
/// The index or HEAD cannot be read.
pub(super) fn staged_now(repo: &Repository, githead: bool) -> Result<Vec<Change>> {
    Ok(facts_of(repo, &Index::open(repo)?, githead)?.changes)
}

pub(super) fn judge_staged(repo: &Repository, options: &Options) -> Result<Judged> {
    repo.workdir()?;
    judge_index(repo, &Index::open(repo)?, SourceKind::Index, options)
}

fn judge_index(
    repo: &Repository,
    index: &Index,
    source: SourceKind,
    options: &Options,
) -> Result<Judged> {
    let facts = facts_of(repo, index, options.githead)?;
    pipeline::judge(JudgementFacts { source, ..facts }, options)
}

/// The designs of this branch, for the message of the next commit; none if it only changes designs. A message without
/// changes, as of an amended commit, names them, too. Standing designs, which join every commit, are left out.
///
/// # Errors
/// As for [`staged`].
pub fn governing_designs(repo: &Repository, options: &Options) -> Result<Vec<BString>> {
    let index = Index::open(repo)?;
    let facts = facts_of(repo, &index, options.githead)?;
    let policy = load_for_changes(&facts, options)?;
    let mut changes = facts.changes.iter();
    let is_about_designs =
        !facts.changes.is_empty() && changes.all(|change| policy.is_exempt(change.path.as_ref()));
    if is_about_designs {
        return Ok(Vec::new());
    }
    Ok(own_designs(&policy))
}

fn own_designs(policy: &Policy) -> Vec<BString> {
    let own = policy.designs.iter().filter(|one| !one.is_standing());
    own.map(|governing| governing.design.path.clone()).collect()
}

/// The facts of the commit of an index; `githead` as in [`Options`].
fn facts_of<'a>(
    repo: &'a Repository,
    index: &'a Index,
    githead: bool,
) -> Result<JudgementFacts<'a>> {
    let parents = Parents::of_next_commit(repo, githead)?;
    let (changes, merged) = merge_commits::of_next_commit(repo, &parents, index)?;
    Ok(JudgementFacts {
        operation: parents.operation,
        changes,
        merged,
        ..JudgementFacts::new(repo, Stage::Commit, parents.head, index.tree()?)?
    })
}

/// A staged change with errors that an approval can clear.
#[derive(Debug, Clone)]
pub struct Clearable {
    /// The staged change.
    pub change: Change,
    /// The old content, or that of the path it was renamed from.
    pub old: Vec<u8>,
    /// The staged content.
    pub new: Vec<u8>,
    /// The errors; empty for the old path of a rename that loses content.
    pub findings: Vec<Finding>,
    /// The governing design, for the approval.
    pub design: Option<BString>,
    /// All designs in force, for the audit log.
    pub designs: Vec<DesignVersion>,
}

/// The staged changes that need approval, in path order, and the errors that no approval clears.
///
/// # Errors
/// As for `crate::judge::staged`.
pub fn clearable(repo: &Repository, options: &Options) -> Result<(Vec<Clearable>, Vec<Finding>)> {
    let judged = judge_staged(repo, options)?;
    let design = own_designs(&judged.policy).into_iter().next();
    let mut by_path = BTreeMap::<BString, Vec<Finding>>::new();
    let mut fixed = Vec::new();
    for finding in judged.findings {
        match finding.path.clone() {
            _ if finding.level != Level::Error => {}
            Some(path) if finding.rule.can_be_approved() => {
                by_path.entry(path).or_default().push(finding);
            }
            _ => fixed.push(finding),
        }
    }
    // A loss in a rename needs approval of both paths.
    let mut lost_at: HashSet<BString> = HashSet::new();
    for MeasuredChange { change, .. } in &judged.changes {
        let own = by_path.get(&change.path).into_iter().flatten();
        let lost = own.filter_map(|one| rules::lost_at(one, change));
        lost_at.extend(lost.map(ToOwned::to_owned));
    }
    let mut all = Vec::new();
    for changed in judged.changes {
        let change = changed.change;
        let findings = by_path.remove(&change.path).unwrap_or_default();
        if findings.is_empty() && !lost_at.contains(&change.path) {
            continue;
        }
        let (old, new) = judged.objects.both(changed.compared, change.new)?;
        all.push(Clearable {
            change,
            old,
            new,
            findings,
            design: design.clone(),
            designs: judged.policy.design_versions(),
        });
    }
    // The remaining errors are not about a staged path, so no approval can name them.
    fixed.extend(by_path.into_values().flatten());
    Ok((all, fixed))
}

/// The approvals that the next commit uses, for its trailers.
///
/// # Errors
/// The index or HEAD cannot be read.
pub fn used_approvals(repo: &Repository, options: &Options) -> Result<Vec<Approval>> {
    if options.approvals.is_empty() {
        return Ok(Vec::new());
    }
    let changes = staged_now(repo, options.githead)?;
    Ok(options
        .approvals
        .iter()
        .filter(|approval| changes.iter().any(|change| approval.is_for(change)))
        .cloned()
        .collect())
}

/// The approvals in the message of a commit that is being amended.
#[derive(Debug, Default)]
pub struct AmendedApprovals {
    /// Those of steps that the new commit makes too.
    pub kept: Vec<Approval>,
    /// Those of steps that it no longer makes.
    pub dropped: Vec<Approval>,
}

/// The approvals in HEAD's message, for a commit of the index that replaces HEAD.
///
/// # Errors
/// The index, HEAD or its parent cannot be read.
pub fn amended_approvals(repo: &Repository) -> Result<AmendedApprovals> {
    let mut all = AmendedApprovals::default();
    let Some(head) = repo.head_commit()? else {
        return Ok(all);
    };
    let replaced = repo.commit(head)?;
    // Ranges tell of a trailer that cannot be read.
    let approvals: Vec<Approval> = trailer::values(&replaced.trailers, TRAILER)
        .filter_map(|value| Approval::from_trailer_value(value).ok())
        .collect();
    if approvals.is_empty() {
        return Ok(all);
    }
    let before = repo.tree_of(replaced.parents.first().copied())?;
    let index = Index::open(repo)?;
    let after = index.tree()?;
    for approval in approvals {
        let path = approval.path.as_ref();
        let old = before.get(path)?;
        let new = after.get(path)?;
        if approval.is_for(&Change::new(path, old, new)) {
            all.kept.push(approval);
        } else {
            all.dropped.push(approval);
        }
    }
    Ok(all)
}

/// What the HEAD commit changed relative to its first parent.
///
/// # Errors
/// HEAD or its parent cannot be read.
pub fn landed(repo: &Repository) -> Result<Vec<Change>> {
    let head = repo.head_commit()?;
    let parent = repo.resolve_commit("HEAD^1".into())?;
    let old = repo.tree_of(parent)?.id();
    let new = repo.tree_of(head)?.id();
    changes_between(repo.objects(), old, new)
}
