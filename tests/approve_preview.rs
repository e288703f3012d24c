//! What `guard approve` shows of a change before a person approves it, in a real pseudo-terminal.

#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use crate::common::terminal::{End, driver, guard_at_terminal};
use crate::common::{Repo, lines};

const FILE: &str = "src/state.py";
const WORD: &str = "Type `";

/// 270 lines become 56. A person can see every line of both versions before typing the word.
#[test]
fn whole_change_can_be_paged_before_approval() {
    let repo = Repo::new();
    repo.stage(FILE, lines(1..=270));
    repo.commit("Begin");
    repo.govern(&[(FILE, "Modify", "the state")]);
    let new = lines(1..=56).replace("line", "other");
    repo.write("content", &new);
    repo.guard(&["write", FILE, "--content-file", "content"])
        .exits(1);
    let held = repo.json(&["pending"]);
    let id = held["held"][0]["id"].as_str().unwrap().to_owned();
    let preview = repo.guard(&["pending", &id]).exits(0);
    preview
        .says("more removed lines")
        .says("  | +other number 1\n");
    let full = repo.guard(&["pending", &id, "--full"]).exits(0);
    let is_whole = |shown: &str| {
        (1..=270).all(|n| shown.contains(&format!("  | -line number {n}\n")))
            && (1..=56).all(|n| shown.contains(&format!("  | +other number {n}\n")))
    };
    assert!(is_whole(&full.text()), "{}", full.text());
    let (Some(first), Some(second)) = (driver(&repo), driver(&repo)) else {
        return;
    };
    let mut answers = vec![(WORD, "p\n")];
    answers.extend([("next page", "\n"); 8]);
    answers.extend([(WORD, "line\n"), ("Reason: ", "a new format\n")]);
    repo.stage(FILE, &new);
    let arguments = ["approve", "--staged"];
    let early = guard_at_terminal(
        second,
        &arguments,
        &[(WORD, "p\n"), ("next page", "q\n"), (WORD, "no\n")],
        End::Wait,
    );
    assert!(!is_whole(&early.exits(1).shown));
    repo.git(&["reset", "--quiet", "--hard"]);
    let session = guard_at_terminal(first, &["approve", &id], &answers, End::Wait).exits(0);
    assert!(is_whole(&session.shown), "{}", session.shown);
    assert_eq!(repo.read(FILE), new.as_bytes());
}

#[test]
fn unsigned_approval_says_before_the_question_that_ci_does_not_count_it() {
    let repo = Repo::new();
    repo.stage(FILE, lines(1..=270));
    repo.commit("Begin");
    repo.govern(&[(FILE, "Modify", "the state")]);
    repo.stage(FILE, lines(500..=560));
    let Some(driver) = driver(&repo) else { return };
    let answers = [(WORD, "no\n")];
    let session = guard_at_terminal(driver, &["approve", "--staged"], &answers, End::Wait);
    let shown = session.exits(1).shown;
    let note = shown.find("this approval is unsigned").unwrap();
    assert!(note < shown.find(WORD).unwrap(), "{shown}");
}
