//! `guard approve` signs approvals, in a real pseudo-terminal and with the real `ssh-keygen`.

#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::common::Repo;
use crate::common::signing::*;
use crate::common::terminal::{End, Session, driver, guard_at_terminal};
use write_guard::approve::{Approval, TRAILER};

const WORD: &str = "Type `";

/// The replacement is staged on the branch, and guard's hooks are installed.
fn staged() -> Option<Repo> {
    let repo = listed()?;
    for hook in [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
    ] {
        repo.install_hook(hook);
    }
    repo.stage(FILE, new());
    Some(repo)
}

fn approve_with(driver: Command, options: &[&str], more: &[(&str, &str)]) -> Session {
    let arguments = [&["approve", "--staged"], options].concat();
    let answers = [
        &[(WORD, "line\n"), ("Reason: ", "a new format\n")][..],
        more,
    ]
    .concat();
    guard_at_terminal(driver, &arguments, &answers, End::Wait)
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
    approve_with(driver, &["--sign", &key(&repo, "person")], &[])
        .exits(0)
        .says("approved src/state.py, signed: commit it now");
    let one = committed(&repo);
    assert_eq!(
        (one.who.as_str(), one.reason.as_str()),
        (WHO, "a new format")
    );
    assert_eq!(one.path, FILE);
    assert_eq!(one.expires - one.when, 14 * 86_400);
    range(&repo, &[]).exits(0);
    range(&repo, &["--each-commit"]).exits(0);
    let record = repo.json(&["audit", "show"])["records"][0].clone();
    assert_eq!(
        (record["id"].as_str(), record["signed"].as_bool()),
        (Some(one.id.as_str()), Some(true))
    );
}

#[test]
fn gits_signing_key_signs_and_no_configured_program_runs() {
    let Some(repo) = staged() else { return };
    let (Some(first), Some(mut second)) = (driver(&repo), driver(&repo)) else {
        return;
    };
    // A hostile configuration, and a hostile program in a directory of a careless PATH.
    for name in ["hostile", "ssh-keygen"] {
        repo.write(name, "#!/bin/sh\ntouch ran\nexit 1\n");
        fs::set_permissions(repo.path(name), fs::Permissions::from_mode(0o755)).unwrap();
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
    let path = std::env::var("PATH").unwrap();
    second.env("PATH", format!(".::{path}"));
    approve_with(second, &[], &[]).exits(0).says("signed");
    assert!(!repo.path("ran").exists());
    committed(&repo);
    range(&repo, &[]).exits(0);
    // --no-sign approves without a signature.
    repo.git(&["reset", "--quiet", "--soft", "HEAD~"]);
    approve_with(first, &["--no-sign"], &[]).exits(0);
    let one = committed(&repo);
    assert_eq!(one.signature, None);
    assert_eq!(one.who, "A U Thor <author@example.com>");
    range(&repo, &[]).exits(1).says("unsigned");
}

#[test]
fn a_held_change_and_a_write_at_the_terminal_are_signed_too() {
    let Some(repo) = staged() else { return };
    let (Some(first), Some(mut second)) = (driver(&repo), driver(&repo)) else {
        return;
    };
    repo.git(&["reset", "--quiet", "--hard"]);
    repo.write("content", new());
    let write = ["write", FILE, "--content-file", "content"];
    repo.guard(&write).exits(1);
    let id = repo.json(&["pending"])["held"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let answers = [(WORD, "line\n"), ("Reason: ", "a new format\n")];
    let sign = ["approve", &id, "--sign", &key(&repo, "person")];
    guard_at_terminal(first, &sign, &answers, End::Wait).exits(0);
    repo.git(&["add", FILE]);
    committed(&repo);
    range(&repo, &[]).exits(0);
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    second.env("GUARD_SIGN", key(&repo, "person"));
    guard_at_terminal(second, &write, &answers, End::Wait).exits(0);
    repo.git(&["add", FILE]);
    committed(&repo);
    range(&repo, &[]).exits(0);
}

/// In a repository without signers, guard says where an unsigned approval counts, and its advice works.
#[test]
fn listed_key_signs_an_approval_that_the_range_accepts() {
    let Some(repo) = scene("", "") else { return };
    for hook in ["prepare-commit-msg", "commit-msg", "post-commit"] {
        repo.install_hook(hook);
    }
    let [Some(first), Some(second)] = [driver(&repo), driver(&repo)] else {
        return;
    };
    repo.stage(FILE, new());
    approve_with(first, &[], &[])
        .exits(0)
        .says("this approval is unsigned")
        .says("list your key in .guard/allowed_signers on the target branch");
    committed(&repo);
    range(&repo, &[]).exits(1).says("unsigned");
    repo.git(&["switch", "--quiet", "main"]);
    let public = fs::read_to_string(key(&repo, "person") + ".pub").unwrap();
    repo.stage(SIGNERS, format!("{WHO} namespaces=\"guard\" {public}"));
    repo.commit("List a signer");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    repo.stage(FILE, new());
    let signed = approve_with(second, &["--sign", &key(&repo, "person")], &[]).exits(0);
    assert!(!signed.shown.contains("unsigned"), "{}", signed.shown);
    committed(&repo);
    range(&repo, &[]).exits(0);
}
