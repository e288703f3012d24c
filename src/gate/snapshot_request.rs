//! Which snapshot a person or a program names, and what of it to restore.

use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice};
use serde_json::{Value, json};

use super::{CompletedOperation, GateResult};
use crate::boundary::{absolute, bytes, from_real_root};
use crate::error::{Error, Result};
use crate::git::{Repository, Snapshot};
use crate::path::{escaped, normalize_request};
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
        let snapshot = find_snapshot(repo, name)?;
        let only: Vec<BString> = only
            .iter()
            .map(|path| snapshot_path(repo, path))
            .collect::<Result<_>>()?;
        let is_there =
            |path: &&BString| snapshot.files.contains(path) || snapshot.absent.contains(path);
        if let Some(unknown) = only.iter().find(|path| !is_there(path)) {
            return Err(Error::new(format!(
                "the snapshot does not contain {}",
                escaped(unknown)
            ))
            .help(format!(
                "to list its files: guard snapshot show {}",
                escaped(name)
            ))
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

    /// All files to change.
    pub fn paths(&self) -> Vec<BString> {
        [self.restored.clone(), self.removed.clone()].concat()
    }

    /// The answer to a restore.
    pub fn to_json(&self, done: &[CompletedOperation]) -> Value {
        let backups = done.iter().filter_map(|done| done.backup);
        let backups: Vec<String> = backups.map(|backup| backup.to_string()).collect();
        let (restored, removed) = (texts(&self.restored), texts(&self.removed));
        json!({ "version": 1, "restored": restored, "removed": removed, "backups": backups })
    }
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
    paths
        .iter()
        .map(|path| path.to_str_lossy().into_owned())
        .collect()
}

/// A time in seconds since 1970, in UTC.
pub fn rfc3339(seconds: i64) -> String {
    gix::date::Time::new(seconds, 0).format_or_unix(gix::date::time::format::ISO8601_STRICT)
}

/// The snapshot that a name selects; never another commit of the repository.
///
/// # Errors
/// There is none, or there are several.
pub fn find_snapshot(repo: &Repository, name: &str) -> Result<Snapshot> {
    let matching = match name.len() {
        0..4 => Vec::new(),
        _ => repo.snapshots_named(name)?,
    };
    match <[Snapshot; 1]>::try_from(matching) {
        Ok([snapshot]) => Ok(snapshot),
        Err(matching) => {
            let what = if matching.is_empty() {
                "is not a snapshot"
            } else {
                "matches several snapshots"
            };
            Err(Error::new(format!("{} {what}", escaped(name)))
                .help("to list the snapshots: guard snapshot list"))
        }
    }
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
