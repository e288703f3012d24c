//! guard judges `guard snapshot restore` like the write of the restored content. Undoing guard's own last write passes.
use crate::common::system::symlink;
use std::fs;

use crate::common::files::Answer;
use crate::common::terminal::{End, driver, guard_at_terminal};
use crate::common::{Repo, lines};
use serde_json::json;

const FILE: &str = "src/state.py";

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
    let snapshot = repo.put(FILE, &new, &[]).backup();
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
    let refused = [&last["event"], &last["operation"], &last["rule"]];
    assert_eq!(refused, ["refused", "restore", "destructive-change"]);
    let pending = repo.json(&["approve"])["held"][0].clone();
    assert_eq!(pending["operation"], "restore");
    assert_eq!(pending["id"], held.json["error"]["details"]["id"]);
    let Some(driver) = driver(&repo) else { return };
    let id = pending["id"].as_str().unwrap();
    let answers = [("Type `", "line\n"), ("Reason: ", "the old state\n")];
    guard_at_terminal(driver, &["approve", id], &answers, End::Wait)
        .exits(0)
        .says("restored src/state.py");
    assert_eq!(repo.read(FILE), b"short\n");
    let done = repo.records().pop().unwrap();
    assert_eq!([&done["event"], &done["operation"]], ["done", "restore"]);
}

#[test]
fn a_restore_that_removes_a_committed_file_is_judged_as_its_deletion() {
    let repo = Repo::new();
    let (snapshot, new) = committed_since(&repo, None);
    let refused = restore(&repo, &snapshot);
    assert_eq!(refused.fails("refused").rule(), "action-not-granted");
    assert_eq!(repo.read(FILE), new.as_bytes());
    // Without a design, a person decides.
    let repo = Repo::open();
    let snapshot = repo.put(FILE, &new, &[]).backup();
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
        let snapshot = repo.put("notes.txt", "x\n", &[]).backup();
        repo.stage(
            "guard.toml",
            format!("[lld]\nmissing = \"skip\"\n{settings}"),
        );
        repo.commit("Narrow");
        let refused = restore(&repo, &snapshot);
        assert_eq!(refused.rule(), rule, "{refused:#?}");
        assert_eq!(refused.code, 1, "{settings}");
        assert_eq!(repo.read("notes.txt"), b"x\n", "{settings}");
    }
}

#[test]
fn all_files_of_a_move_are_judged_before_one_changes() {
    let repo = Repo::new();
    repo.stage("old.py", "x\n");
    repo.commit("Begin");
    repo.govern(&[("old.py", "Delete", "x"), ("new/a.py", "Add", "x")]);
    let snapshot = repo.ask(&["move", "old.py", "new/a.py"]).backup();
    let undone = restore(&repo, &snapshot);
    assert_eq!(undone.works().json["restored"], json!(["old.py"]));
    assert_eq!(undone.json["removed"], json!(["new/a.py"]));
    assert_eq!(repo.read("old.py"), b"x\n");
    assert!(!repo.path("new/a.py").exists());
    // The row lets the file go, but not come back with other content.
    repo.write("old.py", "y\n");
    let snapshot = repo.ask(&["delete", "old.py"]).backup();
    restore(&repo, &snapshot).fails("refused");
    assert!(!repo.path("old.py").exists());
}

#[test]
fn approval_is_asked_before_any_file_is_restored() {
    let repo = Repo::open();
    repo.stage("old.py", lines(1..=200));
    repo.commit("Begin");
    let snapshot = repo.ask(&["move", "old.py", "new.py"]).backup();
    commit_all(&repo);
    // Restoring the old file needs no approval, but deleting the new one does.
    let held = restore(&repo, &snapshot);
    assert_eq!(held.fails("held").class(), "DELETE");
    assert!(!repo.path("old.py").exists() && repo.path("new.py").exists());
}

#[test]
fn a_directory_that_became_a_link_is_not_followed() {
    let repo = Repo::open();
    repo.write("dir/a", "one\n");
    repo.write("other/a", "two\n");
    let snapshot = repo.put("dir/a", "two\n", &[]).backup();
    fs::rename(repo.path("dir"), repo.path("kept")).unwrap();
    symlink("other", repo.path("dir")).unwrap();
    restore(&repo, &snapshot).fails("security");
    assert_eq!(repo.read("other/a"), b"two\n");
}

#[test]
fn restore_paths_are_relative_to_the_current_directory() {
    let repo = Repo::open();
    repo.write("src/a", "one\n");
    let snapshot = repo.put("src/a", "two\n", &[]).backup();
    let verb = |verb: &str, path: &str, code, part: &str| {
        let line = format!("-C src snapshot {verb} {snapshot} {path}");
        repo.tells(&line, code, part);
    };
    for path in ["a", "../src/a", repo.path("src/a").to_str().unwrap()] {
        verb("show", path, 0, "one\n");
    }
    verb("show", "src/a", 2, "src/src/a");
    verb("restore", "src/a", 2, "src/src/a");
    verb("restore", "./a", 0, "");
    assert_eq!(repo.read("src/a"), b"one\n");
}
