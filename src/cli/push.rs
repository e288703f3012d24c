//! The hooks for pushes, local and on a server, and for reference transactions.

use std::ffi::OsString;

use clap::ValueEnum;
use gix::bstr::{BString, ByteSlice, ByteVec};

use super::repository::{repository, with_approvals};
use super::{bounded, lint, output::Output};
use crate::ci;
use crate::error::{Error, Result};
use crate::git::{self, PushSide, Repository};
use crate::judge::{self, Options};

#[derive(Debug, clap::Args)]
pub(super) struct PrePush {
    /// The name of the remote, as passed by git.
    #[arg(default_value = "origin")]
    remote: String,
    /// The URL of the remote, as passed by git.
    url: Option<OsString>,
}

#[derive(Debug, clap::Args)]
pub(super) struct UpdateArgs {
    /// The full name of the ref.
    reference: OsString,
    /// The current commit of the ref; zeros for a new ref.
    old: String,
    /// The new commit of the ref; zeros for a deleted ref.
    new: String,
}

#[derive(Debug, clap::Args)]
pub(super) struct Transaction {
    /// The state of the transaction; guard judges only `prepared`.
    state: TransactionState,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TransactionState {
    Preparing,
    Prepared,
    Committed,
    Aborted,
}

impl PrePush {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let updates = git::Update::parse_pushed(&bounded::refs()?)?;
        judge_push(output, &updates, PushSide::Local(&self.remote))
    }
}

impl UpdateArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let name = Vec::from_os_string(self.reference.clone())
            .map(BString::from)
            .map_err(|_| Error::new("the name of the ref cannot be read"))?;
        let (old, new) = (self.old.as_bytes(), self.new.as_bytes());
        let update = git::Update::new(name.as_bstr(), old, new)?;
        judge_push(output, &[update], PushSide::Server)
    }
}

pub(super) fn pre_receive(output: &mut Output) -> Result<u8> {
    let updates = git::Update::parse_received(&bounded::refs()?)?;
    judge_push(output, &updates, PushSide::Server)
}

impl Transaction {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        match self.state {
            TransactionState::Prepared => {
                let updates = git::Update::parse_received(&bounded::refs()?)?;
                let repo = repository()?;
                // Unsigned approvals count here, as they did before the commit.
                let options = with_approvals(&repo, committed_only(output))?;
                let report = judge::new_commits(&repo, &updates, &options)?;
                if report.changes.is_empty() && report.findings.is_empty() {
                    // Most transactions bring no new commit and pass silently.
                    return Ok(0);
                }
                lint::print(output, &report)
            }
            TransactionState::Preparing
            | TransactionState::Committed
            | TransactionState::Aborted => Ok(0),
        }
    }
}

/// A framework requests a range by variables. During a commit git names the index, and guard then judges the staged
/// changes whatever the variables say.
pub(super) fn framework(output: &mut Output, options: &Options) -> Result<u8> {
    let repo = repository()?;
    if !commit_in_progress()
        && let Some(report) = lint::framework_push(&repo, None, options)?
    {
        return lint::print(output, &report);
    }
    staged(output, &repo, options)
}

/// Judges the staged changes in a hook. If no commit is in progress and nothing is staged, as when a framework runs over
/// all files, there is nothing to check. In CI this must not count as accepted.
pub(super) fn staged(output: &mut Output, repo: &Repository, options: &Options) -> Result<u8> {
    let mut report = lint::staged_report(repo, options)?;
    if report.changes.is_empty() && report.findings.is_empty() && !commit_in_progress() {
        if ci::is_job(&lint::variables()) {
            return Err(
                Error::new("nothing is staged, so guard checked nothing in this CI job")
                    .help("check the pull request: guard lint --ci")
                    .help("or name its commits: pre-commit run --from-ref BASE --to-ref HEAD"),
            );
        }
        report.notes.push(
            "nothing is staged, so guard checked nothing; in CI use `guard lint --ci`, or `pre-commit run` with --from-ref and --to-ref".to_owned(),
        );
    }
    lint::print(output, &report)
}

/// Whether git is creating a commit: it then names the index to its hooks.
fn commit_in_progress() -> bool {
    std::env::var_os("GIT_INDEX_FILE").is_some()
}

fn judge_push(output: &mut Output, updates: &[git::Update], side: PushSide<'_>) -> Result<u8> {
    let report = judge::push(&repository()?, updates, side, None, &committed_only(output))?;
    lint::print(output, &report)
}

/// Hooks of a push take no design from the caller.
fn committed_only(output: &Output) -> Options {
    Options {
        in_hook: true,
        precision: output.precision(),
        ..Options::default()
    }
}
