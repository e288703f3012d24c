//! guard removes what a killed process left behind, or waits for it, and never blocks on it.
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use crate::common::Repo;

fn set_age(file: &std::path::Path, hours: u64) {
    let then = SystemTime::now() - Duration::from_secs(hours * 3600);
    let file = File::options().write(true).open(file).unwrap();
    file.set_modified(then).unwrap();
}

#[test]
fn orphaned_held_content_is_removed_once_it_is_old() {
    let repo = Repo::open();
    let store = repo.path(".git/guard/held");
    fs::create_dir_all(&store).unwrap();
    let all = ["0123456789ab", "0123456789ab.tmp99", "ba"];
    for name in all {
        fs::write(store.join(name), "secret\n").unwrap();
        set_age(&store.join(name), 2);
    }
    let young = "ab";
    fs::write(store.join(young), "in work\n").unwrap();
    assert_eq!(repo.json(&["approve"])["held"].as_array().unwrap().len(), 0);
    for name in all {
        assert!(!store.join(name).exists(), "{name}");
    }
    assert!(store.join(young).exists());
}

#[test]
fn stale_snapshot_lock_is_waited_for_then_removed() {
    let repo = Repo::open();
    repo.put("a", "x\n", &[]).works();
    let lock = repo.path(".git/refs/guard/snapshots.lock");
    fs::write(&lock, "").unwrap();
    let begun = SystemTime::now();
    repo.put("a", "y\n", &[]).works();
    let waited = begun.elapsed().unwrap();
    assert!(waited >= Duration::from_secs(4), "{waited:?}");
    assert!(!lock.exists());
    // guard does not wait for a lock that is old enough; on a busy machine, one of a few writes shows it.
    let is_quick = |number: usize| {
        fs::write(&lock, "").unwrap();
        set_age(&lock, 1);
        let begun = SystemTime::now();
        repo.put("a", format!("{number}\n"), &[]).works();
        begun.elapsed().unwrap() < Duration::from_secs(3)
    };
    assert!((0..5).any(is_quick));
}

#[test]
fn a_write_waits_for_the_lock_a_limited_time() {
    let repo = Repo::open();
    repo.put("a", "x\n", &[]).works();
    let lock = repo.path(".git/guard/write.lock");
    let lock = File::options().append(true).open(lock).unwrap();
    lock.lock().unwrap();
    let begun = SystemTime::now();
    let answer = repo.put("a", "y\n", &[]);
    let waited = begun.elapsed().unwrap();
    answer.fails("record");
    let why = "another process has held the lock";
    assert!(answer.message().contains(why), "{answer:?}");
    assert_eq!(repo.read("a"), b"x\n");
    assert!(waited < Duration::from_secs(25), "{waited:?}");
    drop(lock);
    repo.put("a", "y\n", &[]).works();
}
