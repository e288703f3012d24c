//! Effects on a workspace. The order is always the same: boundary, rules, snapshot, record "started", write, record
//! "done". If the snapshot or the record fails, nothing is written; there is no way to leave them out.

mod analysis;
mod asked;
mod check;
mod decision;
mod designs;
#[cfg(feature = "extend")]
mod extend;
mod failure;
mod held;
mod lock;
mod log;
mod on_record;
mod operation;
mod patch;
mod perform;
mod plan;
mod restore;
mod sign;
mod store;
mod strategy;
mod undone;
mod verify;
mod work_tree;

use std::path::PathBuf;

use gix::bstr::{BStr, BString};

use crate::approval::Approval;
use crate::boundary::{Boundary, Entry};
use crate::git::Repository;
use crate::judge::{self, Access, Desk, Options, Request};
use crate::policy::Policy;
use lock::Lock;

pub use analysis::Analysis;
pub use decision::{
    Answer, Ask, Consent, Question, approvals, consume, held_change, keep, pending, reject,
};
pub use failure::{Failure, FailureKind};
pub use held::{Held, HeldChange};
pub use log::{Fault, Head, Log, Record};
pub use operation::Operation;
pub use patch::{Edit, apply};
pub use perform::Done;
pub use restore::{Former, Restore, prune};
pub use sign::{Signer, SigningKey};
pub use store::Store;
pub use strategy::{Extension, Strategy};
pub use verify::{Unfinished, Verification, verify, verify_beside};
pub use work_tree::{check_is_here, command_in, name_of};

/// The result of a file operation.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// A workspace with everything that its file operations need.
pub struct Gate<'a> {
    repo: &'a Repository,
    boundary: Boundary,
    policy: Policy,
    log: Log,
    held: Held,
    lock: Lock,
    approvals: Vec<Approval>,
    /// What signs a person's consent.
    signer: Option<Signer>,
}

impl<'a> Gate<'a> {
    /// Opens the workspace of a repository; designs and settings are HEAD's.
    ///
    /// # Errors
    /// Whatever keeps guard from a verdict.
    pub fn open(repo: &'a Repository, options: &Options) -> Result<Gate<'a>> {
        Gate::open_with(repo, options, true)
    }

    fn open_with(repo: &'a Repository, options: &Options, needs_design: bool) -> Result<Gate<'a>> {
        let boundary = Boundary::open(repo.own_workdir()?)?;
        let request = Request {
            options,
            needs_design,
        };
        let policy = judge::load_for_request(repo, &request)?;
        Ok(Gate::new(repo, boundary, policy, approvals(repo)?))
    }

    fn new(
        repo: &'a Repository,
        boundary: Boundary,
        policy: Policy,
        approvals: Vec<Approval>,
    ) -> Gate<'a> {
        Gate {
            repo,
            boundary,
            policy,
            log: Log::of(repo),
            held: Held::new(repo.common_dir()),
            lock: Lock::new(repo.common_dir()),
            approvals,
            signer: None,
        }
    }

    /// The same, with what signs a person's consent.
    #[must_use]
    pub fn signing(self, signer: Option<Signer>) -> Self {
        Gate { signer, ..self }
    }

    /// Reads a text file inside the read roots. A refusal is on record.
    ///
    /// # Errors
    /// The path is refused, there is no such file, or it cannot be read.
    pub fn read(&self, request: &BStr) -> Result<(BString, Entry)> {
        let read = self.find(request).and_then(|(path, entry)| {
            operation::refuse_binary(path.as_ref(), &entry.content)?;
            Ok((path, entry))
        });
        read.inspect_err(|failure| {
            if failure.is_refusal() {
                self.note_refusal("read", request, failure);
            }
        })
    }

    /// Remarks on how the policy came about, such as on a design that the work tree has in another version.
    pub fn notes(&self) -> &[String] {
        &self.policy.notes
    }

    /// A file inside the read roots.
    fn find(&self, request: &BStr) -> Result<(BString, Entry)> {
        let path = self.boundary.locate(request)?;
        self.desk().admit(path.as_ref(), Access::Read)??;
        let max = self.policy.settings.max_size;
        let entry = self.boundary.read(path.as_ref(), max)?;
        let entry = entry.ok_or_else(|| operation::not_found(path.as_ref()))?;
        Ok((path, entry))
    }

    /// The largest content that the settings allow, in bytes.
    pub fn max_size(&self) -> u64 {
        self.policy.settings.max_size
    }

    /// The absolute spelling of a path in the workspace, free of links.
    pub fn absolute(&self, path: &BStr) -> PathBuf {
        self.boundary.absolute(path)
    }

    fn desk(&self) -> Desk<'_> {
        Desk {
            repo: self.repo,
            policy: &self.policy,
            boundary: &self.boundary,
            approvals: &self.approvals,
        }
    }
}
