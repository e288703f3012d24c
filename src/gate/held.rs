//! Changes that wait for approval: stored with mode 0600 in the git common directory, removed on decision or expiry.

// Held changes are files below the git directory.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Map, Value, json};

use super::{Failure, FailureKind, Operation, Strategy};
use crate::disk;
use crate::git::WorkTree;
use crate::measure::Thresholds;

/// Content without facts and older than this is left over: normally both are written at once.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The store of held changes.
#[derive(Debug, Clone)]
pub struct Held {
    directory: PathBuf,
}

/// One held change: exactly this path, old content and new content.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldChange {
    /// The work tree of the request.
    pub work_tree: WorkTree,
    /// The path in the workspace.
    pub path: BString,
    /// `write`, `patch`, `delete` or `restore`.
    pub operation: String,
    /// The strategy of a write; only `replace` contains the whole proposed content.
    pub strategy: Option<String>,
    /// The blob id of the current file; `None` for no file.
    pub old: Option<String>,
    /// The blob id of the new file; `None` for no file.
    pub new: Option<String>,
    /// The class, such as `REPLACE`.
    pub class: String,
    /// Why it waits, in one sentence.
    pub why: String,
    /// When it expires, in seconds since 1970.
    pub expires: i64,
    /// The new content.
    pub content: Option<Vec<u8>>,
    /// The snapshot to restore.
    pub snapshot: Option<String>,
    /// Whether a new file becomes executable.
    pub is_executable: bool,
    /// The thresholds that it was held by.
    pub thresholds: Option<Thresholds>,
}

impl HeldChange {
    /// The ID of the change: equal for the same work tree, path, old and new content.
    pub fn id(&self) -> String {
        let (old, new) = (self.old.as_deref(), self.new.as_deref());
        id_of(&self.work_tree, self.path.as_ref(), old, new)
    }

    /// What the caller is told while it waits under this ID.
    pub fn failure(&self, id: &str) -> Failure {
        Failure::new(
            FailureKind::Held,
            format!("{}; held as {id}, nothing was written", self.why),
        )
        .help(format!(
            "a person decides: guard approve {id}, or guard reject {id}"
        ))
        .help("do not work around this; make a smaller change instead")
        .detail("id", id)
    }

    /// The operation that writes it.
    pub(super) fn to_operation(&self) -> Operation {
        let content = self.content.clone();
        match (&self.snapshot, content) {
            (Some(snapshot), content) => Operation::Restore {
                snapshot: snapshot.clone(),
                previous: content.map(|content| (content, self.is_executable)),
            },
            (None, Some(content)) => Operation::Write {
                content,
                strategy: Strategy::Replace,
                expect: None,
                allow_empty: true,
            },
            (None, None) => Operation::DELETE,
        }
    }

    fn to_json(&self) -> Value {
        json!({
            "worktree": self.work_tree.name(),
            "path": self.path.to_str_lossy(),
            "operation": self.operation,
            "strategy": self.strategy,
            "old": self.old,
            "new": self.new,
            "class": self.class,
            "why": self.why,
            "expires": self.expires,
            "snapshot": self.snapshot,
            "executable": self.is_executable,
            "lines": self.thresholds.map(|thresholds| thresholds.lines),
            "share": self.thresholds.map(|thresholds| thresholds.share),
        })
    }

    fn from_json(object: &Map<String, Value>, content: Option<Vec<u8>>) -> Option<HeldChange> {
        let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
        let lines = object.get("lines").and_then(Value::as_u64);
        let share = object.get("share").and_then(Value::as_f64);
        let thresholds = lines.zip(share).map(|(lines, share)| Thresholds {
            lines: usize::try_from(lines).unwrap_or(usize::MAX),
            share,
        });
        Some(HeldChange {
            work_tree: WorkTree::new(text("worktree").as_deref()),
            path: text("path")?.into(),
            operation: text("operation")?,
            strategy: text("strategy"),
            old: text("old"),
            new: text("new"),
            class: text("class")?,
            why: text("why")?,
            expires: object.get("expires")?.as_i64()?,
            content,
            snapshot: text("snapshot"),
            is_executable: object.get("executable").and_then(Value::as_bool) == Some(true),
            thresholds,
        })
    }
}

impl Held {
    /// The store in a git common directory. Nothing is created before the first change.
    pub fn new(common_dir: &Path) -> Held {
        Held {
            directory: common_dir.join("guard").join("held"),
        }
    }

    /// Stores a change and returns its ID, which is the same for the same change.
    ///
    /// # Errors
    /// The store cannot be written: nothing is held, but the change is still refused.
    pub fn hold(&self, change: &HeldChange) -> Result<String, Failure> {
        let id = change.id();
        let write = || -> io::Result<()> {
            disk::create_private_directory(&self.directory)?;
            if let Some(content) = &change.content {
                disk::replace(&self.file(&id, "content"), content, Some(disk::PRIVATE))?;
            }
            let facts = change.to_json().to_string();
            disk::replace(
                &self.file(&id, "json"),
                facts.as_bytes(),
                Some(disk::PRIVATE),
            )
        };
        write().map_err(|error| {
            Failure::new(
                FailureKind::Held,
                format!("the change needs approval but cannot be held: {error}"),
            )
            .help("nothing was written; the git directory must be writable and have space")
        })?;
        Ok(id)
    }

    /// The changes held at the time `now`, by path; removes expired ones.
    ///
    /// # Errors
    /// The store exists but cannot be read or changed.
    pub fn list(&self, now: i64) -> io::Result<Vec<HeldChange>> {
        let mut waiting = Vec::new();
        for file in files_in(&self.directory)? {
            if is_orphan(&file) {
                let _ = fs::remove_file(&file);
            }
            let id = file.file_stem().and_then(|stem| stem.to_str());
            if file
                .extension()
                .is_some_and(|extension| extension == "json")
                && let Some(id) = id
                && let Some(change) = self.load(id)?
            {
                if change.expires <= now {
                    self.remove(id)?;
                } else {
                    waiting.push(change);
                }
            }
        }
        waiting.sort_by(|a, b| (&a.path, &a.new).cmp(&(&b.path, &b.new)));
        Ok(waiting)
    }

    /// The held change with this ID; `None` if there is none or its file was altered.
    ///
    /// # Errors
    /// It exists but cannot be read.
    pub fn load(&self, id: &str) -> io::Result<Option<HeldChange>> {
        if !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let Some(text) = read_if_there(&self.file(id, "json"))? else {
            return Ok(None);
        };
        let content = read_if_there(&self.file(id, "content"))?;
        let object: Option<Map<String, Value>> = serde_json::from_slice(&text).ok();
        let change = object.and_then(|object| HeldChange::from_json(&object, content));
        Ok(change.filter(|change| change.id() == id))
    }

    /// Removes a held change.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(&self, id: &str) -> io::Result<()> {
        // Facts go last: a half-removed change is still listed and can be removed again.
        for extension in ["content", "json"] {
            match fs::remove_file(self.file(id, extension)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn file(&self, id: &str, extension: &str) -> PathBuf {
        self.directory.join(format!("{id}.{extension}"))
    }
}

/// Whether a file of the store was left by a killed process: content without facts, and not recent.
fn is_orphan(file: &Path) -> bool {
    let age = || file.metadata().ok()?.modified().ok()?.elapsed().ok();
    !file.with_extension("json").exists() && age().is_some_and(|age| age > ABANDONED)
}

/// The files of a directory, which need not be there.
pub(super) fn files_in(directory: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.map(|entry| Ok(entry?.path())).collect(),
    }
}

fn read_if_there(file: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(file) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The ID of a step of one path from one content to another in a work tree.
pub(super) fn id_of(
    work_tree: &WorkTree,
    path: &BStr,
    old: Option<&str>,
    new: Option<&str>,
) -> String {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha256);
    let step = [
        path.as_bytes(),
        old.unwrap_or("-").as_bytes(),
        new.unwrap_or("-").as_bytes(),
    ];
    for part in step.into_iter().chain(work_tree.name().map(str::as_bytes)) {
        hasher.update(&part.len().to_be_bytes());
        hasher.update(part);
    }
    // SHA-256 has no collision detection that could fail.
    hasher
        .try_finalize()
        .map_or_else(|_| String::new(), |id| id.to_hex_with_len(12).to_string())
}
