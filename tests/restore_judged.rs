//! guard judges `guard snapshot restore` like the write of the restored content. Undoing guard's own last write passes.
#![cfg(unix)]
use std::fs;
use std::os::unix::fs::symlink;

use crate::common::files::Answer;
use crate::common::terminal::{End, driver, guard_at_terminal};
use crate::common::{GUARD, Repo, lines, run};
use serde_json::json;

const FILE: &str = "src/state.py";

fn backup(answer: &Answer) -> String {
    answer.works().json["backup"].as_str().unwrap().to_owned()
}

fn restore(repo: &Repo, snapshot: &str) -> Answer {
    repo.ask(&["snapshot", "restore", snapshot])
}

fn commit_all(repo: &Repo) {
    repo.git(&["add", "--all"]);
    repo.commit("Since");
}

/// A short file becomes a long one, which is committed. Returns the snapshot of the short one.
fn committed_since(repo: &Repo, old: Option<&str>) -> (String, String) {
    let new = lines(1..=400);
    if let Some(old) = old {
        repo.stage(FILE, old);
        repo.commit("Short");
    }
    repo.govern(&[(FILE, "Add/Modify", "the state")]);
    let snapshot = backup(&repo.put(FILE, &new, &[]));
    commit_all(repo);
    (snapshot, new)
}

#[test]
fn a_restore_that_replaces_a_committed_file_is_held_and_a_person_decides() {
    let repo = Repo::new();
    let (snapshot, new) = committed_since(&repo, Some("short\n"));
    let held = restore(&repo, &snapshot);
    assert_eq!(held.code, 1);
    assert_eq!(held.fails("held").class(), "REPLACE");
    assert_eq!(repo.read(FILE), new.as_bytes());
    let last = repo.records().pop().unwrap();
    assert_eq!(
        [&last["event"], &last["operation"], &last["rule"]],
        ["refused", "restore", "destructive-change"]
    );
    let pending = repo.json(&["pending"])["held"][0].clone();
    assert_eq!(
        [&pending["operation"], &pending["id"]],
        [&json!("restore"), &held.json["error"]["details"]["id"]]
    );
    let Some(driver) = driver(&repo) else { return };
    let id = pending["id"].as_str().unwrap();
    let answers = [("Type `", "line\n"), ("Reason: ", "the old state\n")];
    guard_at_terminal(driver, &["approve", id], &answers, End::Wait)
        .exits(0)
        .says("restored src/state.py");
    assert_eq!(repo.read(FILE), b"short\n");
    let done = repo.records().pop().unwrap();
    assert_eq!(
        [&done["event"], &done["operation"], &done["snapshot"]],
        ["done", "restore", &snapshot]
    );
}

#[test]
fn a_restore_that_removes_a_committed_file_is_judged_as_its_deletion() {
    let repo = Repo::new();
    let (snapshot, new) = committed_since(&repo, None);
    let refused = restore(&repo, &snapshot);
    assert_eq!(
        refused.fails("refused").json["error"]["rule"],
        "action-not-granted"
    );
    assert_eq!(repo.read(FILE), new.as_bytes());
    // Without a design, a person decides.
    let repo = Repo::open();
    let snapshot = backup(&repo.put(FILE, &new, &[]));
    commit_all(&repo);
    assert_eq!(restore(&repo, &snapshot).fails("held").class(), "DELETE");
    assert_eq!(repo.read(FILE), new.as_bytes());
}

#[test]
fn roots_secrets_and_settings_apply_to_restore_too() {
    for (settings, rule) in [
        ("[workspace]\nwrite = [\"src\"]\n", "outside-roots"),
        ("[workspace]\nsecrets = [\"notes*\"]\n", "protected-path"),
        ("[scope]\nprotect = [\"notes.txt\"]\n", "protected-path"),
    ] {
        let repo = Repo::open();
        let snapshot = backup(&repo.put("notes.txt", "x\n", &[]));
        repo.stage(
            "guard.toml",
            format!("[lld]\nmissing = \"skip\"\n{settings}"),
        );
        repo.commit("Narrow");
        let refused = restore(&repo, &snapshot);
        assert_eq!(refused.json["error"]["rule"], rule, "{refused:#?}");
        assert_eq!(refused.code, 1, "{settings}");
        assert_eq!(repo.read("notes.txt"), b"x\n", "{settings}");
        let last = repo.records().pop().unwrap();
        assert_eq!(
            [&last["event"], &last["operation"], &last["rule"]],
            ["refused", "restore", rule]
        );
    }
}

#[test]
fn all_files_of_a_move_are_judged_before_one_changes() {
    let repo = Repo::new();
    repo.stage("old.py", "x\n");
    repo.commit("Begin");
    repo.govern(&[("old.py", "Delete", "x"), ("new/a.py", "Add", "x")]);
    let snapshot = backup(&repo.ask(&["move", "old.py", "new/a.py"]));
    let undone = restore(&repo, &snapshot);
    assert_eq!(
        [&undone.works().json["restored"], &undone.json["removed"]],
        [&json!(["old.py"]), &json!(["new/a.py"])]
    );
    assert_eq!(repo.read("old.py"), b"x\n");
    assert!(!repo.path("new/a.py").exists());
    // The row lets the file go, but not come back with other content.
    repo.write("old.py", "y\n");
    let snapshot = backup(&repo.ask(&["delete", "old.py"]));
    restore(&repo, &snapshot).fails("refused");
    assert!(!repo.path("old.py").exists());
}

#[test]
fn approval_is_asked_before_any_file_is_restored() {
    let repo = Repo::open();
    repo.stage("old.py", lines(1..=200));
    repo.commit("Begin");
    let snapshot = backup(&repo.ask(&["move", "old.py", "new.py"]));
    commit_all(&repo);
    // Restoring the old file needs no approval, but deleting the new one does.
    let held = restore(&repo, &snapshot);
    assert_eq!(held.fails("held").class(), "DELETE");
    assert!(!repo.path("old.py").exists());
    assert_eq!(repo.read("new.py"), lines(1..=200).as_bytes());
}

#[test]
fn a_binary_file_that_was_deleted_comes_back() {
    let repo = Repo::open();
    repo.write("image", b"\x89PNG\0\0\0");
    let snapshot = backup(&repo.ask(&["delete", "image"]));
    restore(&repo, &snapshot).works();
    assert_eq!(repo.read("image"), b"\x89PNG\0\0\0");
}

#[test]
fn a_directory_that_became_a_link_is_not_followed() {
    let repo = Repo::open();
    repo.write("dir/a", "one\n");
    repo.write("other/a", "two\n");
    let snapshot = backup(&repo.put("dir/a", "two\n", &[]));
    fs::rename(repo.path("dir"), repo.path("kept")).unwrap();
    symlink("other", repo.path("dir")).unwrap();
    restore(&repo, &snapshot).fails("security");
    assert_eq!(repo.read("other/a"), b"two\n");
}

#[test]
fn restore_paths_are_relative_to_the_current_directory() {
    let repo = Repo::open();
    repo.write("src/a", "one\n");
    let snapshot = backup(&repo.put("src/a", "two\n", &[]));
    let verb = |verb: &str, path: &str| {
        let mut command = repo.command(GUARD);
        command.args(["snapshot", verb, &snapshot, path]);
        run(command.current_dir(repo.path("src")))
    };
    assert_eq!(verb("show", "a").exits(0).stdout, "one\n");
    assert_eq!(verb("show", "../src/a").exits(0).stdout, "one\n");
    verb("show", "src/a").exits(2).says("src/src/a");
    verb("restore", "src/a").exits(2).says("src/src/a");
    let absolute = repo.path("src/a");
    assert_eq!(
        verb("show", absolute.to_str().unwrap()).exits(0).stdout,
        "one\n"
    );
    verb("restore", "./a").exits(0);
    assert_eq!(repo.read("src/a"), b"one\n");
}
