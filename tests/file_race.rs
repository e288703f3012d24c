//! The file verbs against somebody who exchanges a directory and a link that leads outside.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use common::Repo;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use write_guard::gate::{Edit, Gate, Operation, Strategy};
use write_guard::git::Repository;
use write_guard::judge::Options;

/// 200 attempts; 2,000 with `GUARD_LONG`.
#[test]
fn nobody_wins_a_race_against_the_file_verbs() {
    let repo = Repo::open();
    let outside = repo.path("../outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "secret\n").unwrap();
    repo.write("d/secret", "inside\n");
    symlink("../outside", repo.path("l")).unwrap();
    let attempts = if std::env::var_os("GUARD_LONG").is_some() {
        2000
    } else {
        200
    };
    let opened = Repository::open(&repo.root).unwrap();
    let gate = Gate::open(&opened, &Options::default()).unwrap();
    let write = |content: &str| Operation::Write {
        content: content.into(),
        strategy: Strategy::Replace,
        expect: None,
    };
    let operations = [
        ("d/secret", write("inside\n")),
        (
            "d/secret",
            Operation::Patch {
                edits: vec![Edit {
                    search: b"e".to_vec(),
                    replace: b"e ".to_vec(),
                }],
                expect: None,
            },
        ),
        ("d/new", write("inside\n")),
        (
            "d/new",
            Operation::Move {
                to: "d/moved".into(),
            },
        ),
        ("d/moved", Operation::Delete),
        ("d/secret", Operation::Delete),
    ];
    let stop = AtomicBool::new(false);
    let (mut done, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (d, l) = (repo.path("d"), repo.path("l"));
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &d, CWD, &l, RenameFlags::EXCHANGE).unwrap();
            }
        });
        for number in 0..attempts {
            let read = gate.read("d/secret".into());
            assert!(read.is_err() || read.is_ok_and(|(_, entry)| entry.content != b"secret\n"));
            let (path, operation) = &operations[number % operations.len()];
            match gate.perform((*path).into(), operation) {
                Ok(_) => done += 1,
                Err(_) => refused += 1,
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    println!("{done} done, {refused} refused");
    assert_eq!(fs::read(outside.join("secret")).unwrap(), b"secret\n");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    // Both happened, or there was no race.
    assert!(done > 0 && refused > 0, "{done} done, {refused} refused");
}
