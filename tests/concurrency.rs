//! Several processes write one file, and no process overwrites an acknowledged write that it has not seen. `git gc` runs
//! during a stream of writes, and guard refuses no write and loses no snapshot.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::Repo;

const WRITERS: usize = 8;

/// Writes per process: 4, or 25 with `GUARD_LONG`.
fn writes_each() -> usize {
    std::env::var_os("GUARD_LONG").map_or(4, |_| 25)
}

/// git's blob id of the content.
fn id(repo: &Repo, content: &[u8]) -> String {
    repo.git_with_input(&["hash-object", "--stdin"], content)
}

/// Each process reads, then writes if the file is unchanged.
#[test]
fn concurrent_writes_are_in_the_history_or_refused_as_stale() {
    let repo = Repo::open();
    repo.put("a", "begin\n", &[]).works();
    let (written, refused) = (Mutex::new(BTreeSet::new()), Mutex::new(0));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (repo, written, refused) = (&repo, &written, &refused);
            scope.spawn(move || {
                for number in 0..writes_each() {
                    let seen = repo.ask(&["read", "a"]).works().json["content"].clone();
                    let seen = id(repo, seen.as_str().unwrap().as_bytes());
                    let content = format!("writer {writer}, number {number}\n");
                    let answer = repo.put("a", &content, &["--expect", &seen]);
                    if answer.code == 0 {
                        written.lock().unwrap().insert(content);
                    } else {
                        answer.fails("stale");
                        *refused.lock().unwrap() += 1;
                    }
                }
            });
        }
    });
    let (written, refused) = (written.into_inner().unwrap(), refused.into_inner().unwrap());
    println!("{} written, {refused} refused as stale", written.len());
    assert_eq!(written.len() + refused, WRITERS * writes_each());
    assert!(!written.is_empty());

    let report = repo.json(&["audit", "verify"]);
    assert_eq!(report["verdict"], "sound", "{report}");
    let mut done = repo.records();
    done.retain(|record| record["event"] == "done");
    // Each write starts from the result of the previous one: none overwrote content that it had not seen.
    for pair in done.windows(2) {
        assert_eq!(pair[1]["old"], pair[0]["new"], "{pair:?}");
    }
    let ids = written.iter().map(|content| id(&repo, content.as_bytes()));
    let on_record = done[1..]
        .iter()
        .map(|record| record["new"].as_str().unwrap().to_owned());
    assert_eq!(ids.collect::<BTreeSet<_>>(), on_record.collect());
    assert_eq!(done.len(), written.len() + 1, "each once");
    // The content that each write replaced can be restored.
    for record in &done[1..] {
        let shown = repo.guard(&["snapshot", "show", record["backup"].as_str().unwrap(), "a"]);
        let shown = shown.exits(0).stdout;
        assert_eq!(id(&repo, shown.as_bytes()), record["old"].as_str().unwrap());
    }
}

const WRITES: usize = 8;

fn content(number: usize) -> String {
    format!("version {number}\n")
}

/// Writes while `git gc` runs; returns how often it ran.
fn write_during_gc(gc: &[&str]) -> usize {
    let repo = Repo::open_in_memory();
    repo.write("a", content(0));
    let is_over = AtomicBool::new(false);
    let (answers, collected) = std::thread::scope(|scope| {
        let collector = scope.spawn(|| {
            let mut count = 0;
            while !is_over.load(Ordering::Relaxed) {
                // It may fail to finish.
                repo.try_git(gc);
                count += 1;
            }
            count
        });
        let answers = (1..=WRITES).map(|number| repo.put("a", content(number), &[]));
        let answers: Vec<_> = answers.collect();
        is_over.store(true, Ordering::Relaxed);
        (answers, collector.join().unwrap())
    });
    assert_eq!(repo.snapshots().len(), WRITES);
    for (number, answer) in answers.iter().enumerate() {
        let backup = answer.works().json["backup"].as_str().unwrap();
        let held = repo.guard(&["snapshot", "show", backup, "a"]).exits(0);
        assert_eq!(held.stdout, content(number));
    }
    repo.git(&["fsck", "--strict", "--no-dangling"]);
    let report = repo.json(&["snapshot", "list"]);
    assert_eq!(report["lost"], serde_json::json!([]));
    let report = repo.json(&["audit", "verify"]);
    assert_eq!(report["verdict"], "sound", "{report}");
    collected
}

fn run_series(gc: &[&str]) {
    let series = std::env::var_os("GUARD_LONG").map_or(2, |_| 50);
    let times: usize = (0..series).map(|_| write_during_gc(gc)).sum();
    println!("{WRITES} writes in each of {series} series during {times} of {gc:?}");
    assert!(times > 0);
}

#[test]
fn writes_during_gc_are_neither_refused_nor_lost() {
    run_series(&["gc", "--quiet"]);
}

#[test]
fn writes_during_gc_with_immediate_prune_are_neither_refused_nor_lost() {
    run_series(&["gc", "--quiet", "--prune=now"]);
}
