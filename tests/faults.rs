//! guard is killed before each file system call of every writing verb, or the call fails. The file has the old or the new
//! state, the log verifies, the next run works, and guard never reports success wrongly.
//!
//! By default a sample of the calls, with `GUARD_LONG` all. This is `kill -9`, not a power cut: no data is lost.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::common::disturb::at_points;
use crate::common::verbs::{
    DELETE, MOVE, NEW, OLD, PATCH, RESTORE, State, Verb, WRITE, repository,
};
use crate::common::{self, strace};

/// Kills before each point.
fn killed(verb: &Verb, salt: usize) {
    let begun = Instant::now();
    let (mut tried, mut new) = (0, 0);
    let is_there = at_points(verb, salt, |repo, point, run| {
        let outcome = run(point, "signal=KILL");
        let state = verb.check(repo, &format!("killed before {point:?}"), &outcome);
        tried += 1;
        new += usize::from(state == State::New);
    });
    println!(
        "{}: killed at {tried} points, {new} times after the change, in {:.0?}",
        verb.name,
        begun.elapsed()
    );
    // Kills on both sides.
    assert!(!is_there || new > 0 && new < tried);
}

/// Fails each point, with one error or with `GUARD_LONG` with all that fit.
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
    println!(
        "{}: errors {tried:?}: {failed} runs failed, {worked} worked all the same, in {:.0?}",
        verb.name,
        begun.elapsed()
    );
    assert!(!is_there || failed > 0);
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs strace, which only Linux has"
)]
fn write_killed() {
    killed(&WRITE, 0);
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs strace, which only Linux has"
)]
fn patch_and_restore_killed() {
    killed(&PATCH, 1);
    killed(&RESTORE, 4);
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs strace, which only Linux has"
)]
fn delete_and_move_killed() {
    killed(&DELETE, 2);
    killed(&MOVE, 3);
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs strace, which only Linux has"
)]
fn write_failed() {
    failed(&WRITE, 0);
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs strace, which only Linux has"
)]
fn delete_and_move_failed() {
    failed(&DELETE, 2);
    failed(&MOVE, 3);
}

/// The method works: it catches a program that writes in place with a torn file.
#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs strace, which only Linux has"
)]
fn a_write_in_place_is_caught() {
    let repo = repository();
    if !strace::is_there(&repo) {
        return;
    }
    let script = format!("printf '{}' > dir/a", NEW.escape_default());
    let program: Vec<String> = ["sh", "-c", &script].map(str::to_owned).to_vec();
    repo.write("dir/a", OLD);
    let words = [strace::recording(), program.clone()].concat();
    common::run(&mut strace::command(&repo, &words)).exits(0);
    let counts = strace::recorded(&repo);
    let mut torn = 0;
    for number in 1..=counts["write"] {
        repo.write("dir/a", OLD);
        let words = strace::injecting(("write", number), "signal=KILL");
        let _ = strace::command(&repo, &[words, program.clone()].concat()).status();
        torn += usize::from((WRITE.state)(&repo).is_err());
    }
    assert!(torn > 0, "{counts:?}");
}
