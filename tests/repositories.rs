//! Builds each repository of `fixtures/repos`, judges it and compares the verdict with its header.

mod committed;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use libtest_mimic::{Completion, Failed, Trial};
use serde_json::Value;

use self::committed::Committed;
use crate::before;
use crate::common::case::{self, Built, Case, Outcome};
use crate::common::{self, GUARD, terminal};

/// The minimum number of cases, so that none disappears unnoticed.
const AT_LEAST: [(&str, usize); 3] = [("hostile/", 190), ("everyday/", 105), ("range/", 38)];

/// The maximum time of a run, allowing for hostile sizes, an unoptimised build and a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The minimum number of accepted cases that git commits; with fewer, the harness no longer commits.
const COMMITTED_AT_LEAST: usize = 40;

/// The accepted cases that git committed as they were judged.
static COMMITTED: AtomicUsize = AtomicUsize::new(0);

/// One test per case, and one that counts them.
pub fn trials() -> Vec<Trial> {
    let cases = case::all().unwrap();
    let mut names = Vec::new();
    let mut trials = Vec::new();
    for case in cases {
        names.push(case.name.clone());
        trials.push(Trial::ignorable_test(case.name.clone(), move || {
            judge(&case)
        }));
    }
    trials.push(Trial::test("no_case_disappears", move || {
        for (group, floor) in AT_LEAST {
            let count = names.iter().filter(|name| name.starts_with(group)).count();
            if count < floor {
                return Err(format!("{group} holds {count} cases, not {floor}").into());
            }
        }
        Ok(())
    }));
    trials
}

/// Whether git committed enough of the accepted cases. Asked after all of them.
pub fn commits_enough() -> bool {
    let committed = COMMITTED.load(Ordering::Relaxed);
    if committed < COMMITTED_AT_LEAST {
        eprintln!("git committed {committed} of the accepted cases, not {COMMITTED_AT_LEAST}");
    }
    committed >= COMMITTED_AT_LEAST
}

fn judge(case: &Case) -> Result<Completion, Failed> {
    let built = match case::build(case)? {
        Outcome::Built(built) => built,
        Outcome::Skipped(reason) => return Ok(Completion::ignored_with(reason)),
    };
    // The script itself may have made git run the attacker's program.
    built.canary_ran();
    let before = built.repo.digest_tree();
    let start = Instant::now();
    let human = common::run(built.judging(GUARD).args(&case.run));
    let time = start.elapsed();
    let mut json = built.judging(GUARD);
    json.args(&case.run).args(["--format", "json"]);
    let json = common::run(&mut json);

    let mut faults = Faults::default();
    let text = human.text();
    faults.unless(
        human.code == case.exit,
        &format!("exit code {}", human.code),
    );
    faults.unless(
        json.code == human.code,
        "another exit code with --format json",
    );
    let rules = rules(&json.stdout);
    faults.unless(rules == case.rules, &format!("rules {rules:?}"));
    for part in &case.says {
        faults.unless(text.contains(part), &format!("{part:?} is not said"));
    }
    for part in &case.never {
        faults.unless(!text.contains(part), &format!("{part:?} is said"));
    }
    for output in [&human.stdout, &human.stderr, &json.stdout, &json.stderr] {
        faults.unless(is_safe_to_show(output), "the output is not safe to show");
    }
    faults.unless(!built.canary_ran(), "the canary ran");
    let is_changed = before != built.repo.digest_tree();
    faults.unless(!is_changed, "guard changed something in the repository");
    faults.unless(time < TIME_LIMIT, &format!("guard took {time:?}"));
    for format in [&[][..], &["--format", "json"]] {
        let difference = before::difference(|guard| {
            let mut command = built.judging(guard);
            command.args(&case.run).args(format);
            command
        });
        faults.0.extend(difference);
    }

    if human.code == 0 && case.run == ["lint"] {
        match committed::commit(&built, &json.stdout) {
            Committed::AsJudged => {
                COMMITTED.fetch_add(1, Ordering::Relaxed);
            }
            Committed::Refused(why) => println!("git does not commit {}: {why}", case.name),
            Committed::Otherwise(fault) => faults.unless(false, &fault),
        }
    }
    if !case.then.is_empty() {
        let mut is_followed = true;
        for line in &case.then {
            match follow(&built, line) {
                Some(Ok(())) => {}
                Some(Err(text)) => faults.unless(false, &format!("`{line}`: {text}")),
                None => is_followed = false,
            }
        }
        let after = common::run(built.judging(GUARD).args(&case.run));
        let is_through = human.code != 0 && after.code == 0;
        let told = format!("after the commands: {}", after.text());
        faults.unless(is_through || !is_followed, &told);
    }
    if faults.0.is_empty() {
        return Ok(Completion::Completed);
    }
    Err(format!("{}\nguard says:\n{text}", faults.0.join("\n")).into())
}

/// What is wrong with one case.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn unless(&mut self, holds: bool, fault: &str) {
        if !holds {
            self.0.push(fault.to_owned());
        }
    }
}

/// Runs a command that gets a refused change through; `None` (a counted skip) if it needs a terminal and there is none.
fn follow(built: &Built, line: &str) -> Option<Result<(), String>> {
    if let Some(arguments) = line.strip_prefix("guard scope add ") {
        let arguments: Vec<&str> = "scope add".split(' ').chain(arguments.split(' ')).collect();
        let driver = terminal::driver(&built.repo)?;
        let session = terminal::guard_at_terminal(driver, &arguments, &[], terminal::End::Wait);
        return Some(match session.code {
            0 => Ok(()),
            _ => Err(session.shown),
        });
    }
    let done = common::run(&mut built.shell(line));
    Some(match done.code {
        0 => Ok(()),
        _ => Err(done.text()),
    })
}

/// The rules that have a finding at level error or warning.
fn rules(json: &str) -> BTreeSet<String> {
    let report: Value = serde_json::from_str(json).unwrap_or_default();
    let findings = report["findings"].as_array().into_iter().flatten();
    let counting = findings.filter(|finding| finding["level"] != "note");
    let rules = counting.filter_map(|finding| finding["rule"].as_str());
    rules.map(str::to_owned).collect()
}

/// Asserts that the output contains nothing that a terminal or CI system would interpret.
fn is_safe_to_show(output: &str) -> bool {
    let hostile = |c: char| {
        c.is_control() && c != '\n'
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' )
    };
    let command = |line: &str| {
        let line = line.trim_start();
        line.starts_with("::") || line.starts_with("##[") || line.starts_with("##vso[")
    };
    !output.contains(hostile) && !output.lines().any(command)
}
