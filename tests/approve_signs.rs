//! `guard approve` signs approvals, in a real pseudo-terminal and with the real `ssh-keygen`.

use std::process::Command;

use crate::common::signing::*;
use crate::common::system;
use crate::common::terminal::{Session, decide, driver};
use crate::common::{Repo, write_executable};
use write_guard_policy::approve::{Approval, TRAILER};

/// The replacement is staged on the branch, and guard's hooks are installed.
fn staged() -> Option<Repo> {
    let repo = listed()?;
    repo.install_commit_hooks();
    repo.stage(FILE, new());
    Some(repo)
}

fn approve_with(driver: Command, options: &[&str]) -> Session {
    let arguments = [&["approve", "--staged"], options].concat();
    decide(driver, &arguments, "line", "a new format")
}

/// Commits the staged changes with all hooks, and reads the approval in the message.
#[track_caller]
fn committed(repo: &Repo) -> Approval {
    repo.try_git(&["commit", "--quiet", "-m", "Change"])
        .exits(0);
    let message = repo.git(&["log", "-1", "--format=%B"]);
    let trailer = message
        .lines()
        .find_map(|line| line.strip_prefix(TRAILER)?.strip_prefix(": "));
    Approval::from_trailer_value(trailer.unwrap().as_bytes()).unwrap()
}

#[test]
fn approval_signed_at_the_terminal_counts_in_commit_and_range() {
    let Some(repo) = staged() else { return };
    let Some(driver) = driver(&repo) else { return };
    approve_with(driver, &["--sign", &key(&repo, "person")])
        .exits(0)
        .says("approved src/state.py, signed: commit it now");
    let one = committed(&repo);
    assert_eq!((&*one.who, &*one.reason), (WHO, "a new format"));
    assert_eq!(one.path, FILE);
    assert_eq!(one.expires - one.when, 14 * 86_400);
    range(&repo, &[]).exits(0);
    range(&repo, &["--each-commit"]).exits(0);
    let record = &repo.records()[0];
    assert_eq!(record["id"], one.id);
    assert_eq!(record["signed"], true);
}

#[test]
fn gits_signing_key_signs_and_no_configured_program_runs() {
    let Some(repo) = staged() else { return };
    let Some(first) = driver(&repo) else { return };
    let mut second = driver(&repo).unwrap();
    // A hostile configuration, and a hostile program in a directory of a careless PATH.
    for name in ["hostile", "ssh-keygen"] {
        write_executable(&repo.path(name), "#!/bin/sh\ntouch ran\nexit 1\n");
    }
    let hostile = repo.path("hostile").display().to_string();
    for (name, value) in [
        ("gpg.ssh.program", hostile.as_str()),
        ("gpg.program", &hostile),
        ("gpg.ssh.defaultKeyCommand", &hostile),
        ("gpg.format", "ssh"),
        ("user.signingKey", &key(&repo, "person")),
    ] {
        repo.git(&["config", name, value]);
    }
    second.env("PATH", system::path_beginning_with("."));
    approve_with(second, &[]).exits(0).says("signed");
    assert!(!repo.path("ran").exists());
    committed(&repo);
    range(&repo, &[]).exits(0);
    // --no-sign approves without a signature.
    repo.git(&["reset", "--quiet", "--soft", "HEAD~"]);
    approve_with(first, &["--no-sign"]).exits(0);
    let one = committed(&repo);
    assert_eq!(one.signature, None);
    assert_eq!(one.who, "A U Thor <author@example.com>");
    range(&repo, &[]).exits(1).says("unsigned");
}

#[test]
fn a_held_change_and_a_write_at_the_terminal_are_signed_too() {
    let Some(repo) = staged() else { return };
    let Some(first) = driver(&repo) else { return };
    let mut second = driver(&repo).unwrap();
    repo.git(&["reset", "--quiet", "--hard"]);
    repo.write("content", new());
    let write = ["write", FILE, "--content-file", "content"];
    repo.guard(&write).exits(1);
    let sign = ["approve", &repo.held_id(), "--sign", &key(&repo, "person")];
    decide(first, &sign, "line", "a new format").exits(0);
    repo.git(&["add", FILE]);
    committed(&repo);
    range(&repo, &[]).exits(0);
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    second.env("GUARD_SIGN", key(&repo, "person"));
    decide(second, &write, "line", "a new format").exits(0);
    repo.git(&["add", FILE]);
    committed(&repo);
    range(&repo, &[]).exits(0);
}
