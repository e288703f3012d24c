//! Judges what another program is about to do to files. guard does not do it, but it logs refusals and holds destructive
//! changes, as it does for its own file verbs. Before existing content may change, guard takes a snapshot and logs a
//! record, so that `guard snapshot restore` can undo the change.

use gix::bstr::{BStr, BString};
use serde_json::{Map, Value};

use super::failure::not_found;
use super::log::{members, record};
use super::perform::{backup, circumstances};
use super::{Effect, Failure, Gate, GateResult, Operation, log};
use crate::path::escaped;
use crate::rules::Access;

impl Gate<'_> {
    /// Judges an operation that another program performs.
    ///
    /// # Errors
    /// It is refused, or held until a person decides.
    pub fn judge(&self, request: &BStr, operation: &Operation) -> GateResult<Effect> {
        let effect = self.prepare(request, operation)?;
        match &effect.finding {
            None => Ok(effect),
            Some(finding) => {
                let _alone = log::alone(self.repo)?;
                Err(self.hold(&effect, finding, request))
            }
        }
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
    pub fn judge_move(&self, request: &BStr, to: &BStr, content: &[u8]) -> GateResult<Effect> {
        let judge = || {
            let context = self.context()?;
            let (path, old) = self.look(&context, request)?;
            let old = old.ok_or_else(|| not_found(path.as_ref()))?;
            self.plan_move(&context, (path, old), (to, Some(content)))
        };
        judge().inspect_err(|failure| {
            let digests = [("content", self.digest(Some(content)))];
            self.note_refusal("move", request, digests, failure);
        })
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

    /// Takes a snapshot of the contents that a tool may change, and logs the record, before the tool runs.
    ///
    /// # Errors
    /// One of them fails: then the tool must not run.
    pub(crate) fn keep(&self, mut changes: Vec<Effect>, tool: &str) -> GateResult<()> {
        // A new file, or one without contents, loses nothing.
        let has_content = |old: &[u8]| !old.is_empty();
        changes.retain(|effect| effect.changes() && effect.old_content().is_some_and(has_content));
        let title = match changes.as_slice() {
            [] => return Ok(()),
            [one] => one.title(),
            several => format!("Backup before tool call: {} files", several.len()),
        };
        let _alone = log::alone(self.repo)?;
        let backup = backup(self.repo, changes.iter().flat_map(Effect::before), &title)?;
        let mut steps: Vec<_> = changes.iter().flat_map(steps).collect();
        let mut facts = match steps.len() {
            1 => steps.remove(0),
            _ => members([
                ("operation", Some("call".into())),
                ("operations", Some(steps.into())),
            ]),
        };
        facts.insert("tool".into(), escaped(tool).to_string().into());
        let designs = self.policy.design_versions();
        facts.extend(circumstances(self.repo, &designs, Some(backup)));
        record(&self.log, "passed", facts).map(drop)
    }
}

/// What happens to each file. A move that also changes the content is a deletion and a write.
fn steps(effect: &Effect) -> Vec<Map<String, Value>> {
    let step = |verb: &str, path: &BString, old: &Option<String>, new: &Option<String>| {
        members([
            ("operation", Some(verb.into())),
            ("path", Some(path.to_string().into())),
            ("old", Some(old.clone().into())),
            ("new", Some(new.clone().into())),
        ])
    };
    match &effect.moved_to {
        Some(target) if effect.old_digest != effect.digest => vec![
            step("delete", &effect.path, &effect.old_digest, &None),
            step("write", target, &None, &effect.digest),
        ],
        _ => vec![effect.facts()],
    }
}
