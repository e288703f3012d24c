//! The audit log: JSON Lines in the git common directory, appended under a lock and synced before guard answers,
//! chained by hash.
//!
//! Each line is a record. Its last member is `hash`, the SHA-256 of everything before it on the line; `prev` is the
//! hash of the previous record. The chain reveals accidents, crashes and careless edits. Anyone who can write the
//! file can rewrite the whole chain, which only an external anchor reveals, such as the `Guard-Log:` trailer of a
//! commit.

// The log is a file below the git directory.
#![allow(clippy::disallowed_methods)]

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;
use serde_json::{Map, Value};

use super::lock;
use crate::disk;
use crate::git::{Repository, WorkTree};

/// The `prev` of the first record.
const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// The start of the last member.
const HASH_MEMBER: &str = ",\"hash\":\"";
/// The events that give an approval or use it up.
const DECISIONS: [&str; 2] = ["approved", "consumed"];
/// The member that links to the last decision before: its place in the file in bytes, or null.
const DECISION_MEMBER: &str = "decision";
/// How many bytes to read from the end for the last record.
const TAIL: u64 = 1 << 13;

/// The audit log of a repository.
#[derive(Debug, Clone)]
pub struct Log {
    path: PathBuf,
    /// The work tree to name in new records.
    work_tree: WorkTree,
}

/// The end of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainHead {
    /// The number of records.
    pub count: u64,
    /// The hash of the last record; 64 zeros if there is none.
    pub hash: String,
}

impl ChainHead {
    pub(super) fn genesis() -> ChainHead {
        ChainHead {
            count: 0,
            hash: GENESIS.to_owned(),
        }
    }

    /// Parses `COUNT:HASH` from a trailer.
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
    pub(super) fn work_tree(&self) -> &WorkTree {
        &self.work_tree
    }

    /// Appends a record and returns when it is on disk. Adds `seq`, `time`, `version`, `prev` and `hash`.
    ///
    /// # Errors
    /// The log cannot be locked, read or written. A line that a crash cut short is ended, never rewritten.
    pub fn append(&self, event: &str, facts: Map<String, Value>) -> io::Result<ChainHead> {
        let mut file = self.open_locked()?;
        let Tail {
            head,
            is_torn,
            decision,
        } = tail(&mut file)?;
        let decision = match decision {
            Link::To(place) => place,
            Link::Unknown => scan(&mut file, None)?.first().map(|(place, _)| *place),
        };
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
        record.insert(DECISION_MEMBER.into(), decision.into());
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

    /// The end of the chain.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn head(&self) -> io::Result<ChainHead> {
        match File::open(&self.path) {
            Ok(mut file) => Ok(tail(&mut file)?.head),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(ChainHead::genesis()),
            Err(error) => Err(error),
        }
    }

    /// The end of the chain, after syncing all records to disk.
    ///
    /// # Errors
    /// The log cannot be read or synced.
    pub(super) fn durable_head(&self) -> io::Result<ChainHead> {
        if !self.path.exists() {
            return Ok(ChainHead::genesis());
        }
        let mut file = disk::open_private_append(&self.path)?;
        let head = tail(&mut file)?.head;
        file.sync_data()?;
        Ok(head)
    }

    /// The decisions about approvals, newest first, until `visit` answers false. Each record links to the decision
    /// before it, so the cost does not depend on the length of the log.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(super) fn decisions(&self, visit: &mut dyn FnMut(&Record) -> bool) -> io::Result<()> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            file => file?,
        };
        let (mut link, mut end) = (tail(&mut file)?.decision, None);
        while let Link::To(place) = link {
            let Some(place) = place else {
                return Ok(());
            };
            let Some(record) = decision_at(&mut file, place, end)? else {
                break;
            };
            if !visit(&record) {
                return Ok(());
            }
            (link, end) = (Link::of(&record), Some(place));
        }
        // Records of earlier versions have no links, and a damaged log may have wrong ones.
        for (_, record) in scan(&mut file, end)? {
            if !visit(&record) {
                break;
            }
        }
        Ok(())
    }

    /// The whole log; empty if there is none.
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

/// The end of the file.
struct Tail {
    head: ChainHead,
    /// Whether an incomplete line follows the last record.
    is_torn: bool,
    decision: Link,
}

/// Where the last decision is.
enum Link {
    /// At this place in the file; `None` if there is none.
    To(Option<u64>),
    Unknown,
}

impl Link {
    fn of(record: &Record) -> Link {
        match record.facts.get(DECISION_MEMBER) {
            Some(place) => Link::To(place.as_u64()),
            None => Link::Unknown,
        }
    }
}

/// The last whole record. Reads only as much of the end as needed.
fn tail(file: &mut File) -> io::Result<Tail> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut size = TAIL;
    loop {
        let start = length.saturating_sub(size);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let is_torn = bytes.last().is_some_and(|&byte| byte != b'\n');
        // Incomplete lines are followed by a record that says so. A last line without its newline is a record.
        let lines = placed_lines(&bytes, start);
        let mut records = lines.iter().rev();
        let last = records.find_map(|(place, line)| Some((*place, Record::parse(line).ok()?)));
        if let Some((place, record)) = last {
            return Ok(Tail {
                decision: match record.is_decision() {
                    true => Link::To(Some(place)),
                    false => Link::of(&record),
                },
                head: ChainHead {
                    count: record.seq,
                    hash: record.hash,
                },
                is_torn,
            });
        }
        if start == 0 && lines.len() == usize::from(is_torn) {
            return Ok(Tail {
                head: ChainHead::genesis(),
                is_torn,
                decision: Link::To(None),
            });
        }
        if start == 0 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the log has no valid last record: run `guard audit verify`, then move the log away",
            ));
        }
        size *= 16;
    }
}

/// The lines that are not empty, each with its place in the file.
fn placed_lines(bytes: &[u8], start: u64) -> Vec<(u64, &[u8])> {
    let mut place = start;
    let mut lines = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        if !text.is_empty() {
            lines.push((place, text));
        }
        place += line.len() as u64;
    }
    lines
}

/// The decision at a place before `end`; `None` if there is none.
fn decision_at(file: &mut File, place: u64, end: Option<u64>) -> io::Result<Option<Record>> {
    if end.is_some_and(|end| place >= end) {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(place))?;
    let mut line = Vec::new();
    BufReader::new(&*file).read_until(b'\n', &mut line)?;
    let record = Record::parse(line.strip_suffix(b"\n").unwrap_or(&line)).ok();
    Ok(record.filter(Record::is_decision))
}

/// The decisions before `end`, newest first, by reading everything.
fn scan(file: &mut File, end: Option<u64>) -> io::Result<Vec<(u64, Record)>> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(end.unwrap_or(u64::MAX)).read_to_end(&mut bytes)?;
    let lines = placed_lines(&bytes, 0).into_iter().rev();
    // Most records are other events and cheap to skip.
    let lines = lines.filter(|(_, line)| DECISIONS.iter().any(|word| line.contains_str(word)));
    let records = lines.filter_map(|(place, line)| Some((place, Record::parse(line).ok()?)));
    Ok(records.filter(|(_, record)| record.is_decision()).collect())
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
    /// The event, such as `started`.
    pub(super) fn event(&self) -> &str {
        let event = self.facts.get("event").and_then(Value::as_str);
        event.unwrap_or_default()
    }

    fn is_decision(&self) -> bool {
        DECISIONS.contains(&self.event())
    }

    /// Parses a line and checks its hash.
    ///
    /// # Errors
    /// The fault in the line.
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
    /// The kinds of damage to a log.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum LogFault {
        /// A line is not a record, and the next record does not say that it follows an incomplete line.
        NotARecord = "not-a-record",
        /// The hash of a record does not match its text.
        Edited = "edited",
        /// The previous record was rewritten.
        Unchained = "unchained",
        /// Records are missing before this one.
        Removed = "removed",
        /// Records are duplicate or out of order.
        Reordered = "reordered",
        /// A record repeats a number with other content: it comes from another log.
        Merged = "merged",
        /// The last line is incomplete, as after a crash.
        Torn = "torn",
        /// There are fewer records than an anchor says.
        Truncated = "truncated",
        /// The chain is valid, but differs from the anchored one.
        Restamped = "restamped",
        /// There are snapshots but no records.
        Missing = "missing",
    }
}

impl LogFault {
    /// The fault in words.
    pub fn sentence(self) -> &'static str {
        match self {
            LogFault::NotARecord => "it is not a record",
            LogFault::Edited => "the record was changed after it was written",
            LogFault::Unchained => "the record before it was rewritten",
            LogFault::Removed => "records before it are missing",
            LogFault::Reordered => "records are out of order",
            LogFault::Merged => "the record comes from another log",
            LogFault::Torn => {
                "the last record is incomplete, as after a crash; the next record will note it"
            }
            LogFault::Truncated => {
                "records known from the anchor or a snapshot are missing at the end"
            }
            LogFault::Restamped => {
                "the chain is valid, but differs from the one in the anchor or a snapshot"
            }
            LogFault::Missing => {
                "there are snapshots but no records: the log was removed or emptied, or the first write crashed"
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

/// The UTC time in RFC 3339 format.
fn now() -> String {
    gix::date::Time::now_utc().format_or_unix(gix::date::time::format::ISO8601_STRICT)
}
