//! Follows what guard prints: for every refusal of a fixture, each command that guard prints, as a person would at a
//! terminal. guard must then accept, or find something else: never the same, and no command may fail.

use std::collections::BTreeSet;

use libtest_mimic::{Completion, Failed, Trial};
use serde_json::Value;

use crate::common::case::{self, Built, Case, Outcome};
use crate::common::terminal::{self, End};
use crate::common::{self, GUARD};

/// Commands that only show something, so that guard says the same afterwards.
const LOOKS: &[&str] = &[
    "guard explain",
    "guard scope check",
    "guard scope import",
    "guard scope show",
    "guard generate",
    "guard lint",
    "git config --file",
    "git diff",
    "git fsck",
];

/// Refusals whose commands are not followed, and why.
const NOT_FOLLOWED: &[(&str, &str)] = &[
    (
        "hostile/objects-missing",
        "the remote of the partial clone is not there",
    ),
    (
        "hostile/path-not-utf8",
        "the report for programs cannot hold the bytes of the name",
    ),
    (
        "hostile/work-tree-linked",
        "another work tree is judged than that of the terminal",
    ),
    (
        "hostile/index-missing",
        "the index is gone, but the work tree has every file, so that there is nothing to commit",
    ),
    (
        "hostile/many-renames",
        "ten thousand rows take longer than a terminal waits",
    ),
    (
        "range/restaged-after-the-check",
        "the hook of the repository is not one of guard",
    ),
];

/// The minimum number of commands that are followed, so that none disappears unnoticed.
const AT_LEAST: usize = 60;

/// One test per refusal, and one that counts the commands.
pub fn trials() -> Vec<Trial> {
    let cases = case::all().unwrap();
    let refused = cases.into_iter().filter(|case| case.exit != 0);
    let refused = refused.filter(|case| NOT_FOLLOWED.iter().all(|(name, _)| *name != case.name));
    let trial = |case: Case| {
        let name = format!("advice/{}", case.name);
        Trial::ignorable_test(name, move || follow_all(&case))
    };
    refused.map(trial).collect()
}

/// Whether enough commands were followed. Asked after all tests.
pub fn follows_enough() -> bool {
    let followed = FOLLOWED.load(std::sync::atomic::Ordering::Relaxed);
    if followed < AT_LEAST {
        eprintln!(
            "the refusals of the fixtures print {followed} commands to follow, not {AT_LEAST}"
        );
    }
    followed >= AT_LEAST
}

static FOLLOWED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

fn follow_all(case: &Case) -> Result<Completion, Failed> {
    let built = match case::build(case)? {
        Outcome::Built(built) => built,
        Outcome::Skipped(reason) => return Ok(Completion::ignored_with(reason)),
    };
    let before = judged(&built, case);
    let mut faults = Vec::new();
    for command in &before.commands {
        // Each command is an alternative, so it gets a repository of its own.
        let Outcome::Built(fresh) = case::build(case)? else {
            continue;
        };
        match follow(&fresh, command) {
            Ok(true) => {}
            Ok(false) => return Ok(Completion::ignored_with("there is no terminal")),
            Err(why) => {
                faults.push(format!("`{command}` fails: {why}"));
                continue;
            }
        }
        FOLLOWED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let is_look = LOOKS.iter().any(|look| command.starts_with(look));
        let after = judged(&fresh, case);
        if !is_look && after.said == before.said {
            faults.push(format!(
                "after `{command}` guard says the same: {:?}",
                after.said
            ));
        }
    }
    if faults.is_empty() {
        return Ok(Completion::Completed);
    }
    Err(faults.join("\n").into())
}

/// A judgement: what is refused and why, and the commands that guard prints for it.
struct Judged {
    said: BTreeSet<String>,
    commands: BTreeSet<String>,
}

fn judged(built: &Built, case: &Case) -> Judged {
    let mut json = built.judging(GUARD);
    json.args(&case.run).args(["--format", "json"]);
    let report: Value = serde_json::from_str(&common::run(&mut json).stdout).unwrap();
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let errors = findings
        .iter()
        .filter(|finding| finding["level"] == "error");
    let mut said: BTreeSet<String> = errors
        .map(|one| format!("{} {} {}", one["rule"], one["path"], one["message"]))
        .collect();
    let error = &report["error"];
    said.extend(error["message"].as_str().map(str::to_owned));
    let sources = findings.iter().chain([error]);
    let commands = sources.flat_map(|one| one["commands"].as_array().cloned().unwrap_or_default());
    Judged {
        said,
        commands: commands
            .filter_map(|one| one.as_str().map(str::to_owned))
            .collect(),
    }
}

/// Runs a command at a terminal, and then what it prints to be run next; false without a terminal.
fn follow(built: &Built, command: &str) -> Result<bool, String> {
    let mut waiting = vec![command.to_owned()];
    while let Some(line) = waiting.pop() {
        let Some(driver) = terminal::driver(&built.repo) else {
            return Ok(false);
        };
        let mut driver = driver;
        let path = built.judging("sh");
        let path = path.get_envs().find(|(name, _)| *name == "PATH");
        driver.envs(built.environment());
        driver.envs(path.and_then(|(name, value)| Some((name, value?))));
        let answers: &[(&str, &str)] = if line.starts_with("guard approve") {
            &[("Type `", "<quoted>\n"), ("Reason: ", "agreed\n")]
        } else {
            &[]
        };
        let words = ["sh", "-euc", line.as_str()];
        let session = terminal::at_terminal(driver, &words, answers, End::Wait);
        if session.code != 0 {
            return Err(format!(
                "`{line}` ends with {}: {}",
                session.code, session.shown
            ));
        }
        let is_next = |line: &&str| line.starts_with("  git ") || line.starts_with("  guard use ");
        let next = session.shown.lines().filter(is_next);
        let next: Vec<String> = next.map(|line| line.trim().to_owned()).collect();
        waiting.extend(next.into_iter().rev());
    }
    Ok(true)
}
