//! Judges what guard does not do: for `guard check`, whether it would do a write or a read; and what another program is about
//! to do to files. For the latter, guard logs refusals and holds destructive changes, as it does for its own file verbs, and
//! takes a snapshot before existing content may change.

use gix::bstr::{BStr, BString};

use super::log::{members, record, versions};
use super::perform::backup;
use super::{Effect, Failure, FailureKind, Gate, GateResult, Operation, log};
use write_guard_policy::finding::Finding;
use write_guard_policy::path::{Node, Rejection, TreeView, escaped};
use write_guard_policy::rules::Access;
use write_guard_policy::verdict::CheckResult;

/// The ways in which a path leaves the workspace (requirement 004).
const VIOLATIONS: [&str; 3] = ["path-escapes", "path-outside", "symlink-escapes"];

impl Gate<'_> {
    /// Whether `guard write` would write this content, or without one any content.
    ///
    /// # Errors
    /// The errors for which `guard write` exits with 2.
    pub fn check(
        &self,
        requested: BString,
        request: &BStr,
        content: Option<Vec<u8>>,
    ) -> GateResult<CheckResult> {
        let finding = match content {
            Some(content) => self
                .plan(request, &Operation::replace(content), None)
                .map(|effect| effect.finding),
            None => self.plan_unknown(request),
        };
        let judged = finding.and_then(|finding| match finding {
            None => Ok(()),
            Some(finding) => Err(Failure {
                kind: FailureKind::Held,
                ..Failure::from(finding)
            }),
        });
        let located = self.boundary.locate(request);
        let mut answer = self.answer(requested, located.ok(), judged)?;
        if answer.kind.is_none() {
            let path = answer.path.as_ref().map(AsRef::as_ref).unwrap_or_default();
            let scope = self.policy.scope.as_ref();
            let grant = scope.and_then(|scope| scope.lookup(path).first().copied());
            answer.design = grant.map(|grant| grant.anchor.clone());
            answer.reason = match &answer.design {
                Some(anchor) => format!("allowed by {}:{}", escaped(&anchor.path), anchor.line),
                None => "allowed without a row".to_owned(),
            };
        }
        Ok(answer)
    }

    /// Why `guard read` would read what is there; refuses what it would not.
    fn readable_at(
        &self,
        located: Result<BString, Rejection>,
        request: &BStr,
    ) -> GateResult<&'static str> {
        let path = self.admit(located?, Access::Read)?;
        match self.boundary.entry(path.as_ref()) {
            Some(Node::Directory) => {}
            Some(Node::Entry(_)) => drop(self.find(request)?),
            None => return Ok("inside the directories that may be read; nothing is there yet"),
        }
        Ok("inside the directories that may be read")
    }

    /// Whether `guard read` would read the file, or what is in the directory.
    ///
    /// # Errors
    /// guard cannot reach a verdict.
    pub fn check_read(&self, requested: BString, request: &BStr) -> GateResult<CheckResult> {
        let located = self.boundary.locate_directory(request);
        let (reason, judged) = match self.readable_at(located.clone(), request) {
            Ok(reason) => (reason, Ok(())),
            Err(failure) => ("", Err(failure)),
        };
        let mut answer = self.answer(requested, located.ok(), judged)?;
        if answer.kind.is_none() {
            answer.reason = reason.to_owned();
        }
        Ok(answer)
    }

    /// The answer to a request that was judged, without the reason of an allowed one.
    fn answer(
        &self,
        requested: BString,
        path: Option<BString>,
        judged: GateResult<()>,
    ) -> GateResult<CheckResult> {
        let mut answer = CheckResult {
            allowed: judged.is_ok() && path.is_some(),
            requested_path: requested,
            absolute_path: path.as_ref().map(|path| {
                let absolute = self.boundary.absolute(path.as_ref());
                absolute.to_string_lossy().into_owned()
            }),
            path,
            ..CheckResult::default()
        };
        if let Err(failure) = judged {
            if failure.kind.exit_code() == 2 {
                return Err(failure);
            }
            answer.kind = Some(failure.kind);
            answer.reason = failure.message;
            if let Some(finding) = failure.finding {
                answer.rule = Some(finding.rule);
                answer.violation = violation(&finding);
                answer.closest_match = finding.closest;
                answer.design = finding.design;
            }
        }
        Ok(answer)
    }

    /// Records an answer in the log.
    ///
    /// # Errors
    /// The log cannot be written: then the answer does not count.
    pub fn record_answer(&self, result: &CheckResult) -> GateResult<()> {
        let path = result.path.as_ref().unwrap_or(&result.requested_path);
        let facts = members([
            ("operation", Some("check".into())),
            ("path", Some(escaped(path).to_string().into())),
            ("allowed", Some(result.allowed.into())),
            ("reason", result.kind.map(|kind| kind.name().into())),
            ("violation", result.violation.clone().map(Into::into)),
            ("rule", result.rule.map(|rule| rule.id().into())),
            ("designs", Some(versions(&self.policy.design_versions()))),
        ]);
        record(&self.log, "checked", facts).map(drop)
    }

    /// Judges an operation that another program performs.
    ///
    /// # Errors
    /// It is refused, or held until a person decides.
    pub fn judge(&self, request: &BStr, operation: &Operation) -> GateResult<Effect> {
        let effect = self.prepare(request, operation, None)?;
        match &effect.finding {
            None => Ok(effect),
            Some(finding) => {
                let _alone = log::alone(self.repo)?;
                Err(self.hold(&effect, finding, request))
            }
        }
    }

    /// The result of judging what another program does, of which a refusal is recorded.
    pub(crate) fn noting<T>(
        &self,
        verb: &str,
        request: &BStr,
        judged: GateResult<T>,
    ) -> GateResult<T> {
        judged.map_err(|failure| self.noting_refusal(verb, request, [], failure))
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
        let path = self.admitted(request, Access::Write)?;
        if self.policy.settings.protect.contains(path.as_ref()) {
            self.plan_unknown(request).map(drop)
        } else {
            Ok(())
        }
    }

    /// Takes a snapshot of the contents that a tool may change, and logs each change, before the tool runs.
    ///
    /// # Errors
    /// One of them fails: then the tool must not run.
    pub(crate) fn keep(&self, mut changes: Vec<Effect>, tool: &str) -> GateResult<()> {
        // A new file, or one without contents, loses nothing.
        changes.retain(|effect| {
            effect.changes() && !effect.old_content().unwrap_or_default().is_empty()
        });
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

fn violation(finding: &Finding) -> Option<String> {
    let reason = finding.details.get("reason")?.as_str()?;
    let leaves = VIOLATIONS.contains(&reason);
    leaves.then(|| format!("{}_boundary", reason.replace('-', "_")))
}
