//! Runs a verb once for each of its file system calls, and disturbs that call.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::strace::{self, Point};
use super::verbs::{Outcome, Verb, guard, repository};
use super::{Repo, run};

/// A log and a list of snapshots that grow make later runs slower.
const POINTS_A_REPOSITORY: usize = 40;

/// No run takes longer, even with a fault.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs guard under strace with these arguments and JSON on standard output. Reads of the machine's list of time zones
/// are not tested.
fn run_guard(repo: &Repo, before: Vec<String>, arguments: &[String]) -> Outcome {
    let json = ["--format", "json"].map(str::to_owned);
    let words = [before, guard(arguments), json.to_vec()].concat();
    let mut command = strace::command(repo, &words);
    command.env("TZDIR", repo.home());
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    Outcome {
        code: output.status.code(),
        text: String::from_utf8_lossy(&text).into_owned(),
    }
}

/// Calls `disturb` for each point (see [`strace::points`]) in a prepared repository, with a function that runs the verb
/// with a fault. Says whether that was possible.
pub fn at_points(
    verb: &Verb,
    salt: usize,
    mut disturb: impl FnMut(&Repo, Point, &dyn Fn(Point, &str) -> Outcome),
) -> bool {
    let mut repo = repository();
    if !strace::is_there(&repo) {
        return false;
    }
    let arguments = (verb.prepare)(&repo);
    let outcome = run_guard(&repo, strace::recording(), &arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let counts = strace::recorded(&repo);
    let points = strace::points(&counts, salt);
    for (at, point) in points.into_iter().enumerate() {
        if at % POINTS_A_REPOSITORY == 0 {
            check_objects(&repo);
            repo = repository();
        }
        let run = |point, fault: &str| {
            let arguments = (verb.prepare)(&repo);
            let words = strace::injecting(point, fault);
            let begun = Instant::now();
            let outcome = run_guard(&repo, words, &arguments);
            let took = begun.elapsed();
            assert!(took < PATIENCE, "{fault} at {point:?}: {took:?}");
            outcome
        };
        disturb(&repo, point, &run);
    }
    check_objects(&repo);
    true
}

/// Asserts that the object database is intact.
#[track_caller]
fn check_objects(repo: &Repo) {
    run(repo.command("git").args(["fsck", "--no-dangling"])).exits(0);
}
