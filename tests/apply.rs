//! `guard apply`: many operations, all or none.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};

use crate::common::files::{Answer, answer_of};
use crate::common::log::{log_lines, set_log};
use crate::common::{GUARD, Repo, lines, run_with_input, strace};

#[track_caller]
fn apply(repo: &Repo, list: &Value) -> Answer {
    let mut guard = repo.command(GUARD);
    answer_of(guard.args(["apply", "-"]), list.to_string().as_bytes())
}

fn write(path: &str, content: &str) -> Value {
    json!({"operation": "write", "path": path, "content": content})
}

fn snapshots(repo: &Repo) -> Vec<Value> {
    let report = repo.json(&["snapshot", "list"]);
    report["snapshots"].as_array().unwrap().clone()
}

/// Files for [`all_kinds`].
fn prepared() -> Repo {
    let repo = Repo::open();
    repo.write("patched", "one two\n");
    repo.write("added", "one\n");
    repo.write("gone", "gone\n");
    repo.write("old", "moved\n");
    repo
}

/// One operation of each kind.
fn all_kinds() -> Value {
    json!([
        write("new/deep/file", "new\n"),
        {"operation": "write", "path": "added", "content": "two\n", "strategy": "append"},
        {"operation": "patch", "path": "patched", "edits": [
            {"search": "one", "replace": "1"}, {"search": "two", "replace": "2"},
        ]},
        {"operation": "delete", "path": "gone"},
        {"operation": "move", "path": "old", "to": "moved/here"},
    ])
}

/// The files of [`all_kinds`], in its order; a missing one is empty.
fn state(repo: &Repo) -> [String; 6] {
    [
        "new/deep/file",
        "added",
        "patched",
        "gone",
        "old",
        "moved/here",
    ]
    .map(|path| fs::read_to_string(repo.path(path)).unwrap_or_default())
}

const BEFORE: [&str; 6] = ["", "one\n", "one two\n", "gone\n", "moved\n", ""];
const AFTER: [&str; 6] = ["new\n", "one\ntwo\n", "1 2\n", "", "", "moved\n"];

#[test]
fn a_batch_does_all_kinds_of_operations_with_one_snapshot() {
    let repo = prepared();
    let answer = apply(&repo, &all_kinds());
    assert_eq!(answer.works().json["changed"], true);
    assert_eq!(state(&repo), AFTER);
    let operations = answer.json["operations"].as_array().unwrap();
    let verbs: Vec<_> = operations
        .iter()
        .map(|one| one["operation"].as_str().unwrap())
        .collect();
    assert_eq!(verbs, ["write", "write", "patch", "delete", "move"]);
    for one in operations {
        assert_eq!(one["backup"], answer.json["backup"], "{one}");
    }
    assert_eq!(operations[0]["created"], true);
    assert_eq!(operations[1]["digest"], repo.git(&["hash-object", "added"]));
    assert_eq!(operations[2]["replaced"], 2);
    let all = snapshots(&repo);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0]["title"], "Backup before batch: 5 operations");
    assert_eq!(all[0]["files"], json!(["added", "gone", "old", "patched"]));
    assert_eq!(all[0]["absent"], json!(["new/deep/file", "moved/here"]));
    let records = repo.records();
    let events: Vec<_> = records
        .iter()
        .map(|record| record["event"].as_str().unwrap())
        .collect();
    assert_eq!(events, ["started", "done"]);
    assert_eq!(records[0]["operations"][3]["path"], "gone");
    repo.guard(&["audit", "show"])
        .exits(0)
        .says("apply  5 operations");
    assert_eq!(repo.json(&["audit", "verify"])["unfinished"], json!([]));
    assert!(!repo.path(".git/guard/batch.json").exists());
}

#[test]
fn a_batch_can_be_undone_as_a_whole_without_rows() {
    let repo = Repo::new();
    repo.stage("a.py", "one\n");
    repo.commit("Begin");
    repo.govern(&[
        ("a.py", "Modify", "x"),
        ("b.py", "Add", "x"),
        ("c/d.py", "Add", "x"),
    ]);
    // One file and one new one: not to be taken for a move.
    for list in [
        json!([write("a.py", "two\n"), write("b.py", "new\n")]),
        json!([
            write("a.py", "two\n"),
            write("b.py", "new\n"),
            write("c/d.py", "new\n")
        ]),
    ] {
        let done = apply(&repo, &list);
        let backup = done.works().json["backup"].as_str().unwrap().to_owned();
        repo.ask(&["delete", "b.py"]).fails("refused");
        repo.guard(&["snapshot", "restore", &backup]).exits(0);
        assert_eq!(repo.read("a.py"), b"one\n");
        assert!(!repo.path("b.py").exists() && !repo.path("c/d.py").exists());
    }
    // A single operation of the batch undone afterwards is not the batch.
    let first = repo.put("a.py", "two\n", &[]);
    apply(
        &repo,
        &json!([write("a.py", "three\n"), write("b.py", "new\n")]),
    )
    .works();
    let second = snapshots(&repo)[0]["id"].as_str().unwrap().to_owned();
    repo.guard(&["snapshot", "restore", &second]).exits(0);
    assert_eq!(repo.read("a.py"), b"two\n");
    repo.guard(&[
        "snapshot",
        "restore",
        first.json["backup"].as_str().unwrap(),
    ])
    .exits(0);
    assert_eq!(repo.read("a.py"), b"one\n");
}

#[test]
fn one_refused_operation_refuses_all_and_each_is_named() {
    let repo = Repo::new();
    repo.govern(&[("a.py", "Add", "x")]);
    let list = json!([
        write("a.py", "x\n"),
        write("stray.py", "x\n"),
        write("../x", "x\n"),
        {"operation": "delete", "path": "missing.py"},
    ]);
    let answer = apply(&repo, &list);
    let message = answer.fails("refused").message().to_owned();
    assert!(message.contains("operation 2 of 4 (stray.py)"), "{message}");
    assert_eq!(
        (answer.code, &answer.json["error"]["rule"]),
        (1, &"out-of-scope".into())
    );
    let failures = answer.json["error"]["details"]["failures"]
        .as_array()
        .unwrap();
    let told: Vec<_> = failures
        .iter()
        .map(|one| {
            (
                one["operation"].as_u64().unwrap(),
                one["kind"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, [(2, "refused"), (3, "security"), (4, "not-found")]);
    assert!(!repo.path("a.py").exists());
    assert!(snapshots(&repo).is_empty());
    let refused: Vec<_> = repo
        .records()
        .iter()
        .map(|record| record["path"].clone())
        .collect();
    assert_eq!(refused, ["stray.py", "../x", "missing.py"]);
    // The help for people names the others.
    let mut guard = repo.command(GUARD);
    crate::common::run_with_input(guard.args(["apply", "-"]), list.to_string().as_bytes())
        .exits(1)
        .says("2 more: ../x, missing.py");
}

#[test]
fn operations_that_need_approval_hold_the_batch_back_each_with_its_id() {
    let repo = Repo::open();
    for path in ["one.py", "two.py"] {
        repo.stage(path, lines(1..=200));
    }
    repo.commit("Large");
    let replaced = lines(1001..=1200);
    let list = json!([
        write("a", "x\n"),
        write("one.py", &replaced),
        write("two.py", &replaced)
    ]);
    let answer = apply(&repo, &list);
    answer.fails("held");
    assert!(!repo.path("a").exists());
    let failures = answer.json["error"]["details"]["failures"]
        .as_array()
        .unwrap();
    let ids: Vec<_> = failures
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 2);
    let held = repo.json(&["pending"])["held"].clone();
    for held in held.as_array().unwrap() {
        assert!(ids.contains(&held["id"].as_str().unwrap()), "{held}");
    }
    let help = answer.json["error"]["help"].to_string();
    assert!(
        help.contains(&format!("two.py (held as {})", ids[1])),
        "{help}"
    );
    // A person approves both, which writes them; then the batch does the rest.
    let opened = write_guard::git::Repository::open(&repo.root).unwrap();
    for id in ids {
        let gate = write_guard::gate::Gate::open(&opened, &Default::default()).unwrap();
        let consent = &mut |_: &_| write_guard::gate::Answer::Approve("meant".to_owned());
        gate.approve(id, consent).unwrap();
    }
    let answer = apply(&repo, &list);
    let changed = answer.works().json["operations"].as_array().unwrap().iter();
    let changed: Vec<_> = changed
        .map(|one| one["changed"].as_bool().unwrap())
        .collect();
    assert_eq!(changed, [true, false, false]);
}

#[test]
fn two_operations_on_one_path_are_refused() {
    let repo = prepared();
    symlink("added", repo.path("link")).unwrap();
    let delete = |path: &str| json!({"operation": "delete", "path": path});
    let moved = |path: &str, to: &str| json!({"operation": "move", "path": path, "to": to});
    for (list, part) in [
        (
            json!([write("a", "x\n"), write("./b/../a", "y\n")]),
            "both change a",
        ),
        (
            json!([write("added", "x\n"), write("link", "y\n")]),
            "both change added",
        ),
        (
            json!([moved("old", "b"), write("b", "y\n")]),
            "both change b",
        ),
        (
            json!([delete("gone"), moved("gone", "b")]),
            "both change gone",
        ),
        (
            json!([write("a", "x\n"), write("a/b", "y\n")]),
            "use a as a file and as a directory",
        ),
    ] {
        let answer = apply(&repo, &list);
        let message = answer.fails("usage").message();
        assert!(
            message.contains("operations 1 and 2") && message.contains(part),
            "{message}"
        );
        assert_eq!(answer.code, 2);
    }
    assert_eq!(state(&repo), BEFORE);
}

#[test]
fn a_batch_that_fails_midway_is_taken_back() {
    let repo = prepared();
    let private = fs::Permissions::from_mode(0o600);
    fs::set_permissions(repo.path("gone"), private).unwrap();
    fs::create_dir(repo.path("kept")).unwrap();
    let mut list = all_kinds();
    // Together these would complete a bare repository, which only shows once the directories of the others are there.
    for path in ["kept/bare/HEAD", "kept/bare/objects/x", "kept/bare/refs/x"] {
        list.as_array_mut().unwrap().push(write(path, "x\n"));
    }
    let answer = apply(&repo, &list);
    let message = answer.fails("security").message().to_owned();
    assert!(
        message.contains("change 6 of 8 (kept/bare/HEAD) failed"),
        "{message}"
    );
    assert!(message.contains("all files are as before"), "{message}");
    assert_eq!(state(&repo), BEFORE);
    let mode = fs::metadata(repo.path("gone"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    // Nor are the directories there that it created, but the others are.
    assert!(!repo.path("new").exists() && !repo.path("moved").exists());
    assert_eq!(fs::read_dir(repo.path("kept")).unwrap().count(), 0);
    let record = repo.records().pop().unwrap();
    assert_eq!(record["event"], "failed");
    assert_eq!(
        record["rolled_back"].as_array().unwrap().len(),
        5,
        "{record}"
    );
    assert_eq!(repo.json(&["audit", "verify"])["unfinished"], json!([]));
    assert!(!repo.path(".git/guard/batch.json").exists());
    // Without the last one it works.
    list.as_array_mut().unwrap().pop();
    apply(&repo, &list).works();
    assert_eq!(state(&repo), AFTER);
}

#[test]
fn an_expectation_that_fails_refuses_all() {
    let repo = prepared();
    let digest = repo.git(&["hash-object", "added"]);
    let list = |expect: &str| {
        json!([
            write("a", "x\n"),
            {"operation": "write", "path": "added", "content": "two\n", "expect": expect},
            {"operation": "write", "path": "b", "content": "two\n", "expect": "none"},
        ])
    };
    apply(&repo, &list(&repo.git(&["hash-object", "gone"]))).fails("stale");
    assert!(!repo.path("a").exists());
    apply(&repo, &list(&digest)).works();
    assert_eq!(repo.read("b"), b"two\n");
    // Repeated for lack of an answer.
    let count = snapshots(&repo).len();
    let again = apply(&repo, &list(&digest));
    assert_eq!(again.works().json["changed"], false);
    assert!(again.json["backup"].is_null());
    assert_eq!(snapshots(&repo).len(), count);
    assert_eq!(repo.records().pop().unwrap()["event"], "unchanged");
}

#[test]
fn a_list_that_cannot_be_read_does_nothing() {
    let repo = Repo::open();
    for (list, part) in [
        (json!([]), "empty"),
        (json!({"operations": []}), "sequence"),
        (
            json!([write("a", "x\n"), {"operation": "burn", "path": "b"}]),
            "operation 2 of 2",
        ),
        (
            json!([{"operation": "delete", "path": "a", "force": true}]),
            "force",
        ),
    ] {
        let answer = apply(&repo, &list);
        let message = answer.fails("usage").message();
        assert!(message.contains(part), "{message}");
        assert_eq!(answer.code, 2);
    }
    repo.ask(&["apply", "none"]).fails("cannot-judge");
    repo.write("ops.json", json!([write("a", "x\n")]).to_string());
    repo.ask(&["apply", "ops.json"]).works();
    let shown = repo.guard(&["apply", "ops.json"]).exits(0).stdout;
    assert_eq!(
        shown,
        "unchanged a (2 bytes)\n1 operation; nothing changed\n"
    );
    repo.ask(&["apply", "../home/ops.json"]).fails("security");
}

#[test]
fn hundreds_of_files_need_one_snapshot_and_two_records() {
    let repo = Repo::open();
    let list: Vec<Value> = (0..300)
        .map(|number| write(&format!("src/{}/file-{number}", number % 7), "x\n"))
        .collect();
    let done = apply(&repo, &Value::from(list));
    assert_eq!(
        done.works().json["operations"].as_array().unwrap().len(),
        300
    );
    assert_eq!((snapshots(&repo).len(), repo.records().len()), (1, 2));
    assert_eq!(repo.read("src/5/file-299"), b"x\n");
}

/// A repository in which guard was killed in the middle of [`all_kinds`], after the first `done` of its operations.
fn interrupted(done: usize) -> Repo {
    let repo = prepared();
    apply(&repo, &all_kinds()).works();
    let mut log = log_lines(&repo);
    log.pop();
    set_log(&repo, &log);
    repo.write(".git/guard/batch.json", r#"{"started": 1}"#);
    for operation in done..5 {
        match operation {
            0 => fs::remove_file(repo.path("new/deep/file")).unwrap(),
            1 => repo.write("added", "one\n"),
            2 => repo.write("patched", "one two\n"),
            3 => repo.write("gone", "gone\n"),
            _ => fs::rename(repo.path("moved/here"), repo.path("old")).unwrap(),
        }
    }
    repo
}

#[test]
fn the_next_write_takes_back_an_interrupted_batch() {
    for done in 0..5 {
        let repo = interrupted(done);
        let unfinished = repo.json(&["audit", "verify"])["unfinished"].clone();
        let paths = unfinished[0]["path"].as_str().unwrap();
        assert!(paths.contains("added, patched"), "{paths}");
        // Reading changes nothing.
        repo.guard(&["read", "guard.toml"]).exits(0);
        let next = repo
            .guard(&["edit", "--file", "x", "--content", "x\n"])
            .exits(0);
        assert!(
            next.stderr.contains("an interrupted batch was rolled back"),
            "{next:?}"
        );
        assert_eq!(state(&repo), BEFORE, "{done}");
        assert_eq!(repo.read("x"), b"x\n");
        assert!(!repo.path("new").exists());
        let records = repo.records();
        let failed = records
            .iter()
            .find(|record| record["event"] == "failed")
            .unwrap();
        assert_eq!(
            (&failed["error"], &failed["started"]),
            (&"interrupted".into(), &1.into())
        );
        assert_eq!(repo.json(&["audit", "verify"])["unfinished"], json!([]));
        assert!(!repo.path(".git/guard/batch.json").exists());
        // What it had written can be had back, too.
        if done > 0 {
            let kept = &snapshots(&repo)[1];
            assert_eq!(
                kept["title"],
                "Backup before rolling back an interrupted batch"
            );
            let id = kept["id"].as_str().unwrap();
            let shown = repo
                .guard(&["snapshot", "show", id, "new/deep/file"])
                .exits(0);
            assert_eq!(shown.stdout, "new\n");
        }
    }
}

#[test]
fn an_interrupted_batch_that_was_complete_stays() {
    let repo = interrupted(5);
    let next = repo
        .guard(&["edit", "--file", "x", "--content", "x\n"])
        .exits(0);
    assert!(next.stderr.contains("was complete"), "{next:?}");
    assert_eq!(state(&repo), AFTER);
    assert_eq!(repo.json(&["audit", "verify"])["unfinished"], json!([]));
    // A crash after the last record leaves only the journal.
    repo.write(".git/guard/batch.json", r#"{"started": 1}"#);
    let next = repo
        .guard(&["edit", "--file", "x", "--content", "y\n"])
        .exits(0);
    assert_eq!(next.stderr, "");
    assert_eq!(state(&repo), AFTER);
}

#[test]
fn what_others_did_after_an_interrupted_batch_stays() {
    // Another program changed a file.
    let repo = interrupted(3);
    repo.write("added", "by hand\n");
    let next = repo
        .guard(&["edit", "--file", "x", "--content", "x\n"])
        .exits(0);
    assert!(
        next.stderr.contains("1 that other programs changed stay"),
        "{next:?}"
    );
    assert_eq!(repo.read("added"), b"by hand\n");
    assert_eq!(repo.read("patched"), b"one two\n");
    assert!(!repo.path("new/deep/file").exists());
    // Or it is no file any more.
    let repo = interrupted(3);
    fs::remove_file(repo.path("added")).unwrap();
    fs::create_dir(repo.path("added")).unwrap();
    repo.put("x", "x\n", &[]).works();
    assert!(repo.path("added").is_dir());
    assert_eq!(repo.read("patched"), b"one two\n");
    // A person went on and committed.
    let repo = interrupted(3);
    repo.git(&["add", "--all"]);
    repo.commit("Go on");
    let before = state(&repo);
    let next = repo
        .guard(&["edit", "--file", "x", "--content", "x\n"])
        .exits(0);
    assert!(next.stderr.contains("HEAD has moved since"), "{next:?}");
    assert_eq!(state(&repo), before);
    assert!(!repo.path(".git/guard/batch.json").exists());
}

#[test]
fn nothing_is_written_while_an_interrupted_batch_cannot_be_put_right() {
    let repo = interrupted(3);
    for journal in ["{", "{\"started\": 99}"] {
        repo.write(".git/guard/batch.json", journal);
        let answer = repo.put("x", "x\n", &[]);
        let help = answer.fails("record").json["error"]["help"].to_string();
        assert!(help.contains("batch.json"), "{help}");
        assert_eq!(answer.code, 2);
        assert!(!repo.path("x").exists());
    }
    repo.guard(&["snapshot", "prune"]).exits(2);
    fs::remove_file(repo.path(".git/guard/batch.json")).unwrap();
    repo.put("x", "x\n", &[]).works();
}

#[test]
fn a_batch_deletes_and_moves_only_what_the_caller_saw() {
    let repo = Repo::open();
    repo.write("a.py", "x = 1\n");
    repo.write("b.py", "y = 1\n");
    let (a, b) = (repo.blob(b"x = 1\n"), repo.blob(b"y = 1\n"));
    let apply = |a: &str, b: &str| {
        let list = json!([
            {"operation": "delete", "path": "a.py", "expect": a},
            {"operation": "move", "path": "b.py", "to": "c.py", "expect": b},
        ]);
        apply(&repo, &list)
    };
    let (a, b) = (a.to_string(), b.to_string());
    for (first, second, stale) in [(&a, &a, "b.py"), (&b, &b, "a.py")] {
        let refused = apply(first, second);
        let message = refused.json["error"]["message"].as_str().unwrap();
        let expected = format!("{stale} has changed since it was read");
        assert!(
            refused.code == 1 && message.contains(&expected),
            "{message}"
        );
    }
    assert!(repo.path("a.py").exists() && repo.path("b.py").exists());
    apply(&a, &b).works();
    assert!(!repo.path("a.py").exists() && repo.path("c.py").exists());
}

/// Each content is synced twice, in the file and in the snapshot, and each directory once. The objects of the snapshot
/// are in up to 256 directories.
#[cfg(target_os = "linux")]
#[test]
fn a_batch_syncs_each_directory_once() {
    let repo = Repo::open();
    if !strace::is_there(&repo) {
        return;
    }
    let files: Vec<String> = (0..50).map(|at| format!("dir/{at}")).collect();
    let list = |text: &str| -> Value { files.iter().map(|file| write(file, text)).collect() };
    for file in &files {
        repo.stage(file, format!("{file}\n"));
    }
    repo.commit("Begin");
    repo.write("../list.json", list("x\n").to_string());
    let words = [
        strace::recording(),
        vec![GUARD.to_owned(), "apply".into(), "-".into()],
    ]
    .concat();
    let output = run_with_input(
        &mut strace::command(&repo, &words),
        &repo.read("../list.json"),
    );
    output.exits(0);
    let synced = strace::recorded(&repo)["fsync"];
    assert!(synced < 190, "{synced}");
}
