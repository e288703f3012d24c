//! Takes back a batch that failed or was interrupted.

use std::io;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use serde_json::{Map, Value};

use super::batch_journal::BatchJournal;
use super::perform::{record, standing};
use super::recorded_steps::{RecordedStep, steps};
use super::undone_operation::digest;
use super::{Failure, FailureKind, GateResult, Log, Record};
use crate::boundary::{Boundary, BoundaryError, BoundaryResult, OpenedFile};
use crate::git::{Before, Repository, Tree};
use crate::path::escaped;

/// What came of taking back a batch.
#[derive(Debug, Default)]
pub(super) struct RolledBack {
    /// Paths that are as before again.
    pub(super) restored: Vec<BString>,
    /// Paths that another program changed meanwhile; its version stays.
    pub(super) left: Vec<BString>,
    /// Paths that still have to be restored, and why that failed.
    pub(super) failed: Vec<(BString, String)>,
}

/// Restores what the steps changed, from the snapshot. A file that is neither as before nor as after stays.
///
/// # Errors
/// The snapshot cannot be read.
pub(super) fn roll_back(
    repo: &Repository,
    boundary: &Boundary,
    facts: &Map<String, Value>,
) -> GateResult<RolledBack> {
    let steps = steps(facts).unwrap_or_default().into_iter();
    let undos = steps.map(|step| {
        let undo = Undo::of(repo, boundary, &step);
        (step, undo)
    });
    undo_all(repo, boundary, facts, undos.collect())
}

/// The same after looking at the files.
fn undo_all(
    repo: &Repository,
    boundary: &Boundary,
    facts: &Map<String, Value>,
    mut undos: Vec<(RecordedStep, BoundaryResult<Undo>)>,
) -> GateResult<RolledBack> {
    // Files that did not exist go first: that gives space back.
    undos.sort_by_key(|(step, _)| step.old.is_some());
    let tree = repo.tree_of(Some(backup_of(facts)?))?;
    let mut result = RolledBack::default();
    for (step, undo) in &undos {
        match undo {
            Ok(Undo::Nothing) => {}
            Ok(Undo::Foreign) => result.left.push(step.path.clone()),
            Ok(undo) => match undo.perform(boundary, &tree, step) {
                Ok(()) => result.restored.push(step.path.clone()),
                Err(BoundaryError::Changed(_)) => result.left.push(step.path.clone()),
                Err(error) => result.failed.push((step.path.clone(), error.to_string())),
            },
            Err(error) => result.failed.push((step.path.clone(), error.to_string())),
        }
    }
    let directories = facts.get("directories").and_then(Value::as_array);
    for directory in directories.into_iter().flatten().rev() {
        // One that is not empty stays.
        let name = directory.as_str().unwrap_or_default();
        let _ = boundary.remove_directory(name.into());
    }
    Ok(result)
}

/// The snapshot of a record.
fn backup_of(facts: &Map<String, Value>) -> GateResult<ObjectId> {
    let hex = facts.get("backup").and_then(Value::as_str);
    let id = hex.and_then(|hex| ObjectId::from_hex(hex.as_bytes()).ok());
    id.ok_or_else(|| {
        Failure::new(
            FailureKind::Record,
            "the record of the batch names no snapshot",
        )
    })
}

/// What takes back one step.
enum Undo {
    /// It was not done.
    Nothing,
    /// Another program changed the file.
    Foreign,
    /// Remove the file.
    Remove(OpenedFile),
    /// Give the file that is there, or none, its content back.
    Restore(Option<OpenedFile>),
    /// Move the file back.
    MoveBack(BString, OpenedFile),
}

impl Undo {
    /// # Errors
    /// A file cannot be read. What is not a regular file any more is foreign.
    fn of(repo: &Repository, boundary: &Boundary, step: &RecordedStep) -> BoundaryResult<Undo> {
        match Undo::look(repo, boundary, step) {
            Err(BoundaryError::Refused(_)) => Ok(Undo::Foreign),
            looked => looked,
        }
    }

    fn look(repo: &Repository, boundary: &Boundary, step: &RecordedStep) -> BoundaryResult<Undo> {
        let id = |entry: &Option<OpenedFile>| {
            digest(repo, entry.as_ref().map(|entry| entry.content.as_slice()))
        };
        let there = boundary.read(step.path.as_ref(), u64::MAX)?;
        if let Some(to) = &step.to {
            let moved = boundary.read(to.as_ref(), u64::MAX)?;
            return Ok(match (id(&there), id(&moved), moved) {
                (old, None, _) if old == step.old => Undo::Nothing,
                (None, new, Some(moved)) if new == step.old => Undo::MoveBack(to.clone(), moved),
                _ => Undo::Foreign,
            });
        }
        let now = id(&there);
        Ok(match there {
            _ if now == step.old => Undo::Nothing,
            _ if now != step.new => Undo::Foreign,
            Some(there) if step.old.is_none() => Undo::Remove(there),
            there => Undo::Restore(there),
        })
    }

    fn perform(
        &self,
        boundary: &Boundary,
        before: &Tree<'_>,
        step: &RecordedStep,
    ) -> BoundaryResult<()> {
        let path = step.path.as_ref();
        match self {
            Undo::Nothing | Undo::Foreign => Ok(()),
            Undo::Remove(there) => boundary.remove(path, there),
            Undo::MoveBack(to, moved) => boundary.rename(to.as_ref(), moved, path),
            Undo::Restore(there) => {
                let content = before.read(path).ok().flatten();
                let content = content.ok_or_else(|| BoundaryError::Io {
                    what: format!("restore {}", escaped(path)),
                    source: io::Error::other("the snapshot cannot be read"),
                })?;
                match there {
                    Some(there) => boundary.replace(path, Some(there), &content),
                    None => boundary.recreate(path, &content, step.mode),
                }
            }
        }
    }
}

/// Puts right what an interrupted batch of this work tree left behind, and says what that was. The caller holds the
/// lock.
///
/// # Errors
/// guard cannot find out what to do, or cannot do it; then nothing else may be written.
pub(super) fn recover(
    repo: &Repository,
    boundary: &Boundary,
    log: &Log,
) -> GateResult<Option<String>> {
    let journal = BatchJournal::of(repo);
    let Some(started) = journal.unfinished()? else {
        return Ok(None);
    };
    let Some(mut facts) = unfinished(&journal, log, started)? else {
        journal.end();
        return Ok(None);
    };
    facts.insert("started".into(), started.into());
    let mut undos = Vec::new();
    for step in steps(&facts).unwrap_or_default() {
        let undo = Undo::of(repo, boundary, &step);
        let undo = undo.map_err(|error| journal.stuck(&step.path, &error.to_string()))?;
        undos.push((step, undo));
    }
    let is_done = |(_, undo): &(_, Undo)| !matches!(undo, Undo::Nothing | Undo::Foreign);
    if !undos.is_empty() && undos.iter().all(is_done) {
        record(log, "done", facts)?;
        journal.end();
        return Ok(Some(
            "an interrupted batch was complete; guard has recorded that".to_owned(),
        ));
    }
    facts.insert("error".into(), "interrupted".into());
    let head = repo.head_commit()?.map(|head| head.to_string());
    if facts.get("head").and_then(Value::as_str) != head.as_deref() {
        // Somebody has gone on from there.
        let backup = backup_of(&facts)?;
        record(log, "failed", facts)?;
        journal.end();
        return Ok(Some(format!(
            "an earlier batch was interrupted; HEAD has moved since, so its changes stay: guard snapshot diff {backup}"
        )));
    }
    keep(repo, log, &undos)?;
    let undos = undos.into_iter().map(|(step, undo)| (step, Ok(undo)));
    let result = undo_all(repo, boundary, &facts, undos.collect())?;
    if let Some((path, why)) = result.failed.first() {
        return Err(journal.stuck(path, why));
    }
    result.note(&mut facts);
    record(log, "failed", facts)?;
    journal.end();
    let (restored, left) = (result.restored.len(), result.left.len());
    let mut note = format!("an interrupted batch was rolled back: {restored} files are as before");
    if left > 0 {
        note.push_str(&format!("; {left} that other programs changed stay"));
    }
    Ok(Some(note))
}

impl RolledBack {
    /// Adds what was done to a record.
    pub(super) fn note(&self, facts: &mut Map<String, Value>) {
        let names = |paths: &[BString]| -> Value {
            let names = paths.iter().map(|path| path.to_str_lossy().into_owned());
            names.collect::<Vec<_>>().into()
        };
        facts.insert("rolled_back".into(), names(&self.restored));
        facts.insert("left".into(), names(&self.left));
    }
}

/// The "started" record with this number, if the log has no end of it.
fn unfinished(
    journal: &BatchJournal,
    log: &Log,
    started: u64,
) -> GateResult<Option<Map<String, Value>>> {
    let bytes = log
        .read()
        .map_err(|error| journal.unusable(&error.to_string()))?;
    let records = bytes
        .lines()
        .rev()
        .filter_map(|line| Record::parse(line).ok());
    for Record { seq, facts, .. } in records {
        if seq == started {
            let kept = [
                "operation",
                "operations",
                "directories",
                "backup",
                "head",
                "designs",
            ];
            let facts = facts
                .into_iter()
                .filter(|(key, _)| kept.contains(&key.as_str()));
            return Ok(Some(facts.collect()));
        }
        let event = facts.get("event").and_then(Value::as_str);
        let is_end = matches!(event, Some("done" | "failed"));
        if is_end && facts.get("started").and_then(Value::as_u64) == Some(started) {
            return Ok(None);
        }
    }
    Err(journal.unusable("the log does not have its record"))
}

/// Takes a snapshot of what the batch has written, which only the disk has.
fn keep(repo: &Repository, log: &Log, undos: &[(RecordedStep, Undo)]) -> GateResult<()> {
    let written = undos.iter().filter_map(|(step, undo)| match undo {
        Undo::Remove(there) | Undo::Restore(Some(there)) => Some(Before {
            path: step.path.as_ref(),
            content: Some((there.content.as_slice(), there.is_executable())),
        }),
        _ => None,
    });
    let before: Vec<Before<'_>> = written.collect();
    if before.is_empty() {
        return Ok(());
    }
    let log = standing(log)?.to_string();
    let title = "Backup before rolling back an interrupted batch";
    let taken = repo.take_snapshot(&before, title, &log);
    taken
        .map(drop)
        .map_err(|error| Failure::new(FailureKind::Backup, error.message))
}
