//! An approval counts only if the audit log records that it was given and not yet used.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use crate::common::log::{log_lines, set_log};
use crate::common::terminal::{End, driver, guard_at_terminal};
use crate::common::{Repo, lines};

const FILE: &str = "src/state.py";

/// A staged and approved replacement of a whole file, and the file that stores the approval. `None` without a
/// terminal.
fn approved() -> Option<(Repo, PathBuf)> {
    let repo = Repo::new();
    repo.stage(FILE, lines(1..=200));
    repo.commit("Begin");
    repo.govern(&[(FILE, "Modify", "the state")]);
    repo.stage(FILE, lines(1..=200).replace("line", "other"));
    repo.guard(&["lint"]).exits(1).says("destructive-change");
    let answers = [("Type `", "line\n"), ("Reason: ", "a new format\n")];
    let approve = ["approve", "--staged"];
    guard_at_terminal(driver(&repo)?, &approve, &answers, End::Wait).exits(0);
    repo.guard(&["lint"]).exits(0);
    let mut store = fs::read_dir(repo.path(".git/guard/approvals")).unwrap();
    let file = store.next().unwrap().unwrap().path();
    Some((repo, file))
}

#[test]
fn approval_file_without_log_record_does_not_count() {
    let Some((repo, _)) = approved() else { return };
    let records = log_lines(&repo);
    let at = |line: &String| line.contains("\"event\":\"approved\"");
    let at = records.iter().position(at).unwrap();
    set_log(&repo, &records[..at]);
    repo.guard(&["lint"]).exits(1).says("destructive-change");
    set_log(&repo, &records);
    repo.guard(&["lint"]).exits(0);
    fs::remove_file(repo.path(".git/guard/log.jsonl")).unwrap();
    repo.guard(&["lint"]).exits(1).says("destructive-change");
}

#[test]
fn approval_that_differs_from_its_log_record_does_not_count() {
    let Some((repo, file)) = approved() else {
        return;
    };
    let text = fs::read_to_string(&file).unwrap();
    let other = text.replace("a new format", "whatever I want");
    assert_ne!(other, text);
    fs::write(&file, other).unwrap();
    repo.guard(&["lint"]).exits(1).says("destructive-change");
}

#[test]
fn used_approval_does_not_count_again() {
    let Some((repo, file)) = approved() else {
        return;
    };
    let text = fs::read_to_string(&file).unwrap();
    repo.install_hook("post-commit");
    repo.git(&["commit", "--quiet", "-m", "Change"]);
    assert!(!file.exists());
    repo.git(&["reset", "--quiet", "--soft", "HEAD^"]);
    fs::write(&file, text).unwrap();
    repo.guard(&["lint"]).exits(1).says("destructive-change");
}
