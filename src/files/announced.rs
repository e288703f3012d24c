//! Judges what another program is about to do to files. guard does not do it, but it logs refusals and holds destructive
//! changes, as it does for its own file verbs. Before existing content may change, guard takes a snapshot and logs a
//! record, so that `guard snapshot restore` can undo the change.

use gix::bstr::{BStr, BString};
use serde_json::{Map, Value};

use super::failure::{not_found, refuse_binary};
use super::log::record;
use super::perform::{OperationPlan, add_circumstances, snapshot_of, standing};
use super::workspace::PassedChange;
use super::{Failure, Gate, GateResult, Operation};
use crate::boundary::OpenedFile;
use crate::path::escaped;
use crate::rules::Access;

impl Gate<'_> {
    /// Judges an operation that another program performs.
    ///
    /// # Errors
    /// It is refused, or held until a person decides.
    pub fn judge(&self, request: &BStr, operation: &Operation) -> GateResult<()> {
        let (plan, finding) = self.prepare(request, operation)?;
        if let Some(finding) = finding {
            let _alone = self.lock.take()?;
            return Err(self.hold_and_note(&plan, &finding, operation, request));
        }
        let steps = vec![self.step_facts(&plan, operation)];
        self.let_pass(plan, steps);
        Ok(())
    }

    /// Judges a change whose result is not known: whether the path may be changed at all.
    ///
    /// # Errors
    /// The path is refused.
    pub fn judge_path(&self, request: &BStr) -> GateResult<()> {
        let judged = self.plan_unknown(request);
        self.noting_refusal("write", request, judged.map(drop))
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
            let before = old.content.clone();
            let plan = self.plan_move(&context, (path, old), (to, Some(content)))?;
            let (to, expect) = (to.to_owned(), None);
            let steps = match plan.target().filter(|_| before != content) {
                None => vec![self.step_facts(&plan, &Operation::Move { to, expect })],
                Some(target) => vec![
                    step("delete", plan.path(), self.digest(Some(&before)), None),
                    step("write", target, None, self.digest(Some(content))),
                ],
            };
            self.let_pass(plan, steps);
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
        self.noting_refusal("write", request, look())
    }

    /// Judges a path that another program reads. Whether the file exists and is text does not matter.
    ///
    /// # Errors
    /// The path is refused.
    pub fn judge_read(&self, request: &BStr) -> GateResult<()> {
        let admitted = self.admitted(request, Access::Read);
        self.noting_refusal("read", request, admitted.map(drop))
    }

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
            let path = self.admitted(request, Access::Write)?;
            match self.policy.settings.protect.contains(path.as_ref()) {
                true => self.plan_unknown(request).map(drop),
                false => Ok(()),
            }
        };
        self.noting_refusal("write", request, admit())
    }

    fn noting_refusal<T>(
        &self,
        verb: &str,
        request: &BStr,
        judged: GateResult<T>,
    ) -> GateResult<T> {
        judged.inspect_err(|failure: &Failure| self.note_refusal(verb, request, [], failure))
    }

    /// Notes a judged operation. A new file, or one without contents, loses nothing.
    fn let_pass(&self, plan: OperationPlan, steps: Vec<Map<String, Value>>) {
        let has_content = |entry: &OpenedFile| !entry.content.is_empty();
        if !plan.is_unchanged && plan.old().is_some_and(has_content) {
            let before = plan.before;
            let change = PassedChange { before, steps };
            self.passed.borrow_mut().push(change);
        }
    }

    /// Takes the snapshot of what passed since the last call, and logs the record, before the tool runs.
    ///
    /// # Errors
    /// One of them fails: then the tool must not run.
    pub(crate) fn keep_passed(&self, tool: &str) -> GateResult<()> {
        let changes = self.passed.take();
        let title = match changes.as_slice() {
            [] => return Ok(()),
            [one] => Operation::DELETE.title(one.before[0].0.as_ref()),
            several => format!("Backup before tool call: {} files", several.len()),
        };
        let _alone = self.lock.take()?;
        let before = changes.iter().flat_map(|change| &change.before);
        let backup = snapshot_of(self.repo, before, &title, &standing(&self.log)?)?;
        let mut steps: Vec<_> = changes
            .into_iter()
            .flat_map(|change| change.steps)
            .collect();
        let mut facts = match steps.len() {
            1 => steps.remove(0),
            _ => Map::from_iter([
                ("operation".to_owned(), "call".into()),
                ("operations".to_owned(), steps.into()),
            ]),
        };
        facts.insert("tool".into(), escaped(tool).to_string().into());
        let designs = self.policy.design_versions();
        add_circumstances(self.repo, &designs, &mut facts, Some(backup));
        record(&self.log, "passed", facts).map(drop)
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
