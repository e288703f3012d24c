//! The audit log, as it is and with its hashes computed anew. Every part of a valid log from its start
//! is valid; a changed byte is found.
#![no_main]

use bstr::ByteSlice;
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};
use write_guard::files::verify;

const HASH: &str = ",\"hash\":\"";
const PREV: &str = "\"prev\":\"";

fn check(log: &[u8]) {
    let found = verify(log);
    assert_eq!(found, verify(log));
    assert!(found.unfinished.len() as u64 <= found.records);
    if let Some(line) = found.fault {
        assert!((1..=log.lines().count()).contains(&line));
        return;
    }
    let mut end = 0;
    for line in log.lines_with_terminator() {
        assert!(verify(&log[..end]).records <= found.records);
        end += line.len();
    }
    // A line that a crash cut short may say anything.
    if !log.is_empty() && !log.contains_str("after_torn_line") {
        let mut changed = log.to_vec();
        let at = log[0..log.len().min(64)]
            .iter()
            .map(|&byte| usize::from(byte))
            .sum::<usize>();
        changed[at * 7919 % log.len()] ^= 1;
        assert_ne!(verify(&changed).fault, None);
        assert_ne!(verify(&[log, log].concat()).fault, None);
    }
}

/// The same records with the hashes that belong to them.
fn chained(log: &[u8]) -> Vec<u8> {
    let mut head = "0".repeat(64);
    let mut all = Vec::new();
    for line in log.lines_with_terminator() {
        let Some((body, _)) = line.rsplit_once_str(HASH) else {
            all.extend(line);
            continue;
        };
        let mut body = body.to_vec();
        if let Some(at) = body.rfind(PREV).map(|at| at + PREV.len())
            && body.len() >= at + 64
        {
            body[at..at + 64].copy_from_slice(head.as_bytes());
        }
        head = Sha256::digest(&body)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        all.extend(body);
        all.extend(format!("{HASH}{head}\"}}\n").bytes());
    }
    all
}

fuzz_target!(|log: &[u8]| {
    check(log);
    check(&chained(log));
});
