//! Restores files from a snapshot, and takes back what an observed command did: exactly that, as long as it is as the
//! command left it. What changed since is judged as the write or removal that it is.

use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use serde_json::{Value, json};

use super::log::{members, now, record};
use super::perform::backup;
use super::{Effect, Failure, FailureKind, Gate, GateResult, Log, Operation, log};
use crate::approvals::Ask;
use crate::judge::{Options, settings_of_head};
use crate::report::rfc3339;
use write_guard_policy::change::{Change, Kind, State};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{escaped, shell_word};
use write_guard_policy::scope::settings::MAX_SIZE;
use write_guard_repo::boundary::Boundary;
use write_guard_repo::{Blobs, CheckpointStore, ObservedChange, Repository, Snapshot};

/// A path, and the operation that restores it.
type RestoreStep = (BString, Operation);

/// A snapshot of this work tree.
///
/// # Errors
/// There is none with this name, or it belongs to another work tree.
pub fn own_snapshot(repo: &Repository, name: &str) -> GateResult<Snapshot> {
    let snapshot = repo.snapshot_named(name)?;
    if snapshot.work_tree == repo.work_tree() {
        return Ok(snapshot);
    }
    let id = snapshot.id;
    let message = format!("the snapshot {id} belongs to another work tree");
    Err(Failure::new(FailureKind::OtherWorkTree, message)
        .help("to restore it, run guard in that work tree")
        .help(format!(
            "to print one of its files: guard snapshot show {id} FILE"
        )))
}

impl Gate<'_> {
    /// Restores `only` these files of a snapshot, relative to the current directory; without any, all of them. Leaves
    /// alone what is as the snapshot has it.
    ///
    /// # Errors
    /// There is no such snapshot here, it lacks one of the files, or as for [`Gate::perform`].
    pub fn restore(
        &self,
        name: &str,
        only: &[PathBuf],
        ask: Option<Ask<'_>>,
    ) -> GateResult<Vec<Effect>> {
        let snapshot = own_snapshot(self.repo, name)?;
        let id = snapshot.id;
        let only = only.iter().map(|path| snapshot_path(self.repo, path));
        let only: Vec<BString> = only.collect::<GateResult<_>>()?;
        let mut all: Vec<BString> = [snapshot.files, snapshot.absent].concat();
        if let Some(unknown) = only.iter().find(|path| !all.contains(path)) {
            let message = format!("the snapshot does not contain {}", escaped(unknown));
            let list = format!("to list its files: guard snapshot show {id}");
            return Err(Error::new(message).help(list).into());
        }
        let tree = self.repo.tree_of(Some(id))?;
        let by_hand = id.to_hex_with_len(12).to_string();
        let mut steps = Vec::new();
        all.retain(|path| only.is_empty() || only.contains(path));
        for path in all {
            let previous = previous(self.repo, tree.get(path.as_ref())?)?;
            let content = previous.as_ref().map(|(content, _)| content);
            // The step reports the error of an unreadable file.
            let there = self.boundary.read(path.as_ref(), MAX_SIZE);
            if !there.is_ok_and(|there| there.as_ref().map(|entry| &entry.content) == content) {
                steps.push((path, Operation::Restore(previous)));
            }
        }
        self.restore_all(steps, &by_hand, ask)
    }

    /// Performs the steps after all are judged. If a person must decide about one, nothing is done before. A refusal
    /// names what a person can do by hand with the snapshot or change of this name.
    fn restore_all(
        &self,
        steps: Vec<RestoreStep>,
        name: &str,
        mut ask: Option<Ask<'_>>,
    ) -> GateResult<Vec<Effect>> {
        let mut judged = Vec::new();
        for (path, operation) in steps {
            let effect = self.prepare(path.as_ref(), &operation, None);
            let effect = effect.map_err(|failure| {
                let word = shell_word(path.as_ref());
                let by_hand = match &operation {
                    Operation::Restore(None) => format!("rm {word}"),
                    _ => format!("guard snapshot show {name} {word} > {word}"),
                };
                failure.help(format!("a person can do it by hand: {by_hand}"))
            })?;
            judged.push((effect.finding.is_none(), path, operation));
        }
        judged.sort_by_key(|(is_free, ..)| *is_free);
        judged
            .into_iter()
            .map(|(_, path, operation)| {
                let ask = ask.as_deref_mut().map(|ask| ask as Ask<'_>);
                self.perform(path.as_ref(), &operation, None, ask)
            })
            .collect()
    }
}

/// The answer to a restore.
pub fn restored_json(done: &[Effect]) -> Value {
    let restored = done.iter().filter(|effect| !effect.is_gone());
    let removed = done.iter().filter(|effect| effect.is_gone());
    let backups = done.iter().filter_map(|done| done.backup);
    let backups: Vec<String> = backups.map(|backup| backup.to_string()).collect();
    json!({
        "version": 1,
        "restored": texts(restored.map(|effect| &effect.path)),
        "removed": texts(removed.map(|effect| &effect.path)),
        "backups": backups,
    })
}

/// The content of a file in a tree, and whether it was executable; `None` for no file.
fn previous(repo: &Repository, state: Option<State>) -> Result<Option<(Vec<u8>, bool)>> {
    let is_executable = state.is_some_and(|state| state.kind == Kind::Executable);
    let content = repo.objects().file(state)?;
    Ok(content.map(|content| (content, is_executable)))
}

/// Removes snapshots older than the settings say, with the lock held.
///
/// # Errors
/// The lock is unavailable, or a snapshot cannot be read or written.
pub fn prune(repo: &Repository) -> GateResult<(usize, usize)> {
    let keep = settings_of_head(repo)?.keep;
    let _alone = log::alone(repo)?;
    let oldest = now().saturating_sub_unsigned(keep);
    repo.forget_lost(oldest)?;
    Ok(repo.prune_snapshots(oldest)?)
}

/// A snapshot as JSON.
pub fn snapshot_json(repo: &Repository, snapshot: &Snapshot) -> Value {
    let place = repo.place_of(&snapshot.work_tree);
    json!({
        "id": snapshot.id.to_string(),
        "worktree": place.map(|place| place.to_string_lossy().into_owned()),
        "time": rfc3339(snapshot.time),
        "title": snapshot.title,
        "files": texts(&snapshot.files),
        "absent": texts(&snapshot.absent),
    })
}

fn texts<'p>(paths: impl IntoIterator<Item = &'p BString>) -> Vec<String> {
    let paths = paths.into_iter();
    paths.map(|path| path.to_str_lossy().into_owned()).collect()
}

/// The path in the repository of a file that is named relative to the current directory.
///
/// # Errors
/// The path leaves the repository, or the repository is bare.
pub fn snapshot_path(repo: &Repository, path: &Path) -> GateResult<BString> {
    let boundary = Boundary::open(repo.own_workdir()?)?;
    Ok(boundary.locate(repo.request(path).as_ref())?)
}

/// The most files whose present content becomes a snapshot first.
const MOST: usize = 500;

/// What was taken back.
#[derive(Debug, Default)]
pub struct TakenBackChange {
    /// The files that returned to their former content.
    pub files: Vec<BString>,
    /// These and what else returned to its former state, as people read it.
    pub done: Vec<String>,
    /// What guard has no copy of.
    pub lost: Vec<String>,
    /// The snapshot of what was there, if files changed.
    pub kept: Option<ObjectId>,
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
    // By name alone: a link may stand where a directory was.
    let only: Vec<BString> = only.iter().map(|path| repo.request(path)).collect();
    take_back_paths(repo, options, name, &only)
}

/// The same for paths of the repository.
pub(crate) fn take_back_paths(
    repo: &Repository,
    options: &Options,
    name: &str,
    only: &[BString],
) -> GateResult<TakenBackChange> {
    let store = CheckpointStore::open(repo)?;
    let observed = store.observed(name)?;
    let back = store.to_take_back(&observed, only)?;
    let mut files: Vec<BString> = back.files.iter().map(|one| one.path.clone()).collect();
    let mut done = shown(&files);
    let kept = {
        let _alone = log::alone(repo)?;
        let kept = keep_present(repo, name, &back.files)?;
        store.take_back_files(&back)?;
        if only.is_empty() {
            done.extend(store.take_back_rest(&observed)?);
        } else {
            let staged: Vec<BString> = only
                .iter()
                .filter(|path| observed.back.staged.contains(&*path.to_str_lossy()))
                .cloned()
                .collect();
            done.extend(store.take_back_staged(&observed, &staged)?);
        }
        kept
    };
    if !back.changed.is_empty() {
        let both = store.repository(Blobs::new())?;
        let mut steps = Vec::new();
        for change in &back.changed {
            let restore = Operation::Restore(previous(&both, change.old)?);
            steps.push((change.path.clone(), restore));
        }
        drop(store);
        let restored = Gate::open(repo, options)?.restore_all(steps, name, None)?;
        done.extend(shown(restored.iter().map(|effect| &effect.path)));
        files.extend(restored.into_iter().map(|effect| effect.path));
    }
    Ok(TakenBackChange {
        files,
        done,
        lost: shown(&back.lost),
        kept,
    })
}

/// The changes that calls of agents made in this work tree and that are kept, the newest first.
///
/// # Errors
/// The checkpoints cannot be read.
pub fn kept_changes(repo: &Repository) -> Result<Vec<(String, ObservedChange)>> {
    let is_there = repo.workdir().is_ok_and(CheckpointStore::is_there_for);
    if !is_there {
        return Ok(Vec::new());
    }
    let store = CheckpointStore::open(repo)?;
    let names = store.changes().into_iter();
    let found = names.filter_map(|name| store.observed(&name).ok().map(|change| (name, change)));
    Ok(found.collect())
}

/// The content that a file had before a change; `None` if there was none.
///
/// # Errors
/// The change is unknown, or its content cannot be read.
pub fn content_before(repo: &Repository, name: &str, path: &Path) -> GateResult<Option<Vec<u8>>> {
    let path = repo.request(path);
    let store = CheckpointStore::open(repo)?;
    let change = store.observed(name)?;
    let both = store.repository(Blobs::new())?;
    Ok(both.tree_in(&change.before).read(path.as_ref())?)
}

fn shown<'p>(paths: impl IntoIterator<Item = &'p BString>) -> Vec<String> {
    let paths = paths.into_iter();
    paths.map(|path| escaped(path).to_string()).collect()
}

/// A path, its content, and whether it was executable.
type FileCopy<'p> = (&'p BString, (Vec<u8>, bool));

/// A snapshot of these copies; `None` if there are none.
fn snapshot(
    repo: &Repository,
    copies: &[FileCopy<'_>],
    when: &str,
) -> GateResult<Option<ObjectId>> {
    if copies.is_empty() {
        return Ok(None);
    }
    let before = copies.iter().map(|(path, (content, is_executable))| {
        (path.as_ref(), Some((content.as_slice(), *is_executable)))
    });
    let title = format!("Before {when}: {} files", copies.len());
    backup(repo, before, &title).map(Some)
}

/// The content that goes stays as a snapshot, so that a person can look at it.
fn keep_present(repo: &Repository, name: &str, files: &[Change]) -> GateResult<Option<ObjectId>> {
    if files.is_empty() {
        return Ok(None);
    }
    let boundary = Boundary::open(repo.own_workdir()?)?;
    let present = files.iter().filter_map(|change| {
        let entry = boundary.read(change.path.as_ref(), MAX_SIZE).ok()??;
        let is_executable = entry.is_executable();
        Some((&change.path, (entry.content, is_executable)))
    });
    let present: Vec<FileCopy<'_>> = present.take(MOST).collect();
    let backup = snapshot(repo, &present, &format!("taking back {name}"))?;
    let paths = shown(files.iter().map(|change| &change.path));
    let facts = members([
        ("operation", Some("take-back".into())),
        ("change", Some(name.into())),
        ("paths", Some(paths.into())),
        ("backup", backup.map(|id| id.to_string().into())),
    ]);
    record(&Log::of(repo), "taken-back", facts)?;
    Ok(backup)
}

/// Keeps contents that are nowhere any more as a snapshot: each with its path and its state.
///
/// # Errors
/// It cannot be written.
pub fn keep_contents(
    repo: &Repository,
    store: &CheckpointStore<'_>,
    contents: &[(&BString, State)],
) -> GateResult<()> {
    if contents.is_empty() {
        return Ok(());
    }
    let both = store.repository(Blobs::new())?;
    let mut kept: Vec<FileCopy<'_>> = Vec::new();
    for (path, state) in contents.iter().take(MOST) {
        let is_new = kept.iter().all(|(known, _)| known != path);
        if is_new && let Some(file) = previous(&both, Some(*state))? {
            kept.push((path, file));
        }
    }
    if kept.is_empty() {
        return Ok(());
    }
    let _alone = log::alone(repo)?;
    snapshot(repo, &kept, "a command").map(drop)
}
