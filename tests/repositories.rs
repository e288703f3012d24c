//! Builds every repository of `fixtures/repos`, judges it and compares the verdict with its header.

pub mod case;
mod committed;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use self::case::{Built, Case, Outcome};
use self::committed::Committed;
use crate::common::{self, GUARD, terminal};

/// The minimum number of cases, so that none disappears unnoticed.
const AT_LEAST: [(&str, usize); 3] = [("hostile/", 190), ("everyday/", 105), ("range/", 38)];

/// The maximum time of a run, allowing for hostile sizes, an unoptimised build and a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The minimum number of accepted cases that git commits; with fewer, the harness no longer commits.
const COMMITTED_AT_LEAST: usize = 40;

/// The result of one case.
#[derive(Default)]
struct Result {
    row: String,
    faults: Vec<String>,
    /// Whether git has committed the accepted changes as they were judged.
    is_committed: bool,
}

#[test]
fn every_repository_is_judged_as_its_header_says() {
    let mut cases = case::all().unwrap();
    for (group, floor) in AT_LEAST {
        let count = cases.iter().filter(|c| c.name.starts_with(group)).count();
        assert!(count >= floor, "{group} holds {count} cases, not {floor}");
    }
    // While writing a case: `CASES=hostile/link cargo test --test main -- repositories::`.
    if let Ok(part) = std::env::var("CASES") {
        cases.retain(|case| case.name.contains(&part));
    }
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // A death by signal is a panic of the harness; the other cases go on.
                    let result = catch_unwind(|| judge(case)).unwrap_or_else(|panic| {
                        failed("died", format!("{:?}", panic.downcast_ref::<String>()))
                    });
                    results.lock().unwrap().push((case.name.clone(), result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(results.len(), cases.len());
    println!("{:44} exit  time  rules", "case");
    let mut failures = String::new();
    for (name, result) in &results {
        println!("{name:44} {}", result.row);
        for fault in &result.faults {
            writeln!(failures, "--- {name}: {fault}").unwrap();
        }
    }
    let committed = results.iter().filter(|(_, result)| result.is_committed);
    let committed = committed.count();
    println!("{} cases, {committed} of them committed", results.len());
    let is_whole = std::env::var_os("CASES").is_none();
    assert!(!is_whole || committed >= COMMITTED_AT_LEAST);
    assert!(failures.is_empty(), "\n{failures}");
}

fn failed(row: &str, fault: String) -> Result {
    Result {
        row: row.to_owned(),
        faults: vec![fault],
        is_committed: false,
    }
}

fn judge(case: &Case) -> Result {
    let built = match case::build(case) {
        Ok(Outcome::Built(built)) => built,
        Ok(Outcome::Skipped(reason)) => {
            common::skip(&format!("{}: {reason}", case.name));
            return Result {
                row: format!("skipped: {reason}"),
                ..Result::default()
            };
        }
        Err(error) => return failed("not built", error),
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

    let mut faults = Vec::new();
    let mut expect = |holds: bool, fault: &str| {
        if !holds {
            faults.push(format!("{fault}:\n{}", human.text()));
        }
    };
    let text = human.text();
    expect(
        human.code == case.exit,
        &format!("exit code {}", human.code),
    );
    expect(
        json.code == human.code,
        "another exit code with --format json",
    );
    let rules = rules(&json.stdout);
    expect(rules == case.rules, &format!("rules {rules:?}"));
    for part in &case.says {
        expect(text.contains(part), &format!("{part:?} is not said"));
    }
    for part in &case.never {
        expect(!text.contains(part), &format!("{part:?} is said"));
    }
    for output in [&human.stdout, &human.stderr, &json.stdout, &json.stderr] {
        expect(is_safe_to_show(output), "the output is not safe to show");
    }
    expect(!built.canary_ran(), "the canary ran");
    let is_changed = before != built.repo.digest_tree();
    expect(!is_changed, "guard changed something in the repository");
    expect(time < TIME_LIMIT, &format!("guard took {time:?}"));

    let mut is_committed = false;
    if human.code == 0 && case.run == ["lint"] {
        match committed::commit(&built, &json.stdout) {
            Committed::AsJudged => is_committed = true,
            Committed::Refused(why) => println!("git does not commit {}: {why}", case.name),
            Committed::Otherwise(fault) => expect(false, &fault),
        }
    }
    if !case.then.is_empty() {
        let mut is_followed = true;
        for line in &case.then {
            match follow(&built, line) {
                Some(Ok(())) => {}
                Some(Err(text)) => expect(false, &format!("`{line}`: {text}")),
                None => is_followed = false,
            }
        }
        let after = common::run(built.judging(GUARD).args(&case.run));
        let is_through = human.code != 0 && after.code == 0;
        let told = format!("after the commands: {}", after.text());
        expect(is_through || !is_followed, &told);
    }
    let rules: Vec<String> = rules.into_iter().collect();
    let (code, ms) = (human.code, time.as_millis());
    Result {
        row: format!("{code:4} {ms:4} ms  {}", rules.join(" ")),
        faults,
        is_committed,
    }
}

/// Runs a command that gets a refused change through; `None` (a counted skip) if it needs a terminal and there is none.
fn follow(built: &Built, line: &str) -> Option<std::result::Result<(), String>> {
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
