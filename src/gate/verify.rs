//! Verifies the audit log and names the kind of damage.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{ChainHead, LogFault, Record};
use crate::git::Snapshots;

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

/// Verifies a log against itself and, if given, an external anchor.
pub fn verify(bytes: &[u8], anchor: Option<&ChainHead>) -> Verification {
    verify_beside(bytes, anchor, &Snapshots::default())
}

/// The same, and against the positions in the snapshots. The log was read after them.
pub fn verify_beside(
    bytes: &[u8],
    anchor: Option<&ChainHead>,
    snapshots: &Snapshots,
) -> Verification {
    let mut chain = Chain {
        head: ChainHead::genesis(),
        open: BTreeMap::new(),
        hashes: Vec::new(),
        lines: 0,
    };
    let fault = chain.follow(bytes).err();
    let kept = snapshots.readable.iter().rev();
    let kept = kept.filter_map(|snapshot| ChainHead::parse(snapshot.log.as_deref()?));
    let mut anchors = anchor.cloned().into_iter().chain(kept);
    let has_snapshots = !(snapshots.readable.is_empty() && snapshots.lost.is_empty());
    let fault = fault
        .or_else(|| {
            (bytes.is_empty() && anchor.is_none() && has_snapshots)
                .then_some((1, LogFault::Missing))
        })
        .or_else(|| anchors.find_map(|anchor| chain.compare_with(&anchor)));
    Verification {
        head: chain.head,
        fault,
        unfinished: chain.open.into_values().collect(),
    }
}

/// The path of a record, or those of a batch.
fn paths(facts: &Map<String, Value>) -> String {
    let path = |facts: &Map<String, Value>| {
        let path = facts.get("path").and_then(Value::as_str);
        path.unwrap_or_default().to_owned()
    };
    match facts.get("operations").and_then(Value::as_array) {
        Some(operations) => {
            let operations = operations.iter().filter_map(Value::as_object);
            operations.map(path).collect::<Vec<_>>().join(", ")
        }
        None => path(facts),
    }
}

/// The part of a chain that was followed.
struct Chain {
    head: ChainHead,
    /// Operations that have started but not ended.
    open: BTreeMap<u64, Unfinished>,
    /// The hash of each record.
    hashes: Vec<String>,
    lines: usize,
}

impl Chain {
    fn follow(&mut self, bytes: &[u8]) -> Result<(), (usize, LogFault)> {
        let is_whole = bytes.is_empty() || bytes.ends_with(b"\n");
        let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
        if is_whole {
            lines.pop();
        }
        self.lines = lines.len();
        let mut torn: Option<usize> = None;
        for (at, line) in lines.iter().enumerate() {
            let number = at + 1;
            let record = match Record::parse(line) {
                // A record ends with a newline.
                _ if number == lines.len() && !is_whole => return Err((number, LogFault::Torn)),
                Ok(record) => record,
                Err(LogFault::NotARecord) if torn.is_none() => {
                    torn = Some(number);
                    continue;
                }
                Err(fault) => return Err((number, fault)),
            };
            if let Some(line) = torn.take()
                && record.facts.get("after_torn_line") != Some(&Value::Bool(true))
            {
                return Err((line, LogFault::NotARecord));
            }
            self.check_order(&record, &lines[number..])
                .map_err(|fault| (number, fault))?;
            self.push(record);
        }
        torn.map_or(Ok(()), |line| Err((line, LogFault::NotARecord)))
    }

    fn check_order(&self, record: &Record, later: &[&[u8]]) -> Result<(), LogFault> {
        let next = self.head.count + 1;
        let is_next = |line: &&[u8]| Record::parse(line).is_ok_and(|record| record.seq == next);
        Err(match record.seq.cmp(&next) {
            Ordering::Equal if record.prev == self.head.hash => return Ok(()),
            Ordering::Equal => LogFault::Unchained,
            Ordering::Less if self.hashes.contains(&record.hash) => LogFault::Reordered,
            Ordering::Less => LogFault::Merged,
            Ordering::Greater if later.iter().any(is_next) => LogFault::Reordered,
            Ordering::Greater => LogFault::Removed,
        })
    }

    fn push(&mut self, record: Record) {
        let text = |key: &str| {
            let value = record.facts.get(key).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        match text("event").as_str() {
            "started" => {
                let begun = Unfinished {
                    seq: record.seq,
                    operation: text("operation"),
                    path: paths(&record.facts),
                };
                self.open.insert(record.seq, begun);
            }
            "done" | "failed" => {
                if let Some(seq) = record.facts.get("started").and_then(Value::as_u64) {
                    self.open.remove(&seq);
                }
            }
            _ => {}
        }
        self.hashes.push(record.hash.clone());
        self.head = ChainHead {
            count: record.seq,
            hash: record.hash,
        };
    }

    fn compare_with(&self, anchor: &ChainHead) -> Option<(usize, LogFault)> {
        let genesis = ChainHead::genesis();
        let hash = match anchor.count.checked_sub(1) {
            None => Some(&genesis.hash),
            Some(at) => usize::try_from(at).ok().and_then(|at| self.hashes.get(at)),
        };
        match hash {
            None => Some((self.lines + 1, LogFault::Truncated)),
            Some(hash) if *hash != anchor.hash => Some((self.lines, LogFault::Restamped)),
            Some(_) => None,
        }
    }
}
