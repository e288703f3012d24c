//! A large file needs at most 50 MiB of memory beyond its two versions.

use std::fmt::Write as _;

use crate::common::{self, GUARD, Output, Repo};

const MIB: usize = 1024;

/// About 15 MB of lines like those of code, and the same with every second line changed.
fn versions() -> (String, String) {
    let (mut old, mut new) = (String::new(), String::new());
    for line in 0..190_000 {
        let text = format!(
            "value_{line} = compute_the_next(previous_value, {line} * 7919)  # of the whole table"
        );
        writeln!(old, "{text}").unwrap();
        let begin = if line % 2 == 0 { "" } else { "re" };
        writeln!(new, "{begin}{text}").unwrap();
    }
    (old, new)
}

/// Runs guard with an address space of this many KiB.
fn limited(repo: &Repo, kib: usize, arguments: &[&str]) -> Output {
    // Without `exec`, so that running out of memory yields an ordinary exit code.
    let script = "ulimit -v \"$0\" && \"$@\"; exit $?";
    let mut shell = repo.command("sh");
    shell.args(["-c", script, &kib.to_string(), GUARD]);
    common::run(shell.args(arguments).arg("--quiet"))
}

/// With `GUARD_LONG` also a write, which is slow without optimisation.
#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs a limit on the address space, which only Linux keeps"
)]
fn az_65_a_file_of_15_mb_is_judged_in_50_mib_beyond_its_two_versions() {
    let (old, new) = versions();
    assert!(old.len() > 15_000_000);
    let repo = Repo::open();
    repo.stage("small.py", "x\n");
    repo.stage("large.py", &old);
    repo.commit("Large");
    repo.write("new", &new);
    repo.write("new-small", "y\n");
    // The baseline: the same call on a small file.
    let itself = |arguments: &[&str]| {
        let works = |kib: &usize| limited(&repo, *kib, arguments).code == 0;
        (20..200).map(|n| n * MIB).find(works).unwrap()
    };
    let beyond = (old.len() + new.len()) / 1024 + 50 * MIB;
    let check = |file, content| ["check", file, "--content-file", content];
    let room = itself(&check("small.py", "new-small")) + beyond;
    limited(&repo, room, &check("large.py", "new")).exits(1);

    if std::env::var_os("GUARD_LONG").is_some() {
        let write = |file, content| ["write", file, "--auto", "--content-file", content];
        let room = itself(&write("small.py", "new-small")) + beyond;
        limited(&repo, room, &write("large.py", "new"))
            .exits(1)
            .says("waits for approval as");
    }

    let room = itself(&["lint"]) + beyond;
    repo.stage("large.py", &new);
    limited(&repo, room, &["lint"])
        .exits(1)
        .says("destructive-change");
}
