//! A workspace, ready for file operations.

use std::cell::RefCell;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::bstr::{BStr, BString};
use serde_json::{Map, Value};

use super::failure::{Failure, GateResult};
use super::lock::Lock;
use super::log::Log;
use super::signer::{ELICITATION, Signer, TERMINAL};
use super::store::{Store, approvals, unreadable};
use crate::approve::Approval;
use crate::boundary::{Boundary, OpenedFile};
use crate::error;
use crate::git::Repository;
use crate::judge::{self, BaseCommit, OperationContext, Options};
use crate::policy::Policy;

/// A change that another program may make.
pub(super) struct PassedChange {
    /// The state of each path; the changed one comes first.
    pub(super) before: Vec<(BString, Option<OpenedFile>)>,
    /// One for each path, or one for a move.
    pub(super) steps: Vec<Map<String, Value>>,
}

/// A workspace, ready for file operations.
pub struct Gate<'a> {
    pub(super) repo: &'a Repository,
    pub(super) boundary: Boundary,
    pub(super) policy: Policy,
    pub(super) log: Log,
    pub(super) store: Store,
    pub(super) lock: Lock,
    pub(super) approvals: Vec<Approval>,
    /// What other programs may do, since the last look.
    pub(super) passed: RefCell<Vec<PassedChange>>,
    /// HEAD at the last request.
    head: RefCell<Option<Rc<BaseCommit<'a>>>>,
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
        let boundary = Boundary::open(repo.own_workdir()?)?;
        Ok(Gate::with(repo, boundary, options, true)?)
    }

    /// The same for requests none of which may need a design.
    pub(super) fn with(
        repo: &'a Repository,
        boundary: Boundary,
        options: &Options,
        needs_design: bool,
    ) -> error::Result<Gate<'a>> {
        Ok(Gate {
            policy: judge::load_for_request(repo, options, needs_design)?,
            boundary,
            log: Log::of(repo),
            store: Store::of(repo),
            lock: Lock::new(repo.common_dir()),
            approvals: approvals(repo).map_err(Failure::into_error)?,
            passed: RefCell::default(),
            head: RefCell::default(),
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
        let held = self.store.load(id).map_err(|error| unreadable(&error))?;
        let thresholds = held.and_then(|change| change.thresholds);
        Ok(match thresholds {
            Some(thresholds) => self.stricter(Some(thresholds.lines), Some(thresholds.share)),
            None => self,
        })
    }

    /// Notes on the policy, for example that the work tree has another version of a design.
    pub fn notes(&self) -> &[String] {
        &self.policy.notes
    }

    /// Waits until no other guard writes.
    pub(super) fn alone(&self) -> GateResult<File> {
        self.lock.take()
    }

    /// The root of the workspace, without links.
    pub fn root(&self) -> &Path {
        self.boundary.root()
    }

    /// The absolute spelling of a path in the workspace, without links.
    pub fn absolute(&self, path: &BStr) -> PathBuf {
        self.boundary.absolute(path)
    }

    /// The context of one request: HEAD is read once for it.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub(super) fn context(&self) -> error::Result<OperationContext<'_, 'a>> {
        Ok(OperationContext {
            repo: self.repo,
            head: self.head()?,
            policy: &self.policy,
            boundary: &self.boundary,
            approvals: &self.approvals,
        })
    }

    /// HEAD; what was read from it stays known until it moves.
    fn head(&self) -> error::Result<Rc<BaseCommit<'a>>> {
        let commit = self.repo.head_commit()?;
        let mut last = self.head.borrow_mut();
        match &*last {
            Some(head) if head.commit() == commit => Ok(Rc::clone(head)),
            _ => {
                let head = Rc::new(BaseCommit::new(self.repo, commit)?);
                *last = Some(Rc::clone(&head));
                Ok(head)
            }
        }
    }
}
