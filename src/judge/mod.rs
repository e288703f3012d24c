//! The one flow: source and policy in, report out. Looks, never touches.

mod applicable_designs;
mod approvals;
mod ci;
mod committed;
mod criss_cross;
mod design_lint;
mod measured_changes;
mod merge_base;
mod merge_commits;
mod named_files;
mod nested_repositories;
mod new_ends;
mod per_commit;
mod policy_loader;
mod push;
mod range;
mod request;
mod scope;
mod settings;
mod tree_view;
mod work_tree;

use std::path::PathBuf;

use crate::approval::Approval;
use crate::change::Change;
use crate::error::Result;
use crate::finding::Finding;
use crate::git::{Index, Objects, Parents, Repository};
use crate::policy::{Governing, Policy};
use crate::rules::{self, Case, MeasuredChange};
use crate::verdict::{DesignUsed, JudgedChange, Source, SourceKind, Texts, Verdict};

pub use applicable_designs::{Candidate, candidate, governing_designs};
pub use approvals::{Clearable, brought_along, clearable, landed, not_listed, used_approvals};
pub use ci::ci_range;
pub use design_lint::{DocumentChoice, check_documents};
use measured_changes::MeasuredChanges;
pub use per_commit::Progress;
pub use policy_loader::{Request, load_for_commit, load_for_request};
pub use push::{new_commits, push};
pub use range::{commit, range};
pub use request::Desk;
pub use scope::{prompt, scope};
pub use settings::{settings, settings_of_head};
use tree_view::IndexView;

/// How to judge.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Designs chosen by hand, relative to the current directory; empty for the choice of the settings.
    pub designs: Vec<PathBuf>,
    /// Which flag or variable chose them, for the report.
    pub designs_from: &'static str,
    /// Whether git's own machinery called, so that nothing but committed designs counts.
    pub in_hook: bool,
    /// Whether the caller is the pre-merge-commit hook, for which git names the merged commits in `GITHEAD_*`.
    /// Any caller can set such variables.
    pub githead: bool,
    /// The approvals of this repository that hold now; only a commit that is being made, or a request, counts them
    /// without a signature.
    pub approvals: Vec<Approval>,
}

/// Judges what `git commit` would record now.
///
/// # Errors
/// Whatever keeps guard from a verdict: no design, an unusable one, settings or objects that cannot be read.
pub fn staged(repo: &Repository, options: &Options) -> Result<Verdict> {
    let judged = judge_staged(repo, options)?;
    report_next(repo, SourceKind::Index, judged, options)
}

/// Judges what `git add --all` and `git commit` would record now.
///
/// # Errors
/// As for [`staged`], and [`Repository::add_everything`].
pub fn everything(mut repo: Repository, options: &Options) -> Result<Verdict> {
    let index = repo.add_everything()?;
    let judged = judge_index(&repo, &index, options)?;
    report_next(&repo, SourceKind::WorkTree, judged, options)
}

/// The report on the next commit.
fn report_next(
    repo: &Repository,
    kind: SourceKind,
    judged: Staged,
    options: &Options,
) -> Result<Verdict> {
    let branch = repo.branch()?.map(|branch| branch.name);
    let source = Source {
        kind,
        base: judged.parents.head.map(|id| id.to_string()),
        branch,
        ..Source::default()
    };
    let Staged {
        policy,
        subjects,
        findings,
        objects,
        ..
    } = judged;
    let is_approved = |change: &Change| {
        options
            .approvals
            .iter()
            .any(|approval| approval.is_for(change))
    };
    report(source, &policy, subjects, findings, &objects, &is_approved)
}

/// The changes of an index, judged.
struct Staged {
    parents: Parents,
    policy: Policy,
    subjects: MeasuredChanges,
    findings: Vec<Finding>,
    objects: Objects,
}

fn judge_staged(repo: &Repository, options: &Options) -> Result<Staged> {
    repo.workdir()?;
    judge_index(repo, &Index::open(repo)?, options)
}

const GITHEAD_IGNORED: &str = "guard ignores the GITHEAD_ variables: they count only in `guard hook pre-merge-commit` while git merges";

fn judge_index(repo: &Repository, index: &Index, options: &Options) -> Result<Staged> {
    let objects = repo.objects();
    let parents = Parents::of_next_commit(repo, options.githead)?;
    let changes = parents.own_changes(repo, index, &objects)?;
    let parent_trees = merge_commits::trees(repo, &parents)?;
    let changes = match parents.merged.is_empty() {
        true => changes,
        false => {
            let (commits, merges) = (parents.all(), repo.merges()?);
            merge_commits::without_taken_over(&objects, &merges, &commits, &parent_trees, changes)?
        }
    };
    let mut policy = load_for_commit(repo, index, &parents, &changes, options)?;
    if options.in_hook && parents.ignores_githead {
        policy.notes.push(GITHEAD_IGNORED.to_owned());
    }
    let mut subjects = measured_changes::gather(&objects, changes, &policy)?;
    let settings = &policy.settings;
    merge_commits::measure_against_closest(&objects, &parent_trees, settings, &mut subjects)?;
    subjects.excuse_lfs(&repo.tree_of(parents.head)?)?;
    let merge_base = merge_base::look_up(repo, &policy, parents.head, subjects.all.iter())?;
    let view = IndexView::new(repo, index, &objects);
    let case = Case {
        policy: &policy,
        subjects: &subjects.all,
        result: &view,
        merge_base: &merge_base,
        approvals: &options.approvals,
    };
    let mut findings = rules::check(&case);
    view.finish()?;
    findings.extend(document_faults(&policy));
    Ok(Staged {
        parents,
        policy,
        subjects,
        findings,
        objects,
    })
}

/// Rows that could not be read grant nothing; a commit is not refused for them, only told.
fn document_faults(policy: &Policy) -> Vec<Finding> {
    let level = |finding: &Finding| policy.settings.level(finding.rule);
    policy
        .designs
        .iter()
        .flat_map(|governing| governing.design.findings())
        .filter(|finding| finding.level == crate::finding::Level::Error && level(finding).is_some())
        .map(|mut finding| {
            finding.level = crate::finding::Level::Warning;
            finding
        })
        .collect()
}

fn report(
    source: Source,
    policy: &Policy,
    mut subjects: MeasuredChanges,
    findings: Vec<Finding>,
    objects: &Objects,
    is_approved: &dyn Fn(&Change) -> bool,
) -> Result<Verdict> {
    let changes = std::mem::take(&mut subjects.all)
        .into_iter()
        .map(|subject| {
            let approved = is_approved(&subject.change);
            let mut line = change_line(subject, &subjects, objects)?;
            line.approved = approved;
            Ok(line)
        })
        .collect::<Result<_>>()?;
    Ok(Verdict {
        source,
        designs: designs_used(policy),
        findings,
        changes,
        notes: policy.notes.clone(),
        texts: texts(policy),
    })
}

fn designs_used(policy: &Policy) -> Vec<DesignUsed> {
    let used = |governing: &Governing| DesignUsed {
        path: governing.design.path.clone(),
        from: governing.origin.name(),
        selected_by: governing.chosen_by.clone(),
        grants: governing.design.grants.len(),
    };
    policy.designs.iter().map(used).collect()
}

/// The documents that findings may point into.
pub fn texts(policy: &Policy) -> Texts {
    policy
        .designs
        .iter()
        .map(|governing| (governing.design.path.clone(), governing.design.text.clone()))
        .collect()
}

fn change_line(
    subject: MeasuredChange,
    subjects: &MeasuredChanges,
    objects: &Objects,
) -> Result<JudgedChange> {
    let MeasuredChange {
        change, measured, ..
    } = subject;
    let shown = match measured.destroys() {
        true => Some(subjects.excerpts(objects, &change)?),
        false => None,
    };
    let (preview, deleted) = shown.map(|shown| (shown.preview, shown.deleted)).unzip();
    Ok(JudgedChange {
        action: change.action().name(),
        path: change.path,
        from: change.new.and(change.renamed),
        class: measured.class.name(),
        original_lines: measured.original_lines,
        new_lines: measured.new_lines,
        lost_share: (measured.original_lines.is_some() || measured.lost.total > 0)
            .then(|| measured.lost.share()),
        approved: false,
        preview,
        deleted,
    })
}
