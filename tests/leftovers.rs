//! What a killed process leaves is cleared away or waited for, and blocks nobody.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use common::Repo;

fn set_age(file: &std::path::Path, hours: u64) {
    let then = SystemTime::now() - Duration::from_secs(hours * 3600);
    File::options()
        .write(true)
        .open(file)
        .unwrap()
        .set_modified(then)
        .unwrap();
}

#[test]
fn held_content_without_its_facts_is_removed_when_nobody_can_be_writing_it() {
    let repo = Repo::open();
    let store = repo.path(".git/guard/held");
    fs::create_dir_all(&store).unwrap();
    let all = ["0123456789ab.content", "0123456789ab.tmp99", "ba.content"];
    for name in all {
        fs::write(store.join(name), "secret\n").unwrap();
        set_age(&store.join(name), 2);
    }
    let young = "ab.content";
    fs::write(store.join(young), "in work\n").unwrap();
    assert_eq!(repo.json(&["pending"])["held"].as_array().unwrap().len(), 0);
    for name in all {
        assert!(!store.join(name).exists(), "{name}");
    }
    assert!(store.join(young).exists());
}

#[test]
fn a_lock_on_the_snapshots_is_waited_for_and_then_forgotten() {
    let repo = Repo::open();
    repo.put("a", "x\n", &[]).works();
    let lock = repo.path(".git/refs/guard/snapshots.lock");
    fs::write(&lock, "").unwrap();
    let begun = SystemTime::now();
    repo.put("a", "y\n", &[]).works();
    let waited = begun.elapsed().unwrap();
    assert!(waited >= Duration::from_secs(4), "{waited:?}");
    assert!(!lock.exists());
    // Old enough, it is not waited for.
    fs::write(&lock, "").unwrap();
    set_age(&lock, 1);
    let begun = SystemTime::now();
    repo.put("a", "z\n", &[]).works();
    assert!(begun.elapsed().unwrap() < Duration::from_secs(3));
}
