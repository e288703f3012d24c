//! What the file verbs refuse: each refusal names its reason and changes nothing.

use std::fs;

use crate::common::system;
use crate::common::{Repo, assert_says};

#[test]
fn r000_110_binary_content_is_refused_by_name() {
    let repo = Repo::open();
    repo.put("a.bin", b"a\0b", &[]).fails("binary");
    assert!(!repo.path("a.bin").exists());
    repo.write("b.bin", b"a\0b");
    for arguments in [
        &["read", "b.bin"][..],
        &["patch", "b.bin", "--search", "a", "--replace", "b"],
        &["move", "b.bin", "c.bin"],
    ] {
        let answer = repo.ask(arguments);
        assert_says(answer.fails("binary").message(), &["b.bin"]);
    }
    assert_eq!(repo.read("b.bin"), b"a\0b");
}

#[test]
fn r000_120_a_read_only_file_is_refused_jc_117() {
    let repo = Repo::open();
    repo.write("a", "old\n");
    system::set_mode(repo.path("a"), 0o444);
    let answer = repo.put("a", "new\n", &[]);
    assert_says(answer.fails("permission").message(), &["a is read-only"]);
    repo.ask(&["delete", "a"]).fails("permission");
    repo.ask(&["move", "a", "b"]).fails("permission");
    assert_eq!(repo.read("a"), b"old\n");
}

#[test]
fn non_regular_files_are_refused_by_name_jc_104() {
    let repo = Repo::open();
    repo.write("dir/a", "x\n");
    repo.write("one", "x\n");
    fs::hard_link(repo.path("one"), repo.path("two")).unwrap();
    for (path, word) in [
        ("dir", "is a directory"),
        ("one", "hard links"),
        ("one/below", "is below a file"),
    ] {
        every_verb_refuses(&repo, path, word);
    }
    assert_eq!(repo.read("two"), b"x\n");
}

#[track_caller]
fn every_verb_refuses(repo: &Repo, path: &str, word: &str) {
    for answer in [
        repo.put(path, "y\n", &[]),
        repo.ask(&["read", path]),
        repo.ask(&["delete", path]),
        repo.ask(&["move", path, "elsewhere"]),
    ] {
        assert_says(answer.fails("security").message(), &[word]);
    }
}

#[test]
#[cfg_attr(not(unix), ignore = "needs a socket and a FIFO, which Windows lacks")]
fn sockets_and_fifos_are_refused_by_name_jc_104() {
    let repo = Repo::open();
    system::socket(repo.path("socket"));
    system::fifo(repo.path("fifo"));
    for path in ["socket", "fifo"] {
        every_verb_refuses(&repo, path, "is not a regular file");
    }
}

#[test]
fn az_45_jc_101_files_above_the_limit_are_refused_and_at_the_limit_accepted() {
    let repo = Repo::open();
    let limit = 20_000_000;
    repo.write("big", "x".repeat(limit + 1));
    repo.ask(&["read", "big"]).fails("too-large");
    repo.put("big", "y\n", &[]).fails("too-large");
    let large = repo.put("new", "x".repeat(limit + 1), &[]);
    large.fails("too-large");
    repo.put("new", "x".repeat(limit), &[]).works();
    let append = repo.put("new", "x", &["--strategy", "append"]);
    append.fails("too-large");
}

/// A name is only a guess; a row that names the file decides.
#[test]
fn az_45_az_46_secrets_are_neither_read_nor_written_unless_a_row_names_them() {
    let repo = Repo::new();
    let secrets = [".env", "credentials.json", "id_rsa", "certs/prod.pem"];
    let named = ["shop/credentials.py", "certs/test.pem"];
    for path in secrets.iter().chain(&named) {
        repo.stage(path, "x\n");
    }
    repo.stage("main.py", "x\n");
    repo.govern(&[
        ("shop/credentials.py", "Modify", "x"),
        ("certs/test.pem", "Modify", "a certificate for tests"),
        ("certs/", "Add", "x"),
        ("**/.env", "Modify", "x"),
        ("main.py", "Delete", "x"),
    ]);
    for path in secrets {
        let answer = repo.ask(&["read", path]);
        assert_says(answer.fails("refused").message(), &["looks like a secret"]);
        repo.put(path, "y\n", &[]).fails("refused");
        repo.ask(&["move", path, "certs/new"]).fails("refused");
        assert_eq!(repo.read(path), b"x\n");
    }
    repo.ask(&["move", "main.py", "certs/.env.local"])
        .fails("refused");
    for path in named {
        repo.ask(&["read", path]).works();
        repo.put(path, "y\n", &[]).works();
        assert_eq!(repo.read(path), b"y\n");
    }
}

#[test]
fn jc_68_to_75_only_people_change_guards_configuration() {
    let repo = Repo::open();
    let before = repo.read("guard.toml");
    let absolute = repo.path("guard.toml");
    for path in [
        "guard.toml",
        "GUARD.toml",
        ".guard/allowed_signers",
        "src/../guard.toml",
        absolute.to_str().unwrap(),
    ] {
        let answer = repo.put(path, "x\n", &[]);
        let rule = &answer.fails("refused").json["error"]["rule"];
        assert_eq!(rule, "protected-path", "{path}");
        let report = repo.json(&["check", path]);
        assert_eq!(report["results"][0]["rule"], "protected-path", "{path}");
    }
    repo.ask(&["delete", "guard.toml"]).fails("refused");
    repo.write("a", "x\n");
    repo.ask(&["move", "a", ".guard/x"]).fails("refused");
    // They may be read, and files of that name in other directories may be written.
    repo.ask(&["read", "guard.toml"]).works();
    repo.put("src/guard.toml", "x\n", &[]).works();
    assert_eq!(repo.read("guard.toml"), before);
}
