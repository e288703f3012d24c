//! Judges what an operation would do. Changes nothing.

use gix::bstr::{BStr, BString};

use super::effect::Analysis;
use super::failure::{not_found, refuse_binary};
use super::{Effect, Failure, FailureKind, Gate, GateResult, Operation};
use crate::boundary::OpenedFile;
use crate::change::Change;
use crate::finding::{Finding, Rule};
use crate::judge::OperationContext;
use crate::measure::Measured;
use crate::path::escaped;
use crate::rules::{Access, MeasuredChange};
use crate::scope::settings::MAX_SIZE;

impl Gate<'_> {
    /// What an operation would do (requirement 000, `analyze_file_write`). Nothing is written, held or recorded.
    ///
    /// # Errors
    /// The operation would be refused, or guard cannot judge it.
    pub fn plan(&self, request: &BStr, operation: &Operation) -> GateResult<Effect> {
        let context = self.context();
        let (path, old) = self.look(request)?;
        let is_restore = matches!(operation, Operation::Restore { .. });
        if is_restore && path != request {
            let message = format!("{} leads through a new symbolic link", escaped(request));
            return Err(
                Failure::new(FailureKind::Security, message).help("check its parent directories")
            );
        }
        let before = old.as_ref().map(|entry| entry.content.as_slice());
        let (new, extension) = self.result(path.as_ref(), before, operation)?;
        if let (Operation::Move { to, content, .. }, Some(old)) = (operation, &old) {
            let to = (to.as_ref(), content.as_deref());
            return self.plan_move(context, operation, (path, old.clone()), to);
        }
        let after = new.as_deref();
        let loss = context.loss(before, after, &[path.as_ref()])?;
        let compared = loss.compared.as_deref();
        let change = context.measured_change(path.as_ref(), before, after, None, loss.judged)?;
        let consent = context.change(path.as_ref(), compared, after)?;
        let measured = (loss.edit, loss.since_head);
        let analysis = Analysis::new(path.as_ref(), measured, before.is_some(), before, after);
        let context = match after {
            Some(after) => context.consenting(path.as_ref(), before, after)?,
            None => context,
        };
        let proposing = after.and_then(|after| context.proposing(path.as_ref(), after));
        let context = OperationContext {
            policy: proposing.as_ref().unwrap_or(&self.policy),
            ..context
        };
        let is_back = is_restore && change.change.old == change.change.new;
        let finding = destruction(&context, &[change], is_back)?;
        let compared = finding.as_ref().and(compared).map(<[u8]>::to_vec);
        let judged = (analysis, loss.judged);
        let mut effect = self.effect(operation.clone(), (path, old), new, judged, consent);
        effect.analysis.requires_approval = finding.is_some();
        Ok(Effect {
            compared,
            finding,
            extension,
            ..effect
        })
    }

    /// Judges both ends: the old path as deleted, the new one as added, possibly with new content. A destructive move
    /// is refused, not held.
    fn plan_move(
        &self,
        context: OperationContext<'_, '_>,
        operation: &Operation,
        (path, old): (BString, OpenedFile),
        (to, new): (&BStr, Option<&[u8]>),
    ) -> GateResult<Effect> {
        let (target, there) = self.look(to)?;
        let moved = new.unwrap_or(&old.content);
        refuse_binary(path.as_ref(), &old.content)?;
        refuse_binary(path.as_ref(), moved)?;
        if there.is_some() {
            let message = format!("the file {} already exists", escaped(&target));
            return Err(Failure::new(FailureKind::Exists, message)
                .help("choose another path, or write and delete in two steps"));
        }
        let (from, to): (&BStr, &BStr) = (path.as_ref(), target.as_ref());
        let content = Some(old.content.as_slice());
        let gone = context.step(content, None);
        // HEAD's content at either end is compared with the new content.
        let loss = context.loss(content, Some(moved), &[from, to])?;
        let mut changes = [
            context.measured_change(from, content, None, Some(to), gone)?,
            context.measured_change(to, None, Some(moved), Some(from), loss.judged)?,
        ];
        changes[0].new_ends = vec![context.new_end(from, to, moved)?];
        if let Some(finding) = destruction(&context, &changes, false)? {
            return Err(Failure::from(finding)
                .help("write and delete in two steps, so that a person can approve each"));
        }
        let [gone, _] = changes;
        let measured = (loss.edit, loss.since_head);
        let judged = (
            Analysis::new(from, measured, true, content, Some(moved)),
            loss.judged,
        );
        let new = Some(moved.to_vec());
        Ok(Effect {
            moved_to: Some(target),
            ..self.effect(
                operation.clone(),
                (path, Some(old)),
                new,
                judged,
                gone.change,
            )
        })
    }

    /// The effect of an operation that needs no approval.
    fn effect(
        &self,
        operation: Operation,
        (path, old): (BString, Option<OpenedFile>),
        new: Option<Vec<u8>>,
        (analysis, judged): (Analysis, Measured),
        consent: Change,
    ) -> Effect {
        Effect {
            old_digest: self.digest(old.as_ref().map(|file| &*file.content)),
            digest: self.digest(new.as_deref()),
            analysis,
            operation,
            path,
            old,
            new,
            judged,
            consent,
            moved_to: None,
            compared: None,
            finding: None,
            extension: None,
            backup: None,
        }
    }

    /// The finding that needs approval for any text.
    pub(super) fn plan_unknown(&self, request: &BStr) -> GateResult<Option<Finding>> {
        let context = self.context();
        let (path, old) = self.look(request)?;
        let (path, old) = (path.as_ref(), old.as_ref());
        let measured = context.least_loss(old.map(|entry| entry.content.as_slice()), path)?;
        destruction(&context, &[context.unknown_content(path, measured)?], false)
    }

    /// The path of a request and its current state, if it may be written.
    pub(super) fn look(&self, request: &BStr) -> GateResult<(BString, Option<OpenedFile>)> {
        let path = self.admitted(request, Access::Write)?;
        let entry = self.boundary.read(path.as_ref(), MAX_SIZE)?;
        if entry.as_ref().is_some_and(|entry| !entry.writable) {
            let message = format!("{} is read-only", escaped(&path));
            return Err(Failure::new(FailureKind::Permission, message)
                .help("ask a person to change the permissions"));
        }
        Ok((path, entry))
    }

    /// The path of a request that no rule about paths refuses.
    pub(super) fn admitted(&self, request: &BStr, access: Access) -> GateResult<BString> {
        let path = self.boundary.locate(request)?;
        match self.context().refusal(path.as_ref(), access)? {
            Some(finding) => Err(finding.into()),
            None => Ok(path),
        }
    }

    /// A file inside the read roots. A refusal is not recorded.
    ///
    /// # Errors
    /// The file is refused or cannot be read.
    pub fn find(&self, request: &BStr) -> GateResult<(BString, OpenedFile)> {
        let path = self.admitted(request, Access::Read)?;
        let entry = self.boundary.read(path.as_ref(), MAX_SIZE)?;
        let entry = entry.ok_or_else(|| not_found(path.as_ref()))?;
        Ok((path, entry))
    }
}

/// Returns the refusals of the policy as errors; the result is the finding that needs approval. A file that the
/// design names may come back as HEAD has it (`is_back`), whatever its row grants.
fn destruction(
    context: &OperationContext<'_, '_>,
    changes: &[MeasuredChange],
    is_back: bool,
) -> GateResult<Option<Finding>> {
    let mut destructive = None;
    for finding in context.refusals(changes)? {
        match finding.rule {
            Rule::DestructiveChange => destructive = destructive.or(Some(finding)),
            Rule::ActionNotGranted if is_back => {}
            _ => return Err(finding.into()),
        }
    }
    Ok(destructive)
}
