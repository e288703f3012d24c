//! Lines that a request takes out of a file, while other files of the work have gained them: they are not lost as long as
//! those files keep them. A request that takes them away again is judged with the file that they came from.

use gix::bstr::BStr;
use gix::hash::Kind as HashKind;

use super::excuses;
use super::request::{OperationContext, of_one_file};
use write_guard_policy::change::Change;
use write_guard_policy::error::Result;
use write_guard_policy::measure::{Class, Measured};
use write_guard_policy::rules::{MeasuredChange, PaidFor};
use write_guard_policy::scope::settings::MAX_SIZE;
use write_guard_policy::scope::{GrantKind, Scope};
use write_guard_repo::{Blobs, Objects, state_of};

/// Contents that files are about to have; `None` for a file that goes.
type Requested<'a> = [(&'a BStr, Option<&'a [u8]>)];

/// What a step destroys as part of the work since the merge base.
struct CreditedStep {
    measured: Measured,
    /// Whether another of the files that may have gained lines has lost its own.
    is_beside_a_loss: bool,
}

impl OperationContext<'_, '_> {
    /// What the step destroys as part of the work since the merge base: not the lines that other granted files have
    /// gained. `None` if that is unknown, or if another of these files has lost its lines, too: they may be its own.
    pub(super) fn without_moved(
        &self,
        path: &BStr,
        old: &[u8],
        new: &[u8],
    ) -> Result<Option<Measured>> {
        let step = self.credited(path, (old, new), &[])?;
        let step = step.filter(|step| !step.is_beside_a_loss);
        Ok(step.map(|step| step.measured))
    }

    /// The file of HEAD whose lines stand in the one that a request changes, and would stand nowhere afterwards. `new` is
    /// its content then, here or where it moves to, and `edit` what that destroys of the content on disk.
    ///
    /// # Errors
    /// HEAD cannot be read, or a content not be hashed.
    pub fn pays_for(
        &self,
        edit: &Measured,
        path: &BStr,
        new: Option<&[u8]>,
        moved_to: Option<&BStr>,
    ) -> Result<Option<Box<PaidFor>>> {
        let takes_lines = edit.lost.all.lost > 0 || moved_to.is_some();
        let scope = self.policy.scope.as_ref().filter(|_| takes_lines);
        let Some(scope) = scope.filter(|scope| is_named(scope, path)) else {
            return Ok(None);
        };
        let requested: &Requested<'_> = &match moved_to {
            Some(to) => vec![(path, None), (to, new)],
            None => vec![(path, new)],
        };
        for grant in scope.grants() {
            let other: &BStr = grant.path.as_ref();
            let is_requested = requested.iter().any(|one| one.0 == other);
            if grant.kind != GrantKind::File || is_requested || !is_like(other, path) {
                continue;
            }
            let Some(committed) = self.head().read(other)? else {
                continue;
            };
            let now = self.on_disk(other).unwrap_or_default();
            if now.as_ref() == Some(&committed) {
                continue;
            }
            let lost = match now {
                Some(now) => self.no_longer_credited(other, (&committed, &now), requested)?,
                None => self.no_longer_renamed(scope, other, &committed, requested)?,
            };
            if let Some(measured) = lost {
                return Ok(Some(Box::new(PaidFor {
                    path: other.to_owned(),
                    measured,
                })));
            }
        }
        Ok(None)
    }

    /// What a file destroys beside what is requested, if it is a replacement only beside that.
    fn no_longer_credited(
        &self,
        path: &BStr,
        sides: (&[u8], &[u8]),
        requested: &Requested<'_>,
    ) -> Result<Option<Measured>> {
        if !excuses::is_replaced(&self.step(Some(sides.0), Some(sides.1))) {
            return Ok(None);
        }
        let without = self.credited(path, sides, &[])?;
        if without.is_none_or(|step| step.measured.class == Class::Replace) {
            return Ok(None);
        }
        let beside = self.credited(path, sides, requested)?;
        let replaced = beside.filter(|step| step.measured.class == Class::Replace);
        Ok(replaced.map(|step| step.measured))
    }

    /// Whether a content at the new path of a Rename row keeps enough of the old file.
    fn keeps_enough(&self, path: &BStr, to: &BStr, content: Option<&[u8]>) -> Result<bool> {
        let Some(content) = content else {
            return Ok(false);
        };
        Ok(self.new_end(path, to, content)?.kept.enough)
    }

    /// What a file destroys that a Rename row has moved, if its new path keeps enough of it now and not beside what is
    /// requested.
    fn no_longer_renamed(
        &self,
        scope: &Scope,
        path: &BStr,
        committed: &[u8],
        requested: &Requested<'_>,
    ) -> Result<Option<Measured>> {
        let gone = self.step(Some(committed), None);
        if !gone.large {
            return Ok(None);
        }
        let mut is_kept = false;
        let mut stays = false;
        for to in scope.new_ends(path) {
            let now = self.on_disk(to.as_ref()).unwrap_or_default();
            let mut changed = requested.iter().filter(|one| one.0 == to);
            let then = changed
                .next()
                .map_or(now.as_deref(), |(_, content)| *content);
            is_kept |= self.keeps_enough(path, to.as_ref(), now.as_deref())?;
            stays |= self.keeps_enough(path, to.as_ref(), then)?;
        }
        Ok((is_kept && !stays).then_some(gone))
    }

    /// The content of a file; an error if it cannot be read.
    fn on_disk(&self, path: &BStr) -> std::result::Result<Option<Vec<u8>>, ()> {
        let found = self.boundary.read(path, MAX_SIZE);
        found
            .map(|found| found.map(|file| file.content))
            .map_err(drop)
    }

    /// The step between two contents of a file, which `blobs` then hold.
    fn measured_step(
        &self,
        path: &BStr,
        contents: [Option<&[u8]>; 2],
        blobs: &mut Blobs,
        hash: HashKind,
    ) -> Result<MeasuredChange> {
        let [before, after] = contents;
        let old = before.map(|text| state_of(blobs, hash, text)).transpose()?;
        let new = after.map(|text| state_of(blobs, hash, text)).transpose()?;
        let change = Change::new(path, old, new);
        let measured = self.step(before, after);
        Ok(of_one_file(change, measured, None))
    }

    /// The step between `sides` beside the other files that rows name, as they are on disk or will be.
    fn credited(
        &self,
        path: &BStr,
        sides: (&[u8], &[u8]),
        requested: &Requested<'_>,
    ) -> Result<Option<CreditedStep>> {
        let target = self.policy.settings.base.as_deref();
        let Some(scope) = &self.policy.scope else {
            return Ok(None);
        };
        let Some((_, base)) = self.head.merge_base(self.repo, target)? else {
            return Ok(None);
        };
        let hash = base.id().kind();
        let mut blobs = Blobs::new();
        let mut changes: Vec<MeasuredChange> = Vec::new();
        let mut is_beside_a_loss = false;
        for grant in scope.grants() {
            let other: &BStr = grant.path.as_ref();
            let is_known = other == path || changes.iter().any(|one| one.path() == other);
            if grant.kind != GrantKind::File || is_known || !is_like(other, path) {
                continue;
            }
            let before = base.read(other)?;
            let mut changed = requested.iter().filter(|one| one.0 == other);
            let now = match changed.next() {
                Some((_, content)) => Ok(content.map(ToOwned::to_owned)),
                None => self.on_disk(other),
            };
            // What cannot be read gains nothing.
            if let Some(now) = now.ok().filter(|now| *now != before) {
                let contents = [before.as_deref(), now.as_deref()];
                let change = self.measured_step(other, contents, &mut blobs, hash)?;
                let is_gone = before.is_some() && now.is_none_or(|now| now.is_empty());
                is_beside_a_loss |=
                    is_gone || change.measured.as_ref().is_some_and(excuses::is_replaced);
                changes.push(change);
            }
        }
        let contents = [Some(sides.0), Some(sides.1)];
        changes.push(self.measured_step(path, contents, &mut blobs, hash)?);
        let objects = Objects::in_memory(blobs);
        excuses::credit(&objects, self.policy, &|| Ok(Vec::new()), &mut changes)?;
        let own = changes.pop().and_then(|change| change.measured);
        Ok(own.map(|measured| CreditedStep {
            measured,
            is_beside_a_loss,
        }))
    }
}

/// Whether a row names the file, so that its lines may count.
fn is_named(scope: &Scope, path: &BStr) -> bool {
    let mut grants = scope.grants().iter();
    grants.any(|grant| grant.kind == GrantKind::File && grant.path == path)
}

fn is_like(one: &BStr, other: &BStr) -> bool {
    excuses::extension(one) == excuses::extension(other)
}
