//! The audit log: JSON Lines in the git common directory, appended under a lock, synced before anybody is told,
//! each record chained to the one before by hash.
//!
//! A record is one line. Its last member is `hash`, the SHA-256 of everything before it on the line; `prev` is the
//! hash of the record before. This shows accidents, crashes and careless edits. Whoever may write the file may
//! also rewrite the whole chain; only an anchor outside, such as the `Guard-Log:` trailer of a commit, shows that.

// The log is a file below the git directory.
#![allow(clippy::disallowed_methods)]

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::lock;
use crate::disk;
use crate::git::{Repository, WorkTree};

/// What a chain begins with.
const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// How the last member begins.
const HASH_MEMBER: &str = ",\"hash\":\"";
/// Enough of the end to hold most last records, in bytes.
const TAIL: u64 = 1 << 13;

/// The log of a repository.
#[derive(Debug, Clone)]
pub struct Log {
    path: PathBuf,
    /// Named in the records that are appended.
    work_tree: WorkTree,
}

/// Where a chain stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainHead {
    /// How many records there are.
    pub count: u64,
    /// The hash of the last; 64 zeros before the first.
    pub hash: String,
}

impl ChainHead {
    pub(super) fn genesis() -> ChainHead {
        ChainHead {
            count: 0,
            hash: GENESIS.to_owned(),
        }
    }

    /// Reads `COUNT:HASH`, as it is written in trailers.
    pub fn parse(text: &str) -> Option<ChainHead> {
        let (count, hash) = text.split_once(':')?;
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some(ChainHead {
            count: count.parse().ok()?,
            hash: is_hash.then(|| hash.to_ascii_lowercase())?,
        })
    }
}

impl fmt::Display for ChainHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.count, self.hash)
    }
}

impl Log {
    /// The log below a git common directory. Nothing is created before the first record.
    pub fn new(common_dir: &Path) -> Log {
        Log {
            path: common_dir.join("guard").join("log.jsonl"),
            work_tree: WorkTree::default(),
        }
    }

    /// The log of a repository, for what happens in its work tree.
    pub fn of(repo: &Repository) -> Log {
        Log {
            work_tree: repo.work_tree(),
            ..Log::new(repo.common_dir())
        }
    }

    /// The work tree for which records are appended.
    pub(super) fn work_tree(&self) -> &WorkTree {
        &self.work_tree
    }

    /// Appends a record and returns when it is on disk. `seq`, `time`, `version`, `prev` and `hash` are added.
    ///
    /// # Errors
    /// The log cannot be locked, read or written. A line that a crash cut short is ended first, never rewritten.
    pub fn append(&self, event: &str, facts: Map<String, Value>) -> io::Result<ChainHead> {
        let mut file = self.open_locked()?;
        let (head, is_torn) = tail(&mut file)?;
        let mut line = String::new();
        if is_torn {
            line.push('\n');
        }
        let mut record = Map::new();
        record.insert("seq".into(), (head.count + 1).into());
        record.insert("time".into(), now().into());
        record.insert("event".into(), event.into());
        record.insert("version".into(), env!("CARGO_PKG_VERSION").into());
        if is_torn {
            record.insert("after_torn_line".into(), true.into());
        }
        if let Some(name) = self.work_tree.name() {
            record.insert("worktree".into(), name.into());
        }
        record.extend(facts);
        record.insert("prev".into(), head.hash.into());
        let text = Value::Object(record).to_string();
        let body = text.strip_suffix('}').unwrap_or(&text);
        let hash = digest(body.as_bytes());
        line.push_str(&format!("{body}{HASH_MEMBER}{hash}\"}}\n"));
        file.seek(SeekFrom::End(0))?;
        file.write_all(line.as_bytes())?;
        file.sync_data()?;
        Ok(ChainHead {
            count: head.count + 1,
            hash,
        })
    }

    /// Where the chain stands now.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn head(&self) -> io::Result<ChainHead> {
        match File::open(&self.path) {
            Ok(mut file) => Ok(tail(&mut file)?.0),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(ChainHead::genesis()),
            Err(error) => Err(error),
        }
    }

    /// The same, once every record up to there is on disk.
    ///
    /// # Errors
    /// The log cannot be read or synced.
    pub(super) fn durable_head(&self) -> io::Result<ChainHead> {
        if !self.path.exists() {
            return Ok(ChainHead::genesis());
        }
        let mut file = disk::open_private_append(&self.path)?;
        let (head, _) = tail(&mut file)?;
        file.sync_data()?;
        Ok(head)
    }

    /// The whole log as bytes; empty where there is none.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        match fs::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            result => result,
        }
    }

    fn open_locked(&self) -> io::Result<File> {
        let is_new = !self.path.exists();
        let file = disk::open_private_append(&self.path)?;
        lock::wait(&file)?;
        if is_new {
            disk::sync_directory(disk::directory_of(&self.path))?;
        }
        Ok(file)
    }
}

/// The last whole record, and whether something unfinished follows it. Reads no more of the end than it needs.
fn tail(file: &mut File) -> io::Result<(ChainHead, bool)> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut size = TAIL;
    loop {
        let start = length.saturating_sub(size);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let is_torn = bytes.last().is_some_and(|&byte| byte != b'\n');
        // Lines that are no records were cut short and are followed by one that says so. A last line that lacks
        // only its newline is a record.
        let lines: Vec<&[u8]> = bytes
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty())
            .collect();
        if let Some(record) = lines.iter().rev().find_map(|line| Record::parse(line).ok()) {
            let head = ChainHead {
                count: record.seq,
                hash: record.hash,
            };
            return Ok((head, is_torn));
        }
        if start == 0 && lines.len() == usize::from(is_torn) {
            return Ok((ChainHead::genesis(), is_torn));
        }
        if start == 0 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the log has no valid last record: look with `guard audit verify`, then move it away",
            ));
        }
        size *= 16;
    }
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its number, from 1.
    pub seq: u64,
    /// The hash of the record before.
    pub prev: String,
    /// Its own.
    pub hash: String,
    /// Everything it says.
    pub facts: Map<String, Value>,
}

impl Record {
    /// Reads a line and checks its hash.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(line: &[u8]) -> Result<Record, LogFault> {
        let text = std::str::from_utf8(line).map_err(|_| LogFault::NotARecord)?;
        let (body, rest) = text.rsplit_once(HASH_MEMBER).ok_or(LogFault::NotARecord)?;
        let hash = rest.strip_suffix("\"}").ok_or(LogFault::NotARecord)?;
        let Ok(Value::Object(facts)) = serde_json::from_str(text) else {
            return Err(LogFault::NotARecord);
        };
        if digest(body.as_bytes()) != hash {
            return Err(LogFault::Edited);
        }
        let seq = facts
            .get("seq")
            .and_then(Value::as_u64)
            .ok_or(LogFault::NotARecord)?;
        let prev = facts
            .get("prev")
            .and_then(Value::as_str)
            .ok_or(LogFault::NotARecord)?
            .to_owned();
        Ok(Record {
            seq,
            prev,
            hash: hash.to_owned(),
            facts,
        })
    }
}

named! {
    /// What is wrong with a log, each its own verdict.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum LogFault {
        /// A line is not a record, and the next does not say that it follows a torn line.
        NotARecord = "not-a-record",
        /// A record's hash does not fit its text.
        Edited = "edited",
        /// The record does not follow the one before it, which was written anew.
        Unchained = "unchained",
        /// Records are missing before this one.
        Removed = "removed",
        /// Records are out of order, or there twice.
        Reordered = "reordered",
        /// A record with a number that there was already is another one: it comes from another log.
        Merged = "merged",
        /// The last line was cut short, as a crash leaves it.
        Torn = "torn",
        /// There are fewer records than an anchor says.
        Truncated = "truncated",
        /// The chain is sound, but not the one that was anchored.
        Restamped = "restamped",
        /// There are snapshots and no record.
        Missing = "missing",
    }
}

impl LogFault {
    /// What happened, for people.
    pub fn sentence(self) -> &'static str {
        match self {
            LogFault::NotARecord => "it is not a record",
            LogFault::Edited => "the record was changed after it was written",
            LogFault::Unchained => "the record before it was written anew",
            LogFault::Removed => "records before it are missing",
            LogFault::Reordered => "records are out of order",
            LogFault::Merged => "the record comes from another log",
            LogFault::Torn => {
                "the last record was cut short, as a crash leaves it; the next record will say so"
            }
            LogFault::Truncated => {
                "records that the anchor or a snapshot vouches for are missing at the end"
            }
            LogFault::Restamped => {
                "the chain is sound, but it is not the one that the anchor or a snapshot vouches for"
            }
            LogFault::Missing => {
                "it has no record although there are snapshots: it was removed or emptied, or the first write crashed"
            }
        }
    }
}

fn digest(bytes: &[u8]) -> String {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha256);
    hasher.update(bytes);
    // SHA-256 has no collision detection that could fail.
    hasher
        .try_finalize()
        .map_or_else(|_| String::new(), |id| id.to_hex().to_string())
}

/// The time in UTC as RFC 3339 writes it.
fn now() -> String {
    gix::date::Time::now_utc().format_or_unix(gix::date::time::format::ISO8601_STRICT)
}
