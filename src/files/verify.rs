//! Verifies the audit log and names the first damaged record.

use std::collections::BTreeMap;

use gix::bstr::ByteSlice;
use serde_json::Value;

use super::{ChainHead, Record};

named! {
    /// What is wrong with a log.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum LogFault {
        /// A record was changed, or does not follow the one before it.
        Damaged = "damaged",
        /// The last line is incomplete, as after a crash.
        Torn = "torn",
        /// A snapshot knows records that are missing or differ.
        Truncated = "truncated",
    }
}

impl LogFault {
    /// The fault in words.
    pub fn sentence(self) -> &'static str {
        match self {
            LogFault::Damaged => "the record was changed, or does not follow the one before it",
            LogFault::Torn => {
                "the last record is incomplete, as after a crash; the next record will note it"
            }
            LogFault::Truncated => "a snapshot knows records that are missing or differ from here",
        }
    }
}

/// The first fault and its line (from 1), with the chain up to there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The end of the valid part of the chain.
    pub head: ChainHead,
    /// The line of the first fault, and the fault.
    pub fault: Option<(usize, LogFault)>,
    /// Operations without an end: still running, or interrupted.
    pub unfinished: Vec<Unfinished>,
}

/// An operation without an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The number of its "started" record.
    pub seq: u64,
    /// `write`, `patch`, …
    pub operation: String,
    /// Its path.
    pub path: String,
}

/// Verifies a log against itself and the ends that it had at earlier times.
pub fn verify(bytes: &[u8], earlier: &[ChainHead]) -> Verification {
    let mut chain = vec![(0, ChainHead::genesis())];
    let mut open = BTreeMap::new();
    let damage = follow(bytes, |line, record| {
        chain.push((line, record.end()));
        match record.event() {
            "started" => {
                let begun = Unfinished {
                    seq: record.seq,
                    operation: record.text("operation").to_owned(),
                    path: record.text("path").to_owned(),
                };
                open.insert(record.seq, begun);
            }
            "done" | "failed" => {
                let seq = record.facts.get("started").and_then(Value::as_u64);
                seq.and_then(|seq| open.remove(&seq));
            }
            _ => {}
        }
    });
    let end = chain.len() - 1;
    let differing = |known: &ChainHead| {
        let at = usize::try_from(known.count).unwrap_or(usize::MAX);
        match chain.get(at) {
            Some((_, here)) if here == known => None,
            Some((line, _)) => Some(*line),
            None => Some(bytes.lines().count() + 1),
        }
    };
    let truncated = || {
        Some((
            earlier.iter().filter_map(differing).min()?,
            LogFault::Truncated,
        ))
    };
    Verification {
        fault: damage.or_else(truncated),
        head: chain.swap_remove(end).1,
        unfinished: open.into_values().collect(),
    }
}

/// Calls `next` with the line and each record of the valid part. Returns the line of the first fault.
fn follow(bytes: &[u8], mut next: impl FnMut(usize, &Record)) -> Option<(usize, LogFault)> {
    let mut head = ChainHead::genesis();
    // A line that a crash cut short is damage, unless the next record says that it follows one.
    let mut torn = None;
    for (at, line) in bytes.lines_with_terminator().enumerate() {
        let number = at + 1;
        let Some(line) = line.strip_suffix(b"\n") else {
            return Some((number, LogFault::Torn));
        };
        let record = Record::parse(line).filter(|record| {
            let follows_torn = record.facts.get("after_torn_line") == Some(&Value::Bool(true));
            (record.seq, &record.prev) == (head.count + 1, &head.hash)
                && (torn.is_none() || follows_torn)
        });
        match record {
            Some(record) => {
                next(number, &record);
                (head, torn) = (record.end(), None);
            }
            None if torn.is_none() && Record::parse(line).is_none() => torn = Some(number),
            None => return Some((torn.unwrap_or(number), LogFault::Damaged)),
        }
    }
    torn.map(|line| (line, LogFault::Damaged))
}
