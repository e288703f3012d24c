//! What waits for a person or for a commit, below the git common directory: `held/` has the changes that a person must
//! decide about, `approvals/` the approvals that no commit has used yet. Each is a private file that goes when it is
//! decided, used or expired. The audit log says what became of it, and confirms every approval: a file alone approves
//! nothing.

// The store is files below the git directory.
#![allow(clippy::disallowed_methods)]

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gix::bstr::{BStr, ByteSlice};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::failure::{Failure, FailureKind, GateResult};
use super::log::now;
use super::operation::Operation;
use super::{Log, Record};
use crate::approve::Approval;
use crate::disk;
use crate::error::Result;
use crate::git::{Repository, WorkTree};
use crate::measure::Thresholds;
use crate::sha256::sha256;

/// What is no entry and older than this is left over.
const ABANDONED: Duration = Duration::from_secs(3600);
/// The key of a linked work tree in the file of an approval.
const WORK_TREE: &str = "worktree";

/// The store of a repository, seen from one of its work trees.
#[derive(Debug, Clone)]
pub struct Store {
    held: PathBuf,
    approvals: PathBuf,
    work_tree: WorkTree,
}

/// One held change: exactly this path, old content and new content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldChange {
    /// The work tree of the request.
    #[serde(rename = "worktree")]
    pub work_tree: WorkTree,
    /// The path in the workspace.
    pub path: String,
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
    #[serde(skip)]
    pub content: Option<Vec<u8>>,
    /// The snapshot to restore.
    pub snapshot: Option<String>,
    /// Whether a new file becomes executable.
    #[serde(rename = "executable", default)]
    pub is_executable: bool,
    /// The thresholds that it was held by.
    #[serde(flatten)]
    pub thresholds: Option<Thresholds>,
}

impl HeldChange {
    /// The ID of the change: equal for the same work tree, path, old and new content.
    pub fn id(&self) -> String {
        let (old, new) = (self.old.as_deref(), self.new.as_deref());
        id_of(&self.work_tree, BStr::new(&self.path), old, new)
    }

    /// What the caller is told while it waits under this ID.
    pub fn failure(&self, id: &str) -> Failure {
        let message = format!(
            "{}; it waits for approval as {id}, and nothing was written",
            self.why
        );
        Failure::new(FailureKind::Held, message)
            .help("do not work around this; make a smaller change instead")
            .help(format!("a person decides: guard approve {id}"))
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
            (None, Some(content)) => Operation::replace(content, true),
            (None, None) => Operation::DELETE,
        }
    }
}

impl Store {
    /// The store of a repository. Nothing is created before the first entry.
    pub fn of(repo: &Repository) -> Store {
        Store::new(repo.common_dir(), repo.work_tree())
    }

    fn new(common_dir: &Path, work_tree: WorkTree) -> Store {
        let directory = common_dir.join("guard");
        Store {
            held: directory.join("held"),
            approvals: directory.join("approvals"),
            work_tree,
        }
    }

    /// Stores a change that a person must decide about, and returns its ID, which is the same for the same change.
    ///
    /// # Errors
    /// The store cannot be written: nothing is held, but the change is still refused.
    pub fn hold(&self, change: &HeldChange) -> GateResult<String> {
        let id = change.id();
        let entry = serde_json::to_vec(change).map_err(io::Error::from);
        let written = entry.and_then(|mut entry| {
            if let Some(content) = &change.content {
                entry.push(b'\n');
                entry.extend_from_slice(content);
            }
            put(&self.held, &id, &entry)
        });
        written.map_err(|error| {
            let message = format!("the change needs approval but guard cannot keep it: {error}");
            Failure::new(FailureKind::Held, message)
                .help("nothing was written; the git directory must be writable and have space")
        })?;
        Ok(id)
    }

    /// The changes held at the time `now` in any work tree, by path; removes expired ones.
    ///
    /// # Errors
    /// The store exists but cannot be read or changed.
    pub fn held(&self, now: i64) -> io::Result<Vec<HeldChange>> {
        let mut waiting = Vec::new();
        for file in files_in(&self.held)? {
            let name = file.file_name().and_then(|name| name.to_str());
            match name.map(|id| self.load(id)).transpose()?.flatten() {
                Some(change) if change.expires <= now => self.remove(&change.id())?,
                Some(change) => waiting.push(change),
                // A killed process left it.
                None if is_old(&file) => drop(fs::remove_file(&file)),
                None => {}
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
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let Some(entry) = disk::if_there(fs::read(self.held.join(id)))? else {
            return Ok(None);
        };
        // The facts are one line, and the content follows.
        let (facts, content) = match entry.split_once_str("\n") {
            Some((facts, content)) => (facts, Some(content.to_vec())),
            None => (entry.as_slice(), None),
        };
        let change: Option<HeldChange> = serde_json::from_slice(facts).ok();
        let change = change.map(|change| HeldChange { content, ..change });
        Ok(change.filter(|change| change.id() == id))
    }

    /// Removes a held change, if it is there.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(&self, id: &str) -> io::Result<()> {
        disk::if_there(fs::remove_file(self.held.join(id))).map(drop)
    }

    /// Stores an approval, replacing an older one of the same change.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn add(&self, approval: &Approval) -> io::Result<()> {
        let (old, new) = (approval.old.as_deref(), approval.new.as_deref());
        let id = id_of(&self.work_tree, approval.path.as_ref(), old, new);
        let mut members = approval.to_json();
        let work_tree = self.work_tree.name();
        members.extend(work_tree.map(|name| (WORK_TREE.to_owned(), name.into())));
        let text = Value::Object(members).to_string();
        put(&self.approvals, &format!("{id}.json"), text.as_bytes())
    }

    /// The approvals of this work tree that are valid at the time `now` (seconds since 1970) and that the log
    /// confirms, oldest first.
    ///
    /// # Errors
    /// The store or the log exists but cannot be read.
    pub fn approvals(&self, log: &Log, now: i64) -> io::Result<Vec<Approval>> {
        let all = self.all_approvals()?.into_iter();
        let own = all.filter(|(_, work_tree, _)| *work_tree == self.work_tree);
        let mut own: Vec<Approval> = own.map(|(.., approval)| approval).collect();
        own.retain(|approval| now < approval.expires);
        own.sort_by(|a, b| (a.when, &a.path).cmp(&(b.when, &b.path)));
        confirmed(log, own)
    }

    /// Removes the approvals for which `is_used` holds, and those of any work tree that expired before `now`. Returns
    /// the used ones that the log confirms.
    ///
    /// # Errors
    /// The store cannot be read or changed, or the log cannot be read.
    pub fn use_up(
        &self,
        log: &Log,
        now: i64,
        is_used: impl Fn(&Approval) -> bool,
    ) -> io::Result<Vec<Approval>> {
        let mut used = Vec::new();
        for (file, work_tree, approval) in self.all_approvals()? {
            if work_tree == self.work_tree && is_used(&approval) {
                fs::remove_file(file)?;
                used.push(approval);
            } else if approval.expires <= now {
                fs::remove_file(file)?;
            }
        }
        confirmed(log, used)
    }

    fn all_approvals(&self) -> io::Result<Vec<(PathBuf, WorkTree, Approval)>> {
        let mut all = Vec::new();
        for file in files_in(&self.approvals)? {
            let members = disk::if_there(fs::read(&file))?;
            let members = members.and_then(|text| serde_json::from_slice(&text).ok());
            let members: Map<String, Value> = members.unwrap_or_default();
            if let Ok(approval) = Approval::from_json(&members) {
                let name = members.get(WORK_TREE).and_then(Value::as_str);
                all.push((file, WorkTree::new(name), approval));
            }
        }
        Ok(all)
    }
}

/// Writes an entry that only the owner can read.
fn put(directory: &Path, name: &str, entry: &[u8]) -> io::Result<()> {
    disk::create_private_directory(directory)?;
    disk::replace(&directory.join(name), entry, Some(disk::PRIVATE))
}

/// The files of a directory, which need not be there.
fn files_in(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = disk::if_there(fs::read_dir(directory))?;
    let entries = entries.into_iter().flatten();
    entries.map(|entry| Ok(entry?.path())).collect()
}

fn is_old(file: &Path) -> bool {
    let age = || file.metadata().ok()?.modified().ok()?.elapsed().ok();
    age().is_some_and(|age| age > ABANDONED)
}

/// The ID of a step of one path from one content to another in a work tree.
pub(super) fn id_of(
    work_tree: &WorkTree,
    path: &BStr,
    old: Option<&str>,
    new: Option<&str>,
) -> String {
    let (old, new) = (old.unwrap_or("-").as_bytes(), new.unwrap_or("-").as_bytes());
    let mut step = Vec::new();
    let parts = [path.as_bytes(), old, new].into_iter();
    for part in parts.chain(work_tree.name().map(str::as_bytes)) {
        step.extend(part.len().to_be_bytes());
        step.extend(part);
    }
    sha256(&step).to_hex_with_len(12).to_string()
}

/// What the log says of an approval, in its record as given.
pub(super) fn facts_of(approval: &Approval) -> Map<String, Value> {
    let facts = json!({
        "path": approval.path.to_string(),
        "old": approval.old,
        "new": approval.new,
        "how": approval.how,
        "reason": approval.reason,
        "id": approval.id,
        "expires": approval.expires,
        "signed": approval.signature.is_some(),
    });
    facts.as_object().cloned().unwrap_or_default()
}

/// The approvals that the log confirms exactly and that are not used up. The log is chained; the store is not.
fn confirmed(log: &Log, mut approvals: Vec<Approval>) -> io::Result<Vec<Approval>> {
    if approvals.is_empty() {
        return Ok(approvals);
    }
    let (mut given, mut used) = (HashSet::new(), HashSet::new());
    log.decisions(&mut |record| {
        let facts = &record.facts;
        let is_of = |approval: &&Approval| {
            let own = facts_of(approval);
            facts.get("worktree").and_then(Value::as_str) == log.work_tree().name()
                && own.iter().all(|(key, value)| facts.get(key) == Some(value))
        };
        match record.event() {
            "approved" => given.extend(approvals.iter().filter(is_of).map(|one| one.id.clone())),
            _ => used.extend(facts.get("id").and_then(Value::as_str).map(str::to_owned)),
        }
        // An approval is used up only after it was given.
        !approvals.iter().all(|one| given.contains(&one.id))
    })?;
    approvals.retain(|one| given.contains(&one.id) && !used.contains(&one.id));
    Ok(approvals)
}

/// The fact of a decision that names the held change.
pub(super) const HELD: &str = "held";

/// The record of the decision about a held change; `None` if there is none, or the change was held again since.
///
/// # Errors
/// The log cannot be read.
pub fn decision(repo: &Repository, id: &str) -> GateResult<Option<Map<String, Value>>> {
    let log = Log::of(repo).read().map_err(unreadable)?;
    let mut lines = log.lines().rev().filter(|line| line.contains_str(id));
    let last = lines.find_map(|line| {
        let facts = Record::parse(line)?.facts;
        let names = |key: &str| facts.get(key).and_then(Value::as_str) == Some(id);
        (names(HELD) || names("id")).then_some(facts)
    });
    Ok(last.filter(|facts| facts.contains_key(HELD)))
}

/// The unexpired approvals of this work tree that the log confirms.
///
/// # Errors
/// The store or the log exists but cannot be read.
pub fn approvals(repo: &Repository) -> Result<Vec<Approval>> {
    let approvals = Store::of(repo).approvals(&Log::of(repo), now());
    approvals.map_err(|error| unreadable(error).into_error())
}

pub(super) fn unreadable(error: io::Error) -> Failure {
    let message = format!("waiting changes and approvals cannot be read: {error}");
    Failure::new(FailureKind::Io, message).help("check the directory `guard` in the git directory")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn approval(path: &str, expires: i64) -> Approval {
        Approval {
            path: path.into(),
            id: format!("id of {path}"),
            expires,
            ..crate::approve::testing::approval()
        }
    }

    #[test]
    fn approvals_are_kept_until_they_are_used_or_expire() {
        let temp = tempfile::tempdir().unwrap();
        let store = Store::new(temp.path(), WorkTree::default());
        let log = Log::new(temp.path());
        assert_eq!(store.approvals(&log, 0).unwrap(), []);
        assert!(
            !temp.path().join("guard").exists(),
            "looking creates nothing"
        );
        let (a, b, c) = (approval("a", 100), approval("b", 200), approval("c", 200));
        for approval in [&a, &b, &c, &a] {
            store.add(approval).unwrap();
        }
        assert_eq!(store.approvals(&log, 0).unwrap(), [], "the log has none");
        for approval in [&a, &b, &c] {
            log.append("approved", facts_of(approval)).unwrap();
        }
        let valid = |now| store.approvals(&log, now).unwrap();
        assert_eq!(valid(99), [a.clone(), b.clone(), c.clone()]);
        assert_eq!(valid(100), [b.clone(), c.clone()]);
        let used = store.use_up(&log, 100, |approval| approval.path == "b");
        assert_eq!(used.unwrap(), [b]);
        assert_eq!(valid(0), [c], "the expired one is gone as well");
    }

    #[test]
    fn invalid_approval_file_approves_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let store = Store::new(temp.path(), WorkTree::default());
        store.add(&approval("a", 100)).unwrap();
        fs::write(store.approvals.join("x.json"), "yes").unwrap();
        fs::write(store.approvals.join("y.json"), "{\"path\": \"b\"}").unwrap();
        let all = store.all_approvals().unwrap();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].2, approval("a", 100));
    }

    #[cfg(unix)]
    #[test]
    #[cfg_attr(any(not(unix), guard_no_unix), ignore = "no permission bits")]
    fn only_the_owner_can_read_an_approval() {
        use std::os::unix::fs::PermissionsExt;
        let temp = tempfile::tempdir().unwrap();
        let store = Store::new(temp.path(), WorkTree::default());
        store.add(&approval("a", 100)).unwrap();
        let file = &store.all_approvals().unwrap()[0].0;
        assert_eq!(
            fs::metadata(file).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}
