//! Performs a judged operation, with records and a snapshot.

use std::thread;
use std::time::Duration;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Map, Value};

use super::plan::{Effect, OperationPlan};
use super::{
    Analysis, ChainHead, Extension, Failure, FailureKind, Gate, GateResult, Log, Operation,
    Strategy, designs,
};
use crate::boundary::OpenedFile;
use crate::finding::Finding;
use crate::git::{Before, Repository};
use crate::path::escaped;
use crate::policy::DesignVersion;

/// A completed file operation.
#[derive(Debug, Clone)]
pub struct CompletedOperation {
    /// The operation, as in the log.
    pub verb: &'static str,
    /// Whether it changed anything; a write of the content that is there already does not.
    pub changed: bool,
    /// Its effect.
    pub analysis: Analysis,
    /// Whether the file was removed.
    pub is_gone: bool,
    /// The current size of the file in bytes; 0 if it is gone.
    pub size: usize,
    /// The blob id of the file's content, as `--expect` takes it; `None` if the file is gone.
    pub digest: Option<String>,
    /// The snapshot of the previous state; `None` if nothing changed.
    pub backup: Option<ObjectId>,
    /// What `extend` added and kept.
    pub extension: Option<Extension>,
    /// The number of replacements.
    pub replaced: usize,
    /// The new path of a moved file.
    pub moved_to: Option<BString>,
}

/// How often to retry a file that other programs keep saving.
pub(super) const ATTEMPTS: u32 = 20;
/// The pause between attempts.
pub(super) const PAUSE: Duration = Duration::from_millis(20);

/// The result of an attempt.
pub(super) enum Attempt {
    Done(Box<CompletedOperation>),
    /// A person must first decide about this finding; nothing is written.
    Needs(Box<OperationPlan>, Box<Finding>),
}

impl Gate<'_> {
    /// Performs the operation. A destructive change is held with an ID.
    ///
    /// # Errors
    /// Any failure; see [`FailureKind`].
    pub fn perform(&self, request: &BStr, operation: &Operation) -> GateResult<CompletedOperation> {
        let _alone = self.alone()?;
        match self.attempt(request, operation)? {
            Attempt::Done(done) => Ok(*done),
            Attempt::Needs(plan, finding) => {
                Err(self.hold_and_note(&plan, &finding, operation, request))
            }
        }
    }

    /// Holds a change for a person, and records that. The caller holds the lock.
    pub(super) fn hold_and_note(
        &self,
        plan: &OperationPlan,
        finding: &Finding,
        operation: &Operation,
        request: &BStr,
    ) -> Failure {
        let failure = self.hold(plan, finding, operation);
        let old = plan.old().map(|entry| entry.content.as_slice());
        let digests = [
            ("old", self.digest(old)),
            ("new", self.digest(plan.content_afterwards())),
        ];
        self.note_refusal(operation.verb(), request, digests, &failure);
        failure
    }

    /// Performs what needs no approval. If another program saves the file meanwhile, guard starts over: judges the
    /// new state and takes a snapshot of it. The caller holds the lock.
    pub(super) fn attempt(&self, request: &BStr, operation: &Operation) -> GateResult<Attempt> {
        let mut number = 1;
        loop {
            let (plan, finding) = self.prepare(request, operation)?;
            if let Some(finding) = finding {
                return Ok(Attempt::Needs(Box::new(plan), Box::new(finding)));
            }
            match self.execute(&plan, operation) {
                Err(failure) if failure.kind == FailureKind::Stale && number < ATTEMPTS => {
                    number += 1;
                    // Some programs save by first renaming the old file; let them finish.
                    thread::sleep(PAUSE);
                }
                result => return result.map(|done| Attempt::Done(Box::new(done))),
            }
        }
    }

    /// The plan, and the finding that needs approval. Changes nothing; a refusal is recorded.
    pub(super) fn prepare(
        &self,
        request: &BStr,
        operation: &Operation,
    ) -> GateResult<(OperationPlan, Option<Finding>)> {
        self.plan(request, operation).inspect_err(|failure| {
            let digests = [("content", self.digest(operation.content()))];
            self.note_refusal(operation.verb(), request, digests, failure);
        })
    }

    /// The caller holds the lock.
    pub(super) fn execute(
        &self,
        plan: &OperationPlan,
        operation: &Operation,
    ) -> GateResult<CompletedOperation> {
        if plan.is_unchanged {
            // An earlier run may have been killed before it made that durable.
            self.boundary.make_durable(plan.path())?;
            record(&self.log, "unchanged", self.facts(plan, operation, None))?;
            return Ok(self.completed(plan, operation, None));
        }
        let log = standing(&self.log)?;
        let title = operation.title(plan.path());
        let backup = snapshot_of(self.repo, plan.before.iter(), &title, &log)?;
        let mut facts = self.facts(plan, operation, Some(backup));
        let started = record(&self.log, "started", facts.clone())?;
        facts.insert("started".into(), started.count.into());
        if let Err(failure) = self.carry_out(plan).map_err(Failure::from) {
            facts.insert("error".into(), failure.kind.name().into());
            // The failure is reported in any case; without this record, the log shows an unfinished operation.
            let _ = record(&self.log, "failed", facts);
            return Err(failure);
        }
        record(&self.log, "done", facts).map_err(|failure| Failure {
            message: format!(
                "the {} of {} is done, but guard could not record that: {}",
                operation.verb(),
                escaped(plan.path()),
                failure.message
            ),
            help: vec!["the snapshot and the start are recorded; check the file".into()],
            ..failure
        })?;
        Ok(self.completed(plan, operation, Some(backup)))
    }

    pub(super) fn completed(
        &self,
        plan: &OperationPlan,
        operation: &Operation,
        backup: Option<ObjectId>,
    ) -> CompletedOperation {
        CompletedOperation {
            verb: operation.verb(),
            changed: !plan.is_unchanged,
            analysis: plan.analysis.clone(),
            is_gone: matches!(plan.effect, Effect::Remove),
            size: plan.content_afterwards().map_or(0, <[u8]>::len),
            digest: self.digest(plan.content_afterwards()),
            backup,
            extension: plan.extension.clone(),
            replaced: match operation {
                Operation::Patch { edits, .. } => edits.len(),
                _ => 0,
            },
            moved_to: plan.target().map(BStr::to_owned),
        }
    }

    /// Other programs do not take guard's lock. What they saved after the check is in no snapshot, so it stays.
    pub(super) fn carry_out(&self, plan: &OperationPlan) -> crate::boundary::BoundaryResult<()> {
        let (path, old) = (plan.path(), plan.old());
        match (&plan.effect, plan.target(), old) {
            (Effect::Write(content), ..) => {
                self.boundary.replace(path, old, content)?;
                match plan.is_executable && old.is_none() {
                    true => self.boundary.make_executable(path),
                    false => Ok(()),
                }
            }
            (Effect::Rename, Some(target), Some(old)) => self.boundary.rename(path, old, target),
            (Effect::Remove, _, Some(old)) => self.boundary.remove(path, old),
            // Only an existing file is removed or moved.
            (Effect::Remove | Effect::Rename, ..) => Ok(()),
        }
    }

    /// The blob id of a content; `None` for no content.
    pub fn digest(&self, content: Option<&[u8]>) -> Option<String> {
        let id = content.and_then(|content| self.repo.blob_id(content));
        id.map(|id| id.to_string())
    }

    fn facts(
        &self,
        plan: &OperationPlan,
        operation: &Operation,
        backup: Option<ObjectId>,
    ) -> Map<String, Value> {
        let mut facts = self.step_facts(plan, operation);
        let designs = self.policy.design_versions();
        add_circumstances(self.repo, &designs, &mut facts, backup);
        if let Some(restore) = operation.restore() {
            facts.insert("snapshot".into(), restore.snapshot.clone().into());
            facts.extend(restore.undoes.map(|seq| ("undoes".to_owned(), seq.into())));
        }
        facts
    }

    /// What an operation does to which file.
    pub(super) fn step_facts(
        &self,
        plan: &OperationPlan,
        operation: &Operation,
    ) -> Map<String, Value> {
        let old = plan.old().map(|entry| entry.content.as_slice());
        let mut facts = Map::new();
        facts.insert("operation".into(), operation.verb().into());
        facts.insert("path".into(), plan.path().to_str_lossy().into());
        if let Some(strategy) = operation.strategy()
            && strategy != Strategy::Replace
        {
            facts.insert("strategy".into(), strategy.name().into());
        }
        if let Some(target) = plan.target() {
            facts.insert("to".into(), target.to_str_lossy().into());
        }
        facts.insert("class".into(), plan.judged.class.name().into());
        facts.insert("old".into(), self.digest(old).into());
        facts.insert("new".into(), self.digest(plan.content_afterwards()).into());
        facts
    }

    /// Records a refusal with the digests of the contents concerned; one that cannot be recorded is still a refusal.
    pub(super) fn note_refusal(
        &self,
        verb: &str,
        request: &BStr,
        digests: impl IntoIterator<Item = (&'static str, Option<String>)>,
        failure: &Failure,
    ) {
        let mut facts = Map::new();
        facts.insert("operation".into(), verb.into());
        facts.insert("path".into(), escaped(request).to_string().into());
        let digests = digests.into_iter();
        facts.extend(digests.filter_map(|(key, digest)| Some((key.to_owned(), digest?.into()))));
        facts.insert("reason".into(), failure.kind.name().into());
        for key in ["reason", "id", "expires"] {
            if let Some(value) = failure.details.get(key) {
                facts.insert(key.into(), value.clone());
            }
        }
        if let Some(finding) = &failure.finding {
            facts.insert("rule".into(), finding.rule.id().into());
        }
        designs::name(&mut facts, &self.policy.design_versions());
        let _ = self.log.append("refused", facts);
    }
}

/// Takes a snapshot of files as they are before an operation.
pub(super) fn snapshot_of<'f>(
    repo: &Repository,
    before: impl Iterator<Item = &'f (BString, Option<OpenedFile>)>,
    title: &str,
    log: &ChainHead,
) -> GateResult<ObjectId> {
    let before: Vec<Before<'_>> = before
        .map(|(path, entry)| Before {
            path: path.as_ref(),
            content: entry
                .as_ref()
                .map(|entry| (entry.content.as_slice(), entry.is_executable())),
        })
        .collect();
    let taken = repo.take_snapshot(&before, title, &log.to_string());
    taken.map_err(|error| {
        Failure::new(FailureKind::Backup, error.message)
            .help("nothing was written; if it fails again, check the repository: git fsck")
    })
}

/// Adds what the records of all operations have.
pub(super) fn add_circumstances(
    repo: &Repository,
    designs: &[DesignVersion],
    facts: &mut Map<String, Value>,
    backup: Option<ObjectId>,
) {
    facts.extend(backup.map(|id| ("backup".to_owned(), id.to_string().into())));
    // Whether its result was committed since.
    let head = repo.head_commit().ok().flatten();
    facts.insert("head".into(), head.map(|head| head.to_string()).into());
    designs::name(facts, designs);
}

/// The end of the log, synced to disk, for the snapshot.
pub(super) fn standing(log: &Log) -> GateResult<ChainHead> {
    log.durable_head().map_err(|error| {
        Failure::new(
            FailureKind::Record,
            format!("the audit log cannot be written: {error}"),
        )
        .help("guard writes nothing without a record; check the log: guard audit verify")
    })
}

/// Appends a record, without which nothing may happen.
pub(super) fn record(log: &Log, event: &str, facts: Map<String, Value>) -> GateResult<ChainHead> {
    log.append(event, facts).map_err(|error| {
        Failure::new(
            FailureKind::Record,
            format!("the audit log cannot be written: {error}"),
        )
        .help("guard writes nothing without a record; free disk space or repair the log")
    })
}
