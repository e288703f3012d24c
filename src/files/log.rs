//! The audit log: JSON Lines in the git common directory, appended under a lock and synced before guard answers,
//! chained by hash.
//!
//! Each line is a record. Its last member is `hash`, the SHA-256 of everything before it on the line; `prev` is the
//! hash of the previous record. The chain reveals accidents, crashes and careless edits. Anyone who can write the
//! file can rewrite the whole chain or cut off its end.
//!
//! And the lock for writers: between checking a file and replacing it, no other guard may write.

// The log is a file below the git directory.
#![allow(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use gix::bstr::ByteSlice;
use serde_json::{Map, Value, json};

use super::{Failure, FailureKind, GateResult};
use crate::report::rfc3339;
use write_guard_policy::finding::Help;
use write_guard_policy::policy::DesignVersion;
use write_guard_policy::sha256::sha256;
use write_guard_repo::disk;
use write_guard_repo::{Repository, WorkTree};

/// The event of a refusal.
pub(crate) const REFUSED: &str = "refused";
/// The `prev` of the first record.
const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// The start of the last member.
const HASH_MEMBER: &str = ",\"hash\":\"";
/// How many bytes to read from the end for the last record.
const TAIL: u64 = 1 << 13;

/// The audit log of a repository.
#[derive(Debug, Clone)]
pub struct Log {
    path: PathBuf,
    /// The work tree to name in new records.
    work_tree: WorkTree,
}

impl Log {
    /// The log in a git common directory. Nothing is created before the first record.
    pub fn new(common_dir: &Path) -> Log {
        Log {
            path: common_dir.join("guard").join("log.jsonl"),
            work_tree: WorkTree::default(),
        }
    }

    /// The log of a repository, for its current work tree.
    pub fn of(repo: &Repository) -> Log {
        Log {
            work_tree: repo.work_tree(),
            ..Log::new(repo.common_dir())
        }
    }

    /// The work tree of new records.
    pub(crate) fn work_tree(&self) -> &WorkTree {
        &self.work_tree
    }

    /// Whether a record was made in this work tree.
    pub(crate) fn has_work_tree_of(&self, record: &Record) -> bool {
        record.text("worktree") == self.work_tree.as_deref().unwrap_or_default()
    }

    /// Appends a record and returns its number when it is on disk. Adds `seq`, `time`, `version`, `prev` and `hash`.
    ///
    /// # Errors
    /// The log cannot be locked, read or written. A line that a crash cut short is ended, never rewritten.
    pub fn append(&self, event: &str, facts: Map<String, Value>) -> io::Result<u64> {
        // A file of its own: on Windows, readers cannot read a file that is locked.
        let lock = disk::open_private_append(&self.path.with_extension("lock"))?;
        wait(&lock)?;
        let is_new = !self.path.exists();
        let mut file = disk::open_private_append(&self.path)?;
        if is_new {
            disk::sync_directory(disk::directory_of(&self.path))?;
        }
        let (last, decision, is_torn) = tail(&mut file)?;
        let (count, prev) = last.map_or((0, GENESIS.to_owned()), |last| (last.seq, last.hash));
        let seq = count + 1;
        let mut record = members([
            ("seq", Some(seq.into())),
            ("time", Some(rfc3339(now()).into())),
            ("event", Some(event.into())),
            ("version", Some(env!("CARGO_PKG_VERSION").into())),
            ("after_torn_line", is_torn.then(|| true.into())),
            ("worktree", self.work_tree.clone().map(Value::from)),
        ]);
        record.extend(facts);
        record.extend(members([("decision", decision.map(Value::from))]));
        record.insert("prev".into(), prev.into());
        let text = Value::Object(record).to_string();
        let body = text.strip_suffix('}').unwrap_or(&text);
        let hash = sha256(body.as_bytes());
        let start = if is_torn { "\n" } else { "" };
        let line = format!("{start}{body}{HASH_MEMBER}{hash}\"}}\n");
        file.seek(SeekFrom::End(0))?;
        file.write_all(line.as_bytes())?;
        disk::sync_file(&file)?;
        Ok(seq)
    }

    /// Shows the decisions about approvals, the newest first, until `is_last` holds. Each record has the place of the
    /// decision before it, so a long log costs no more than a short one. Wrong places end it: what is not shown does
    /// not count.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn decisions(&self, mut is_last: impl FnMut(Record) -> bool) -> io::Result<()> {
        let Some(mut file) = disk::if_there(File::open(&self.path))? else {
            return Ok(());
        };
        let (_, mut next, _) = tail(&mut file)?;
        let mut end = u64::MAX;
        while let Some(place) = next.filter(|&place| place < end) {
            file.seek(SeekFrom::Start(place))?;
            let mut line = Vec::new();
            BufReader::new(&file).read_until(b'\n', &mut line)?;
            let record = Record::parse(line.trim_end_with(|byte| byte == '\n'));
            let Some(record) = record.filter(Record::is_decision) else {
                break;
            };
            (next, end) = (record.decision(), place);
            if is_last(record) {
                break;
            }
        }
        Ok(())
    }

    /// The records in the last `length` bytes, in order.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn last_records(&self, length: u64) -> io::Result<Vec<Record>> {
        let Some(mut file) = disk::if_there(File::open(&self.path))? else {
            return Ok(Vec::new());
        };
        let start = file.seek(SeekFrom::End(0))?.saturating_sub(length);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes)?;
        let lines = bytes.lines_with_terminator();
        let records =
            lines.filter_map(|line| Record::parse(line.trim_end_with(|byte| byte == '\n')));
        Ok(records.collect())
    }

    /// The whole log; empty if there is none.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        Ok(disk::if_there(fs::read(&self.path))?.unwrap_or_default())
    }
}

/// Appends a record, without which nothing may happen.
pub(crate) fn record(log: &Log, event: &str, facts: Map<String, Value>) -> GateResult<u64> {
    log.append(event, facts).map_err(|error| {
        let message = format!("the audit log cannot be written: {error}");
        Failure::new(FailureKind::Record, message).help(Help::run(
            "guard writes nothing without a record; free disk space, or check the log",
            "guard audit verify",
        ))
    })
}

/// The members of a record that have a value.
pub(crate) fn members<'k>(
    members: impl IntoIterator<Item = (&'k str, Option<Value>)>,
) -> Map<String, Value> {
    let members = members.into_iter();
    let known = members.filter_map(|(key, value)| Some((key.to_owned(), value?)));
    known.collect()
}

/// Designs in a record: each path with its version.
pub(crate) fn versions(designs: &[DesignVersion]) -> Value {
    designs
        .iter()
        .map(|(path, blob)| json!({ "path": path.to_str_lossy(), "blob": blob.to_string() }))
        .collect()
}

/// The last record, the place of the last decision, and whether an incomplete line follows. Reads only as much of the
/// end as needed.
fn tail(file: &mut File) -> io::Result<(Option<Record>, Option<u64>, bool)> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut size = TAIL;
    loop {
        let start = length.saturating_sub(size);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let is_torn = bytes.last().is_some_and(|&byte| byte != b'\n');
        // Incomplete lines are followed by a record that says so. A last line without its newline is a record.
        let mut place = start + bytes.len() as u64 + 1;
        let found = bytes.rsplit_str("\n").find_map(|line| {
            place -= line.len() as u64 + 1;
            let record = Record::parse(line)?;
            let own = record.is_decision().then_some(place);
            let decision = own.or(record.decision());
            Some((record, decision))
        });
        let lines = bytes.trim_ascii().lines_with_terminator().count();
        if found.is_some() || start == 0 && lines == usize::from(is_torn) {
            let (last, decision) = found.unzip();
            return Ok((last, decision.flatten(), is_torn));
        }
        if start == 0 {
            return Err(io::Error::other(
                "the log has no valid last record: run `guard audit verify`, then move the log \
                 away",
            ));
        }
        size *= 16;
    }
}

/// One record of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The number, from 1.
    pub seq: u64,
    /// The hash of the previous record.
    pub prev: String,
    /// Its hash.
    pub hash: String,
    /// All its members.
    pub facts: Map<String, Value>,
}

impl Record {
    /// Parses a line; `None` if it is not a record, or was changed after it was written.
    pub fn parse(line: &[u8]) -> Option<Record> {
        let text = std::str::from_utf8(line).ok()?;
        let (body, rest) = text.rsplit_once(HASH_MEMBER)?;
        let hash = rest.strip_suffix("\"}")?;
        let facts: Map<String, Value> = serde_json::from_str(text).ok()?;
        let digest = sha256(body.as_bytes()).to_string();
        if digest != hash {
            return None;
        }
        Some(Record {
            seq: facts.get("seq")?.as_u64()?,
            prev: facts.get("prev")?.as_str()?.to_owned(),
            hash: hash.to_owned(),
            facts,
        })
    }

    /// The event, such as `started`.
    pub(crate) fn event(&self) -> &str {
        self.text("event")
    }

    /// The texts of a member that is a list.
    pub(crate) fn texts(&self, key: &str) -> impl Iterator<Item = &str> {
        let all = self.facts.get(key).and_then(Value::as_array);
        all.into_iter().flatten().filter_map(Value::as_str)
    }

    /// The designs that applied, by path.
    pub(crate) fn designs(&self) -> impl Iterator<Item = &str> {
        let designs = self.facts.get("designs").and_then(Value::as_array);
        let designs = designs.into_iter().flatten();
        designs.filter_map(|one| one.get("path").unwrap_or(one).as_str())
    }

    /// Whether it gives an approval or uses it up.
    fn is_decision(&self) -> bool {
        matches!(self.event(), "approved" | "consumed")
    }

    /// The place in the file, in bytes, of the last decision before it.
    fn decision(&self) -> Option<u64> {
        self.facts.get("decision")?.as_u64()
    }

    /// A member that is a text; empty without it.
    pub fn text(&self, key: &str) -> &str {
        let text = self.facts.get(key).and_then(Value::as_str);
        text.unwrap_or_default()
    }
}

/// In seconds since 1970.
pub(crate) fn now() -> i64 {
    gix::date::Time::now_utc().seconds
}

/// The first fault and its line (from 1), with the chain up to there.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// The number of valid records.
    pub records: u64,
    /// The hash of the last one; 64 zeros if there is none.
    pub hash: String,
    /// The line of the first damage: a record that was changed, is incomplete, or does not follow the one before it.
    pub fault: Option<usize>,
    /// The "started" records of operations without an end: still running, or interrupted.
    pub unfinished: Vec<Record>,
}

/// Verifies that each record is intact and follows the one before it.
pub fn verify(bytes: &[u8]) -> Verification {
    let mut records = 0;
    let mut hash = GENESIS.to_owned();
    let mut open = BTreeMap::new();
    // A line that a crash cut short is damage, unless the next record says that it follows one.
    let mut fault = None;
    for (at, line) in bytes.lines_with_terminator().enumerate() {
        let record = line.strip_suffix(b"\n").and_then(Record::parse);
        let Some(record) = record else {
            fault = fault.or(Some(at + 1));
            continue;
        };
        let follows = (record.seq, &record.prev) == (records + 1, &hash);
        let follows_torn = record.facts.get("after_torn_line") == Some(&Value::Bool(true));
        if !follows || (fault.is_some() && !follows_torn) {
            fault = fault.or(Some(at + 1));
            break;
        }
        (records, fault) = (record.seq, None);
        hash.clone_from(&record.hash);
        match record.event() {
            "started" => drop(open.insert(record.seq, record)),
            "done" | "failed" => {
                let started = record.facts.get("started").and_then(Value::as_u64);
                started.and_then(|started| open.remove(&started));
            }
            _ => {}
        }
    }
    Verification {
        records,
        hash,
        fault,
        unfinished: open.into_values().collect(),
    }
}

/// How long to wait for the lock, while other processes take turns. An operation takes milliseconds, or seconds on a
/// slow disk.
const LIMIT: Duration = Duration::from_secs(15);
/// The pause between attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// Waits, within limits, until no other process writes in a repository. Dropping the handle, or a crash, releases the
/// lock.
pub(crate) fn alone(repo: &Repository) -> GateResult<File> {
    let file = disk::open_private_append(&repo.common_dir().join("guard/write.lock"));
    let locked = file.and_then(|file| wait(&file).map(|()| file));
    locked.map_err(|error| {
        let message = format!("the workspace cannot be locked for writing: {error}");
        Failure::new(FailureKind::Record, message)
            .help("nothing was written; end that process, or make the git directory writable")
    })
}

/// Locks an open file.
///
/// # Errors
/// [`io::ErrorKind::TimedOut`] if it stays locked, or a system error.
fn wait(file: &File) -> io::Result<()> {
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if since.elapsed() < LIMIT => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                let seconds = LIMIT.as_secs();
                let what = format!("another process has held the lock for {seconds} seconds");
                return Err(io::Error::new(io::ErrorKind::TimedOut, what));
            }
            result => return result.map_err(io::Error::from),
        }
    }
}
