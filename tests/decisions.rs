//! Decisions requested through the library, and damaged stores behind them: on any problem, guard writes nothing.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::{Repo, lines};
use gix::bstr::BStr;
use write_guard::files::{Answer, Effect, Failure, FailureKind, Gate, Operation, Question, reject};
use write_guard::git::Repository;
use write_guard::judge::Options;

const FILE: &str = "state.py";

fn old() -> String {
    lines(1..=200)
}

fn repo() -> Repo {
    let repo = Repo::open();
    repo.stage(FILE, old());
    repo.commit("State");
    repo
}

fn replacement() -> Operation {
    Operation::replace(b"nothing of it is left\n".to_vec())
}

fn perform(
    repo: &Repo,
    operation: &Operation,
    mut ask: impl FnMut(&Question) -> Answer,
) -> Result<Effect, Failure> {
    let opened = Repository::open(&repo.root).unwrap();
    let gate = Gate::open(&opened, &Options::default()).unwrap();
    gate.perform(BStr::new(FILE), operation, None, Some(&mut ask))
}

fn approve(
    repo: &Repo,
    id: &str,
    mut ask: impl FnMut(&Question) -> Answer,
) -> Result<Effect, Failure> {
    let opened = Repository::open(&repo.root).unwrap();
    let gate = Gate::open(&opened, &Options::default()).unwrap();
    gate.approve(id, &mut ask)
}

fn consent(_: &Question) -> Answer {
    Answer::Approve("it is meant".to_owned())
}

fn events(repo: &Repo) -> Vec<String> {
    let name = |record: &serde_json::Value| record["event"].as_str().unwrap().to_owned();
    repo.records().iter().map(name).collect()
}

/// Makes guard hold a change and returns its id.
#[track_caller]
fn hold(repo: &Repo, arguments: &[&str]) -> String {
    let answer = repo.ask(arguments);
    let id = &answer.fails("held").json["error"]["details"]["id"];
    id.as_str().unwrap().to_owned()
}

#[test]
fn approved_deletion_is_carried_out() {
    let repo = repo();
    let id = hold(&repo, &["delete", FILE]);
    approve(&repo, &id, consent).unwrap();
    assert!(!repo.path(FILE).exists());
    assert_eq!(repo.json(&["pending"])["held"].as_array().unwrap().len(), 0);
    // It cannot be done twice.
    let again = approve(&repo, &id, |question| panic!("{question:?}")).unwrap_err();
    assert_eq!(again.kind, FailureKind::NotFound);
}

#[test]
fn file_that_changes_during_the_prompt_is_not_written() {
    let repo = repo();
    let meanwhile = old() + "written while the question was open\n";
    let failure = perform(&repo, &replacement(), |question| {
        repo.write(FILE, &meanwhile);
        consent(question)
    });
    assert_eq!(failure.unwrap_err().kind, FailureKind::Stale);
    assert_eq!(repo.read(FILE), meanwhile.as_bytes());
    // No approval is left that a commit could use.
    assert_eq!(events(&repo), [""; 0]);
    assert!(!repo.path(".git/guard/approvals").exists());
}

#[test]
fn other_writes_succeed_during_a_prompt() {
    let repo = repo();
    perform(&repo, &replacement(), |question| {
        repo.put("other.py", "x\n", &[]).works();
        consent(question)
    })
    .unwrap();
    assert_eq!(repo.read("other.py"), b"x\n");
    assert_eq!(repo.read(FILE), b"nothing of it is left\n");
}

#[test]
fn held_change_that_destroys_nothing_any_more_is_still_asked_about() {
    let repo = repo();
    repo.write("new-content", "x\n");
    let id = hold(&repo, &["write", FILE, "--content-file", "new-content"]);
    repo.stage(
        "guard.toml",
        "[lld]\nmissing = \"skip\"\n[destructive]\nlines = 1000\n",
    );
    repo.commit("Large is larger");
    let mut asked = 0;
    let answer = |question: &Question| {
        asked += 1;
        consent(question)
    };
    approve(&repo, &id, answer).unwrap();
    assert_eq!(repo.read(FILE), b"x\n");
    assert_eq!(asked, 1);
}

#[test]
fn approval_that_cannot_be_stored_does_not_count() {
    let repo = repo();
    let failure = perform(&repo, &replacement(), |question| {
        repo.write(".git/guard/approvals", "in the way\n");
        consent(question)
    });
    assert_eq!(failure.unwrap_err().kind, FailureKind::Record);
    assert_eq!(repo.read(FILE), old().as_bytes());
    assert!(!events(&repo).contains(&"started".to_owned()));
}

#[test]
fn change_that_cannot_be_held_is_still_refused() {
    let repo = repo();
    repo.write(".git/guard/held", "in the way\n");
    repo.put(FILE, "x\n", &["--auto"]).fails("held");
    assert_eq!(repo.read(FILE), old().as_bytes());
    repo.guard(&["pending"]).exits(2).says("cannot be read");
    let opened = Repository::open(&repo.root).unwrap();
    let failure = reject(&opened, "0123456789ab", "no").unwrap_err();
    assert_eq!(failure.kind, FailureKind::Io);
    assert_eq!(events(&repo), ["refused"], "nothing was decided");
}

#[test]
fn ids_are_not_paths_and_foreign_files_in_the_store_are_ignored() {
    let repo = repo();
    let id = hold(&repo, &["delete", FILE]);
    // A held change under another name, and one that is not JSON.
    let store = repo.path(".git/guard/held");
    fs::copy(store.join(&id), store.join("abcdef")).unwrap();
    fs::write(store.join("123456"), "no JSON").unwrap();
    fs::write(repo.path(".git/guard/outside"), "{}").unwrap();
    for id in ["abcdef", "123456", "../outside", "", "xyz"] {
        let failure = approve(&repo, id, |question| panic!("{question:?}")).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotFound, "{id}");
        assert!(failure.message.contains("waits for approval"), "{id}");
    }
    assert_eq!(repo.json(&["pending"])["held"].as_array().unwrap().len(), 1);
    assert_eq!(repo.read(FILE), old().as_bytes());
}

#[test]
fn expired_held_changes_are_removed_with_their_content() {
    let repo = repo();
    let id = hold(&repo, &["delete", FILE]);
    repo.expire_held();
    let failure = approve(&repo, &id, |question| panic!("{question:?}")).unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotFound);
    assert_eq!(repo.json(&["pending"])["held"].as_array().unwrap().len(), 0);
    let store = fs::read_dir(repo.path(".git/guard/held")).unwrap();
    assert_eq!(store.count(), 0);
}

#[test]
fn nothing_is_written_without_the_lock() {
    let repo = repo();
    repo.put("a", "one\n", &[]).works();
    repo.ask(&["delete", "a"]).works();
    let backup = repo.git(&["rev-parse", "refs/guard/snapshots"]);
    let lock = repo.path(".git/guard/write.lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    repo.put("a", "x\n", &[]).fails("record");
    repo.guard(&["snapshot", "restore", &backup, "a"])
        .exits(2)
        .says("cannot be locked");
    fs::remove_dir(&lock).unwrap();
    // guard does not create one through a link either.
    symlink(repo.path("../home/lock"), &lock).unwrap();
    repo.put("a", "x\n", &[]).fails("record");
    assert!(!repo.path("a").exists());
    assert!(!repo.path("../home/lock").exists());
}

#[test]
fn invalid_log_stops_every_change() {
    let repo = repo();
    repo.put("a", "one\n", &[]).works();
    let log = repo.path(".git/guard/log.jsonl");
    fs::write(&log, "this\nis\nno log\n").unwrap();
    for arguments in [
        &["write", "a", "--allow-empty"][..],
        &["patch", "a", "--search", "one", "--replace", "two"],
        &["delete", "a"],
        &["move", "a", "b"],
    ] {
        repo.ask(arguments).fails("record");
    }
    assert_eq!(repo.read("a"), b"one\n");
    assert!(!repo.path("b").exists());
    assert_eq!(fs::read(&log).unwrap(), b"this\nis\nno log\n");
    // guard does not follow a log that is a link.
    fs::remove_file(&log).unwrap();
    symlink(repo.path("../home/log"), &log).unwrap();
    repo.put("a", "x\n", &[]).fails("record");
    assert!(!repo.path("../home/log").exists());
}
