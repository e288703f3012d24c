//! Judges what another program is about to do. guard writes nothing, but it logs refusals and holds destructive
//! changes, as it does for its own file verbs.

use gix::bstr::{BStr, BString};

use super::failure::{not_found, refuse_binary};
use super::{Failure, Gate, GateResult, Operation};
use crate::rules::Access;

impl Gate<'_> {
    /// Judges an operation that another program performs.
    ///
    /// # Errors
    /// It is refused, or held until a person decides.
    pub fn judge(&self, request: &BStr, operation: &Operation) -> GateResult<()> {
        let (plan, finding) = self.prepare(request, operation)?;
        let Some(finding) = finding else {
            return Ok(());
        };
        let _alone = self.lock.take()?;
        Err(self.hold_and_note(&plan, &finding, operation, request))
    }

    /// Judges a change whose result is not known: whether the path may be changed at all.
    ///
    /// # Errors
    /// The path is refused.
    pub fn judge_path(&self, request: &BStr) -> GateResult<()> {
        let judged = self.plan_unknown(request).map(drop);
        judged.inspect_err(|failure| self.note_refusal("write", request, [], failure))
    }

    /// Judges a move that another program performs, with the content that the file has afterwards.
    ///
    /// # Errors
    /// It is refused. A person cannot approve a destructive move; the failure says what to do instead.
    pub fn judge_move(&self, request: &BStr, to: &BStr, content: &[u8]) -> GateResult<()> {
        let judge = || {
            let context = self.context()?;
            let (path, old) = self.look(&context, request)?;
            let old = old.ok_or_else(|| not_found(path.as_ref()))?;
            refuse_binary(path.as_ref(), content)?;
            self.plan_move(&context, (path, old), (to, Some(content)), None)?;
            Ok(())
        };
        judge().inspect_err(|failure| {
            let digests = [("content", self.digest(Some(content)))];
            self.note_refusal("move", request, digests, failure);
        })
    }

    /// The path of a request in the workspace, with links resolved.
    ///
    /// # Errors
    /// It is not a path in the workspace.
    pub fn locate(&self, request: &BStr) -> GateResult<BString> {
        Ok(self.boundary.locate(request)?)
    }

    /// The content of a file that may be changed; `None` if it does not exist.
    ///
    /// # Errors
    /// The path is refused, or the file cannot be read.
    pub fn content_to_change(&self, request: &BStr) -> GateResult<Option<Vec<u8>>> {
        let look = || {
            let (_, old) = self.look(&self.context()?, request)?;
            Ok(old.map(|entry| entry.content))
        };
        look().inspect_err(|failure| self.note_refusal("write", request, [], failure))
    }

    /// Judges a path that another program reads. Whether the file exists and is text does not matter.
    ///
    /// # Errors
    /// The path is refused.
    pub fn judge_read(&self, request: &BStr) -> GateResult<()> {
        let admit = || {
            let path = self.boundary.locate(request)?;
            Ok(self.context()?.admit(path.as_ref(), Access::Read)??)
        };
        admit().inspect_err(|failure: &Failure| self.note_refusal("read", request, [], failure))
    }
}
