//! What the file verbs refuse: each refusal names its reason and changes nothing.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::common::{self, Repo};

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
        assert!(
            repo.ask(arguments)
                .fails("binary")
                .message()
                .contains("b.bin")
        );
    }
    assert_eq!(repo.read("b.bin"), b"a\0b");
}

#[test]
fn r000_120_a_read_only_file_is_refused_jc_117() {
    let repo = Repo::open();
    repo.write("a", "old\n");
    fs::set_permissions(repo.path("a"), fs::Permissions::from_mode(0o444)).unwrap();
    let answer = repo.put("a", "new\n", &[]);
    assert!(
        answer
            .fails("permission")
            .message()
            .contains("a is read-only")
    );
    repo.ask(&["delete", "a"]).fails("permission");
    repo.ask(&["move", "a", "b"]).fails("permission");
    assert_eq!(repo.read("a"), b"old\n");
}

#[test]
fn r000_140_paths_outside_are_refused_and_logged_ag_05_ag_06_aw_16() {
    let repo = Repo::open();
    for path in [
        "../outside.py",
        "../../etc/passwd",
        "/etc/hosts",
        "a/../../outside.py",
        "C:\\Windows\\System32\\config",
        ".git/config",
        "a\tb",
    ] {
        repo.put(path, "x\n", &[]).fails("security");
        repo.ask(&["read", path]).fails("security");
        repo.ask(&["delete", path]).fails("security");
        repo.ask(&["move", path, "here"]).fails("security");
        repo.ask(&["move", "guard.toml", path]);
        let last = repo.records().pop().unwrap();
        assert_eq!(last["event"], "refused", "{path}");
    }
    assert!(!repo.path("../outside.py").exists());
    assert!(!repo.path("here").exists());
}

#[test]
fn r000_150_a_link_that_leads_outside_is_refused_ag_07() {
    let repo = Repo::open();
    let outside = repo.path("../home/file.py");
    fs::write(&outside, "secret\n").unwrap();
    symlink(&outside, repo.path("absolute")).unwrap();
    symlink("../home/file.py", repo.path("relative")).unwrap();
    symlink("../home", repo.path("dir")).unwrap();
    for path in ["absolute", "relative", "dir/file.py", "dir/new"] {
        repo.put(path, "x\n", &[]).fails("security");
        repo.ask(&["read", path]).fails("security");
        repo.ask(&["delete", path]).fails("security");
    }
    assert_eq!(fs::read(&outside).unwrap(), b"secret\n");
    assert_eq!(fs::read_dir(repo.home()).unwrap().count(), 1);
}

#[test]
fn non_regular_files_are_refused_by_name_jc_104() {
    let repo = Repo::open();
    repo.write("dir/a", "x\n");
    repo.write("one", "x\n");
    fs::hard_link(repo.path("one"), repo.path("two")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(repo.path("socket")).unwrap();
    common::run(repo.command("mkfifo").arg("fifo")).exits(0);
    for (path, word) in [
        ("dir", "is a directory"),
        ("one", "hard links"),
        ("socket", "is not a regular file"),
        ("fifo", "is not a regular file"),
        ("one/below", "is below a file"),
    ] {
        for answer in [
            repo.put(path, "y\n", &[]),
            repo.ask(&["read", path]),
            repo.ask(&["delete", path]),
            repo.ask(&["move", path, "elsewhere"]),
        ] {
            assert!(answer.fails("security").message().contains(word), "{path}");
        }
    }
    assert_eq!(repo.read("two"), b"x\n");
}

#[test]
fn az_45_jc_101_files_above_the_limit_are_refused_and_at_the_limit_accepted() {
    let repo = Repo::open();
    let limit = 20_000_000;
    repo.write("big", "x".repeat(limit + 1));
    repo.ask(&["read", "big"]).fails("too-large");
    repo.put("big", "y\n", &[]).fails("too-large");
    repo.put("new", "x".repeat(limit + 1), &[])
        .fails("too-large");
    repo.put("new", "x".repeat(limit), &[]).works();
    repo.put("new", "x", &["--strategy", "append"])
        .fails("too-large");
}

#[test]
fn az_45_az_46_secrets_are_neither_read_nor_written() {
    let repo = Repo::open();
    for path in [".env", "credentials.json", "id_rsa", "sub/server.pem"] {
        repo.write(path, "x\n");
        let answer = repo.ask(&["read", path]);
        let said = answer.fails("refused").message();
        assert!(said.contains("looks like a secret"), "{said}");
        repo.put(path, "y\n", &[]).fails("refused");
        repo.ask(&["move", path, "plain"]).fails("refused");
        assert_eq!(repo.read(path), b"x\n");
    }
    repo.write("main.py", "x\n");
    repo.ask(&["move", "main.py", ".env.local"])
        .fails("refused");
}

/// A name is only a guess; a row that names the file decides.
#[test]
fn source_code_and_files_with_a_row_are_no_secrets() {
    let repo = Repo::new();
    for path in [
        "shop/credentials.py",
        "certs/test.pem",
        "certs/prod.pem",
        ".env",
    ] {
        repo.stage(path, "x\n");
    }
    repo.govern(&[
        ("shop/credentials.py", "Modify", "x"),
        ("certs/test.pem", "Modify", "a certificate for tests"),
        ("certs/", "Add", "x"),
        ("**/.env", "Modify", "x"),
    ]);
    for path in ["shop/credentials.py", "certs/test.pem"] {
        repo.ask(&["read", path]).works();
        repo.put(path, "y\n", &[]).works();
        assert_eq!(repo.read(path), b"y\n");
    }
    for path in ["certs/prod.pem", ".env"] {
        repo.ask(&["read", path]).fails("refused");
        repo.put(path, "y\n", &[]).fails("refused");
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
        assert_eq!(
            repo.put(path, "x\n", &[]).fails("refused").json["error"]["rule"],
            "protected-path"
        );
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
