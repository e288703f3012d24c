//! `guard apply`: many operations as one. All are judged before the first is done, one snapshot holds what all of them
//! change, and if one fails, those before it are taken back.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Map, Value, json};

use super::batch_journal::BatchJournal;
use super::batch_recovery::roll_back;
use super::perform::{ATTEMPTS, PAUSE, add_circumstances, record, snapshot_of, standing};
use super::plan::{Effect, OperationPlan};
use super::{CompletedOperation, Failure, FailureKind, Gate, GateResult, Operation};
use crate::boundary::{EffectGroup, OpenedFile};
use crate::finding::Finding;
use crate::judge::OperationContext;
use crate::path::escaped;
use crate::rules::Access;

/// How many files are open at the same time.
const TOGETHER: usize = 64;

/// A completed batch.
#[derive(Debug, Clone)]
pub struct CompletedBatch {
    /// The operations, in order.
    pub operations: Vec<CompletedOperation>,
    /// The snapshot of what they changed; `None` if nothing changed.
    pub backup: Option<ObjectId>,
}

/// An operation of a batch with its plan.
struct Planned<'o> {
    operation: &'o Operation,
    plan: OperationPlan,
    finding: Option<Finding>,
}

impl Gate<'_> {
    /// Performs all operations or none. Each is judged as alone, from the files as they are before the batch.
    ///
    /// # Errors
    /// One is refused, needs approval or fails; the failure says which. Then all files are as before, unless the
    /// message says otherwise.
    pub fn apply(&self, steps: &[(BString, Operation)]) -> GateResult<CompletedBatch> {
        let _alone = self.alone()?;
        let mut number = 1;
        loop {
            let plans = self.plan_batch(steps)?;
            match self.execute_batch(&plans) {
                // Another program saved one of the files meanwhile.
                Err(failure) if failure.kind == FailureKind::Stale && number < ATTEMPTS => {
                    number += 1;
                    thread::sleep(PAUSE);
                }
                result => return result,
            }
        }
    }

    /// Judges every operation, to name all that are refused.
    fn plan_batch<'o>(&self, steps: &'o [(BString, Operation)]) -> GateResult<Vec<Planned<'o>>> {
        let (mut plans, mut refused) = (Vec::new(), Vec::new());
        for (at, (request, operation)) in steps.iter().enumerate() {
            match self.prepare(request.as_ref(), operation) {
                Ok((plan, finding)) => plans.push(Planned {
                    operation,
                    plan,
                    finding,
                }),
                // guard cannot judge the others either, or only slowly.
                Err(failure) if failure.kind.exit_code() == 2 => {
                    return Err(of_operation(failure, at, steps));
                }
                Err(failure) => refused.push((at, failure)),
            }
        }
        if refused.is_empty() {
            check_disjoint(&plans)?;
            for (at, planned) in plans.iter().enumerate() {
                if let Some(finding) = &planned.finding {
                    let request = steps[at].0.as_ref();
                    let (plan, operation) = (&planned.plan, planned.operation);
                    refused.push((at, self.hold_and_note(plan, finding, operation, request)));
                }
            }
        }
        match refused.is_empty() {
            true => Ok(plans),
            false => Err(all_of(refused, steps)),
        }
    }

    fn execute_batch(&self, plans: &[Planned<'_>]) -> GateResult<CompletedBatch> {
        let changed: Vec<&Planned<'_>> = plans
            .iter()
            .filter(|planned| !planned.plan.is_unchanged)
            .collect();
        for planned in plans.iter().filter(|planned| planned.plan.is_unchanged) {
            self.boundary.make_durable(planned.plan.path())?;
        }
        if changed.is_empty() {
            record(&self.log, "unchanged", self.batch_facts(plans.iter(), None))?;
            return Ok(self.completed_batch(plans, None));
        }
        let log = standing(&self.log)?;
        let before = changed.iter().flat_map(|planned| &planned.plan.before);
        let title = match changed.as_slice() {
            [one] => one.operation.title(one.plan.path()),
            several => format!("Backup before batch: {} operations", several.len()),
        };
        let backup = snapshot_of(self.repo, before, &title, &log)?;
        let mut facts = self.batch_facts(changed.iter().copied(), Some(backup));
        facts.insert(
            "directories".into(),
            self.missing_directories(&changed).into(),
        );
        let started = record(&self.log, "started", facts.clone())?.count;
        let journal = BatchJournal::of(self.repo);
        let begun = journal.begin(started);
        facts.insert("started".into(), started.into());
        let done = begun.and_then(|()| self.perform_each(&changed));
        if let Err(failure) = done {
            return Err(self.take_back(failure, facts, &journal));
        }
        let recorded = record(&self.log, "done", facts);
        journal.end();
        recorded.map_err(|failure| Failure {
            message: format!(
                "the batch is done, but guard could not record that: {}",
                failure.message
            ),
            help: vec!["the snapshot and the start are recorded; check the files".into()],
            ..failure
        })?;
        Ok(self.completed_batch(plans, Some(backup)))
    }

    /// Writes many contents before the first is in place, so that each directory is synced once for all of them.
    fn perform_each(&self, changed: &[&Planned<'_>]) -> GateResult<()> {
        let context = self.context()?;
        let numbered: Vec<(usize, &OperationPlan)> = changed
            .iter()
            .enumerate()
            .map(|(at, planned)| (at + 1, &planned.plan))
            .collect();
        let of = |failure: Failure, (number, plan): (usize, &OperationPlan)| Failure {
            message: format!(
                "change {number} of {} ({}) failed: {}",
                changed.len(),
                escaped(plan.path()),
                failure.message
            ),
            ..failure
        };
        for together in numbered.chunks(TOGETHER) {
            let mut group = self.boundary.group();
            for &(number, plan) in together {
                if let Effect::Write(content) = &plan.effect {
                    let begun = group.write(plan.path(), plan.old(), content);
                    begun.map_err(|error| of(error.into(), (number, plan)))?;
                }
            }
            group.sync()?;
            let done = together.iter().try_for_each(|&(number, plan)| {
                let done = self.perform_one(&context, plan, &mut group);
                done.map_err(|failure| of(failure, (number, plan)))
            });
            // What is in place must be ended in any case.
            let ended = group.finish();
            done?;
            ended?;
        }
        Ok(())
    }

    fn perform_one(
        &self,
        context: &OperationContext<'_, '_>,
        plan: &OperationPlan,
        group: &mut EffectGroup<'_>,
    ) -> GateResult<()> {
        // An earlier operation may have completed a nested repository, for example.
        for (path, _) in &plan.before {
            context.admit(path.as_ref(), Access::Write)??;
        }
        match (&plan.effect, plan.old()) {
            (Effect::Write(content), old) => group.replace(plan.path(), old, content)?,
            (Effect::Remove, Some(old)) => group.remove(plan.path(), old)?,
            _ => self.carry_out(plan)?,
        }
        Ok(())
    }

    /// Takes back what was done, and says whether that worked.
    fn take_back(
        &self,
        failure: Failure,
        mut facts: Map<String, Value>,
        journal: &BatchJournal,
    ) -> Failure {
        facts.insert("error".into(), failure.kind.name().into());
        let result = match roll_back(self.repo, &self.boundary, &facts) {
            Ok(result) => result,
            // The journal stays, so that the next run tries again.
            Err(error) => return not_taken_back(failure, &error.message),
        };
        if let Some((path, why)) = result.failed.first() {
            return not_taken_back(failure, &format!("{}: {why}", escaped(path)));
        }
        result.note(&mut facts);
        // The failure is reported in any case.
        if record(&self.log, "failed", facts).is_ok() {
            journal.end();
        }
        let left: Vec<String> = result
            .left
            .iter()
            .map(|path| escaped(path).to_string())
            .collect();
        let end = match left.is_empty() {
            true => "all files are as before".to_owned(),
            false => format!(
                "the others are as before, but other programs changed {}",
                left.join(", ")
            ),
        };
        let kind = match (failure.kind, left.is_empty()) {
            // Only a batch that left nothing behind can start over.
            (FailureKind::Stale, false) => FailureKind::Io,
            (kind, _) => kind,
        };
        Failure {
            kind,
            message: format!("{}; {end}", failure.message),
            ..failure
        }
    }

    /// The facts of a record about a batch.
    fn batch_facts<'p, 'o: 'p>(
        &self,
        plans: impl Iterator<Item = &'p Planned<'o>>,
        backup: Option<ObjectId>,
    ) -> Map<String, Value> {
        let operations: Vec<Value> = plans
            .map(|planned| {
                let mut facts = self.step_facts(&planned.plan, planned.operation);
                if let (Effect::Remove, Some(old)) = (&planned.plan.effect, planned.plan.old()) {
                    facts.extend(old.mode.map(|mode| ("mode".to_owned(), mode.into())));
                }
                Value::Object(facts)
            })
            .collect();
        let mut facts = Map::new();
        facts.insert("operation".into(), "apply".into());
        facts.insert("operations".into(), operations.into());
        let designs = self.policy.design_versions();
        add_circumstances(self.repo, &designs, &mut facts, backup);
        facts
    }

    /// The directories that the batch will create, outermost first.
    fn missing_directories(&self, changed: &[&Planned<'_>]) -> Vec<String> {
        let mut missing = BTreeSet::new();
        let created = changed
            .iter()
            .filter_map(|planned| match planned.plan.target() {
                Some(target) => Some(target),
                None => planned.plan.old().is_none().then(|| planned.plan.path()),
            });
        for path in created {
            for end in path.find_iter("/").collect::<Vec<_>>().into_iter().rev() {
                let directory = path[..end].as_bstr();
                if self.boundary.has_directory(directory) || !missing.insert(directory.to_string())
                {
                    break;
                }
            }
        }
        missing.into_iter().collect()
    }

    fn completed_batch(&self, plans: &[Planned<'_>], backup: Option<ObjectId>) -> CompletedBatch {
        let completed = |planned: &Planned<'_>| {
            let backup = backup.filter(|_| !planned.plan.is_unchanged);
            self.completed(&planned.plan, planned.operation, backup)
        };
        CompletedBatch {
            operations: plans.iter().map(completed).collect(),
            backup,
        }
    }
}

/// Two operations on one path would depend on their order, and be judged from a state that only one of them sees.
fn check_disjoint(plans: &[Planned<'_>]) -> GateResult<()> {
    let mut seen: BTreeMap<&BStr, usize> = BTreeMap::new();
    let conflict = |one: usize, other: usize, what: String| {
        Failure::new(
            FailureKind::Usage,
            format!(
                "operations {} and {} {what}; nothing was written",
                one + 1,
                other + 1
            ),
        )
        .help("combine them into one operation, or apply them in two runs")
    };
    let ends = |planned: &'_ Planned<'_>| -> Vec<BString> {
        planned
            .plan
            .before
            .iter()
            .map(|(path, _): &(BString, Option<OpenedFile>)| path.clone())
            .collect()
    };
    let all: Vec<(usize, BString)> = plans
        .iter()
        .enumerate()
        .flat_map(|(at, planned)| ends(planned).into_iter().map(move |path| (at, path)))
        .collect();
    for (at, path) in &all {
        if let Some(earlier) = seen.insert(path.as_ref(), *at) {
            let what = format!("both change {}", escaped(path));
            return Err(conflict(earlier, *at, what));
        }
    }
    for (at, path) in &all {
        let mut above = path.find_iter("/").map(|end| path[..end].as_bstr());
        if let Some((file, earlier)) = above.find_map(|above| seen.get_key_value(above)) {
            let what = format!("use {} as a file and as a directory", escaped(*file));
            return Err(conflict(*earlier, *at, what));
        }
    }
    Ok(())
}

/// The failure of one operation of a batch.
fn of_operation(failure: Failure, at: usize, steps: &[(BString, Operation)]) -> Failure {
    Failure {
        message: format!(
            "operation {} of {} ({}): {}",
            at + 1,
            steps.len(),
            escaped(&steps[at].0),
            failure.message
        ),
        ..failure
    }
}

/// The refusals of a batch as one: the first, and the others in its details.
fn all_of(refused: Vec<(usize, Failure)>, steps: &[(BString, Operation)]) -> Failure {
    let listed: Vec<Value> = refused
        .iter()
        .map(|(at, failure)| {
            json!({
                "operation": at + 1,
                "path": steps[*at].0.to_str_lossy(),
                "kind": failure.kind.name(),
                "message": failure.message,
                "help": failure.help,
                "rule": failure.finding.as_ref().map(|finding| finding.rule.id()),
                "id": failure.details.get("id"),
            })
        })
        .collect();
    let more = refused.len() - 1;
    let others: Vec<String> = refused
        .iter()
        .skip(1)
        .take(NAMED)
        .map(
            |(at, failure)| match failure.details.get("id").and_then(Value::as_str) {
                Some(id) => format!("{} (held as {id})", escaped(&steps[*at].0)),
                None => escaped(&steps[*at].0).to_string(),
            },
        )
        .collect();
    let mut refused = refused.into_iter();
    // There is at least one.
    let Some((at, first)) = refused.next() else {
        return Failure::new(FailureKind::CannotJudge, "no operation was refused");
    };
    let mut failure = of_operation(first, at, steps);
    if more > 0 {
        let rest = if more > NAMED { ", …" } else { "" };
        failure = failure.help(format!("{more} more: {}{rest}", others.join(", ")));
    }
    failure.message.push_str("; the batch was not begun");
    failure.detail("failures", listed)
}

/// How many further refusals are named in the help.
const NAMED: usize = 10;

fn not_taken_back(failure: Failure, why: &str) -> Failure {
    Failure {
        kind: FailureKind::Io,
        message: format!(
            "{}; what was done before could not be taken back: {why}",
            failure.message
        ),
        help: vec!["guard tries again before it next writes anything".into()],
        ..failure
    }
}
