//! Each file system call of every writing verb fails once. The file has the old or the new state, the log verifies, the
//! next run works, and guard never reports success wrongly.
//!
//! By default a sample of the calls fails with one error each; with `GUARD_LONG`, all calls with every fitting error.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::time::Instant;

use crate::common::disturb::at_points;
use crate::common::strace;
use crate::common::verbs::{DELETE, MOVE, Verb, WRITE};

/// Fails each point.
fn failed(verb: &Verb, salt: usize) {
    let begun = Instant::now();
    let (mut tried, mut at) = (BTreeMap::<_, usize>::new(), salt);
    let (mut failed, mut worked) = (0, 0);
    let is_there = at_points(verb, salt, |repo, point, run| {
        let mut errors = strace::errors(point.0);
        if !strace::is_long() && !errors.is_empty() {
            errors = vec![errors[at % errors.len()]];
            at += 1;
        }
        for error in errors {
            // strace counts every call including the loader's, where an error prevents the start.
            let outcome = run(point, &format!("error={error}"));
            verb.check(repo, &format!("{error} at {point:?}"), &outcome);
            *tried.entry(error).or_default() += 1;
            match outcome.code {
                Some(0) => worked += 1,
                _ => failed += 1,
            }
        }
    });
    if !is_there {
        return;
    }
    println!(
        "{}: errors {tried:?}: {failed} runs failed, {worked} worked all the same, in {:.0?}",
        verb.name,
        begun.elapsed()
    );
    assert!(failed > 0);
}

#[test]
fn write_failed() {
    failed(&WRITE, 0);
}

#[test]
fn delete_failed() {
    failed(&DELETE, 2);
}

#[test]
fn move_failed() {
    failed(&MOVE, 3);
}
