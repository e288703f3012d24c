//! Judges what another program is about to do to files. guard does not do it, but it logs refusals and holds destructive
//! changes, as it does for its own file verbs. Before existing content may change, guard takes a snapshot and logs a
//! record, so that `guard snapshot restore` can undo the change.

use gix::bstr::BStr;

use super::log::record;
use super::perform::backup;
use super::{Effect, Gate, GateResult, Operation, log};
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

    /// The content of a file that may be changed; `None` if it does not exist.
    ///
    /// # Errors
    /// The path is refused, or the file cannot be read.
    pub fn content_to_change(&self, request: &BStr) -> GateResult<Option<Vec<u8>>> {
        let (_, old) = self.noting_refusal("write", request, self.look(request))?;
        Ok(old.map(|entry| entry.content))
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
        let path = self.noting_refusal("write", request, self.admitted(request, Access::Write))?;
        match self.policy.settings.protect.contains(path.as_ref()) {
            true => self.judge_path(request),
            false => Ok(()),
        }
    }

    fn noting_refusal<T>(
        &self,
        verb: &str,
        request: &BStr,
        judged: GateResult<T>,
    ) -> GateResult<T> {
        judged.inspect_err(|failure| self.note_refusal(verb, request, [], failure))
    }

    /// Takes a snapshot of the contents that a tool may change, and logs each change, before the tool runs.
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
        for effect in &mut changes {
            effect.backup = Some(backup);
            let mut facts = self.facts(effect);
            facts.insert("tool".into(), escaped(tool).to_string().into());
            record(&self.log, "passed", facts)?;
        }
        Ok(())
    }
}
