//! `guard lint`: judges staged changes, ranges and commits; `guard status`: where the work on this branch stands.

use std::io::IsTerminal;

use serde_json::json;

use super::approve::{held_json, held_line};
use super::bounded;
use super::options::{DesignArgs, repository};
use super::output::{CANNOT_JUDGE, Output};
use crate::approvals::{self, with_unexpired};
use crate::ci;
use crate::files::Failure;
use crate::judge::{self, Options};
use crate::observe;
use crate::report;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::path::escaped;
use write_guard_policy::verdict::Verdict;
use write_guard_repo::{PushSide, Range, Repository, Update, show_file};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(super) struct LintArgs {
    /// Same as --range A..B.
    #[arg(value_name = "A..B", conflicts_with_all = ["range", "commit"])]
    revisions: Option<String>,
    /// Judge the staged changes; this is the default.
    #[arg(
        long,
        conflicts_with_all = [
            "revisions", "range", "commit", "push", "ci", "each_commit", "worktree"
        ]
    )]
    staged: bool,
    /// Judge what B adds to A: the net difference from their merge base to B.
    ///
    /// `A..B` and `A...B` mean the same. B defaults to HEAD. Changes in A since the merge base do not count.
    #[arg(long, value_name = "A..B", conflicts_with = "commit")]
    range: Option<String>,
    /// Check one commit as guard would have checked it before it was made.
    #[arg(long, value_name = "REV")]
    commit: Option<String>,
    /// Judge what is about to be pushed.
    ///
    /// guard reads the refs from standard input, as git passes them to the pre-push hook, or the commits from the
    /// variables of the pre-commit framework.
    #[arg(long, conflicts_with_all = ["revisions", "range", "commit"])]
    push: bool,
    /// Check the commits that the CI system names: a pull or merge request, a merge queue or a push.
    ///
    /// guard prints the commits and never guesses them.
    #[arg(long, conflicts_with_all = ["revisions", "range", "commit", "push"])]
    ci: bool,
    /// With --ci, check what `github` or `gitlab` would check in a pull or merge request of B into the branch A.
    #[arg(long, value_name = "SYSTEM:A..B", requires = "ci")]
    pretend: Option<String>,
    /// Also check each commit on its own; in a merge, only what differs from all its parents.
    #[arg(long, conflicts_with = "commit")]
    each_commit: bool,
    /// Judge all uncommitted changes as if they were staged, including untracked files that git does not ignore.
    ///
    /// git adds the files to a private copy of the index, with its filters and conversions of line endings but without
    /// hooks. Files that are marked assume-unchanged are compared, too.
    #[arg(long, conflicts_with_all = ["revisions", "range", "commit", "push", "ci", "each_commit"])]
    worktree: bool,
    #[command(flatten)]
    design: DesignArgs,
}

const EXAMPLES: &str = "\
Examples:
  guard lint                              check the staged changes
  guard lint --worktree                   check all uncommitted changes
  guard lint main..HEAD                   check a branch from its merge base
  guard lint --ci                         check the pull request of a CI job
  guard lint --output html=review.html    also write the review page

guard writes nothing to the index, the work tree or the git directory.";

impl LintArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let mut repo = repository()?;
        output.seen_from(repo.prefix().cloned());
        // In CI, only committed designs count.
        let options = Options {
            precision: output.precision(),
            for_page: output.has_page(),
            for_suggestions: output.has_suggestions(),
            each_commit: self.each_commit,
            ..self.design.options(self.ci)
        };
        if let Some(revision) = &self.commit {
            let (id, branch) = repo.revision_and_branch(revision)?;
            return print(output, &judge::commit(&repo, id, branch, &options)?);
        }
        if let Some(range) = self.range(&mut repo)? {
            return print(output, &judge::range(&repo, &range, &options)?);
        }
        if self.push {
            return print(output, &pushed(&repo, &options)?);
        }
        if self.each_commit {
            return Err(Error::new("--each-commit needs several commits")
                .help("add --range A..B, --push or --ci"));
        }
        if self.worktree {
            let options = with_unexpired(&repo, options)?;
            return print(output, &judge::everything(repo, &options)?);
        }
        print(output, &staged_report(&repo, &options)?)
    }

    /// The commits that the CI system or the command line names.
    fn range(&self, repo: &mut Repository) -> Result<Option<Range>> {
        if self.ci {
            let plan = match &self.pretend {
                Some(text) => pretended(repo, text)?,
                None => ci::plan(&variables(), event)?,
            };
            return judge::ci_range(repo, &plan).map(Some);
        }
        let text = self.revisions.as_ref().or(self.range.as_ref());
        text.map(|text| repo.parse_range(text)).transpose()
    }
}

/// Judges what the pre-commit framework or git is about to push.
fn pushed(repo: &Repository, options: &Options) -> Result<Verdict> {
    if let Some(verdict) = framework_push(repo, options)? {
        return Ok(verdict);
    }
    if std::io::stdin().is_terminal() {
        return Err(Error::new("--push reads refs from standard input")
            .help("call it from the pre-push hook, or name commits: --range A..B"));
    }
    let updates = Update::parse_pushed(&bounded::refs()?)?;
    judge::push(repo, &updates, PushSide::Local("origin"), options)
}

/// The plan of the job that a pull request would start, as `SYSTEM:A..B` describes it.
fn pretended(repo: &mut Repository, text: &str) -> Result<ci::CiPlan> {
    let (system, range) = text
        .split_once(':')
        .filter(|(system, _)| matches!(*system, "github" | "gitlab"))
        .ok_or_else(|| {
            let message = format!("`{}` is not of the form SYSTEM:A..B", escaped(text));
            Error::new(message).help(Help::command("guard lint --ci --pretend github:main..HEAD"))
        })?;
    let commits = repo.parse_range(range)?;
    let (target, _) = range.split_once("..").unwrap_or_default();
    let base = repo.revision(target)?;
    let Some((merge_base, head)) = commits.base.zip(commits.head) else {
        return Err(Error::new(format!("{} has no commits", escaped(range))));
    };
    let (what, known, merge) = match system {
        "github" => (
            "GitHub pull_request",
            base,
            Some(repo.merge_of([base, head])?),
        ),
        _ => ("GitLab merge request", merge_base, None),
    };
    repo.check_out(merge.unwrap_or(head));
    Ok(ci::CiPlan {
        what: what.to_owned(),
        merge: merge.map(|id| id.to_string()),
        known: vec![ci::Point::Commit(known.to_string())],
        target: Some(ci::Point::Commit(base.to_string())),
        head: Some(head.to_string()),
        branch: commits.branch.map(|name| name.to_string()),
        ..ci::CiPlan::default()
    })
}

/// The variables whose names and values are UTF-8.
pub(super) fn variables() -> ci::Variables {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Reads the event that a CI system has written to a file.
fn event(path: &str) -> Result<serde_json::Value> {
    // GitHub's payloads have at most 25 MB.
    const MAX_EVENT: u64 = 64 << 20;
    let what = format!("the event {}", show_file(path.as_ref()));
    let bytes = bounded::read(&what, std::fs::File::open(path), MAX_EVENT)?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Error::new(format!("{what} is not JSON: {error}")))
}

/// Judges the staged changes.
pub(super) fn staged_report(repo: &Repository, options: &Options) -> Result<Verdict> {
    let options = with_unexpired(repo, options.clone())?;
    judge::staged(repo, &options)
}

/// Judges the range that the pre-commit framework names in its variables; `None` where it names none.
pub(super) fn framework_push(repo: &Repository, options: &Options) -> Result<Option<Verdict>> {
    // pre-commit and prek pass only the first of several refs.
    let from = variable("PRE_COMMIT_FROM_REF");
    let to = variable("PRE_COMMIT_TO_REF");
    let Some(remote_branch) = variable("PRE_COMMIT_REMOTE_BRANCH") else {
        let Some((from, to)) = from.zip(to) else {
            return Ok(None);
        };
        let range = repo.range_between(&from, &to)?;
        return judge::range(repo, &range, options).map(Some);
    };
    let remote = variable("PRE_COMMIT_REMOTE_NAME").unwrap_or_else(|| "origin".to_owned());
    // The framework names no range for the first push of a repository.
    let to = to.or_else(|| variable("PRE_COMMIT_LOCAL_BRANCH"));
    let update = Update {
        name: remote_branch.into(),
        old: from.map(|name| repo.revision(&name)).transpose()?,
        new: to.map(|name| repo.revision(&name)).transpose()?,
    };
    judge::push(repo, &[update], PushSide::Local(&remote), options).map(Some)
}

/// A variable that is set. A name that is not UTF-8 is then an unknown revision.
fn variable(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?.to_string_lossy().into_owned();
    Some(value).filter(|value| !value.is_empty())
}

/// Prints a verdict, and returns the exit code.
pub(super) fn print(output: &mut Output, verdict: &Verdict) -> Result<u8> {
    output.print(|to| report::write(verdict, to));
    Ok(verdict.exit_code())
}

pub(super) const STATUS_EXAMPLES: &str = "\
Examples:
  guard status

guard shows the branch, its designs, the rows that nothing has changed yet, what a commit now \
would say, and what waits for approval. The exit code is 0, also if a commit would be refused, and \
2 if guard could not check the staged changes.";

pub(super) fn status(output: &mut Output) -> Result<u8> {
    let repo = repository()?;
    // As the hooks will check the commit.
    let design = DesignArgs { lld: Vec::new() };
    let options = with_unexpired(&repo, design.options(true))?;
    let waiting = approvals::pending(&repo).map_err(Failure::into_error)?;
    let waiting: Vec<_> = waiting
        .iter()
        .map(|change| (held_line(change), held_json(&repo, change, None)))
        .collect();
    let status = judge::status(&repo, &options)?;
    let changes = observe::scope_changes(&repo).into_iter();
    let changes = changes.map(|change| {
        let json = json!({"time": change.time, "rows": change.rows});
        (change.text(), json)
    });
    let changes: Vec<_> = changes.collect();
    output.print(|to| report::write_status(&status, (&waiting, &changes), to));
    Ok(status.commit.map_or(CANNOT_JUDGE, |_| 0))
}
