//! Takes back what an observed command did: exactly that, as long as it is as the command left it.

use std::path::PathBuf;

use gix::bstr::{BStr, BString};
use serde_json::{Map, Value};

use super::lock::Lock;
use super::log::record;
use super::perform::{add_circumstances, snapshot_of, standing};
use super::{Gate, GateResult, Log, Operation, snapshot_path};
use crate::boundary::{Boundary, OpenedFile};
use crate::change::{Change, Kind};
use crate::error::Result;
use crate::git::{Blobs, CheckpointStore, ObservedChange, Repository};
use crate::judge::Options;
use crate::path::escaped;
use crate::scope::settings::MAX_SIZE;

/// The most files whose present content becomes a snapshot first.
const MOST: usize = 500;

/// What was taken back.
#[derive(Debug, Default)]
pub struct TakenBackChange {
    /// The files and what else returned to its former state.
    pub done: Vec<String>,
    /// What guard has no copy of.
    pub lost: Vec<String>,
}

/// Takes back an observed change. A file that changed since is judged as the write or removal that it is. `only`
/// limits it to these files, relative to the current directory.
///
/// # Errors
/// The change is not known, a file cannot be restored, or a later change is refused.
pub fn take_back(
    repo: &Repository,
    options: &Options,
    name: &str,
    only: &[PathBuf],
) -> GateResult<TakenBackChange> {
    let store = CheckpointStore::open(repo)?;
    let ObservedChange { before, after, .. } = store.observed(name)?;
    let only: Vec<BString> = only
        .iter()
        .map(|path| snapshot_path(repo, path))
        .collect::<Result<_>>()?;
    let back = store.to_take_back(repo, &before, &after, &only)?;
    let mut taken = TakenBackChange::default();
    {
        let _alone = Lock::new(repo.common_dir()).take()?;
        keep_present(repo, name, &back.files)?;
        store.take_back_files(&back)?;
        let files = back.files.iter().map(|change| &change.path);
        taken
            .done
            .extend(files.map(|path| escaped(path).to_string()));
        if only.is_empty() {
            taken
                .done
                .extend(store.take_back_rest(repo, &before, &after)?);
        }
    }
    taken
        .lost
        .extend(back.lost.iter().map(|path| escaped(path).to_string()));
    if !back.changed.is_empty() {
        let both = store.repository(Blobs::new())?;
        let mut steps = Vec::new();
        for change in &back.changed {
            steps.push((change.path.clone(), judged(&both, name, change)?));
        }
        drop(store);
        let gate = Gate::open(repo, options)?;
        let done = gate.restore(&steps, None)?;
        let paths = done
            .iter()
            .map(|done| escaped(&done.analysis.path).to_string());
        taken.done.extend(paths);
    }
    Ok(taken)
}

/// The content that goes stays as a snapshot, so that a person can look at it.
fn keep_present(repo: &Repository, name: &str, files: &[Change]) -> GateResult<()> {
    if files.is_empty() {
        return Ok(());
    }
    let boundary = Boundary::open(repo.own_workdir()?)?;
    let present = |change: &Change| -> Option<(BString, Option<OpenedFile>)> {
        let entry = boundary.read(change.path.as_ref(), MAX_SIZE).ok()??;
        Some((change.path.clone(), Some(entry)))
    };
    let present: Vec<_> = files.iter().filter_map(present).take(MOST).collect();
    let log = Log::of(repo);
    let title = format!("Before taking back {name}: {} files", files.len());
    let backup = match present.is_empty() {
        true => None,
        false => Some(snapshot_of(repo, present.iter(), &title, &standing(&log)?)?),
    };
    let mut facts = Map::new();
    facts.insert("operation".into(), "take-back".into());
    facts.insert("change".into(), name.into());
    let paths = files.iter().map(|change| escaped(&change.path).to_string());
    facts.insert("paths".into(), paths.map(Value::from).collect());
    add_circumstances(repo, &[], &mut facts, backup);
    record(&log, "taken-back", facts)?;
    Ok(())
}

/// The step that restores one file by the rules.
fn judged(repo: &Repository, name: &str, change: &Change) -> Result<Operation> {
    let kind = change.old.map(|state| state.kind);
    let previous = repo.objects().file(change.old)?;
    Ok(Operation::Restore {
        snapshot: name.to_owned(),
        previous: previous.map(|content| (content, kind == Some(Kind::Executable))),
    })
}

/// Keeps the content of files that no commit has, as it was in a checkpoint. The answer is the snapshot.
///
/// # Errors
/// It cannot be written.
pub fn keep_only_copies(
    repo: &Repository,
    store: &CheckpointStore,
    change: &ObservedChange,
    paths: &[BString],
) -> Result<()> {
    let both = store.repository(Blobs::new())?;
    let tree = both.tree_in(&change.before);
    let mut kept = Vec::new();
    for path in paths.iter().take(MOST) {
        let state = tree.get(path.as_ref())?;
        if let Some(content) = both.objects().file(state)? {
            let is_executable = state.is_some_and(|state| state.kind == Kind::Executable);
            kept.push((path, content, is_executable));
        }
    }
    if kept.is_empty() {
        return Ok(());
    }
    let before: Vec<crate::git::Before<'_>> = kept
        .iter()
        .map(|(path, content, is_executable)| {
            let path: &BStr = path.as_ref();
            crate::git::Before {
                path,
                content: Some((content, *is_executable)),
            }
        })
        .collect();
    let _alone = Lock::new(repo.common_dir())
        .take()
        .map_err(super::Failure::into_error)?;
    let log = standing(&Log::of(repo)).map_err(super::Failure::into_error)?;
    let title = format!("Before a command: {} files", before.len());
    repo.take_snapshot(&before, &title, &log.to_string())
        .map(drop)
}
