//! Another process keeps swapping a directory and a link that leads outside, while the boundary opens, creates, renames
//! and removes files.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::common::race::{Field, SECRET, check_then};
use gix::bstr::BStr;
use write_guard::boundary::{Boundary, OpenedFile};

const MAX: u64 = 1 << 20;

/// The operations in a race; files outside show whether one escaped.
const KINDS: [&str; 4] = ["open", "create", "rename", "unlink"];

fn there(boundary: &Boundary, path: &BStr) -> Option<OpenedFile> {
    boundary.read(path, MAX).ok().flatten()
}

/// Writes a file and returns what is there afterwards.
fn put(boundary: &Boundary, path: &BStr) -> Option<OpenedFile> {
    let before = there(boundary, path);
    let _ = boundary.replace(path, before.as_ref(), b"inside");
    there(boundary, path)
}

/// One attempt through the boundary: returns whether it worked and whether it read the secret.
fn attempt(boundary: &Boundary, kind: usize) -> (bool, bool) {
    let (secret, new, moved) = (
        BStr::new("d/secret"),
        BStr::new("d/new"),
        BStr::new("d/moved"),
    );
    match kind {
        0 => match boundary.read(secret, MAX) {
            Ok(entry) => (true, entry.is_some_and(|entry| entry.content == SECRET)),
            Err(_) => (false, false),
        },
        1 => {
            let before = there(boundary, new);
            let replaced = boundary.replace(new, before.as_ref(), b"inside");
            (replaced.is_ok(), false)
        }
        // There is a secret inside too, which appears and disappears.
        2 => {
            let before = there(boundary, moved);
            let _ = before.map(|before| boundary.remove(moved, &before));
            let moved = put(boundary, secret).map(|before| boundary.rename(secret, &before, moved));
            (moved.is_some_and(|moved| moved.is_ok()), false)
        }
        _ => {
            let removed = put(boundary, secret).map(|before| boundary.remove(secret, &before));
            (removed.is_some_and(|removed| removed.is_ok()), false)
        }
    }
}

/// `GUARD_RACE` attempts in total (default 40,000; 2,000,000 in `.ci/long`). Creating, renaming and unlinking make up
/// one in sixteen each; the rest opens files.
#[test]
fn swapping_directories_and_links_never_escapes_the_boundary() {
    let attempts: usize = std::env::var("GUARD_RACE")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(40_000);
    let begun = Instant::now();
    let field = Field::new();
    let boundary = Boundary::open(&field.ws).unwrap();
    let (mut done, mut refused, mut read) = ([0; 4], [0; 4], 0);
    field.during_exchanges(|| {
        for number in 0..attempts {
            let kind = match number % 16 {
                kind @ 1..=3 => kind,
                _ => 0,
            };
            let (worked, was_secret) = attempt(&boundary, kind);
            done[kind] += usize::from(worked);
            refused[kind] += usize::from(!worked);
            read += usize::from(was_secret);
        }
    });
    let escaped = read + field.escapes();
    println!(
        "{attempts} attempts {KINDS:?}, done {done:?}, refused {refused:?}, {escaped} escapes, in {:.0?}",
        begun.elapsed()
    );
    assert_eq!(escaped, 0);
    // Each kind succeeded and failed at least once; otherwise there was no race.
    let both = done.iter().chain(&refused).all(|count| *count > 0);
    assert!(both, "{done:?} done, {refused:?} refused");
}

/// Check-then-open must lose the same race for each kind; otherwise the test above proves nothing.
#[test]
fn check_then_open_escapes_in_the_same_race() {
    for (kind, name) in KINDS.iter().enumerate() {
        let field = Field::new();
        let try_once = || -> bool {
            let done = match kind {
                0 => check_then(&field.ws, "d/secret", |path| fs::read(path)),
                1 => check_then(&field.ws, "d/new", |path| fs::write(path, "x")).map(|()| vec![]),
                2 => check_then(&field.ws, "d/secret", |path| {
                    fs::rename(path, path.with_file_name("moved"))
                })
                .map(|()| vec![]),
                _ => check_then(&field.ws, "d/secret", |path: &Path| fs::remove_file(path))
                    .map(|()| vec![]),
            };
            done.is_ok_and(|content| content == SECRET) || field.escapes() > 0
        };
        let lost = field.during_exchanges(|| (1..=1_000_000).find(|_| try_once()));
        println!("check-then-{name}: lost at attempt {lost:?}");
        assert!(lost.is_some(), "{name}: the race never happened");
    }
}
