//! `guard check --stdin`: many paths are answered as if they were arguments.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use crate::common::{GUARD, Output, Repo, run};

/// Paths of several kinds: granted, not granted, outside, and names that lines must quote.
const PATHS: &[&[u8]] = &[
    b"src/granted.rs",
    b"./src//granted.rs",
    b"src/other.rs",
    b"guard.toml",
    b"../outside",
    b" ",
    b"-z",
    b"\"quoted\"",
    b"back\\slash.rs",
    b"new\nline",
    b"cr\r",
    b"src/gr\xc3\xa4nted.rs",
    b"src/\xff.rs",
];

fn repo() -> Repo {
    let repo = Repo::new();
    let paths = ["src/granted.rs", "src/gränted.rs"];
    repo.govern(&paths.map(|path| (path, "Add", "x")));
    repo
}

fn check(repo: &Repo, arguments: &[&str], input: &[u8]) -> Output {
    repo.guard_reads(&[&["check", "--stdin"], arguments].concat(), input)
}

/// A path as git writes it in a line.
fn quoted(path: &[u8]) -> Vec<u8> {
    let octal = path.iter().map(|byte| format!("\\{byte:03o}"));
    format!("\"{}\"", octal.collect::<String>()).into()
}

#[test]
fn a_list_gets_the_answers_of_single_paths() {
    let repo = repo();
    let joined = |end: &[u8], each: &dyn Fn(&[u8]) -> Vec<u8>| -> Vec<u8> {
        PATHS
            .iter()
            .flat_map(|path| [&each(path), end].concat())
            .collect()
    };
    let as_git = |path: &[u8]| {
        let is_plain = !path.starts_with(b"\"") && !path.contains(&b'\n') && !path.ends_with(b"\r");
        match is_plain {
            true => path.to_vec(),
            false => quoted(path),
        }
    };
    for format in ["human", "json", "jsonl"] {
        let mut named = repo.command(GUARD);
        named.args(["check", "--format", format, "--"]);
        named.args(PATHS.iter().map(|path| OsStr::from_bytes(path)));
        let named = run(&mut named).exits(1);
        for (list, arguments) in [
            (joined(b"\0", &<[u8]>::to_vec), &["-z"][..]),
            (joined(b"\n", &as_git), &[]),
            (joined(b"\n", &quoted), &[]),
        ] {
            let arguments = [arguments, &["--format", format]].concat();
            let listed = check(&repo, &arguments, &list).exits(1);
            assert_eq!(listed.stdout, named.stdout, "{arguments:?}");
        }
    }
}

#[test]
fn the_exit_code_is_the_worst_of_all_answers() {
    let repo = repo();
    for (list, code) in [
        ("", 0),
        ("src/granted.rs\n", 0),
        ("src/granted.rs\nsrc/other.rs", 1),
        ("../outside", 1),
        ("\"badly quoted\nsrc/granted.rs\n", 2),
    ] {
        check(&repo, &[], list.as_bytes()).exits(code);
    }
    for arguments in [
        &["check", "--stdin", "src/granted.rs"][..],
        &["check", "--stdin", "--content-file", "src/granted.rs"],
        &["check", "-z", "src/granted.rs"],
        &["check"],
    ] {
        repo.guard(arguments).exits(2).says("Usage: guard check");
    }
    fs::remove_dir_all(repo.path(".git")).unwrap();
    check(&repo, &[], b"").exits(2);
}
