//! An anchor kept in a commit detects a log whose whole chain was rewritten.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;

use crate::common::Repo;
use crate::common::log::{log_file, log_lines, restamp, set_log, verdict};

/// Six records, a commit that names their head, and two records more.
fn anchored() -> (Repo, String) {
    let repo = Repo::open();
    repo.install_hook("prepare-commit-msg");
    for number in 0..3 {
        repo.put("a", format!("{number}\n"), &[]).works();
    }
    repo.git(&["add", "a"]);
    repo.git(&["commit", "--quiet", "-m", "Change"]);
    let format = "--format=%(trailers:key=Guard-Log,valueonly)";
    let anchor = repo.git(&["log", "-1", format]).trim().to_owned();
    assert!(anchor.starts_with("6:"), "{anchor}");
    repo.put("a", "later\n", &[]).works();
    (repo, anchor)
}

fn against(repo: &Repo, anchor: &str) -> Option<(u64, String)> {
    verdict(repo, &["--anchor", anchor])
}

#[test]
fn log_that_grew_after_the_anchor_is_sound() {
    let (repo, anchor) = anchored();
    assert_eq!(log_lines(&repo).len(), 8);
    assert_eq!(against(&repo, &anchor), None);
}

#[test]
fn older_copy_of_the_log_is_reported_as_truncated() {
    let (repo, anchor) = anchored();
    let lines = log_lines(&repo);
    set_log(&repo, &lines[..6]);
    assert_eq!(
        against(&repo, &anchor),
        None,
        "what the anchor says is there"
    );
    set_log(&repo, &lines[..5]);
    // The last snapshot was taken after the sixth record.
    assert_eq!(verdict(&repo, &[]), Some((6, "truncated".into())));
    assert_eq!(against(&repo, &anchor), Some((6, "truncated".into())));
}

#[test]
fn rehashed_chain_is_detected_by_the_anchor() {
    let (repo, anchor) = anchored();
    let mut lines = log_lines(&repo);
    lines[0] = lines[0].replace("\"path\":\"a\"", "\"path\":\"b\"");
    set_log(&repo, &restamp(&lines));
    assert_eq!(verdict(&repo, &[]), Some((8, "restamped".into())));
    assert_eq!(against(&repo, &anchor), Some((8, "restamped".into())));
}

#[test]
fn log_that_was_truncated_and_extended_is_detected() {
    let (repo, anchor) = anchored();
    let lines = log_lines(&repo);
    set_log(&repo, &lines[..4]);
    for number in 0..3 {
        repo.put("a", format!("regrown {number}\n"), &[]).works();
    }
    assert_eq!(verdict(&repo, &[]), Some((10, "restamped".into())));
    assert_eq!(against(&repo, &anchor), Some((10, "restamped".into())));
}

#[test]
fn log_that_was_deleted_and_restarted_is_detected() {
    let (repo, anchor) = anchored();
    fs::remove_file(log_file(&repo)).unwrap();
    repo.put("a", "anew\n", &[]).works();
    assert_eq!(against(&repo, &anchor), Some((3, "truncated".into())));
}
