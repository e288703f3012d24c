//! Restores files from a snapshot. A restore is judged as the write or removal that it is.

use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice};
use serde_json::{Value, json};

use super::decision::Ask;
use super::log::{now, rfc3339};
use super::{Effect, Failure, Gate, GateResult, Operation, check_is_here, log};
use crate::boundary::Boundary;
use crate::change::{Kind, State};
use crate::error::{Error, Result};
use crate::git::{Pruned, Repository, Snapshot};
use crate::judge::settings_of_head;
use crate::path::{escaped, escaped_list, shell_word};
use crate::scope::settings::MAX_SIZE;

/// A path, and the operation that restores it.
pub(super) type RestoreStep = (BString, Operation);

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
        let snapshot = self.repo.snapshot_named(name)?;
        let id = snapshot.id;
        let only = only.iter().map(|path| snapshot_path(self.repo, path));
        let only: Vec<BString> = only.collect::<GateResult<_>>()?;
        let mut command = format!("snapshot restore {id}");
        only.iter()
            .for_each(|path| command.push_str(&format!(" {}", shell_word(path))));
        check_is_here(
            self.repo,
            &snapshot.work_tree,
            &format!("the snapshot {id}"),
            &command,
            &format!("guard snapshot show {id} FILE prints its content"),
        )?;
        let all: Vec<BString> = [snapshot.files, snapshot.absent].concat();
        if let Some(unknown) = only.iter().find(|path| !all.contains(path)) {
            let message = format!("the snapshot does not contain {}", escaped(unknown));
            let list = format!("to list its files: guard snapshot show {id}");
            return Err(Error::new(message).help(list).into());
        }
        let tree = self.repo.tree_of(Some(id))?;
        let mut steps = Vec::new();
        for path in all {
            if !only.is_empty() && !only.contains(&path) {
                continue;
            }
            let previous = previous(self.repo, tree.get(path.as_ref())?)?;
            let content = previous.as_ref().map(|(content, _)| content);
            // The step reports the error of an unreadable file.
            let there = self.boundary.read(path.as_ref(), MAX_SIZE);
            if !there.is_ok_and(|there| there.as_ref().map(|entry| &entry.content) == content) {
                let snapshot = id.to_string();
                steps.push((path, Operation::Restore { snapshot, previous }));
            }
        }
        self.restore_all(&steps, ask)
    }

    /// Performs the steps after all are judged. If a person must decide about one, nothing is done before.
    pub(super) fn restore_all(
        &self,
        steps: &[RestoreStep],
        mut ask: Option<Ask<'_>>,
    ) -> GateResult<Vec<Effect>> {
        let mut judged: Vec<_> = steps.iter().map(|step| (true, step)).collect();
        if steps.len() > 1 {
            let _alone = log::alone(self.repo)?;
            for (is_free, (path, operation)) in &mut judged {
                *is_free = self.prepare(path.as_ref(), operation)?.finding.is_none();
            }
        }
        judged.sort_by_key(|&(is_free, _)| is_free);
        let mut all: Vec<Effect> = Vec::new();
        for (_, (path, operation)) in judged {
            let ask = ask.as_deref_mut().map(|ask| ask as Ask<'_>);
            let done = self.perform(path.as_ref(), operation, ask);
            all.push(done.map_err(|failure| match all.is_empty() {
                true => failure,
                false => Failure {
                    message: format!("{}; already done: {}", failure.message, paths_of(&all)),
                    ..failure
                },
            })?);
        }
        Ok(all)
    }
}

/// The paths of what is done, in a sentence.
pub fn paths_of(done: &[Effect]) -> String {
    escaped_list(done.iter().map(|done| &done.path))
}

/// The answer to a restore.
pub fn restored_json(done: &[Effect]) -> Value {
    let (removed, restored): (Vec<&Effect>, Vec<&Effect>) =
        done.iter().partition(|done| done.is_gone());
    let paths = |done: Vec<&Effect>| texts(done.into_iter().map(|done| &done.path));
    let backups = done.iter().filter_map(|done| done.backup);
    let backups: Vec<String> = backups.map(|backup| backup.to_string()).collect();
    json!({
        "version": 1,
        "restored": paths(restored),
        "removed": paths(removed),
        "backups": backups,
    })
}

/// The content of a file in a tree, and whether it was executable; `None` for no file.
pub(super) fn previous(repo: &Repository, state: Option<State>) -> Result<Option<(Vec<u8>, bool)>> {
    let is_executable = state.is_some_and(|state| state.kind == Kind::Executable);
    let content = repo.objects().file(state)?;
    Ok(content.map(|content| (content, is_executable)))
}

/// Removes snapshots older than the settings say, with the lock held.
///
/// # Errors
/// The lock is unavailable, or a snapshot cannot be read or written.
pub fn prune(repo: &Repository) -> Result<Pruned> {
    let keep = settings_of_head(repo)?.keep;
    let _alone = log::alone(repo).map_err(Failure::into_error)?;
    repo.prune_snapshots(now().saturating_sub_unsigned(keep))
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
