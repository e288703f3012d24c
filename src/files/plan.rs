//! Judges what an operation would do. Changes nothing.

use gix::bstr::{BStr, BString};

use super::failure::not_found;
use super::operation::{ABSENT, check_expectation};
use super::{Effect, Failure, FailureKind, Gate, GateResult, Operation};
use crate::judge::OperationContext;
use write_guard_policy::finding::{Finding, Rule};
use write_guard_policy::path::escaped;
use write_guard_policy::rules::{Access, MeasuredChange};
use write_guard_policy::scope::settings::MAX_SIZE;
use write_guard_repo::boundary::OpenedFile;

impl Gate<'_> {
    /// What an operation would do (requirement 000, `analyze_file_write`). Nothing is written, held or recorded.
    /// `expect` is the digest that the file must have.
    ///
    /// # Errors
    /// The operation would be refused, or guard cannot judge it.
    pub fn plan(
        &self,
        request: &BStr,
        operation: &Operation,
        expect: Option<&str>,
    ) -> GateResult<Effect> {
        let mut context = self.context();
        let (at, old) = self.look(request)?;
        let path: &BStr = at.as_ref();
        let is_restore = matches!(operation, Operation::Restore(_));
        if is_restore && path != request {
            let message = format!("{} leads through a new symbolic link", escaped(request));
            return Err(
                Failure::new(FailureKind::Security, message).help("check its parent directories")
            );
        }
        let before = old.as_ref().map(|entry| entry.content.as_slice());
        let old_digest = self.digest(before);
        check_expectation(path, expect, old_digest.as_deref())?;
        self.refuse_empty(path, operation)?;
        let (new, extension) = operation.result(path, before)?;
        let after = new.as_deref();
        let moved_to = self.free_target(operation)?;
        let target: Option<&BStr> = moved_to.as_ref().map(AsRef::as_ref);
        // HEAD's content at either end is compared with the new content.
        let ends: Vec<&BStr> = [path].into_iter().chain(target).collect();
        let loss = context.loss(before, after, &ends)?;
        let pays_for = context.pays_for(&loss.edit, path, after, target)?;
        let (mut changes, consent, proposing);
        if let (Some(to), Some(moved)) = (target, after) {
            let old_end = context.old_end_of_move(path, before, to, moved)?;
            let new_end = context.new_end_of_move(path, to, moved, loss.judged)?;
            consent = old_end.change.clone();
            changes = vec![old_end, new_end];
        } else {
            let change = context.measured_change(path, before, after, loss.judged)?;
            consent = context.consent(path, loss.committed.as_deref().or(before), &change)?;
            changes = vec![change];
            if let Some(after) = after {
                context = context.consenting(path, before, after)?;
                proposing = context.proposing(path, after);
                context.policy = proposing.as_ref().unwrap_or(&self.policy);
            }
        }
        let consent_to_commit = context.consent_to_commit(path, before, &loss, &changes[0])?;
        changes[0].pays_for = pays_for;
        let is_back = is_restore && changes[0].change.old == changes[0].change.new;
        let finding = destruction(&context, &changes, is_back)?;
        if let (Some(_), Some(finding)) = (target, &finding) {
            return Err(Failure::from(finding.clone())
                .help("write and delete in two steps, so that a person can approve each"));
        }
        Ok(Effect {
            digest: self.digest(after),
            operation: operation.clone(),
            path: at,
            moved_to,
            old,
            new,
            old_digest,
            loss,
            consent,
            consent_to_commit,
            finding,
            extension,
            backup: None,
        })
    }

    /// Refuses to write an empty file, unless the user allows it.
    fn refuse_empty(&self, path: &BStr, operation: &Operation) -> GateResult<()> {
        let is_empty = match operation {
            Operation::Write { content, .. } => content.is_empty(),
            _ => false,
        };
        if !is_empty || !self.refuses_empty {
            return Ok(());
        }
        let message = format!("the content for {} is empty", escaped(path));
        Err(Failure::new(FailureKind::CannotJudge, message)
            .help("to write an empty file, add --allow-empty"))
    }

    /// The new path of a move, where no file may exist.
    fn free_target(&self, operation: &Operation) -> GateResult<Option<BString>> {
        let Operation::Move { to, .. } = operation else {
            return Ok(None);
        };
        let (to, existing) = self.look(to.as_ref())?;
        let digest = existing.and_then(|entry| self.digest(Some(&entry.content)));
        check_expectation(to.as_ref(), Some(ABSENT), digest.as_deref())?;
        Ok(Some(to))
    }

    /// The finding that needs approval for any text.
    pub(crate) fn plan_unknown(&self, request: &BStr) -> GateResult<Option<Finding>> {
        let context = self.context();
        let (path, old) = self.look(request)?;
        let path = path.as_ref();
        let old = old.as_ref();
        let change = context.unknown_text(path, old.map(|entry| entry.content.as_slice()))?;
        destruction(&context, &[change], false)
    }

    /// The path of a request and its current state, if it may be written.
    pub(crate) fn look(&self, request: &BStr) -> GateResult<(BString, Option<OpenedFile>)> {
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
    pub(crate) fn admitted(&self, request: &BStr, access: Access) -> GateResult<BString> {
        self.admit(self.boundary.locate(request)?, access)
    }

    /// The path, if no rule about paths refuses it.
    pub(super) fn admit(&self, path: BString, access: Access) -> GateResult<BString> {
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
