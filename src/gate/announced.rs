//! Judges what another program is about to do. guard does not do it, but it logs refusals and holds destructive
//! changes, as it does for its own file verbs. What passes is noted, for a snapshot of what it changes.

use gix::bstr::{BStr, BString};
use serde_json::{Map, Value};

use super::failure::{not_found, refuse_binary};
use super::passed::{Passed, PassedChange, UNKNOWN};
use super::plan::OperationPlan;
use super::{Failure, Gate, GateResult, Operation};
use crate::boundary::OpenedFile;
use crate::rules::Access;

impl Gate<'_> {
    /// Judges an operation that another program performs.
    ///
    /// # Errors
    /// It is refused, or held until a person decides.
    pub fn judge(&self, request: &BStr, operation: &Operation) -> GateResult<()> {
        let (plan, finding) = self.prepare(request, operation)?;
        let Some(finding) = finding else {
            self.let_pass(plan, operation);
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
        let judged = self.plan_unknown(request);
        let judged = judged.and_then(|_| self.let_change_pass(self.locate(request)?, None));
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
            let is_same = old.content == content;
            let (plan, _) = self.plan_move(&context, (path, old), (to, Some(content)), None)?;
            match is_same {
                true => {
                    let to = to.to_owned();
                    self.let_pass(plan, &Operation::Move { to, expect: None });
                }
                false => self.let_move_pass(plan, content),
            }
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

impl Gate<'_> {
    /// Whether the settings say which files may be read, or which hold secrets.
    pub(crate) fn judges_reads(&self) -> bool {
        let settings = &self.policy.settings;
        settings.read != ["."] || !settings.secrets.are_built_in()
    }

    /// Judges a file that git ignores, which no design names.
    ///
    /// # Errors
    /// The path is a secret, protected, or otherwise refused to every request.
    pub(crate) fn judge_ignored(&self, request: &BStr) -> GateResult<()> {
        let admit = || {
            let path = self.boundary.locate(request)?;
            match self.context()?.admit(path.as_ref(), Access::Write)? {
                Ok(()) if self.policy.settings.protect.contains(path.as_ref()) => {
                    self.plan_unknown(request).map(drop)
                }
                admitted => Ok(admitted?),
            }
        };
        admit().inspect_err(|failure: &Failure| self.note_refusal("write", request, [], failure))
    }

    /// The changes that were judged and may happen, since the last call.
    pub(crate) fn passed(&self) -> Passed {
        Passed {
            changes: self.passed.take(),
            designs: self.policy.design_versions(),
        }
    }

    /// Notes a judged operation.
    pub(super) fn let_pass(&self, plan: OperationPlan, operation: &Operation) {
        if plan.is_unchanged {
            return;
        }
        let steps = vec![self.step_facts(&plan, operation)];
        self.note_passed(plan.before, steps);
    }

    /// Notes a judged move after which the file has another content.
    pub(super) fn let_move_pass(&self, plan: OperationPlan, content: &[u8]) {
        let old = plan.old().map(|entry| entry.content.as_slice());
        let mut steps = vec![step("delete", plan.path(), self.digest(old), None)];
        if let Some(target) = plan.target() {
            steps.push(step("write", target, None, self.digest(Some(content))));
        }
        self.note_passed(plan.before, steps);
    }

    /// Notes a change of a file after which it has this content, or one that guard does not know.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn let_change_pass(&self, path: BString, new: Option<&[u8]>) -> GateResult<()> {
        let max = crate::policy::settings::MAX_SIZE;
        let old = self.boundary.read_stable(path.as_ref(), max)?;
        let content = old.as_ref().map(|entry| entry.content.as_slice());
        if content == new {
            return Ok(());
        }
        let id = match new {
            Some(new) => self.digest(Some(new)),
            None => Some(UNKNOWN.to_owned()),
        };
        let steps = vec![step("write", path.as_ref(), self.digest(content), id)];
        self.note_passed(vec![(path, old)], steps);
        Ok(())
    }

    /// A new file, or one without contents, loses nothing.
    fn note_passed(
        &self,
        before: Vec<(BString, Option<OpenedFile>)>,
        steps: Vec<Map<String, Value>>,
    ) {
        let has_content = |entry: &OpenedFile| !entry.content.is_empty();
        if before[0].1.as_ref().is_some_and(has_content) {
            self.passed
                .borrow_mut()
                .push(PassedChange { before, steps });
        }
    }
}

/// What happens to one file.
fn step(verb: &str, path: &BStr, old: Option<String>, new: Option<String>) -> Map<String, Value> {
    let mut facts = Map::new();
    facts.insert("operation".into(), verb.into());
    facts.insert("path".into(), path.to_string().into());
    facts.insert("old".into(), old.into());
    facts.insert("new".into(), new.into());
    facts
}
