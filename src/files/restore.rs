//! Restores files from a snapshot. A restore is judged as the write or removal that it is.

use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice};
use serde_json::{Value, json};

use super::decision::Ask;
use super::log::{now, rfc3339};
use super::{Effect, Failure, Gate, GateResult, Operation, check_is_here, log};
use crate::boundary::{Boundary, bytes, from_real_root};
use crate::change::{Kind, State};
use crate::disk::absolute;
use crate::error::{Error, Result};
use crate::git::{Pruned, Repository, Snapshot};
use crate::judge::settings_of_head;
use crate::path::{escaped, escaped_list, normalize_request, shell_word};
use crate::scope::settings::MAX_SIZE;
use crate::system;

/// A snapshot, and which of its files to restore.
pub struct RestoreRequest {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// The files that get their content back.
    pub restored: Vec<BString>,
    /// The files that did not exist.
    pub removed: Vec<BString>,
}

impl RestoreRequest {
    /// Restores `only` these files, relative to the current directory; without any, all files of the snapshot.
    ///
    /// # Errors
    /// There is no such snapshot, or it lacks one of the files.
    pub fn new(repo: &Repository, name: &str, only: &[PathBuf]) -> GateResult<RestoreRequest> {
        let snapshot = repo.snapshot_named(name)?;
        let only = only.iter().map(|path| snapshot_path(repo, path));
        let only: Vec<BString> = only.collect::<Result<_>>()?;
        let is_there =
            |path: &&BString| snapshot.files.contains(path) || snapshot.absent.contains(path);
        if let Some(unknown) = only.iter().find(|path| !is_there(path)) {
            let message = format!("the snapshot does not contain {}", escaped(unknown));
            let list = format!("guard snapshot show {}", escaped(name));
            return Err(Error::new(message)
                .help(format!("to list its files: {list}"))
                .into());
        }
        let wanted = |paths: &[BString]| -> Vec<BString> {
            let is_wanted = |path: &&BString| only.is_empty() || only.contains(path);
            paths.iter().filter(is_wanted).cloned().collect()
        };
        let (restored, removed) = (wanted(&snapshot.files), wanted(&snapshot.absent));
        Ok(RestoreRequest {
            snapshot,
            restored,
            removed,
        })
    }

    /// The operations, without those for files that are as the snapshot has them.
    ///
    /// # Errors
    /// The snapshot belongs to another work tree, or it cannot be read.
    pub fn steps(&self, repo: &Repository) -> GateResult<Vec<(BString, Operation)>> {
        let id = self.snapshot.id;
        let paths = || self.restored.iter().chain(&self.removed);
        let mut arguments = format!("snapshot restore {id}");
        if paths().count() < self.snapshot.files.len() + self.snapshot.absent.len() {
            paths().for_each(|path| arguments.push_str(&format!(" {}", shell_word(path))));
        }
        check_is_here(
            repo,
            &self.snapshot.work_tree,
            &format!("the snapshot {id}"),
            &arguments,
            &format!("guard snapshot show {id} FILE prints its content"),
        )?;
        let boundary = Boundary::open(repo.own_workdir()?)?;
        let tree = repo.tree_of(Some(id))?;
        let mut steps = Vec::new();
        for path in paths() {
            let previous = previous(repo, tree.get(path.as_ref())?)?;
            // The step reports the error of an unreadable file.
            let is_same = boundary.read(path.as_ref(), MAX_SIZE).is_ok_and(|there| {
                there.map(|entry| entry.content).as_ref() == previous.as_ref().map(|(old, _)| old)
            });
            if !is_same {
                let snapshot = id.to_string();
                steps.push((path.clone(), Operation::Restore { snapshot, previous }));
            }
        }
        Ok(steps)
    }

    /// The answer to a restore.
    pub fn to_json(&self, done: &[Effect]) -> Value {
        let backups = done.iter().filter_map(|done| done.backup);
        let backups: Vec<String> = backups.map(|backup| backup.to_string()).collect();
        let (restored, removed) = (texts(&self.restored), texts(&self.removed));
        json!({ "version": 1, "restored": restored, "removed": removed, "backups": backups })
    }
}

impl Gate<'_> {
    /// Performs the steps after all are judged. If a person must decide about one, nothing is done before.
    ///
    /// # Errors
    /// As for [`Gate::perform`]. The error names the steps already done.
    pub fn restore(
        &self,
        steps: &[(BString, Operation)],
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

/// A snapshot in a list.
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

fn texts(paths: &[BString]) -> Vec<String> {
    let texts = paths.iter().map(|path| path.to_str_lossy().into_owned());
    texts.collect()
}

/// The path in the repository of a file that is named relative to the current directory.
///
/// # Errors
/// The path leaves the repository.
pub fn snapshot_path(repo: &Repository, path: &Path) -> Result<BString> {
    let Ok(root) = repo.workdir() else {
        return Ok(bytes(path).into());
    };
    let root = absolute(root);
    let request = repo.request(path);
    let request = match request.to_path() {
        Ok(request) => bytes(&from_real_root(&root, request)),
        Err(_) => request.to_vec(),
    };
    normalize_request(&bytes(&root), &request, system::PLATFORM)
        .map_err(|rejection| Error::new(rejection.message))
}
