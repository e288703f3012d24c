//! A workspace, ready for file operations.

use super::failure::{Failure, GateResult};
use super::log::{Log, members, record, versions};
use super::signer::{Signer, TERMINAL};
use super::store::{Store, approvals};
use crate::approve::Approval;
use crate::boundary::Boundary;
use crate::error;
use crate::git::Repository;
use crate::judge::{self, BaseCommit, OperationContext, Options};
use crate::policy::{DesignVersion, Policy};

/// A workspace, ready for file operations.
pub struct Gate<'a> {
    pub(super) repo: &'a Repository,
    /// The workspace.
    pub(crate) boundary: Boundary,
    /// The designs and settings in force.
    pub(crate) policy: Policy,
    pub(super) log: Log,
    pub(super) store: Store,
    approvals: Vec<Approval>,
    head: BaseCommit<'a>,
    /// Signs approvals.
    pub signer: Option<Signer>,
    /// How decisions come, such as from a [`TERMINAL`]. What the client of an MCP server answers for the person is never
    /// signed: a key that needs no touch would turn the client's word into the person's signature.
    pub how: &'static str,
    /// Whether a write of no content is refused, because a closed or forgotten input could empty a file.
    pub refuses_empty: bool,
}

impl<'a> Gate<'a> {
    /// Opens the workspace of a repository, with HEAD's designs and settings.
    ///
    /// # Errors
    /// guard cannot reach a verdict.
    pub fn open(repo: &'a Repository, options: &Options) -> GateResult<Gate<'a>> {
        Ok(Gate::open_to_check(repo, options, true)?)
    }

    /// Opens the workspace to check requests. If none of them changes what is inside, no design is needed.
    ///
    /// # Errors
    /// guard cannot reach a verdict.
    pub fn open_to_check(
        repo: &'a Repository,
        options: &Options,
        needs_design: bool,
    ) -> error::Result<Gate<'a>> {
        let boundary = Boundary::open(repo.own_workdir()?);
        Ok(Gate {
            policy: judge::load_for_request(repo, options, needs_design)?,
            boundary: boundary.map_err(|error| Failure::from(error).into_error())?,
            log: Log::of(repo),
            store: Store::of(repo),
            approvals: approvals(repo)?,
            head: BaseCommit::new(repo, repo.head_commit()?)?,
            signer: None,
            how: TERMINAL,
            refuses_empty: false,
            repo,
        })
    }

    /// The same, holding changes by these thresholds where they are stricter than the settings.
    #[must_use]
    pub fn stricter(mut self, lines: Option<usize>, share: Option<f64>) -> Self {
        let thresholds = &mut self.policy.settings.thresholds;
        thresholds.lines = lines.map_or(thresholds.lines, |lines| thresholds.lines.min(lines));
        thresholds.share = share.map_or(thresholds.share, |share| thresholds.share.min(share));
        self
    }

    /// Records that a program was told about other designs.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn record_reload(&self, before: &[DesignVersion]) -> GateResult<()> {
        let now = versions(&self.policy.design_versions());
        let facts = members([("before", Some(versions(before))), ("designs", Some(now))]);
        record(&self.log, "scope-reloaded", facts).map(drop)
    }

    /// What requests are judged by.
    pub(super) fn context(&self) -> OperationContext<'_, 'a> {
        OperationContext {
            repo: self.repo,
            head: &self.head,
            policy: &self.policy,
            boundary: &self.boundary,
            approvals: &self.approvals,
        }
    }
}
