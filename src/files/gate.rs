//! A workspace, ready for file operations.

use gix::bstr::BString;

use super::consent::{ELICITATION, Signer, TERMINAL};
use super::failure::{Failure, GateResult};
use super::log::{Log, members, record, versions};
use super::store::{Store, approvals, unreadable};
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
    pub(super) signer: Option<Signer>,
    /// How decisions come.
    pub(super) how: &'static str,
}

impl<'a> Gate<'a> {
    /// Opens the workspace of a repository, with HEAD's designs and settings.
    ///
    /// # Errors
    /// guard cannot reach a verdict.
    pub fn open(repo: &'a Repository, options: &Options) -> GateResult<Gate<'a>> {
        Ok(Gate::with(repo, options, |_| true)?)
    }

    /// Opens the workspace to check these requests. If none is inside, no design is needed.
    ///
    /// # Errors
    /// guard cannot reach a verdict.
    pub fn open_to_check(
        repo: &'a Repository,
        options: &Options,
        requests: &[BString],
    ) -> error::Result<Gate<'a>> {
        let mut requests = requests.iter();
        Gate::with(repo, options, |boundary| {
            requests.any(|request| boundary.locate(request.as_ref()).is_ok())
        })
    }

    fn with(
        repo: &'a Repository,
        options: &Options,
        needs_design: impl FnOnce(&Boundary) -> bool,
    ) -> error::Result<Gate<'a>> {
        let boundary = Boundary::open(repo.own_workdir()?);
        let boundary = boundary.map_err(|error| Failure::from(error).into_error())?;
        Ok(Gate {
            policy: judge::load_for_request(repo, options, needs_design(&boundary))?,
            boundary,
            log: Log::of(repo),
            store: Store::of(repo),
            approvals: approvals(repo)?,
            head: BaseCommit::new(repo, repo.head_commit()?)?,
            signer: None,
            how: TERMINAL,
            repo,
        })
    }

    /// The same, with a signer for approvals.
    #[must_use]
    pub fn signing(self, signer: Option<Signer>) -> Self {
        Gate { signer, ..self }
    }

    /// The same, where the client of an MCP server answers for the person. Such an approval is never signed: a key
    /// that needs no touch would turn the client's word into the person's signature.
    #[must_use]
    pub fn eliciting(self) -> Self {
        Gate {
            signer: None,
            how: ELICITATION,
            ..self
        }
    }

    /// The same, holding changes by these thresholds where they are stricter than the settings.
    #[must_use]
    pub fn stricter(mut self, lines: Option<usize>, share: Option<f64>) -> Self {
        let thresholds = &mut self.policy.settings.thresholds;
        thresholds.lines = lines.map_or(thresholds.lines, |lines| thresholds.lines.min(lines));
        thresholds.share = share.map_or(thresholds.share, |share| thresholds.share.min(share));
        self
    }

    /// The same, at least as strict as when this change was held, if it still is.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn as_strict_as(self, id: &str) -> GateResult<Self> {
        let held = self.store.load(id).map_err(unreadable)?;
        let held = held.and_then(|change| change.thresholds);
        Ok(self.stricter(held.map(|held| held.lines), held.map(|held| held.share)))
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
