//! `git gc` runs during a stream of writes: guard refuses no write and loses no snapshot.
//!
//! 2 series of each kind by default, 50 with `GUARD_LONG`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::{self, Repo};

const WRITES: usize = 8;

fn series() -> usize {
    match std::env::var_os("GUARD_LONG") {
        Some(_) => 50,
        None => 2,
    }
}

fn content(number: usize) -> String {
    format!("version {number}\n")
}

/// Runs one series; returns how often `git gc` ran meanwhile and how often it did not finish.
fn write_during_gc(gc: &[&str]) -> (usize, usize) {
    let repo = Repo::open_in_memory();
    repo.write("a", content(0));
    let (is_over, mut collected) = (AtomicBool::new(false), (0, 0));
    let backups: Vec<String> = std::thread::scope(|scope| {
        let collector = scope.spawn(|| {
            let mut count = (0, 0);
            while !is_over.load(Ordering::Relaxed) {
                let output = repo.try_git(gc);
                count.0 += 1;
                count.1 += usize::from(output.code != 0);
            }
            count
        });
        let answers: Vec<_> = (1..=WRITES)
            .map(|number| repo.put("a", content(number), &[]))
            .collect();
        is_over.store(true, Ordering::Relaxed);
        collected = collector.join().unwrap();
        let backup = |answer: &common::files::Answer| answer.works().json["backup"].clone();
        let backups = answers.iter().map(backup);
        backups.map(|id| id.as_str().unwrap().to_owned()).collect()
    });
    let report = repo.json(&["snapshot", "list"]);
    assert_eq!(report["snapshots"].as_array().unwrap().len(), WRITES);
    for (number, backup) in backups.iter().enumerate() {
        let held = repo.guard(&["snapshot", "show", backup, "a"]).exits(0);
        assert_eq!(held.stdout, content(number));
    }
    repo.git(&["fsck", "--strict", "--no-dangling"]);
    assert_eq!(report["lost"], serde_json::json!([]));
    let report = repo.json(&["audit", "verify"]);
    assert_eq!(report["verdict"], "sound", "{report}");
    collected
}

fn run_series(gc: &[&str]) {
    let (mut times, mut unfinished) = (0, 0);
    for _ in 0..series() {
        let (count, failed) = write_during_gc(gc);
        times += count;
        unfinished += failed;
    }
    println!(
        "{} series of {WRITES} writes during {times} of {gc:?}, of which {unfinished} did not finish",
        series()
    );
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
