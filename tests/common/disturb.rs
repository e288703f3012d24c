//! Runs a verb once for each of its file system calls, and disturbs that call.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::strace::{self, Point};
use super::terminal::{self, End};
use super::verbs::{Outcome, Verb, guard, repository};
use super::{Repo, run};

/// A log and a list of snapshots that grow make later runs slower.
const POINTS_A_REPOSITORY: usize = 40;

/// No run takes longer, even with a fault.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a verb is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// With JSON on standard output.
    Plain,
    /// At a terminal with scripted answers.
    Terminal(&'static [(&'static str, &'static str)]),
}

/// Answers that approve.
pub const CONSENT: &[(&str, &str)] = &[("Type `", "line\n"), ("Reason: ", "a reason\n")];

impl Runner {
    /// Runs guard under strace with these arguments; `None` if that is impossible. Reads of the machine's list of time
    /// zones are not tested.
    fn run(self, repo: &Repo, before: Vec<String>, arguments: &[String]) -> Option<Outcome> {
        let mut words = [before, guard(arguments)].concat();
        match self {
            Runner::Plain => {
                words.extend(["--format", "json"].map(str::to_owned));
                let mut command = strace::command(repo, &words);
                command.env("TZDIR", repo.home());
                let output = command.stdin(Stdio::null()).output().unwrap();
                let text = [output.stdout, output.stderr].concat();
                Some(Outcome {
                    code: output.status.code(),
                    text: String::from_utf8_lossy(&text).into_owned(),
                })
            }
            Runner::Terminal(answers) => {
                let mut driver = terminal::driver(repo)?;
                driver.env("TZDIR", repo.home());
                let session = terminal::at_terminal(driver, &words, answers, End::Wait);
                Some(Outcome {
                    code: Some(session.code).filter(|code| *code >= 0),
                    text: session.shown,
                })
            }
        }
    }
}

/// Calls `disturb` for each point (see [`strace::points`]) in a prepared repository, with a function that runs the verb
/// with a fault. Says whether that was possible.
pub fn at_points(
    verb: &Verb,
    runner: Runner,
    salt: usize,
    mut disturb: impl FnMut(&Repo, Point, &dyn Fn(Point, &str) -> Outcome),
) -> bool {
    let mut repo = repository();
    if !strace::is_there(&repo) {
        return false;
    }
    let arguments = (verb.prepare)(&repo);
    let Some(outcome) = runner.run(&repo, strace::recording(), &arguments) else {
        return false;
    };
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let counts = strace::recorded(&repo);
    let mut points = strace::points(&counts, salt);
    if runner != Runner::Plain && !strace::is_long() {
        // Terminal sessions are slow; the last point is kept.
        points = points.into_iter().rev().step_by(2).rev().collect();
    }
    for (at, point) in points.into_iter().enumerate() {
        if at % POINTS_A_REPOSITORY == 0 {
            check_objects(&repo);
            repo = repository();
        }
        let run = |point, fault: &str| {
            let arguments = (verb.prepare)(&repo);
            let words = strace::injecting(point, fault);
            let begun = Instant::now();
            let outcome = runner.run(&repo, words, &arguments).unwrap();
            let took = begun.elapsed();
            assert!(
                took < PATIENCE,
                "{}: {fault} at {point:?}: {took:?}",
                verb.name
            );
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
