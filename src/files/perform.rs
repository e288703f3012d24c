//! Performs an operation after it is judged, in this order: snapshot, record "started", write, record "done".

use gix::ObjectId;
use gix::bstr::{BStr, BString};
use serde_json::{Map, Value};

use super::failure::refuse_binary;
use super::log::{REFUSED, members, now, record, versions};
use super::{Effect, Failure, FailureKind, Gate, GateResult, Operation, Strategy, log};
use crate::approvals::{Ask, HeldChange, Question};
use write_guard_policy::finding::{Finding, Help, Level, Rule};
use write_guard_policy::path::escaped;
use write_guard_policy::scope::settings::EXPIRY;
use write_guard_repo::boundary::{BoundaryResult, OpenedFile};
use write_guard_repo::{Before, Repository};

impl Gate<'_> {
    /// Performs the operation. If a person must decide, asks at once; without `ask`, the change is held with an ID.
    ///
    /// # Errors
    /// Any failure; see [`FailureKind`]. Without approval nothing is written, and what was asked about is not held.
    pub fn perform(
        &self,
        request: &BStr,
        operation: &Operation,
        expect: Option<&str>,
        ask: Option<Ask<'_>>,
    ) -> GateResult<Effect> {
        let alone = log::alone(self.repo)?;
        let effect = self.prepare(request, operation, expect)?;
        match (&effect.finding, ask) {
            (None, _) => self.execute(effect),
            (Some(finding), None) => Err(self.hold(&effect, finding, request)),
            (Some(_), Some(ask)) => {
                // The question may stay open for long, so others may write meanwhile.
                drop(alone);
                let may_combine = operation.strategy().is_some();
                self.decide(Question::new(effect, may_combine, None), ask)
            }
        }
    }

    /// The plan. Changes nothing; a refusal is recorded.
    pub(crate) fn prepare(
        &self,
        request: &BStr,
        operation: &Operation,
        expect: Option<&str>,
    ) -> GateResult<Effect> {
        self.plan(request, operation, expect).map_err(|failure| {
            let content = match operation {
                Operation::Write { content, .. } => Some(content),
                Operation::Move { content, .. } => content.as_ref(),
                _ => None,
            };
            let digests = [("content", self.digest(content.map(Vec::as_slice)))];
            self.noting_refusal(operation.verb(), request, digests, failure)
        })
    }

    /// Does what was planned. The caller holds the lock.
    pub(crate) fn execute(&self, mut effect: Effect) -> GateResult<Effect> {
        if !effect.changes() {
            record(&self.log, "unchanged", self.facts(&effect))?;
            return Ok(effect);
        }
        effect.backup = Some(backup(self.repo, effect.before(), &effect.title())?);
        let mut facts = self.facts(&effect);
        let started = record(&self.log, "started", facts.clone())?;
        facts.insert("started".into(), started.into());
        if let Err(failure) = self.carry_out(&effect).map_err(Failure::from) {
            facts.insert("error".into(), failure.kind.name().into());
            // The failure is reported in any case; without this record, the log shows an unfinished operation.
            let _ = record(&self.log, "failed", facts);
            return Err(failure);
        }
        record(&self.log, "done", facts).map_err(|failure| {
            let verb = effect.operation.verb();
            let path = escaped(&effect.path);
            let why = failure.message;
            let message =
                format!("the {verb} of {path} is done, but guard could not record that: {why}");
            Failure::new(failure.kind, message)
                .help("the snapshot and the start are recorded; check the file")
        })?;
        Ok(effect)
    }

    /// Other programs do not take guard's lock. What they saved after the check is in no snapshot, so it stays.
    fn carry_out(&self, effect: &Effect) -> BoundaryResult<()> {
        let path = effect.path.as_ref();
        match (&effect.moved_to, &effect.old, &effect.new) {
            (Some(target), Some(old), _) => self.boundary.rename(path, old, target.as_ref()),
            (_, old, Some(content)) => {
                let is_executable = effect.operation.is_executable();
                self.boundary
                    .replace(path, old.as_ref(), content, is_executable)
            }
            (_, Some(old), None) => self.boundary.remove(path, old),
            (_, None, None) => Ok(()),
        }
    }

    /// Holds a change for a person, and records that. The caller holds the lock.
    pub(super) fn hold(&self, effect: &Effect, finding: &Finding, request: &BStr) -> Failure {
        let sides = (effect.old_digest.as_deref(), effect.digest.as_deref());
        let change = HeldChange {
            id: self.store.id_of(effect.path.as_ref(), sides),
            path: effect.path.to_string(),
            operation: effect.operation.kind(),
            strategy: effect.operation.strategy().map(|way| way.name().to_owned()),
            old: effect.old_digest.clone(),
            new: effect.digest.clone(),
            class: effect.loss.judged.class.name().to_owned(),
            why: finding.message.clone(),
            expires: now().saturating_add_unsigned(EXPIRY),
            content: None,
            is_executable: effect.operation.is_executable(),
        };
        let failure = match self.store.hold(&change, effect.new.as_deref()) {
            Ok(()) => Failure {
                details: finding.details.clone(),
                finding: Some(Box::new(finding.clone())),
                analysis: Some(Box::new(effect.analysis())),
                ..change.failure(self.repo)
            }
            .detail("id", change.id)
            .detail("expires", change.expires),
            Err(failure) => failure,
        };
        let digests = [("old", change.old), ("new", change.new)];
        self.noting_refusal(effect.operation.verb(), request, digests, failure)
    }

    /// The blob id of a content; `None` for no content.
    pub fn digest(&self, content: Option<&[u8]>) -> Option<String> {
        let id = content.and_then(|content| self.repo.blob_id(content).ok());
        id.map(|id| id.to_string())
    }

    /// What an operation does to which file, for the log.
    pub(super) fn facts(&self, effect: &Effect) -> Map<String, Value> {
        let strategy = effect.operation.strategy();
        let strategy = strategy.filter(|way| *way != Strategy::Replace);
        let to = effect.moved_to.as_ref().map(BString::to_string);
        members([
            ("operation", Some(effect.operation.verb().into())),
            ("path", Some(effect.path.to_string().into())),
            ("strategy", strategy.map(|way| way.name().into())),
            ("to", to.map(Value::from)),
            ("class", Some(effect.loss.judged.class.name().into())),
            ("unheld", self.why_unheld(effect).map(Value::from)),
            ("old", Some(effect.old_digest.clone().into())),
            ("new", Some(effect.digest.clone().into())),
            ("backup", effect.backup.map(|id| id.to_string().into())),
            ("designs", Some(versions(&self.policy.design_versions()))),
        ])
    }

    /// Why guard holds no loss at all, if this is one: the settings say so.
    fn why_unheld(&self, effect: &Effect) -> Option<String> {
        let rule = Rule::DestructiveChange;
        let level = self.policy.settings.level(rule);
        (effect.loss.judged.destroys() && level != Some(Level::Error)).then(|| {
            let level = level.map_or("off", Level::name);
            format!("[rules] {} = \"{level}\"", rule.id())
        })
    }

    /// The refusal, recorded with the digests of the contents concerned. One that cannot be recorded is still a refusal,
    /// and says so.
    pub(super) fn noting_refusal(
        &self,
        verb: &str,
        request: &BStr,
        digests: impl IntoIterator<Item = (&'static str, Option<String>)>,
        failure: Failure,
    ) -> Failure {
        let details = &failure.details;
        let reason = details.get("reason").cloned();
        let reason = reason.unwrap_or_else(|| failure.kind.name().into());
        let rule = failure.finding.as_ref().map(|finding| finding.rule.id());
        let finding = failure.finding.as_ref();
        let closest = finding.and_then(|finding| finding.closest.as_ref());
        let branch = self.repo.design_branch().ok().flatten();
        let digests = digests.into_iter();
        let mut facts = members(digests.map(|(key, id)| (key, id.map(Value::from))));
        facts.extend(members([
            ("operation", Some(verb.into())),
            ("path", Some(escaped(request).to_string().into())),
            ("reason", Some(reason)),
            ("id", details.get("id").cloned()),
            ("expires", details.get("expires").cloned()),
            ("rule", rule.map(Value::from)),
            (
                "closest",
                closest.map(|path| escaped(path).to_string().into()),
            ),
            ("agent", self.agent.map(Value::from)),
            ("branch", branch.map(|branch| branch.to_string().into())),
            ("designs", Some(versions(&self.policy.design_versions()))),
        ]));
        match self.log.append(REFUSED, facts) {
            Ok(_) => failure,
            Err(error) => failure.help(format!("guard could not record this in its log: {error}")),
        }
    }

    /// Reads a text file inside the read roots. A refusal is recorded.
    ///
    /// # Errors
    /// The path is refused, the file does not exist, or it cannot be read.
    pub fn read(&self, request: &BStr) -> GateResult<(BString, OpenedFile)> {
        let read = self.find(request).and_then(|(path, entry)| {
            refuse_binary(path.as_ref(), &entry.content)?;
            Ok((path, entry))
        });
        self.noting("read", request, read)
    }
}

/// Takes a snapshot of files as they are, synced to disk. The caller holds the lock.
pub(super) fn backup<'f>(
    repo: &Repository,
    files: impl IntoIterator<Item = Before<'f>>,
    title: &str,
) -> GateResult<ObjectId> {
    let files: Vec<Before<'_>> = files.into_iter().collect();
    repo.take_snapshot(&files, title).map_err(|error| {
        Failure::new(FailureKind::Backup, error.message).help(Help::run(
            "nothing was written; if it fails again, check the repository",
            "git fsck",
        ))
    })
}
