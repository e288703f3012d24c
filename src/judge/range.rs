//! Judges commits: the net change of a range and, on request, each of its commits; one commit as before it was made; or
//! a push, each ref by its own range, in one report.

use std::collections::HashSet;
use std::slice;

use gix::ObjectId;
use gix::bstr::BString;

use super::facts::{JudgementFacts, changes_of_range, settings_of};
use super::merge_commits;
use super::pipeline::Judged;
use super::policy_loader::{never_had_settings, target_with_settings};
use super::{Options, per_commit, pipeline, review};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;
use write_guard_policy::policy::Stage;
use write_guard_policy::scope::settings::Settings;
use write_guard_policy::verdict::{RowSuggestions, Source, SourceKind, Verdict};
use write_guard_repo::{PushSide, Range, Repository, Update};

/// Judges the commit `id` as a commit on `branch`, by the policy of its first parent.
///
/// # Errors
/// Whatever keeps guard from a verdict.
pub fn commit(
    repo: &Repository,
    id: ObjectId,
    branch: Option<BString>,
    options: &Options,
) -> Result<Verdict> {
    let made = repo.commit(id)?;
    let tree = repo.tree_of(Some(id))?;
    let (changes, merged) = merge_commits::of_commit(repo.objects(), &made.parents, &tree)?;
    let base = made.parents.first().copied();
    let facts = JudgementFacts {
        source: SourceKind::Range,
        head: Some(id),
        branch: of_designs(repo, branch),
        commits: slice::from_ref(&made),
        changes,
        merged,
        ..JudgementFacts::new(repo, Stage::Commit, base, tree)?
    };
    pipeline::judge(facts, options)?.verdict()
}

/// The branch whose designs apply to the commits of a branch.
fn of_designs(repo: &Repository, branch: Option<BString>) -> Option<BString> {
    branch.and_then(|branch| repo.design_branch_of(branch.as_ref()))
}

/// Judges the net change of a range and, if asked to, every commit.
///
/// # Errors
/// guard cannot reach a verdict.
pub fn range(repo: &Repository, range: &Range, options: &Options) -> Result<Verdict> {
    let Some(head) = range.head else {
        let source = Source {
            kind: SourceKind::Range,
            branch: range.branch.clone(),
            ..Source::default()
        };
        return Ok(Verdict {
            source,
            notes: range.notes.clone(),
            ..Verdict::default()
        });
    };
    let mut judged = net(repo, range, head, options)?;
    let mut notes = range.notes.clone();
    if range.is_cut {
        notes.push(
            "the clone is shallow, so guard cannot see the trailers of missing commits".to_owned(),
        );
    }
    judged.policy.notes.splice(0..0, notes);
    if let Some(review) = &mut judged.review {
        review.commits = review::commits(repo, range)?;
    }
    if options.each_commit {
        let policy = &judged.policy;
        let approvals = &judged.commit_approvals;
        let of_commits = per_commit::judge(repo, range, policy, approvals)?;
        let mut findings = Vec::new();
        for one in of_commits {
            judged.policy.notes.extend(one.note);
            findings.extend(one.findings);
        }
        // A finding on a single commit says the same in more detail, unless an approval cleared only that.
        judged.findings.retain(|net| {
            let mut own = findings.iter();
            !own.any(|own| own.rule == net.rule && own.path == net.path && own.level >= net.level)
        });
        judged.findings.extend(findings);
    }
    judged.verdict()
}

/// Judges the net change of a range to `head`.
///
/// # Errors
/// guard cannot reach a verdict.
pub(super) fn net(
    repo: &Repository,
    range: &Range,
    head: ObjectId,
    options: &Options,
) -> Result<Judged> {
    let tree = repo.tree_of(Some(head))?;
    let changes = changes_of_range(repo, range, &tree)?;
    let mut older_than = None;
    let mut options = options.clone();
    if !changes.is_empty() && options.settings.is_none() {
        match rules_of_older_work(repo, range, &options)? {
            OlderWork::No => {}
            OlderWork::WithoutSettings(target) => older_than = Some(target),
            OlderWork::Observed(settings) => options.settings = Some(*settings),
        }
    }
    let facts = JudgementFacts {
        source: SourceKind::Range,
        head: Some(head),
        branch: of_designs(repo, range.branch.clone()),
        older_than,
        is_part: range.is_part,
        commits: &range.commits,
        known: &range.known,
        changes,
        ..JudgementFacts::new(repo, Stage::Range, range.base, tree)?
    };
    pipeline::judge(facts, &options)
}

/// What judges work that began before the first `guard.toml`.
enum OlderWork {
    /// It did not.
    No,
    /// Only the rules that need no settings, since this branch has gone without them.
    WithoutSettings(String),
    /// The settings of the target branch, which only observe.
    Observed(Box<Settings>),
}

/// Work that began before the first `guard.toml` would be judged by no rules but its own. Before it leaves this clone, and
/// on a branch that goes without settings, such as that of an old release, nothing is asked of it.
fn rules_of_older_work(repo: &Repository, range: &Range, options: &Options) -> Result<OlderWork> {
    if settings_of(repo, range.base)?.is_some() {
        return Ok(OlderWork::No);
    }
    let never_had_any = never_had_settings(repo, range)?;
    for &known in &range.known {
        let Some(settings) = settings_of(repo, Some(known))? else {
            continue;
        };
        let name = known.to_hex_with_len(12);
        if never_had_any && options.is_local {
            return Ok(OlderWork::WithoutSettings(name.to_string()));
        }
        return match settings {
            Ok(settings) if settings.is_observing() => Ok(OlderWork::Observed(Box::new(settings))),
            _ => Err(Error::new(format!(
                "the merge base has no guard.toml, but the target branch ({name}) does"
            ))
            .help("rebase or merge, so that guard can use it")
            .help("or name the branch that this work goes to instead, as in BRANCH..HEAD")),
        };
    }
    if never_had_any && let Some((name, _)) = target_with_settings(repo)? {
        return Ok(OlderWork::WithoutSettings(name));
    }
    Ok(OlderWork::No)
}

/// Judges every ref of a push.
///
/// # Errors
/// guard cannot judge one of them.
pub fn push(
    repo: &Repository,
    updates: &[Update],
    side: PushSide<'_>,
    options: &Options,
) -> Result<Verdict> {
    let options = &Options {
        is_local: matches!(side, PushSide::Local(_)),
        ..options.clone()
    };
    let target = repo.target(base_setting(repo, repo.head_commit()?)?.as_deref(), side)?;
    let reports = updates.iter().map(|update| {
        let pushed = repo.range_of_update(update, updates, target.as_ref(), side);
        let report = pushed.and_then(|pushed| {
            let branch = update.branch().map(ToOwned::to_owned);
            range(repo, &Range { branch, ..pushed }, options)
        });
        of_ref(report, &update.name)
    });
    Ok(together(reports.collect::<Result<_>>()?))
}

/// Judges the new commits that ref updates bring to branches, each as before it was made. Commits on another local or
/// remote branch are not new.
///
/// # Errors
/// As for [`push`].
pub fn new_commits(repo: &Repository, updates: &[Update], options: &Options) -> Result<Verdict> {
    let of_remotes = updates
        .iter()
        .filter(|update| update.name.starts_with(b"refs/remotes/"))
        .filter_map(|update| update.new);
    let mut known: Vec<_> = of_remotes.collect();
    for prefix in ["refs/heads/", "refs/remotes/"] {
        let branches = repo.branches(prefix)?.into_iter();
        known.extend(branches.filter_map(|(_, tip)| tip));
    }
    let mut seen = HashSet::new();
    let mut reports = Vec::new();
    for update in updates {
        let Some((branch, tip)) = update.branch().zip(update.new) else {
            continue;
        };
        for new in repo.history(&known, tip)?.commits {
            if seen.insert(new.id) {
                let report = commit(repo, new.id, Some(branch.to_owned()), options);
                reports.push(of_ref(report, &update.name)?);
            }
        }
    }
    Ok(together(reports))
}

/// `[lld] base` in the settings of a commit; unreadable settings are reported when the range is judged.
pub(super) fn base_setting(repo: &Repository, commit: Option<ObjectId>) -> Result<Option<String>> {
    let settings = settings_of(repo, commit)?;
    let base = settings.and_then(|settings| settings.ok()?.base);
    Ok(base.map(|base| {
        let places = ["refs/heads/", "refs/remotes/origin/", "origin/"];
        let short = places.iter().find_map(|place| base.strip_prefix(place));
        short.map(str::to_owned).unwrap_or(base)
    }))
}

/// Adds the name of the ref to findings and errors.
fn of_ref(report: Result<Verdict>, name: &BString) -> Result<Verdict> {
    let name = escaped(name).to_string();
    let mut report = report.map_err(|error| Error {
        message: format!("{name}: {}", error.message),
        ..error
    })?;
    for finding in &mut report.findings {
        finding.details.insert("ref", name.as_str().into());
    }
    Ok(report)
}

/// Joins several reports.
fn together(reports: Vec<Verdict>) -> Verdict {
    let mut reports = reports.into_iter();
    let mut all = reports.next().unwrap_or_default();
    for report in reports {
        // What the page shows beyond findings and changes is about one ref.
        all.review = None;
        all.suggestions = RowSuggestions::default();
        all.source = Source::default();
        for design in report.designs {
            if !all.designs.contains(&design) {
                all.designs.push(design);
            }
        }
        all.findings.extend(report.findings);
        all.changes.extend(report.changes);
        all.notes.extend(report.notes);
        all.texts.extend(report.texts);
    }
    all.source.kind = SourceKind::Range;
    all
}
