//! Judging commits: the net difference of a range, and each commit on its own.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::BString;
use gix::hashtable::HashMap;

use super::approvals::WholeRange;
use super::approvals::{self, CommitApprovals};
use super::criss_cross::MergeBases;
use super::measured_changes::MeasuredChanges;
use super::merge_base::look_up;
use super::policy_loader::{PolicyInputs, Proposal, load_for_changes};
use super::settings::settings_of;
use super::tree_view::CommitView;
use super::{Options, document_faults, measured_changes, merge_commits, per_commit, report};
use crate::approval::Approval;
use crate::change::Change;
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::git::{Commit, Objects, Range, Repository, Tree};
use crate::policy::{Policy, Stage};
use crate::rules::{self, Case, MergeBase};
use crate::trailer;
use crate::verdict::{Source, SourceKind, Verdict};

/// Judges what a range changes altogether; with `each_commit`, also every commit of it.
///
/// # Errors
/// Whatever keeps guard from a verdict.
pub fn range(
    repo: &Repository,
    range: &Range,
    each_commit: Option<&per_commit::Progress<'_>>,
    options: &Options,
) -> Result<Verdict> {
    let mut source = Source {
        kind: SourceKind::Range,
        base: range.base.map(|id| id.to_string()),
        head: range.head.map(|id| id.to_string()),
        branch: range.branch.clone(),
    };
    let Some(head) = range.head else {
        return Ok(Verdict {
            source,
            notes: range.notes.clone(),
            ..Verdict::default()
        });
    };
    if source.base.is_none() {
        source.base = Some(repo.tree_of(None)?.id().to_string());
    }
    let objects = repo.objects();
    let (base, tree) = (repo.tree_of(range.base)?, repo.tree_of(Some(head))?);
    let bases = MergeBases::of(repo, range, &base)?;
    let mut changes = bases.changes(&objects, &tree)?;
    if !changes.is_empty() {
        refuse_older_than_settings(repo, range)?;
    }
    let inputs = PolicyInputs {
        stage: Stage::Range,
        base: repo.tree_of(range.base)?,
        proposal: Proposal::Tree(&tree),
        head: Some(head),
        branch: range.branch.clone(),
        trailers: trailers(range),
    };
    let mut policy = load_for_changes(repo, inputs, &changes, options)?;
    let mut notes = range.notes.clone();
    if range.is_cut {
        notes.push(
            "the clone is shallow: trailers of commits that it lacks are not seen".to_owned(),
        );
    }
    notes.append(&mut policy.notes);
    let found = range
        .commits
        .iter()
        .flat_map(approvals::in_commit)
        .collect();
    let stated = CommitApprovals::judge(repo, found, &policy.settings, range.base, &range.known)?;
    notes.extend_from_slice(&stated.notes);
    policy.notes = notes;
    bases.worst(&objects, &policy.settings.thresholds, &mut changes)?;
    let mut subjects = measured_changes::gather(&objects, changes, &policy)?;
    subjects.excuse_lfs(&base)?;
    let merge_base = old_sides(&policy, &subjects);
    let mut findings = check(&policy, &subjects, &tree, &objects, &merge_base, &[])?;
    let net = WholeRange {
        repo,
        policy: &policy,
        subjects: &subjects,
        base: &base,
        result: &tree,
        merge_base: &merge_base,
    };
    let approved = net.clear(&stated, &mut findings)?;
    stated.tell(&mut findings, None);
    findings.extend(document_faults(&policy));
    if let Some(progress) = each_commit {
        let of_commits = per_commit::judge(repo, range, &policy, &stated, progress)?;
        // A commit's own finding says the same and more, unless an approval cleared only that.
        findings.retain(|net| {
            !of_commits
                .iter()
                .any(|own| own.rule == net.rule && own.path == net.path && own.level >= net.level)
        });
        findings.extend(of_commits);
    }
    let is_approved = |change: &Change| approved.contains(&change.path);
    report(source, &policy, subjects, findings, &objects, &is_approved)
}

/// Work may begin before the first `guard.toml`, and would then be judged by no rules but its own.
fn refuse_older_than_settings(repo: &Repository, range: &Range) -> Result<()> {
    let beside = |known: &&ObjectId| Some(**known) != range.base;
    let mut beside = range.known.iter().filter(beside).peekable();
    if beside.peek().is_none() || settings_of(repo, range.base)?.is_some() {
        return Ok(());
    }
    for &known in beside {
        if settings_of(repo, Some(known))?.is_some() {
            return Err(Error::new(format!(
                "the merge base has no guard.toml, but commit {}, which the work is beside, has one",
                known.to_hex_with_len(12)
            ))
            .help("merge or rebase, so that the work is judged by it"));
        }
    }
    Ok(())
}

/// Runs the rules over changes that lead to `result`, with the approvals that count for exactly these.
pub(super) fn check(
    policy: &Policy,
    subjects: &MeasuredChanges,
    result: &Tree<'_>,
    objects: &Objects,
    merge_base: &MergeBase,
    approvals: &[Approval],
) -> Result<Vec<Finding>> {
    let view = CommitView::new(result, objects, &subjects.all);
    let findings = rules::check(&Case {
        policy,
        subjects: &subjects.all,
        result: &view,
        merge_base,
        approvals,
    });
    view.finish()?;
    Ok(findings)
}

/// What a known tree holds at the paths whose verdict depends on it.
pub(super) fn merge_base(
    policy: &Policy,
    base: &Tree<'_>,
    subjects: &MeasuredChanges,
) -> Result<MergeBase> {
    let all = subjects.all.iter();
    let wanted = all.filter(|subject| rules::needs_merge_base(policy, subject));
    let states = wanted.map(|subject| {
        let state = base.get(subject.path())?;
        Ok((subject.change.path.clone(), state))
    });
    Ok(MergeBase::Known(states.collect::<Result<_>>()?))
}

/// The old inputs as the merge base: where there are several merge bases, that is the one each change is judged against.
fn old_sides(policy: &Policy, subjects: &MeasuredChanges) -> MergeBase {
    let all = subjects.all.iter();
    let wanted = all.filter(|subject| rules::needs_merge_base(policy, subject));
    let states = wanted.map(|subject| (subject.change.path.clone(), subject.change.old));
    MergeBase::Known(states.collect())
}

/// The designs that the commits of the range name, in the order of the commits.
fn trailers(range: &Range) -> Vec<(BString, ObjectId)> {
    let mut known = HashSet::new();
    let named = range.commits.iter().flat_map(designs);
    named
        .filter(|(path, _)| known.insert(path.clone()))
        .collect()
}

fn designs(commit: &Commit) -> impl Iterator<Item = (BString, ObjectId)> {
    let values = trailer::values(&commit.trailers, trailer::DESIGN);
    values.map(|path| (path.into(), commit.id))
}

/// Judges one commit as it would have been judged before it was made: by its first parent's policy.
///
/// # Errors
/// As for [`range`].
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
            "commit {id} cannot be judged: its parent {parent} is not here"
        ))
        .help(crate::git::fetch_command(
            repo.is_shallow(),
            &[&parent.to_string()],
        )));
    }
    let parent = made.parents.first().copied();
    let (base, tree) = (repo.tree_of(parent)?, repo.tree_of(Some(id))?);
    let parent_trees = per_commit::trees(&objects, &made.parents, &HashMap::default())?;
    let changes = per_commit::own_changes(
        &objects,
        &repo.merges()?,
        &made.parents,
        &parent_trees,
        &tree,
    )?;
    let inputs = PolicyInputs {
        stage: Stage::Commit,
        base: repo.tree_of(parent)?,
        proposal: Proposal::Tree(&tree),
        head: Some(id),
        branch: branch.clone(),
        trailers: designs(&made).collect(),
    };
    let mut policy = load_for_changes(repo, inputs, &changes, options)?;
    let mut subjects = measured_changes::gather(&objects, changes, &policy)?;
    let settings = &policy.settings;
    merge_commits::measure_against_closest(&objects, &parent_trees, settings, &mut subjects)?;
    subjects.excuse_lfs(&base)?;
    let merge_base = look_up(repo, &policy, parent, subjects.all.iter())?;
    let found = approvals::in_commit(&made);
    let stated = CommitApprovals::judge(repo, found, &policy.settings, parent, &[])?;
    policy.notes.extend_from_slice(&stated.notes);
    let counted = [options.approvals.clone(), stated.counted_in(id)].concat();
    let mut findings = check(&policy, &subjects, &tree, &objects, &merge_base, &counted)?;
    stated.tell(&mut findings, None);
    findings.extend(document_faults(&policy));
    let source = Source {
        kind: SourceKind::Range,
        base: Some(base_name(parent, &base)),
        head: Some(id.to_string()),
        branch,
    };
    let is_approved = |change: &Change| counted.iter().any(|approval| approval.is_for(change));
    report(source, &policy, subjects, findings, &objects, &is_approved)
}

fn base_name(parent: Option<ObjectId>, base: &Tree<'_>) -> String {
    parent.unwrap_or(base.id()).to_string()
}
