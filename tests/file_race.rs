//! Another process keeps swapping a directory and a link that leads outside while the file verbs run.

use std::fs;

use crate::common::race::{SECRET, check_then, escapes, exchanging, put_outside};
use crate::common::{Repo, strace};
use write_guard::files::{Edit, Gate, Operation};
use write_guard::judge::Options;
use write_guard_repo::Repository;

/// The operation of each attempt; the second file exists before it.
fn operations() -> [(&'static str, Operation); 6] {
    let write = |content: &str| Operation::replace(content);
    let patch = Operation::Patch(vec![Edit {
        search: "e".to_owned(),
        replace: "e ".to_owned(),
        every: false,
    }]);
    let to_moved = Operation::Move {
        to: "d/moved".into(),
        content: None,
    };
    [
        ("d/secret", write("inside\n")),
        ("d/secret", patch),
        ("d/new", write("inside\n")),
        ("d/new", to_moved),
        ("d/moved", Operation::Delete),
        ("d/secret", Operation::Delete),
    ]
}

/// 200 attempts; 2,000 with `GUARD_LONG`. Each also reads.
#[test]
#[cfg_attr(
    not(unix),
    ignore = "needs two names to be swapped in one step, which Windows cannot"
)]
fn swapping_directories_and_links_never_escapes_the_file_verbs() {
    let repo = Repo::open_in_memory();
    repo.write("d/secret", "inside\n");
    let outside = repo.path("../out");
    put_outside(&repo.root, &outside);
    let attempts = if strace::is_long() { 2000 } else { 200 };
    let opened = Repository::open(&repo.root).unwrap();
    let gate = Gate::open(&opened, &Options::default()).unwrap();
    let operations = operations();
    let (mut done, mut refused, mut read) = ([0; 6], [0; 6], 0);
    exchanging(&repo.root, || {
        for number in 0..attempts {
            let kind = number % operations.len();
            let now = gate.read("d/secret".into());
            read += usize::from(now.is_ok_and(|(_, entry)| entry.content == SECRET));
            let (path, operation) = &operations[kind];
            match gate.perform((*path).into(), operation, None, None) {
                Ok(_) => done[kind] += 1,
                Err(_) => refused[kind] += 1,
            }
        }
    });
    let escaped = read + escapes(&outside);
    println!("{attempts} attempts: done {done:?}, refused {refused:?}, {escaped} escapes");
    assert_eq!(escaped, 0);
    // Both outcomes happened; otherwise there was no race.
    let any = |counts: &[usize]| counts.iter().sum::<usize>() > 0;
    assert!(any(&done) && any(&refused), "{done:?}, {refused:?}");
    // A program that checks before it writes escapes in the same race.
    let lost = exchanging(&repo.root, || {
        (1..=1_000_000).find(|_| {
            let _ = check_then(&repo.root, "d/escaped", |path| fs::write(path, "x"));
            escapes(&outside) > 0
        })
    });
    println!("check-then-write: lost at attempt {lost:?}");
    assert!(lost.is_some(), "the race never happened");
}
