//! One call of a tool.

use gix::bstr::BString;

use super::answer::ToolAnswer;
use super::session::Session;
use crate::gate::{Gate, GateResult, Operation};
use crate::git::Repository;

/// A call, with the repository as it is now.
pub(super) struct Call<'a> {
    pub(super) repo: &'a Repository,
    pub(super) session: &'a Session,
}

impl Call<'_> {
    /// The gate with the policy of this moment.
    pub(super) fn gate(&self) -> GateResult<Gate<'_>> {
        let gate = Gate::open(self.repo, &self.session.options)?;
        self.session.check(&gate)?;
        Ok(gate)
    }

    /// The path in an argument, as a request.
    pub(super) fn request(&self, path: &str) -> BString {
        self.repo.request_of(path.as_bytes())
    }

    pub(super) fn perform(&self, path: &str, operation: &Operation) -> GateResult<ToolAnswer> {
        self.perform_by(&self.gate()?, path, operation)
    }

    pub(super) fn perform_by(
        &self,
        gate: &Gate<'_>,
        path: &str,
        operation: &Operation,
    ) -> GateResult<ToolAnswer> {
        let done = gate.perform(self.request(path).as_ref(), operation);
        done.map(|done| ToolAnswer::done(gate, &done))
    }
}
