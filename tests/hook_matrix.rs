//! Which git operations call which hooks, and what refuses a change in each. guard's hooks run the built guard.
//! If no hook refuses a change, the check of the resulting branch must.

mod operations;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::operations::{HELPERS, OPERATIONS, Operation};
use crate::common::{self, GUARD, Output, Repo};

/// The hooks that see a commit before it is made.
const OF_COMMITS: [&str; 3] = ["pre-commit", "pre-merge-commit", "prepare-commit-msg"];

const TRANSACTION: &str = "reference-transaction";

/// A repository on which one operation is tried.
struct Trial {
    repo: Repo,
    file: &'static str,
}

/// What one run of an operation showed.
#[derive(Default)]
struct Seen {
    hooks: BTreeSet<String>,
    /// The index files that pre-commit was told of, digits as `N`.
    indexes: BTreeSet<String>,
    /// The guard hooks that ended with 1.
    refused_by: BTreeSet<String>,
    /// The guard hooks that could not check.
    failed: BTreeSet<String>,
    code: i32,
    /// Whether a branch changed.
    moved: bool,
    output: String,
}

impl Trial {
    /// A governed repository with a remote that has main.
    fn base() -> Trial {
        let repo = Repo::nothing();
        let trial = Trial { repo, file: "" };
        let prepared = trial.sh(
            "lines 30 | put src/app.py\nlines 30 | put other.py\nstart 'src/app.py Modify' 'src/own.py Add' 'third.py Add'\n\
             git init --quiet --bare ../server\ngit remote add origin ../server\n\
             git push --quiet origin main\ngit remote set-head origin main\n",
        );
        prepared.exits(0);
        trial
    }

    fn copy(&self, file: &'static str) -> Trial {
        let repo = Repo::nothing();
        let mut copy = Command::new("cp");
        copy.arg("-a")
            .arg(self.repo.path("../."))
            .arg(repo.path(".."));
        common::run(&mut copy).exits(0);
        Trial { repo, file }
    }

    /// A copy that is ready for the operation on a file.
    fn prepared(&self, operation: &Operation, file: &'static str) -> Trial {
        let trial = self.copy(file);
        let prepared = trial.sh(operation.prepare);
        assert_eq!(prepared.code, 0, "{}: {}", operation.name, prepared.text());
        trial
    }

    fn sh(&self, script: &str) -> Output {
        let mut shell = self.repo.shell(&format!("{HELPERS}\n{script}"));
        common::run(shell.env("FILE", self.file))
    }

    fn branches(&self) -> String {
        let format = "--format=%(refname) %(objectname)";
        self.repo.git(&["for-each-ref", format, "refs/heads"])
    }

    /// Runs the operation with these guard hooks.
    fn run(&self, operation: &Operation, hooks: &[&str]) -> Seen {
        let log = self.repo.path("../log");
        for hook in hooks {
            let script = format!(
                "#!/bin/sh\n'{GUARD}' hook {hook} \"$@\"\ncode=$?\n\
                 echo \"{hook} $code ${{GIT_INDEX_FILE##*/}}\" >>'{}'\nexit $code\n",
                log.display()
            );
            self.repo.install_hook_script(hook, &script);
        }
        let before = self.branches();
        let output = self.sh(operation.run);
        let mut seen = Seen {
            code: output.code,
            moved: before != self.branches(),
            output: output.text(),
            ..Seen::default()
        };
        for line in fs::read_to_string(log).unwrap_or_default().lines() {
            let mut words = line.split(' ');
            let (hook, code) = (words.next().unwrap().to_owned(), words.next().unwrap());
            match code {
                "0" => {}
                "1" => drop(seen.refused_by.insert(hook.clone())),
                _ => drop(seen.failed.insert(hook.clone())),
            }
            if hook == "pre-commit" {
                let index = words.next().unwrap_or_default();
                let letters = index.split(|c: char| c.is_ascii_digit());
                let parts: Vec<_> = letters.filter(|part| !part.is_empty()).collect();
                seen.indexes.insert(parts.join("N"));
            }
            seen.hooks.insert(hook);
        }
        seen
    }

    /// The exit codes of the range checks of the branches of work, and of pushing them with guard's pre-push.
    fn range_and_push(&self) -> (i32, i32, String) {
        let of_work = ["--format=%(refname:short)", "refs/heads/188-*"];
        let branches = self.repo.git(&[&["for-each-ref"], &of_work[..]].concat());
        let mut range = 0;
        let mut text = String::new();
        for branch in branches.lines() {
            let commits = format!("main..{branch}");
            let output = self.repo.guard(&["lint", "--range", &commits]);
            range = range.max(output.code);
            text += &output.text();
        }
        self.repo.install_hook("pre-push");
        let push = self.sh("git push --quiet origin 'refs/heads/188-*'");
        (range, push.code, text + &push.text())
    }
}

/// What is wrong with an operation.
fn judge(base: &Trial, operation: &Operation) -> Vec<String> {
    let mut faults = Vec::new();
    let mut expect = |holds: bool, fault: String| {
        if !holds {
            faults.push(fault);
        }
    };

    // Inside the design, every hook and the range accept it.
    let trial = base.prepared(operation, "src/app.py");
    let all: Vec<_> = OF_COMMITS.into_iter().chain([TRANSACTION]).collect();
    let inside = trial.run(operation, &all);
    let hooks = inside.hooks.iter().map(String::as_str);
    let commits: Vec<_> = hooks.filter(|hook| *hook != TRANSACTION).collect();
    let indexes: Vec<_> = inside.indexes.iter().map(String::as_str).collect();
    expect(
        commits.join(" ") == operation.hooks && indexes.join(" ") == operation.index,
        format!("runs {commits:?} with {indexes:?}"),
    );
    let refused = inside.refused_by.len() + inside.failed.len();
    let (range, push, text) = trial.range_and_push();
    expect(
        (inside.code, refused, range, push) == (0, 0, 0, 0),
        format!(
            "inside the design it ends with {}, the range with {range}, the push with {push}:\n{}{text}",
            inside.code, inside.output
        ),
    );

    // Outside the design, a commit hook or the check of the resulting branch refuses.
    let trial = base.prepared(operation, "other.py");
    let twin = trial.copy("other.py");
    let outside = trial.run(operation, &OF_COMMITS);
    let mut refused_by: Vec<&str> = outside.refused_by.iter().map(String::as_str).collect();
    let at_commit = !refused_by.is_empty();
    expect(
        outside.failed.is_empty()
            && (outside.code != 0) == at_commit
            && !(at_commit && outside.moved),
        format!(
            "outside the design {:?} could not check, a branch moved: {}; it ends with {}:\n{}",
            outside.failed, outside.moved, outside.code, outside.output
        ),
    );
    // If git calls reference-transaction, that hook refuses too.
    let seen = twin.run(operation, &[TRANSACTION]);
    let at_transaction = seen.refused_by.contains(TRANSACTION);
    expect(
        seen.failed.is_empty() && !(at_transaction && seen.moved),
        format!(
            "{TRANSACTION}: {:?} could not check, a branch moved: {}:\n{}",
            seen.failed, seen.moved, seen.output
        ),
    );
    refused_by.extend(at_transaction.then_some(TRANSACTION));
    if !at_commit {
        let (range, push, text) = trial.range_and_push();
        refused_by.extend((range == 1).then_some("range"));
        expect(
            range != 2 && (range != 0) == (push != 0),
            format!(
                "outside the design the range ends with {range}, the push with {push}:\n{text}"
            ),
        );
    }
    expect(
        refused_by.join(" ") == operation.refused_by,
        format!("refused by {refused_by:?}, not {:?}", operation.refused_by),
    );
    faults
}

#[test]
fn every_operation_out_of_scope_is_refused_by_a_hook_or_by_the_range() {
    let base = Trial::base();
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(String::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(operation) = OPERATIONS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for fault in judge(&base, operation) {
                        let mut failures = failures.lock().unwrap();
                        writeln!(failures, "--- {}: {fault}", operation.name).unwrap();
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "\n{failures}");
}
