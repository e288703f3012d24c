//! What waits for a person or for a commit, below the git directory of a work tree: `held/` has the changes that a person
//! must decide about, `approvals/` names the approvals that no commit has used yet. Each is a private file that goes when
//! it is decided, used or expired. The audit log has the approvals themselves, and what became of each change.

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

use crate::files::{Failure, FailureKind, GateResult, Log, Operation, OperationKind, Record, now};
use crate::judge::Options;
use write_guard_policy::approve::Approval;
use write_guard_policy::error::Result;
use write_guard_policy::finding::Help;
use write_guard_policy::path::shell_word;
use write_guard_policy::scope::settings::EXPIRY;
use write_guard_policy::sha256::sha256;
use write_guard_repo::Repository;
use write_guard_repo::boundary::bytes;
use write_guard_repo::disk::{self, Parts};

/// What is no entry and older than this is left over.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The store of a work tree.
#[derive(Debug, Clone)]
pub struct Store {
    held: PathBuf,
    approvals: PathBuf,
    log: Log,
}

/// One held change: exactly this path, old content and new content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldChange {
    /// The ID: equal for the same work tree, path, old and new content.
    pub id: String,
    /// The path in the workspace.
    pub path: String,
    /// `write`, `patch`, `delete` or `restore`.
    pub operation: OperationKind,
    /// The strategy of a write; only `replace` contains the whole proposed content.
    pub strategy: Option<String>,
    /// The blob id of the current file; `None` for no file.
    pub old: Option<String>,
    /// The blob id of the new file; `None` for no file.
    pub new: Option<String>,
    /// The class, such as `REPLACE`.
    pub class: String,
    /// Why it waits, in one sentence.
    #[serde(rename = "reason")]
    pub why: String,
    /// When it expires, in seconds since 1970.
    pub expires: i64,
    /// The new content, once it is loaded.
    #[serde(skip)]
    pub content: Option<Vec<u8>>,
    /// Whether a new file becomes executable.
    #[serde(rename = "executable")]
    pub is_executable: bool,
}

impl HeldChange {
    /// What the caller is told while it waits.
    pub fn failure(&self, repo: &Repository) -> Failure {
        let why = &self.why;
        let id = self.id.as_str();
        let message = format!("{why}; it waits for approval as {id}, and nothing was written");
        // A person may be in another work tree.
        let own = repo.work_tree();
        let place = own.as_ref().and_then(|_| repo.place_of(&own));
        let option = place.map_or(String::new(), |at| {
            format!("-C {} ", shell_word(&bytes(&at)))
        });
        Failure::new(FailureKind::Held, message)
            .help("do not work around this; make a smaller change instead")
            .help(Help::run(
                "a person decides",
                format_args!("guard {option}approve {id}"),
            ))
            .detail("id", id)
    }

    /// The operation that writes it.
    pub(super) fn to_operation(&self) -> Operation {
        match self.content.clone() {
            content if self.operation == OperationKind::Restore => {
                Operation::Restore(content.map(|content| (content, self.is_executable)))
            }
            Some(content) => Operation::replace(content),
            None => Operation::Delete,
        }
    }
}

impl Store {
    /// The store of a work tree. Nothing is created before the first entry.
    pub fn of(repo: &Repository) -> Store {
        Store::new(repo.git_dir(), Log::of(repo))
    }

    fn new(git_dir: &Path, log: Log) -> Store {
        let directory = git_dir.join("guard");
        Store {
            held: directory.join("held"),
            approvals: directory.join("approvals"),
            log,
        }
    }

    /// Stores a change that a person must decide about, with its new content.
    ///
    /// # Errors
    /// The store cannot be written: nothing is held, but the change is still refused.
    pub fn hold(&self, change: &HeldChange, content: Option<&[u8]>) -> GateResult<()> {
        let facts = serde_json::to_vec(change).map_err(io::Error::from);
        let written = facts.and_then(|facts| {
            let mut parts = vec![facts.as_slice()];
            parts.extend(content.iter().flat_map(|content| [b"\n", *content]));
            put(&self.held, &change.id, &parts)
        });
        written.map_err(|error| {
            let message = format!("the change needs approval but guard cannot keep it: {error}");
            Failure::new(FailureKind::Held, message)
                .help("nothing was written; the git directory must be writable and have space")
        })
    }

    /// The changes held at the time `now`, by path; removes expired ones.
    ///
    /// # Errors
    /// The store exists but cannot be read or changed.
    pub fn held(&self, now: i64) -> io::Result<Vec<HeldChange>> {
        let mut waiting = Vec::new();
        for file in files_in(&self.held)? {
            let name = file.file_name().and_then(|name| name.to_str());
            let change = name.map(|id| self.load(id)).transpose()?.flatten();
            match change {
                Some(change) if now < change.expires => waiting.push(change),
                Some(change) => self.remove(&change.id)?,
                // A killed process left it.
                None => remove_if_older(&file, ABANDONED)?,
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
        let Ok(change) = serde_json::from_slice::<HeldChange>(facts) else {
            return Ok(None);
        };
        let sides = (change.old.as_deref(), change.new.as_deref());
        let is_intact = change.id == id && self.id_of(BStr::new(&change.path), sides) == id;
        Ok(is_intact.then_some(HeldChange { content, ..change }))
    }

    /// Removes a held change, if it is there.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(&self, id: &str) -> io::Result<()> {
        disk::if_there(fs::remove_file(self.held.join(id))).map(drop)
    }

    /// Names an approval that the log has, in place of an older one of the same change.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn add(&self, approval: &Approval) -> io::Result<()> {
        let name = self.name_of(approval);
        put(&self.approvals, &name, &[approval.id.as_bytes()])
    }

    /// The approvals of this work tree that the log gives, that no commit has used and that are valid at the time `now`
    /// (seconds since 1970), oldest first.
    ///
    /// # Errors
    /// The store or the log exists but cannot be read.
    pub fn approvals(&self, now: i64) -> io::Result<Vec<Approval>> {
        let mut open = HashSet::new();
        for file in files_in(&self.approvals)? {
            open.extend(disk::if_there(fs::read_to_string(file))?);
        }
        let mut given = Vec::new();
        if open.is_empty() {
            return Ok(given);
        }
        // The newest record of an approval comes first: it is used up only after it was given.
        self.log.decisions(|record| {
            let is_given = record.event() == "approved";
            if self.log.has_work_tree_of(&record) && open.remove(record.text("id")) {
                given.extend(Approval::from_json(record.facts).ok().filter(|_| is_given));
            }
            open.is_empty()
        })?;
        given.retain(|approval| now < approval.expires);
        given.sort_by(|a, b| (a.when, &a.path).cmp(&(b.when, &b.path)));
        Ok(given)
    }

    /// Removes the approvals for which `is_used` holds, and returns them. Removes expired ones, too.
    ///
    /// # Errors
    /// The store cannot be read or changed, or the log cannot be read.
    pub fn use_up(
        &self,
        now: i64,
        is_used: impl Fn(&Approval) -> bool,
    ) -> io::Result<Vec<Approval>> {
        let mut used = self.approvals(now)?;
        used.retain(is_used);
        for approval in &used {
            fs::remove_file(self.approvals.join(self.name_of(approval)))?;
        }
        for file in files_in(&self.approvals)? {
            remove_if_older(&file, Duration::from_secs(EXPIRY))?;
        }
        Ok(used)
    }

    fn name_of(&self, approval: &Approval) -> String {
        let sides = (approval.old.as_deref(), approval.new.as_deref());
        self.id_of(approval.path.as_ref(), sides)
    }

    /// The ID of a step of one path from one content to another in this work tree.
    pub(crate) fn id_of(&self, path: &BStr, (old, new): (Option<&str>, Option<&str>)) -> String {
        let step = json!([path.as_bytes(), old, new, self.log.work_tree()]).to_string();
        sha256(step.as_bytes()).to_hex_with_len(12).to_string()
    }
}

/// Writes an entry that only the owner can read.
fn put(directory: &Path, name: &str, entry: Parts<'_>) -> io::Result<()> {
    disk::create_private_directory(directory)?;
    disk::replace(&directory.join(name), entry, Some(disk::PRIVATE))
}

/// The files of a directory, which need not be there.
fn files_in(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = disk::if_there(fs::read_dir(directory))?;
    let entries = entries.into_iter().flatten();
    entries.map(|entry| Ok(entry?.path())).collect()
}

fn remove_if_older(file: &Path, limit: Duration) -> io::Result<()> {
    let age = || file.metadata().ok()?.modified().ok()?.elapsed().ok();
    if age().is_some_and(|age| age > limit) {
        disk::if_there(fs::remove_file(file)).map(drop)
    } else {
        Ok(())
    }
}

/// The record of an approval, which is the approval.
pub(super) fn facts_of(approval: &Approval) -> Map<String, Value> {
    let mut facts = approval.to_json();
    facts.insert("signed".into(), approval.signature.is_some().into());
    facts
}

/// The fact of a decision that names the held change.
pub(super) const HELD: &str = "held";

/// The record of the decision about a held change; `None` if there is none, or the change was held again since.
///
/// # Errors
/// The log cannot be read.
pub fn decision(repo: &Repository, id: &str) -> GateResult<Option<Map<String, Value>>> {
    let log = Log::of(repo).read().map_err(unreadable)?;
    Ok(decision_in(&log, id))
}

fn decision_in(log: &[u8], id: &str) -> Option<Map<String, Value>> {
    let mut lines = log.lines().rev().filter(|line| line.contains_str(id));
    let last = lines.find_map(|line| {
        let record = Record::parse(line)?;
        (record.text(HELD) == id || record.text("id") == id).then_some(record.facts)
    });
    last.filter(|facts| facts.contains_key(HELD))
}

/// The unexpired approvals of this work tree that the log gives.
///
/// # Errors
/// The store or the log exists but cannot be read.
pub fn unexpired(repo: &Repository) -> Result<Vec<Approval>> {
    let approvals = Store::of(repo).approvals(now());
    approvals.map_err(|error| unreadable(error).into_error())
}

/// Adds the approvals of this work tree, which count for local commits, and those of commits that a rebase repeats.
///
/// # Errors
/// As for [`unexpired`], or a commit cannot be read.
pub fn with_unexpired(repo: &Repository, options: Options) -> Result<Options> {
    let mut approvals = unexpired(repo)?;
    approvals.extend(super::commits::repeated(repo)?);
    Ok(Options {
        approvals,
        ..options
    })
}

pub(super) fn unreadable(error: io::Error) -> Failure {
    let message = format!("waiting changes and approvals cannot be read: {error}");
    Failure::new(FailureKind::Io, message).help("check the directory `guard` in the git directory")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use write_guard_testing::system;

    use super::*;

    fn approval(path: &str, expires: i64) -> Approval {
        Approval {
            path: path.into(),
            id: format!("id of {path}"),
            expires,
            ..crate::approvals::ssh_keygen::testing::approval()
        }
    }

    #[test]
    fn approvals_are_kept_until_they_are_used_or_expire() {
        let temp = tempfile::tempdir().unwrap();
        let log = Log::new(temp.path());
        let store = Store::new(temp.path(), log.clone());
        assert_eq!(store.approvals(0).unwrap(), []);
        assert!(
            !temp.path().join("guard").exists(),
            "looking creates nothing"
        );
        let a = approval("a", 100);
        let b = approval("b", 200);
        let c = approval("c", 200);
        for approval in [&a, &b, &c, &a] {
            store.add(approval).unwrap();
        }
        assert_eq!(store.approvals(0).unwrap(), [], "the log has none");
        for approval in [&a, &b, &c] {
            log.append("approved", facts_of(approval)).unwrap();
        }
        let valid = |now| store.approvals(now).unwrap();
        assert_eq!(valid(99), [a.clone(), b.clone(), c.clone()]);
        assert_eq!(valid(100), [b.clone(), c.clone()]);
        let used = store.use_up(100, |approval| approval.path == "b");
        assert_eq!(used.unwrap(), std::slice::from_ref(&b));
        assert_eq!(valid(100), std::slice::from_ref(&c));
        store.add(&b).unwrap();
        log.append("consumed", facts_of(&b)).unwrap();
        assert_eq!(valid(100), [c], "the log says that it is used");
    }

    #[test]
    fn invalid_approval_file_approves_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let store = Store::new(temp.path(), Log::new(temp.path()));
        store.add(&approval("a", 100)).unwrap();
        fs::write(store.approvals.join("x"), "yes").unwrap();
        let consumed = approval("x", 100);
        store.log.append("rejected", facts_of(&consumed)).unwrap();
        store.add(&consumed).unwrap();
        assert_eq!(store.approvals(0).unwrap(), []);
    }

    #[test]
    fn decision_about_a_held_change_ends_where_it_is_held_again() {
        let temp = tempfile::tempdir().unwrap();
        let log = Log::new(temp.path());
        for (event, key, value, expected) in [
            ("refused", "id", "first", None),
            ("approved", HELD, "first", Some("approved")),
            // Neither is about it.
            ("refused", "id", "second", Some("approved")),
            ("refused", "path", "first", Some("approved")),
            ("refused", "id", "first", None),
            ("rejected", HELD, "first", Some("rejected")),
        ] {
            let facts = Map::from_iter([(key.to_owned(), value.into())]);
            log.append(event, facts).unwrap();
            let decision = decision_in(&log.read().unwrap(), "first");
            let found = decision.map(|facts| facts["event"].clone());
            assert_eq!(found, expected.map(Value::from), "{event} {key} {value}");
        }
    }

    #[test]
    #[cfg_attr(not(unix), ignore = "needs permission bits, which Windows lacks")]
    fn only_the_owner_can_read_an_approval() {
        let temp = tempfile::tempdir().unwrap();
        let store = Store::new(temp.path(), Log::new(temp.path()));
        store.add(&approval("a", 100)).unwrap();
        let file = &files_in(&store.approvals).unwrap()[0];
        assert_eq!(system::mode(file) & 0o777, 0o600);
    }
}
