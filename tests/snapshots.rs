//! Snapshots: the content that a write replaced can be restored, and nothing else in the repository changes.
use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::common::files::Answer;
use crate::common::system;
use crate::common::{GUARD, Repo};
use serde_json::Value;

fn list(repo: &Repo) -> Vec<Value> {
    let report = repo.json(&["snapshot", "list"]);
    report["snapshots"].as_array().unwrap().clone()
}

#[test]
fn r001_2_2_each_write_has_a_snapshot_with_the_title_of_the_requirement_ag_08() {
    let repo = Repo::open();
    // Ignored and untracked files are included.
    repo.write(".gitignore", "src/\n");
    repo.write("src/a.py", "old\n");
    let patch = ["patch", "src/a.py", "--search", "new", "--replace", "x"];
    let written = repo.put("src/a.py", "new\n", &[]).backup();
    let patched = repo.ask(&patch).backup();
    let created = repo.put("b.py", "b\n", &[]).backup();
    let deleted = repo.ask(&["delete", "b.py"]).backup();
    let taken = list(&repo);
    for (snapshot, (id, title)) in taken.iter().zip([
        (&deleted, "Backup before file mod: b.py"),
        (&created, "Backup before file mod: b.py"),
        (&patched, "Backup before file patch: a.py"),
        (&written, "Backup before file mod: a.py"),
    ]) {
        assert_eq!(snapshot["id"], **id);
        assert_eq!(snapshot["title"], title);
    }
    assert_eq!(taken.len(), 4);
    let show = |id: &str| repo.guard(&["snapshot", "show", id, "src/a.py"]);
    assert_eq!(show(&written).exits(0).stdout, "old\n");
    assert_eq!(show(&patched).exits(0).stdout, "new\n");
    show(&deleted).exits(2).says("has no file src/a.py");
}

#[test]
fn head_index_and_work_tree_stay_as_they_are() {
    let repo = Repo::open();
    repo.stage("staged", "staged\n");
    repo.write("staged", "and changed\n");
    repo.write("untracked", "x\n");
    let state = || {
        let mut listing: Vec<String> = repo.digest_tree().lines().map(str::to_owned).collect();
        // A snapshot consists of objects, the ref and guard's own directory.
        let own = [
            ".git/objects",
            ".git/refs/guard",
            ".git/guard",
            "target-file",
        ];
        listing.retain(|line| !own.iter().any(|part| line.contains(part)));
        listing
    };
    let before = state();
    assert!(before.iter().any(|line| line.contains(".git/index")));
    repo.put("target-file", "x\n", &[]).works();
    repo.put("target-file", "y\n", &[]).works();
    repo.ask(&["delete", "target-file"]).works();
    assert_eq!(state(), before);
    repo.git(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn restore_recovers_the_old_content_and_can_be_undone() {
    let repo = Repo::open();
    repo.write("a", "one\n");
    let id = repo.put("a", "two\n", &[]).backup();
    let shown = repo.json(&["snapshot", "show", &id, "a"]);
    assert_eq!(shown["content"], "one\n");
    let diff = repo.json(&["snapshot", "diff", &id])["diff"].clone();
    assert!(diff.as_str().unwrap().contains("\n-one\n+two\n"), "{diff}");
    repo.guard(&["snapshot", "restore", &id]).exits(0);
    assert_eq!(repo.read("a"), b"one\n");
    assert_eq!(list(&repo)[0]["title"], "Backup before restore: a");
    let undo = list(&repo)[0]["id"].as_str().unwrap().to_owned();
    repo.guard(&["snapshot", "restore", &undo[..8]]).exits(0);
    assert_eq!(repo.read("a"), b"two\n");
    let created = repo.put("new", "x\n", &[]).backup();
    repo.guard(&["snapshot", "restore", &created]).exits(0);
    assert!(!repo.path("new").exists());
    repo.guard(&["snapshot", "restore", &id, "other"])
        .exits(2)
        .says("does not contain other");
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.tells(&format!("snapshot restore {head}"), 2, "is not a snapshot");
}

#[test]
fn each_answer_says_in_a_line_what_happened_to_the_file() {
    let repo = Repo::open();
    repo.write("a", "one\n");
    let created = repo.put("new", "x\n", &[]).backup();
    let written = || repo.guard_reads(&["write", "a"], "two\n").exits(0);
    written().says("wrote a (4 bytes); snapshot ");
    written().says("unchanged a (4 bytes)\n");
    let moved = list(&repo)[0]["id"].as_str().unwrap().to_owned();
    repo.tells("move a b", 0, "moved a to b; snapshot ");
    repo.tells("delete b", 0, "deleted b; snapshot ");
    let restore = |id: &str, part| repo.tells(&format!("snapshot restore {id}"), 0, part);
    restore(&moved, "restored a (4 bytes)");
    restore(&created, "removed new; snapshot ");
    restore(&created, "every file is as the snapshot has it");
}

#[test]
#[cfg_attr(not(unix), ignore = "needs an executable bit, which Windows lacks")]
fn a_script_that_was_deleted_comes_back_executable() {
    let repo = Repo::open();
    for (name, mode) in [("script", 0o755), ("plain", 0o644)] {
        repo.write(name, "x\n");
        system::set_mode(repo.path(name), mode);
        let id = repo.ask(&["delete", name]).backup();
        let restored = repo.json(&["snapshot", "restore", &id]);
        assert_eq!(restored["restored"], serde_json::json!([name]));
        let now = system::mode(repo.path(name));
        assert_eq!(now & 0o100, mode & 0o100, "{name}");
    }
}

/// Removes an object; for good, if also the copy that guard restores it from.
fn remove_object(repo: &Repo, id: &str, for_good: bool) {
    let name = format!("{}/{}", &id[..2], &id[2..]);
    fs::remove_file(repo.path(".git/objects").join(&name)).unwrap();
    if for_good {
        repo.remove_copies(id);
    }
}

/// Four snapshots, oldest first.
fn four(repo: &Repo) -> Vec<String> {
    repo.write("a", "0\n");
    let write = |number: usize| repo.put("a", format!("{number}\n"), &[]).backup();
    (1..=4).map(write).collect()
}

fn ids(repo: &Repo) -> Vec<String> {
    let id = |item: &Value| item["id"].as_str().unwrap().to_owned();
    list(repo).iter().rev().map(id).collect()
}

#[test]
fn lost_tree_hides_its_snapshot_and_a_lost_commit_older_ones() {
    let repo = Repo::open();
    let all = four(&repo);
    let tree = repo.git(&["rev-parse", &format!("{}^{{tree}}", all[2])]);
    remove_object(&repo, &tree, true);
    assert_eq!(ids(&repo), [&all[..2], &all[3..]].concat());
    repo.guard(&["snapshot", "restore", &all[2]]).exits(2);
    remove_object(&repo, &all[1], true);
    assert_eq!(ids(&repo), all[3..]);
    let report = repo.json(&["snapshot", "list"]);
    assert_eq!(report["lost"], serde_json::json!([all[2], all[1]]));
    repo.tells("snapshot list", 0, &all[1])
        .says("which may hide older ones");
    // The old contents are still there, by git's id of them.
    let blob = repo.blob(b"0\n").to_string();
    let names = fs::read_dir(repo.path(".git/guard/backups")).unwrap();
    let mut names = names.map(|entry| entry.unwrap().path());
    assert!(names.any(|file| file.to_string_lossy().ends_with(&blob)));
    repo.put("a", "5\n", &[]).works();
    // Pruning drops the lost snapshots, and git finds all other objects again.
    repo.tells("snapshot prune", 0, "deleted 0 snapshots, kept 2");
    repo.git(&["rev-list", "--objects", "--quiet", "refs/guard/snapshots"]);
    let held = repo.json(&["snapshot", "list"]);
    assert_eq!(held["lost"], serde_json::json!([]));
}

#[test]
fn write_puts_back_the_snapshots_that_git_removed() {
    let repo = Repo::open();
    let all = four(&repo);
    let tree = repo.git(&["rev-parse", &format!("{}^{{tree}}", all[2])]);
    for id in [&tree, &all[3]] {
        remove_object(&repo, id, false);
    }
    repo.put("a", "5\n", &[]).works();
    repo.git(&["rev-list", "--objects", "--quiet", "refs/guard/snapshots"]);
}

/// Packs are searched only for what an earlier run wrote.
#[test]
fn snapshots_that_git_packed_are_not_written_again() {
    let repo = Repo::open();
    let all = four(&repo);
    for entry in fs::read_dir(repo.path(".git/guard/backups")).unwrap() {
        let copy = entry.unwrap().path();
        let name = copy.file_name().unwrap().to_str().unwrap();
        let (written, rest) = name.split_once('-').unwrap();
        let earlier = written.parse::<i64>().unwrap() - 10;
        fs::rename(&copy, copy.with_file_name(format!("{earlier}-{rest}"))).unwrap();
    }
    repo.git(&["repack", "-a", "-d", "--quiet"]);
    repo.put("a", "5\n", &[]).works();
    for id in all {
        let loose = format!("{}/{}", &id[..2], &id[2..]);
        assert!(!repo.path(".git/objects").join(loose).exists());
    }
    repo.git(&["rev-list", "--objects", "--quiet", "refs/guard/snapshots"]);
}

/// The log is locked, so the write waits for it once the snapshot is taken.
#[test]
fn concurrent_save_is_kept_and_the_operation_refused() {
    for verb in [
        &["write", "a", "--allow-empty"][..],
        &["delete", "a"],
        &["move", "a", "c"],
    ] {
        let repo = Repo::open();
        repo.write("a", "one\n");
        repo.put("b", "begin the log\n", &[]).works();
        let log = fs::File::open(repo.path(".git/guard/log.lock")).unwrap();
        log.lock().unwrap();
        let snapshots = || fs::read(repo.path(".git/refs/guard/snapshots")).unwrap();
        let before = snapshots();
        let mut command = repo.command(GUARD);
        command.args(verb).args(["--format", "json"]);
        let guard = command.stdin(Stdio::null()).stdout(Stdio::piped());
        let guard = guard.spawn().unwrap();
        while snapshots() == before {
            std::thread::sleep(Duration::from_millis(10));
        }
        repo.write("a", "saved by an editor\n");
        drop(log);
        Answer::of(&guard.wait_with_output().unwrap()).fails("stale");
        assert_eq!(repo.read("a"), b"saved by an editor\n");
        assert!(!repo.path("c").exists());
        assert_eq!(repo.records().pop().unwrap()["error"], "stale");
        assert!(!repo.digest_tree().contains("\".guard-"));
    }
}

#[test]
fn prune_deletes_snapshots_older_than_the_setting() {
    let repo = Repo::open();
    repo.put("a", "1\n", &[]).works();
    repo.put("a", "2\n", &[]).works();
    repo.tells("snapshot prune", 0, "deleted 0 snapshots, kept 2");
    repo.stage(
        "guard.toml",
        "[lld]\nmissing = \"skip\"\n[snapshots]\nkeep = \"0d\"\n",
    );
    repo.commit("Keep nothing");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    repo.tells("snapshot prune", 0, "deleted 2 snapshots");
    assert_eq!(list(&repo).len(), 0);
    let copies = fs::read_dir(repo.path(".git/guard/backups")).unwrap();
    assert_eq!(copies.count(), 0);
    repo.git(&["fsck", "--strict", "--no-dangling"]);
    repo.put("a", "3\n", &[]).works();
    assert_eq!(list(&repo).len(), 1);
}
