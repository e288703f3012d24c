//! Held changes and approvals are those of one work tree of a repository. The list of snapshots names the work tree, and
//! restoring one in another is refused.
use std::fs;

use crate::common::files::Answer;
use crate::common::system;
use crate::common::terminal::{End, driver, guard_at_terminal};
use crate::common::{self, Repo, findings, lines};
use serde_json::{Value, json};

const FILE: &str = "state.py";
const CONSENT: &[(&str, &str)] = &[("Type `", "line\n"), ("Reason: ", "a reason\n")];

/// The main work tree, with a linked one in `../side`; both have the same large file.
fn linked() -> Repo {
    let repo = Repo::open();
    repo.stage(FILE, lines(1..=200));
    repo.commit("State");
    repo.git(&["worktree", "add", "--quiet", "-b", "side", "../side"]);
    repo
}

fn new() -> String {
    lines(1..=200).replace("line", "other")
}

/// The linked work tree, as guard names it.
fn side(repo: &Repo) -> String {
    let side = system::real(repo.path("../side"));
    side.to_str().unwrap().to_owned()
}

/// Holds the replacement of the file, and returns its id.
fn hold(repo: &Repo, directory: &str) -> String {
    let held = put(repo, directory, FILE, &new());
    let id = held.fails("held").json["error"]["details"]["id"].clone();
    id.as_str().unwrap().to_owned()
}

fn put(repo: &Repo, directory: &str, path: &str, content: &str) -> Answer {
    let mut write = repo.command(common::GUARD);
    write.args(["-C", directory, "write", path]);
    common::files::answer_of(&mut write, content.as_bytes())
}

fn pending(repo: &Repo, directory: &str) -> Vec<Value> {
    let held = repo.json(&["-C", directory, "approve"])["held"].clone();
    held.as_array().unwrap().clone()
}

#[test]
fn a_held_change_is_written_in_its_own_work_tree_only() {
    let repo = linked();
    let held = put(&repo, "../side", FILE, &new());
    let error = &held.fails("held").json["error"];
    let id = error["details"]["id"].as_str().unwrap();
    let place = side(&repo);
    // A person may be in another work tree.
    let go = format!("a person decides: guard -C {place} approve {id}");
    assert_eq!(error["help"][1], go);
    assert_eq!(pending(&repo, "../side")[0]["worktree"], place);
    assert_eq!(pending(&repo, ".").len(), 0);
    repo.ask(&["approve", id, "--show"]).fails("not-found");
    let (Some(here), Some(there)) = (driver(&repo), driver(&repo)) else {
        return;
    };
    guard_at_terminal(here, &["approve", id], &[], End::Wait).exits(1);
    assert_eq!(repo.read(FILE), lines(1..=200).as_bytes());
    let approve = ["-C", &place, "approve", id];
    guard_at_terminal(there, &approve, CONSENT, End::Wait).exits(0);
    assert_eq!(repo.read("../side/state.py"), new().as_bytes());
    assert_eq!(repo.read(FILE), lines(1..=200).as_bytes());
    assert_eq!(repo.records().pop().unwrap()["worktree"], "side");
    repo.tells("audit show", 0, "worktree=side");
}

#[test]
fn the_same_change_held_in_two_work_trees_is_held_twice() {
    let repo = linked();
    let (here, there) = (hold(&repo, "."), hold(&repo, "../side"));
    assert_ne!(here, there);
    let Some(driver) = driver(&repo) else { return };
    let reject = ["-C", "../side", "approve", &there, "--reject"];
    guard_at_terminal(driver, &reject, &[], End::Wait).exits(0);
    assert_eq!(pending(&repo, ".").len(), 1);
    assert_eq!(pending(&repo, "../side").len(), 0);
    let rejected = repo.records().pop().unwrap();
    assert_eq!(rejected["event"], "rejected");
    assert_eq!(rejected["worktree"], "side");
    assert_eq!(repo.read(FILE), lines(1..=200).as_bytes());
}

#[test]
fn a_snapshot_is_restored_in_its_own_work_tree_only() {
    let repo = linked();
    repo.write("a", "here\n");
    repo.write("../side/a", "there\n");
    let here = put(&repo, ".", "a", "here, new\n").backup();
    let there = put(&repo, "../side", "a", "there, new\n").backup();
    let place = side(&repo);
    let list = repo.json(&["snapshot", "list"])["snapshots"].clone();
    assert_eq!(list[0]["worktree"], *place);
    assert_eq!(list[1]["worktree"], repo.root.to_str().unwrap());
    repo.tells("snapshot list", 0, "(work tree side)");
    let refused = repo.ask(&["snapshot", "restore", &there]);
    refused.fails("other-worktree");
    assert_eq!(repo.read("a"), b"here, new\n");
    // Every work tree can show its content.
    let held = repo.guard(&["snapshot", "show", &there, "a"]).exits(0);
    assert_eq!(held.stdout, "there\n");
    let restored = repo.ask(&["-C", "../side", "snapshot", "restore", &there]);
    assert_eq!(restored.works().json["restored"], json!(["a"]));
    assert_eq!(repo.read("../side/a"), b"there\n");
    repo.ask(&["snapshot", "restore", &here]).works();
    assert_eq!(repo.read("a"), b"here\n");
}

fn is_refused(repo: &Repo, directory: &str) -> bool {
    let report = repo.json(&["-C", directory, "lint"]);
    findings(&report).contains(&("destructive-change", FILE)) && report["verdict"] == "refused"
}

/// Stages the replacement in a work tree.
fn stage(repo: &Repo, directory: &str) {
    repo.write(format!("{directory}/{FILE}"), new());
    repo.git(&["-C", directory, "add", FILE]);
}

#[test]
fn an_approval_counts_in_its_own_work_tree_only() {
    let repo = linked();
    stage(&repo, ".");
    stage(&repo, "../side");
    let Some(driver) = driver(&repo) else { return };
    let approve = ["-C", "../side", "approve", "--staged"];
    guard_at_terminal(driver, &approve, CONSENT, End::Wait).exits(0);
    assert!(!is_refused(&repo, "../side"));
    assert!(is_refused(&repo, "."));
    // It does not count here either if its file is copied to this work tree.
    let store = repo.path(".git/worktrees/side/guard/approvals");
    let file = fs::read_dir(&store).unwrap().next().unwrap();
    let here = repo.path(".git/guard/approvals");
    fs::create_dir_all(&here).unwrap();
    fs::copy(file.unwrap().path(), here.join("copy")).unwrap();
    assert!(is_refused(&repo, "."));
}
