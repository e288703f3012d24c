//! A workspace, ready for file operations.

use gix::bstr::BString;

use super::failure::{Failure, GateResult};
use super::log::{Log, members, record, versions};
use crate::approvals::{Signer, Store, TERMINAL, unexpired};
use crate::judge::{self, BaseCommit, OperationContext, Options, Purpose};
use write_guard_policy::approve::Approval;
use write_guard_policy::error;
use write_guard_policy::policy::{DesignVersion, Policy};
use write_guard_repo::Repository;
use write_guard_repo::boundary::Boundary;

/// A workspace, ready for file operations.
pub struct Gate<'a> {
    pub(crate) repo: &'a Repository,
    /// The workspace.
    pub(crate) boundary: Boundary,
    /// The designs and settings in force.
    pub(crate) policy: Policy,
    pub(super) log: Log,
    pub(crate) store: Store,
    approvals: Vec<Approval>,
    head: BaseCommit<'a>,
    /// Signs approvals.
    pub signer: Option<Signer>,
    /// How decisions come, such as from a [`TERMINAL`]. What the client of an MCP server answers for the person is never
    /// signed: a key that needs no touch would turn the client's word into the person's signature.
    pub how: &'static str,
    /// Who asks, for the log: an agent's name; `None` for the command line.
    pub(crate) agent: Option<&'static str>,
    /// Whether a write of no content is refused, because a closed or forgotten input could empty a file.
    pub refuses_empty: bool,
}

impl<'a> Gate<'a> {
    /// Opens the workspace of a repository, with HEAD's designs and settings.
    ///
    /// # Errors
    /// guard cannot reach a verdict, or there is no design that can be used.
    pub fn open(repo: &'a Repository, options: &Options) -> GateResult<Gate<'a>> {
        Ok(Gate::with(repo, options, None)?)
    }

    /// Opens the workspace to read, which needs no design.
    ///
    /// # Errors
    /// guard cannot reach a verdict.
    pub fn open_to_read(repo: &'a Repository, options: &Options) -> error::Result<Gate<'a>> {
        Gate::with(repo, options, Some(&[]))
    }

    /// Opens the workspace to change the files that are requested. Designs can be written without a design that can be
    /// used, and so repaired.
    ///
    /// # Errors
    /// guard cannot reach a verdict, or one of the files needs a design and there is none that can be used.
    pub fn open_to_change(
        repo: &'a Repository,
        options: &Options,
        requests: &[BString],
    ) -> error::Result<Gate<'a>> {
        Gate::with(repo, options, Some(requests))
    }

    /// Opens the workspace for changes of what is requested, or for anything.
    fn with(
        repo: &'a Repository,
        options: &Options,
        requests: Option<&[BString]>,
    ) -> error::Result<Gate<'a>> {
        let boundary = Boundary::open(repo.own_workdir()?);
        let boundary = boundary.map_err(|error| Failure::from(error).into_error())?;
        let mut paths = Vec::new();
        for request in requests.unwrap_or_default() {
            // Whatever the design says, the boundary refuses what leaves the workspace.
            paths.extend(boundary.locate(request.as_ref()));
        }
        let purpose = match requests {
            None => Purpose::Scope,
            Some([]) => Purpose::Read,
            Some(_) => Purpose::Change(&paths),
        };
        Ok(Gate {
            policy: judge::load_for_request(repo, options, purpose)?,
            boundary,
            log: Log::of(repo),
            store: Store::of(repo),
            approvals: unexpired(repo)?,
            head: BaseCommit::new(repo, repo.head_commit()?)?,
            signer: None,
            how: TERMINAL,
            agent: None,
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
