//! Decisions requested through the library, and damaged stores behind them: on any problem, guard writes nothing.

use crate::common::system::symlink;
use std::fs;

use crate::common::Repo;
use crate::common::signing::old;
use gix::bstr::BStr;
use write_guard::approvals::{Answer, Question, reject};
use write_guard::files::{Effect, Failure, FailureKind, Gate, Operation};
use write_guard::judge::Options;
use write_guard_repo::Repository;

const FILE: &str = "state.py";

fn repo() -> Repo {
    let repo = Repo::open();
    repo.stage(FILE, old());
    repo.commit("State");
    repo
}

/// What the gate of a repository answers.
fn with_gate<T>(repo: &Repo, work: impl FnOnce(&Gate<'_>) -> T) -> T {
    let opened = Repository::open(&repo.root).unwrap();
    work(&Gate::open(&opened, &Options::default()).unwrap())
}

/// Replaces the content of the file.
fn replace(repo: &Repo, mut ask: impl FnMut(&Question) -> Answer) -> Result<Effect, Failure> {
    let operation = Operation::replace(b"nothing of it is left\n".to_vec());
    with_gate(repo, |gate| {
        gate.perform(BStr::new(FILE), &operation, None, Some(&mut ask))
    })
}

/// Approves a change for which guard must not ask.
#[track_caller]
fn is_not_found(repo: &Repo, id: &str) {
    let mut ask = |question: &Question| panic!("{question:?}");
    let failure = with_gate(repo, |gate| gate.approve(id, &mut ask)).unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotFound, "{id}");
    assert!(failure.message.contains("waits for approval"), "{id}");
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
    with_gate(&repo, |gate| gate.approve(&id, &mut consent)).unwrap();
    assert!(!repo.path(FILE).exists());
    assert_eq!(repo.pending().len(), 0);
    // It cannot be done twice.
    is_not_found(&repo, &id);
}

#[test]
fn file_that_changes_during_the_prompt_is_not_written() {
    let repo = repo();
    let meanwhile = old() + "written while the question was open\n";
    let failure = replace(&repo, |question| {
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
    replace(&repo, |question| {
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
    let settings = "[lld]\nmissing = \"skip\"\n[destructive]\nlines = 1000\n";
    repo.stage("guard.toml", settings);
    repo.commit("Large is larger");
    let mut asked = 0;
    let mut answer = |question: &Question| {
        asked += 1;
        consent(question)
    };
    with_gate(&repo, |gate| gate.approve(&id, &mut answer)).unwrap();
    assert_eq!(repo.read(FILE), b"x\n");
    assert_eq!(asked, 1);
}

#[test]
fn approval_that_cannot_be_stored_does_not_count() {
    let repo = repo();
    let failure = replace(&repo, |question| {
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
    repo.guard(&["approve"]).exits(2).says("cannot be read");
    let opened = Repository::open(&repo.root).unwrap();
    let failure = reject(&opened, "0123456789ab", "no").unwrap_err();
    assert_eq!(failure.kind, FailureKind::Io);
    assert_eq!(events(&repo), ["refused"], "nothing was decided");
}

#[test]
fn foreign_files_in_the_store_are_ignored_and_expired_changes_removed() {
    let repo = repo();
    let id = hold(&repo, &["delete", FILE]);
    // A held change under another name, and one that is not JSON.
    let store = repo.path(".git/guard/held");
    fs::copy(store.join(&id), store.join("abcdef")).unwrap();
    fs::write(store.join("123456"), "no JSON").unwrap();
    fs::write(repo.path(".git/guard/outside"), "{}").unwrap();
    for id in ["abcdef", "123456", "../outside", "", "xyz"] {
        is_not_found(&repo, id);
    }
    assert_eq!(repo.pending().len(), 1);
    let held = fs::read(store.join(&id)).unwrap();
    let mut held: serde_json::Value = serde_json::from_slice(&held).unwrap();
    held["expires"] = 1.into();
    fs::write(store.join(&id), held.to_string()).unwrap();
    is_not_found(&repo, &id);
    assert_eq!(repo.pending().len(), 0);
    assert!(!store.join(&id).exists(), "its content goes, too");
    assert_eq!(repo.read(FILE), old().as_bytes());
}

/// Not with a directory or a link in its place.
#[test]
fn nothing_is_written_without_the_lock_and_a_sound_log() {
    let repo = repo();
    repo.put("a", "one\n", &[]).works();
    repo.put("a", "two\n", &[]).works();
    let backup = repo.git(&["rev-parse", "refs/guard/snapshots"]);
    let changes: [&[&str]; 5] = [
        &["write", "a", "--allow-empty"],
        &["patch", "a", "--search", "two", "--replace", "x"],
        &["delete", "a"],
        &["move", "a", "b"],
        &["snapshot", "restore", &backup],
    ];
    for name in ["write.lock", "log.lock", "log.jsonl"] {
        let file = repo.path(".git/guard").join(name);
        let good = fs::read(&file).unwrap();
        let refused = || {
            changes
                .iter()
                .for_each(|change| drop(repo.guard(change).exits(2)))
        };
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        refused();
        fs::remove_dir(&file).unwrap();
        symlink(repo.path("../home/elsewhere"), &file).unwrap();
        refused();
        fs::remove_file(&file).unwrap();
        if name == "log.jsonl" {
            fs::write(&file, "this\nis\nno log\n").unwrap();
            refused();
            repo.put("a", "x\n", &[]).fails("record");
            assert_eq!(fs::read(&file).unwrap(), b"this\nis\nno log\n");
        }
        fs::write(&file, good).unwrap();
    }
    assert_eq!(repo.read("a"), b"two\n");
    assert!(!repo.path("b").exists());
    assert!(!repo.path("../home/elsewhere").exists());
}
