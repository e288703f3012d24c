//! Several processes write one file. No process overwrites an acknowledged write that it has not seen.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::common::{Repo, run_with_input};
use serde_json::Value;

const WRITERS: usize = 8;

/// Writes per process: 4, or 25 with `GUARD_LONG`.
fn writes_each() -> usize {
    match std::env::var_os("GUARD_LONG") {
        Some(_) => 25,
        None => 4,
    }
}

/// git's blob id of the content.
fn id(repo: &Repo, content: &[u8]) -> String {
    let output = run_with_input(
        repo.command("git").args(["hash-object", "--stdin"]),
        content,
    );
    output.stdout.trim().to_owned()
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
    let done: Vec<Value> = repo
        .records()
        .into_iter()
        .filter(|record| record["event"] == "done")
        .collect();
    // Each write starts from the result of the previous one: none overwrote content that it had not seen.
    for pair in done.windows(2) {
        assert_eq!(pair[1]["old"], pair[0]["new"], "{pair:?}");
    }
    let ids: BTreeSet<String> = written
        .iter()
        .map(|content| id(&repo, content.as_bytes()))
        .collect();
    let on_record: BTreeSet<String> = done[1..]
        .iter()
        .map(|record| record["new"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids, on_record);
    assert_eq!(done.len(), written.len() + 1, "each once");
    // The content that each write replaced can be restored.
    for record in &done[1..] {
        let shown = repo.guard(&["snapshot", "show", record["backup"].as_str().unwrap(), "a"]);
        let shown = shown.exits(0).stdout;
        assert_eq!(id(&repo, shown.as_bytes()), record["old"].as_str().unwrap());
    }
}
