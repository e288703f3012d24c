//! Digests: what a program reads is what it may expect, and repeating a write is harmless.

use crate::common::files::Answer;
use crate::common::{Repo, lines};

/// The digest of an answer.
#[track_caller]
fn digest(answer: &Answer) -> String {
    answer.works().json["digest"].as_str().unwrap().to_owned()
}

#[test]
fn read_and_every_write_tell_the_digest_that_expect_takes() {
    let repo = Repo::open();
    let mut last = digest(&repo.put("a", "one\n", &[]));
    assert_eq!(last, repo.git(&["hash-object", "--no-filters", "a"]));
    assert_eq!(digest(&repo.ask(&["read", "a"])), last);
    for (search, replace) in [("one", "two"), ("two", "three")] {
        let patch = ["patch", "a", "--search", search, "--replace", replace];
        let new = digest(&repo.ask(&[&patch[..], &["--expect", &last]].concat()));
        assert_eq!(new, repo.git(&["hash-object", "--no-filters", "a"]));
        // The earlier digest is of the past.
        let again = ["patch", "a", "--search", "o", "--replace", "0"];
        let stale = repo.ask(&[&again[..], &["--expect", &last]].concat());
        let error = &stale.fails("stale").json["error"];
        assert_eq!(error["details"]["actual"], new.as_str());
        last = new;
    }
    let moved = repo.ask(&["move", "a", "b"]);
    assert_eq!(digest(&moved), last);
    let deleted = repo.ask(&["delete", "b"]);
    assert!(deleted.works().json["digest"].is_null());
    for answer in [moved, deleted] {
        assert_eq!(answer.json["changed"], true);
    }
}

#[test]
fn expect_none_writes_only_a_new_file() {
    let repo = Repo::open();
    repo.put("new", "one\n", &["--expect", "none"]).works();
    let answer = repo.put("new", "two\n", &["--expect", "none"]);
    let actual = repo.git(&["hash-object", "--no-filters", "new"]);
    let error = &answer.fails("exists").json["error"];
    assert_eq!(error["details"]["actual"], actual);
    // A digest of a file that is gone.
    repo.put("gone", "x\n", &["--expect", &actual])
        .fails("stale");
}

#[test]
fn a_repeated_write_changes_nothing_and_takes_no_snapshot() {
    let repo = Repo::open();
    repo.write("a", "one\n");
    let before = digest(&repo.ask(&["read", "a"]));
    let first = repo.put("a", "two\n", &["--expect", &before]);
    assert_eq!(first.works().json["changed"], true);
    let taken = repo.snapshots();
    let again = repo.put("a", "two\n", &[]);
    assert_eq!(again.works().json["changed"], false);
    assert!(again.json["backup"].is_null());
    assert_eq!(digest(&again), digest(&first));
    assert_eq!(again.json["created"], false);
    let record = repo.records().pop().unwrap();
    assert_eq!(record["event"], "unchanged");
    assert_eq!(record["path"], "a");
    assert_eq!(repo.snapshots(), taken);
    // An addition is one each time, so the expectation counts.
    let append = ["--strategy", "append", "--expect", &before];
    repo.put("a", "two\n", &append).fails("stale");
    // The last change can still be undone.
    let backup = first.json["backup"].as_str().unwrap();
    let said = || repo.guard(&["snapshot", "restore", backup]).exits(0).stdout;
    let nothing = "every file is as the snapshot has it\n";
    assert_ne!(said(), nothing);
    assert_eq!(repo.read("a"), b"one\n");
    assert_eq!(said(), nothing);
}

#[test]
fn a_repeated_write_is_judged_like_the_first() {
    let repo = Repo::new();
    repo.stage("stray.py", "x\n");
    repo.stage("state.py", lines(1..=270));
    repo.govern(&[("state.py", "Modify", "x")]);
    repo.put("stray.py", "x\n", &[]).fails("refused");
    // Another program replaced it, which nobody has approved.
    repo.write("state.py", lines(1001..=1270));
    repo.put("state.py", lines(1001..=1270), &[]).fails("held");
}

#[test]
fn delete_and_move_take_an_expectation() {
    let repo = Repo::open();
    repo.write("a.py", "x = 1\n");
    let old = digest(&repo.ask(&["read", "a.py"]));
    repo.write("a.py", "x = 2\n");
    for words in [&["delete", "a.py"][..], &["move", "a.py", "b.py"]] {
        for (expected, part) in [(&*old, "has changed since"), ("none", "already exists")] {
            let words = [words, &["--expect", expected]].concat();
            repo.guard(&words).exits(1).says(part);
            assert_eq!(repo.read("a.py"), b"x = 2\n");
        }
    }
    let new = digest(&repo.ask(&["read", "a.py"]));
    for words in [&["move", "a.py", "b.py"][..], &["delete", "b.py"]] {
        repo.guard(&[words, &["--expect", &new]].concat()).exits(0);
    }
    assert!(!repo.path("a.py").exists() && !repo.path("b.py").exists());
}
