//! Verifying the log: each kind of damage has its own verdict.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Fault, Head, Record};

/// The first fault and its line, from 1; with the state of the chain up to there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Where the sound part of the chain ends.
    pub head: Head,
    /// What is wrong, and at which line.
    pub fault: Option<(usize, Fault)>,
    /// Operations that began and have no end on record: they run now, or a crash ended them.
    pub unfinished: Vec<Unfinished>,
}

/// An operation without an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The number of the record that says it began.
    pub seq: u64,
    /// `write`, `patch`, …
    pub operation: String,
    /// Its path.
    pub path: String,
}

/// Verifies a log against itself and, where there is one, an anchor from outside.
pub fn verify(bytes: &[u8], anchor: Option<&Head>) -> Verification {
    let mut chain = Chain::new(anchor);
    let fault = chain.follow(bytes).err();
    let fault = fault.or_else(|| chain.compare_with_anchor());
    Verification {
        head: chain.head,
        fault,
        unfinished: chain.open.into_values().collect(),
    }
}

/// A chain as far as it was followed.
struct Chain<'a> {
    head: Head,
    anchor: Option<&'a Head>,
    /// The hash of the record that the anchor counts.
    at_anchor: Option<String>,
    /// Operations that began and did not end so far.
    open: BTreeMap<u64, Unfinished>,
    /// The hash of each record so far.
    hashes: Vec<String>,
    lines: usize,
}

impl<'a> Chain<'a> {
    fn new(anchor: Option<&'a Head>) -> Chain<'a> {
        let head = Head::genesis();
        Chain {
            at_anchor: anchor
                .filter(|anchor| anchor.count == 0)
                .map(|_| head.hash.clone()),
            head,
            anchor,
            open: BTreeMap::new(),
            hashes: Vec::new(),
            lines: 0,
        }
    }

    fn follow(&mut self, bytes: &[u8]) -> Result<(), (usize, Fault)> {
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
                // Whole or not: a record ends with a newline.
                _ if number == lines.len() && !is_whole => return Err((number, Fault::Torn)),
                Ok(record) => record,
                Err(Fault::NotARecord) if torn.is_none() => {
                    torn = Some(number);
                    continue;
                }
                Err(fault) => return Err((number, fault)),
            };
            if let Some(line) = torn.take()
                && record.facts.get("after_torn_line") != Some(&Value::Bool(true))
            {
                return Err((line, Fault::NotARecord));
            }
            self.check_order(&record, &lines[number..])
                .map_err(|fault| (number, fault))?;
            self.push(record);
        }
        torn.map_or(Ok(()), |line| Err((line, Fault::NotARecord)))
    }

    fn check_order(&self, record: &Record, later: &[&[u8]]) -> Result<(), Fault> {
        let next = self.head.count + 1;
        if record.seq == next {
            let follows = record.prev == self.head.hash;
            return if follows {
                Ok(())
            } else {
                Err(Fault::Unchained)
            };
        }
        if record.seq < next {
            let is_copy = self.hashes.contains(&record.hash);
            return Err(if is_copy {
                Fault::Reordered
            } else {
                Fault::Merged
            });
        }
        let is_next = |line: &&[u8]| Record::parse(line).is_ok_and(|record| record.seq == next);
        if later.iter().any(is_next) {
            return Err(Fault::Reordered);
        }
        Err(Fault::Removed)
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
                    path: text("path"),
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
        self.head = Head {
            count: record.seq,
            hash: record.hash,
        };
        if self
            .anchor
            .is_some_and(|anchor| anchor.count == self.head.count)
        {
            self.at_anchor = Some(self.head.hash.clone());
        }
    }

    fn compare_with_anchor(&self) -> Option<(usize, Fault)> {
        match (self.anchor, &self.at_anchor) {
            (Some(_), None) => Some((self.lines + 1, Fault::Truncated)),
            (Some(anchor), Some(hash)) if anchor.hash != *hash => {
                Some((self.lines, Fault::Restamped))
            }
            _ => None,
        }
    }
}
