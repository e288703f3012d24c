//! Judges an operation and performs it, in this order: boundary, rules, snapshot, record "started", write, record
//! "done".

use std::thread;
use std::time::Duration;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Map, Value};

use super::analysis::{Analysis, Forecast};
use super::failure::{not_found, refuse_binary};
use super::log::{ChainHead, Log, record};
use super::{
    Extension, Failure, FailureKind, Gate, GateResult, HeldChange, Operation, Strategy, designs,
};
use crate::boundary::{BoundaryResult, OpenedFile};
use crate::change::Change;
use crate::finding::{Finding, Rule};
use crate::git::{Before, Repository};
use crate::judge::OperationContext;
use crate::measure::Measured;
use crate::path::escaped;
use crate::policy::DesignVersion;
use crate::rules::{Access, MeasuredChange};
use crate::scope::settings::MAX_SIZE;

/// How often to retry a file that other programs keep saving.
const ATTEMPTS: u32 = 20;
/// The pause between attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// A prepared operation.
pub(super) struct OperationPlan {
    /// The current state of each path; the requested path comes first.
    pub(super) before: Vec<(BString, Option<OpenedFile>)>,
    effect: Effect,
    /// Whether the file already has the new content, so that nothing is to do.
    pub(super) is_unchanged: bool,
    /// What `extend` adds and keeps.
    pub(super) extension: Option<Extension>,
    pub(super) analysis: Analysis,
    /// The loss by which it is judged: that of the analysis or, if greater, since HEAD.
    pub(super) judged: Measured,
    /// What to compare the new content with when a person must decide; HEAD's version may lose more.
    pub(super) compared: Option<Vec<u8>>,
    /// The step that a person would approve, from the shown old content to the new one.
    pub(super) consent: Change,
}

/// The effect on the first path of a plan.
enum Effect {
    /// Write this content.
    Write(Vec<u8>),
    /// Remove the file.
    Remove,
    /// Move the file to the second path.
    Rename,
}

impl OperationPlan {
    pub(super) fn path(&self) -> &BStr {
        self.before[0].0.as_ref()
    }

    pub(super) fn old(&self) -> Option<&OpenedFile> {
        self.before[0].1.as_ref()
    }

    /// The current content of the file.
    pub(super) fn old_content(&self) -> Option<&[u8]> {
        self.old().map(|entry| entry.content.as_slice())
    }

    /// The new content of the file.
    pub(super) fn new_content(&self) -> Option<&[u8]> {
        match &self.effect {
            Effect::Write(content) => Some(content),
            Effect::Remove | Effect::Rename => None,
        }
    }

    /// The content that the operation leaves, at the target of a move.
    pub(super) fn content_afterwards(&self) -> Option<&[u8]> {
        match &self.effect {
            Effect::Rename => self.old_content(),
            Effect::Write(_) | Effect::Remove => self.new_content(),
        }
    }

    /// The target of a move.
    pub(super) fn target(&self) -> Option<&BStr> {
        self.before.get(1).map(|(path, _)| path.as_ref())
    }
}

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

/// The result of an attempt.
pub(super) enum Attempt {
    Done(Box<CompletedOperation>),
    /// A person must first decide about this finding; nothing is written.
    Needs(Box<OperationPlan>, Box<Finding>),
}

impl Gate<'_> {
    /// The plan, and the finding that needs approval. Changes nothing.
    pub(super) fn plan(
        &self,
        request: &BStr,
        operation: &Operation,
    ) -> GateResult<(OperationPlan, Option<Finding>)> {
        let context = self.context()?;
        let (path, old) = self.look(&context, request)?;
        self.check_expectation(path.as_ref(), old.as_ref(), operation)?;
        if operation.snapshot().is_some() && path != request {
            return Err(Failure::new(
                FailureKind::Security,
                format!("{} leads through a new symbolic link", escaped(request)),
            )
            .help("check its parent directories"));
        }
        let (new, extension) = self.result(path.as_ref(), old.as_ref(), operation)?;
        if let (Operation::Move { to, .. }, Some(old)) = (operation, &old) {
            let plan = self.plan_move(&context, (path, old.clone()), (to.as_ref(), None))?;
            return Ok((plan, None));
        }
        let before = old.as_ref().map(|entry| entry.content.as_slice());
        let after = new.as_deref();
        let loss = context.loss(before, after, &[path.as_ref()])?;
        let compared = loss.compared.as_deref();
        let change = context.measured_change(path.as_ref(), before, after, None, loss.judged)?;
        let consent = context.change(path.as_ref(), compared, after)?;
        let measured = (loss.edit, loss.since_head);
        let analysis = Analysis::new(path.clone(), measured, before.is_some(), before, after);
        let context = match after {
            Some(after) => context.consenting(path.as_ref(), before, after)?,
            None => context,
        };
        let proposing = after.and_then(|after| context.proposing(path.as_ref(), after));
        let context = OperationContext {
            policy: proposing.as_ref().unwrap_or(&self.policy),
            ..context
        };
        let is_back = operation.snapshot().is_some() && change.change.old == change.change.new;
        let finding = destruction(&context, &[change], is_back)?;
        let plan = OperationPlan {
            analysis: Analysis {
                requires_approval: finding.is_some(),
                ..analysis
            },
            is_unchanged: before.is_some() && before == after,
            compared: finding.as_ref().and(compared).map(<[u8]>::to_vec),
            judged: loss.judged,
            before: vec![(path, old)],
            effect: new.map_or(Effect::Remove, Effect::Write),
            extension,
            consent,
        };
        Ok((plan, finding))
    }

    /// Judges both ends: the old path as deleted, the new one as added, possibly with new content. A destructive move
    /// is refused, not held.
    pub(super) fn plan_move(
        &self,
        context: &OperationContext<'_, '_>,
        (path, old): (BString, OpenedFile),
        (to, new): (&BStr, Option<&[u8]>),
    ) -> GateResult<OperationPlan> {
        let (target, there) = self.look(context, to)?;
        refuse_binary(path.as_ref(), &old.content)?;
        if there.is_some() {
            return Err(Failure::new(
                FailureKind::Exists,
                format!("the file {} already exists", escaped(&target)),
            )
            .help("choose another path, or write and delete in two steps"));
        }
        let (from, to): (&BStr, &BStr) = (path.as_ref(), target.as_ref());
        let content = Some(old.content.as_slice());
        let moved = new.unwrap_or(&old.content);
        let gone = context.step(content, None);
        // HEAD's content at either end is compared with the new content.
        let loss = context.loss(content, Some(moved), &[from, to])?;
        let mut changes = [
            context.measured_change(from, content, None, Some(to), gone)?,
            context.measured_change(to, None, Some(moved), Some(from), loss.judged)?,
        ];
        changes[0].new_ends = vec![context.new_end(from, to, moved)?];
        if let Some(finding) = destruction(context, &changes, false)? {
            return Err(Failure::from(finding)
                .help("write and delete in two steps, so that a person can approve each"));
        }
        let [gone, _] = changes;
        let measured = (loss.edit, loss.since_head);
        Ok(OperationPlan {
            analysis: Analysis::new(path.clone(), measured, true, content, Some(moved)),
            judged: loss.judged,
            before: vec![(path, Some(old.clone())), (target, None)],
            effect: Effect::Rename,
            is_unchanged: false,
            extension: None,
            compared: None,
            consent: gone.change,
        })
    }

    /// The path of a request and its current state, if it may be written.
    pub(super) fn look(
        &self,
        context: &OperationContext<'_, '_>,
        request: &BStr,
    ) -> GateResult<(BString, Option<OpenedFile>)> {
        let path = self.boundary.locate(request)?;
        context.admit(path.as_ref(), Access::Write)??;
        let entry = self.boundary.read_stable(path.as_ref(), MAX_SIZE)?;
        if entry.as_ref().is_some_and(|entry| !entry.writable) {
            return Err(Failure::new(
                FailureKind::Permission,
                format!("{} is read-only", escaped(&path)),
            )
            .help("ask a person to change the permissions"));
        }
        Ok((path, entry))
    }

    /// What the operation would do (requirement 000, `analyze_file_write`). Nothing is written, held or recorded.
    ///
    /// # Errors
    /// The operation would be refused, or guard cannot judge it.
    pub fn forecast(&self, request: &BStr, operation: &Operation) -> GateResult<Forecast> {
        let (plan, finding) = self.plan(request, operation)?;
        Ok(Forecast {
            changes: !plan.is_unchanged,
            digest: self.digest(plan.old_content()),
            analysis: plan.analysis,
            finding,
        })
    }

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
        if let Err(failure) = self.carry_out(plan, operation).map_err(Failure::from) {
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

    /// Other programs do not take guard's lock. What they saved after the check is in no snapshot, so it stays.
    fn carry_out(&self, plan: &OperationPlan, operation: &Operation) -> BoundaryResult<()> {
        let (path, old) = (plan.path(), plan.old());
        match (&plan.effect, plan.target(), old) {
            (Effect::Write(content), ..) => {
                self.boundary.replace(path, old, content)?;
                match operation.is_of_executable() && old.is_none() {
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

    fn completed(
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

    /// Holds a change for a person, and records that. The caller holds the lock.
    pub(super) fn hold_and_note(
        &self,
        plan: &OperationPlan,
        finding: &Finding,
        operation: &Operation,
        request: &BStr,
    ) -> Failure {
        let failure = self.hold(plan, finding, operation);
        let digests = [
            ("old", self.digest(plan.old_content())),
            ("new", self.digest(plan.content_afterwards())),
        ];
        self.note_refusal(operation.verb(), request, digests, &failure);
        failure
    }

    /// Stores a change for approval.
    fn hold(&self, plan: &OperationPlan, finding: &Finding, operation: &Operation) -> Failure {
        let settings = &self.policy.settings;
        let change = HeldChange {
            work_tree: self.repo.work_tree(),
            path: plan.path().to_string(),
            operation: operation.verb().to_owned(),
            strategy: operation.strategy().map(|way| way.name().to_owned()),
            old: self.digest(plan.old_content()),
            new: self.digest(plan.new_content()),
            class: plan.judged.class.name().to_owned(),
            why: finding.message.clone(),
            expires: super::store::now().saturating_add_unsigned(crate::scope::settings::EXPIRY),
            content: plan.new_content().map(<[u8]>::to_vec),
            snapshot: operation.snapshot().map(str::to_owned),
            is_executable: operation.is_of_executable(),
            thresholds: Some(settings.thresholds),
        };
        let id = match self.store.hold(&change) {
            Ok(id) => id,
            Err(failure) => return failure,
        };
        Failure {
            details: finding.details.clone(),
            finding: Some(Box::new(finding.clone())),
            analysis: Some(Box::new(plan.analysis.clone())),
            ..change.failure(&id)
        }
        .detail("id", id)
        .detail("expires", change.expires)
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
        if let Some(snapshot) = operation.snapshot() {
            facts.insert("snapshot".into(), snapshot.into());
        }
        facts
    }

    /// What an operation does to which file.
    pub(super) fn step_facts(
        &self,
        plan: &OperationPlan,
        operation: &Operation,
    ) -> Map<String, Value> {
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
        facts.insert("old".into(), self.digest(plan.old_content()).into());
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

    /// Reads a text file inside the read roots. A refusal is recorded.
    ///
    /// # Errors
    /// The path is refused, the file does not exist, or it cannot be read.
    pub fn read(&self, request: &BStr) -> GateResult<(BString, OpenedFile)> {
        let read = self.find(request).and_then(|(path, entry)| {
            refuse_binary(path.as_ref(), &entry.content)?;
            Ok((path, entry))
        });
        read.inspect_err(|failure| {
            if failure.is_refusal() {
                self.note_refusal("read", request, [], failure);
            }
        })
    }

    /// The path of a request that no rule about paths refuses.
    pub(super) fn admitted(&self, request: &BStr, access: Access) -> GateResult<BString> {
        let path = self.boundary.locate(request)?;
        self.context()?.admit(path.as_ref(), access)??;
        Ok(path)
    }

    /// A file inside the read roots.
    pub(super) fn find(&self, request: &BStr) -> GateResult<(BString, OpenedFile)> {
        let path = self.admitted(request, Access::Read)?;
        let entry = self.boundary.read(path.as_ref(), MAX_SIZE)?;
        let entry = entry.ok_or_else(|| not_found(path.as_ref()))?;
        Ok((path, entry))
    }
}

/// Returns the refusals of the policy as errors; the result is the finding that needs approval. A file that the
/// design names may come back as HEAD has it (`is_back`), whatever its row grants.
pub(super) fn destruction(
    context: &OperationContext<'_, '_>,
    changes: &[MeasuredChange],
    is_back: bool,
) -> GateResult<Option<Finding>> {
    let (destructive, refusals): (Vec<_>, Vec<_>) = context
        .refusals(changes)?
        .into_iter()
        .filter(|finding| !(is_back && finding.rule == Rule::ActionNotGranted))
        .partition(|finding| finding.rule == Rule::DestructiveChange);
    match refusals.into_iter().next() {
        Some(finding) => Err(finding.into()),
        None => Ok(destructive.into_iter().next()),
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
