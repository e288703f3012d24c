//! Judges and prepares a file operation. Changes nothing, except that a destructive change is stored as held.

use gix::bstr::{BStr, BString};

use super::failure::{not_found, refuse_binary};
use super::{
    Analysis, Extension, Failure, FailureKind, Gate, GateResult, HeldChange, Operation,
    PreviousContent, Restore,
};
use crate::boundary::OpenedFile;
use crate::change::Change;
use crate::finding::{Finding, Rule};
use crate::judge::OperationContext;
use crate::measure::Measured;
use crate::path::escaped;
use crate::policy::Actions;
use crate::rules::{Access, MeasuredChange};

/// A prepared operation.
pub(super) struct OperationPlan {
    /// The current state of each path; the requested path comes first.
    pub(super) before: Vec<(BString, Option<OpenedFile>)>,
    pub(super) effect: Effect,
    /// Whether the file already has the new content, so that nothing is to do.
    pub(super) is_unchanged: bool,
    /// Whether a new file becomes executable.
    pub(super) is_executable: bool,
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
pub(super) enum Effect {
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
            Effect::Write(content) => Some(content),
            Effect::Remove => None,
            Effect::Rename => self.old().map(|entry| entry.content.as_slice()),
        }
    }

    /// The target of a move.
    pub(super) fn target(&self) -> Option<&BStr> {
        self.before.get(1).map(|(path, _)| path.as_ref())
    }
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
        let entry = old.as_ref();
        // A caller that repeats a write for lack of an answer still expects the state before it.
        if let Some(expected) = operation.expect()
            && !operation.is_fulfilled_by(entry)
        {
            self.check_expectation(path.as_ref(), entry, expected)?;
        }
        let (mut extension, mut is_executable) = (None, false);
        let effect = match operation {
            Operation::Write {
                content,
                allow_empty: false,
                ..
            } if content.is_empty() => {
                return Err(Failure::new(
                    FailureKind::CannotJudge,
                    format!("the content for {} is empty", escaped(&path)),
                )
                .help("to write an empty file, add --allow-empty"));
            }
            Operation::Write {
                content, strategy, ..
            } => {
                let (content, added) = self.written(path.as_ref(), entry, content, *strategy)?;
                extension = added;
                Effect::Write(content)
            }
            Operation::Patch { edits, .. } => {
                Effect::Write(self.patched(path.as_ref(), entry, edits)?)
            }
            Operation::Delete { .. } => {
                entry.ok_or_else(|| not_found(path.as_ref()))?;
                Effect::Remove
            }
            Operation::Move { to, .. } => {
                let old = old.ok_or_else(|| not_found(path.as_ref()))?;
                return self.plan_move(&context, (path, old), (to.as_ref(), None), None);
            }
            Operation::Restore(restore) => {
                if path != request {
                    return Err(Failure::new(
                        FailureKind::Security,
                        format!("{} leads through a new symbolic link", escaped(request)),
                    )
                    .help("check its parent directories"));
                }
                if let PreviousContent::From(to) = &restore.previous {
                    let old = old.ok_or_else(|| not_found(path.as_ref()))?;
                    return self.plan_move(
                        &context,
                        (path, old),
                        (to.as_ref(), None),
                        Some(restore),
                    );
                }
                self.confirm(restore, path.as_ref(), entry, None)?;
                match &restore.previous {
                    PreviousContent::Content {
                        bytes,
                        is_executable: was_executable,
                    } => {
                        is_executable = *was_executable;
                        Effect::Write(bytes.clone())
                    }
                    PreviousContent::Absent | PreviousContent::From(_) => {
                        entry.ok_or_else(|| not_found(path.as_ref()))?;
                        Effect::Remove
                    }
                }
            }
        };
        let before = entry.map(|entry| entry.content.as_slice());
        let after = match &effect {
            Effect::Write(content) => Some(content.as_slice()),
            Effect::Remove | Effect::Rename => None,
        };
        let loss = context.loss(before, after, &[path.as_ref()])?;
        let (mut judged, compared) = (loss.judged, loss.compared.as_deref());
        let restored = operation
            .restore()
            .filter(|restore| restore.undoes.is_none());
        if restored.is_some() && after.is_none() && judged.large && !self.may_delete(path.as_ref())
        {
            // Not the operation of the snapshot wrote these lines, so taking the file away empties it.
            judged = context.step(before, Some(b""));
        }
        let measured_change =
            context.measured_change(path.as_ref(), before, after, None, judged)?;
        let consent = context.change(path.as_ref(), compared, after)?;
        let measured = (loss.edit, loss.since_head);
        let mut analysis = Analysis::new(path.clone(), measured, before.is_some(), before, after);
        let context = match after {
            Some(after) => context.consenting(path.as_ref(), before, after)?,
            None => context,
        };
        let proposing = after.and_then(|after| context.proposing(path.as_ref(), after));
        let context = OperationContext {
            policy: proposing.as_ref().unwrap_or(&self.policy),
            ..context
        };
        let is_unchanged = before.is_some() && before == after;
        let finding = destruction(&context, &[measured_change], operation.restore())?;
        analysis.requires_approval = finding.is_some();
        let compared = finding.as_ref().and(compared).map(<[u8]>::to_vec);
        let plan = OperationPlan {
            compared,
            before: vec![(path, old)],
            effect,
            is_unchanged,
            is_executable,
            extension,
            analysis,
            judged,
            consent,
        };
        Ok((plan, finding))
    }

    /// Whether a row lets the file go.
    fn may_delete(&self, path: &BStr) -> bool {
        let scope = self.policy.scope.as_ref();
        scope.is_some_and(|scope| scope.actions(path).contains(Actions::DELETE))
    }

    /// Judges both ends: the old path as deleted, the new one as added, possibly with new content.
    pub(super) fn plan_move(
        &self,
        context: &OperationContext<'_, '_>,
        (path, old): (BString, OpenedFile),
        (to, new): (&BStr, Option<&[u8]>),
        restore: Option<&Restore>,
    ) -> GateResult<(OperationPlan, Option<Finding>)> {
        let (target, there) = self.look(context, to)?;
        match restore {
            None => refuse_binary(path.as_ref(), &old.content)?,
            Some(restore) => {
                let end = Some((target.as_ref(), there.as_ref()));
                self.confirm(restore, path.as_ref(), Some(&old), end)?;
            }
        }
        if there.is_some() {
            return Err(Failure::new(
                FailureKind::Exists,
                format!("the file {} already exists", escaped(&target)),
            )
            .help("choose another path, or write and delete in two steps"));
        }
        let (from, target): (&BStr, &BStr) = (path.as_ref(), target.as_ref());
        let content = Some(old.content.as_slice());
        let moved = new.unwrap_or(&old.content);
        let gone = context.step(content, None);
        // HEAD's content at either end is compared with the new content.
        let loss = context.loss(content, Some(moved), &[from, target])?;
        let mut changes = [
            context.measured_change(from, content, None, Some(target), gone)?,
            context.measured_change(target, None, Some(moved), Some(from), loss.judged)?,
        ];
        changes[0].new_ends = vec![context.new_end(from, target, moved)?];
        if let Some(finding) = destruction(context, &changes, restore)? {
            return Err(Failure::from(finding)
                .help("write and delete in two steps, so that a person can approve each"));
        }
        let [gone, _] = changes;
        let measured = (loss.edit, loss.since_head);
        let analysis = Analysis::new(path.clone(), measured, true, content, Some(moved));
        let plan = OperationPlan {
            before: vec![(path.clone(), Some(old.clone())), (target.to_owned(), None)],
            effect: Effect::Rename,
            is_unchanged: false,
            is_executable: false,
            extension: None,
            compared: None,
            analysis,
            judged: loss.judged,
            consent: gone.change,
        };
        Ok((plan, None))
    }

    /// The path of a request and its current state, if it may be written.
    pub(super) fn look(
        &self,
        context: &OperationContext<'_, '_>,
        request: &BStr,
    ) -> GateResult<(BString, Option<OpenedFile>)> {
        let path = self.boundary.locate(request)?;
        context.admit(path.as_ref(), Access::Write)??;
        let max = crate::policy::settings::MAX_SIZE;
        let entry = self.boundary.read_stable(path.as_ref(), max)?;
        if entry.as_ref().is_some_and(|entry| !entry.writable) {
            return Err(Failure::new(
                FailureKind::Permission,
                format!("{} is read-only", escaped(&path)),
            )
            .help("ask a person to change the permissions"));
        }
        Ok((path, entry))
    }

    /// Stores a change for approval.
    pub(super) fn hold(
        &self,
        plan: &OperationPlan,
        finding: &Finding,
        operation: &Operation,
    ) -> Failure {
        let change = HeldChange {
            work_tree: self.repo.work_tree(),
            path: plan.path().to_string(),
            operation: operation.verb().to_owned(),
            strategy: operation
                .strategy()
                .map(|strategy| strategy.name().to_owned()),
            old: self.digest(plan.old().map(|entry| entry.content.as_slice())),
            new: self.digest(plan.new_content()),
            class: plan.judged.class.name().to_owned(),
            why: finding.message.clone(),
            expires: super::store::now().saturating_add_unsigned(crate::policy::settings::EXPIRY),
            content: plan.new_content().map(<[u8]>::to_vec),
            snapshot: operation.restore().map(|restore| restore.snapshot.clone()),
            is_executable: plan.is_executable,
            thresholds: Some(self.policy.settings.thresholds),
        };
        let id = match self.store.hold(&change) {
            Ok(id) => id,
            Err(failure) => return failure,
        };
        let held = change.failure(&id);
        Failure {
            details: finding.details.clone(),
            finding: Some(Box::new(finding.clone())),
            analysis: Some(Box::new(plan.analysis.clone())),
            ..held
        }
        .detail("id", id)
        .detail("expires", change.expires)
    }
}

/// Returns the refusals of the policy as errors; the result is the finding that needs approval.
pub(super) fn destruction(
    context: &OperationContext<'_, '_>,
    changes: &[MeasuredChange],
    restore: Option<&Restore>,
) -> GateResult<Option<Finding>> {
    let (destructive, refusals): (Vec<_>, Vec<_>) = context
        .refusals(changes)?
        .into_iter()
        .filter(|finding| !restore.is_some_and(|restore| restore.passes(finding.rule)))
        .partition(|finding| finding.rule == Rule::DestructiveChange);
    match refusals.into_iter().next() {
        Some(finding) => Err(finding.into()),
        None => Ok(destructive.into_iter().next()),
    }
}
