//! Ways to read or write around the workspace: content files, and variables that move the work tree.

use std::fs;
use std::process::Command;

use crate::common::{self, GUARD, Repo};

/// A content file cannot copy what `guard read` refuses.
#[test]
fn content_files_obey_the_rules_for_reading() {
    let repo = Repo::open();
    repo.write("a", "one\n");
    repo.write(".env", "TOKEN=1\n");
    repo.write("../outside", "secret\n");
    repo.write(".git/secret", "secret\n");
    for file in [".env", "../outside", "/etc/passwd", ".git/secret"] {
        for arguments in [
            &["write", "a", "--content-file", file][..],
            &["patch", "a", "--edits", file],
        ] {
            let answer = repo.ask(arguments);
            let kind = answer.json["error"]["kind"].as_str();
            let is_refused = matches!(kind, Some("security" | "refused"));
            assert!(is_refused, "{arguments:?}: {answer:#?}");
        }
        repo.guard(&["check", "a", "--content-file", file]).exits(2);
        assert_eq!(repo.read("a"), b"one\n");
    }
    repo.write("proposal", "two\n");
    repo.tells("write a --content-file proposal", 0, "");
    assert_eq!(repo.read("a"), b"two\n");
}

/// The workspace is the directory that holds `.git`.
#[test]
fn requests_stay_in_the_work_tree_of_the_repository() {
    let repo = Repo::open();
    let elsewhere = Repo::nothing();
    fs::write(elsewhere.path("victim"), "one\n").unwrap();
    let refuses = |set_up: &dyn Fn(&mut Command) -> &mut Command| {
        for arguments in [
            &["write", "victim"][..],
            &["patch", "victim", "--search", "one", "--replace", "two"],
            &["delete", "victim"],
            &["read", "victim"],
            &["check", "victim"],
        ] {
            let mut guard = repo.command(GUARD);
            guard.args(arguments);
            set_up(&mut guard);
            common::run_with_input(&mut guard, b"two\n")
                .exits(2)
                .says("does not belong to the repository");
        }
        assert_eq!(elsewhere.read("victim"), b"one\n");
    };
    refuses(&|guard| guard.env("GIT_WORK_TREE", &elsewhere.root));
    // GIT_DIR of the repository in which guard runs changes nothing. Elsewhere, it would write in another place.
    repo.write("below/x", "one\n");
    for (place, code) in [("below", 0), ("nested", 2), ("..", 2)] {
        repo.git(&["init", "--quiet", "nested"]);
        repo.write("victim", "one\n");
        let mut write = repo.command(GUARD);
        write
            .args(["write", "../victim"])
            .env("GIT_DIR", repo.path(".git"))
            .current_dir(repo.path(place));
        let written = common::run_with_input(&mut write, b"two\n");
        assert_eq!(written.code, code, "{place}: {written:?}");
        let content = if code == 0 { b"two\n" } else { b"one\n" };
        assert_eq!(repo.read("victim"), content, "{place}");
    }
    fs::remove_dir_all(repo.path("nested")).unwrap();
    let other = Repo::open();
    other.write("victim", "one\n");
    refuses(&|guard| guard.env("GIT_DIR", other.path(".git")));
    assert_eq!(other.read("victim"), b"one\n");
    // A .git file that names the repository of another directory.
    let forged = format!("gitdir: {}\n", repo.path(".git").display());
    fs::write(elsewhere.path(".git"), forged).unwrap();
    refuses(&|guard| guard.current_dir(&elsewhere.root));
    fs::remove_file(elsewhere.path(".git")).unwrap();
    let path = elsewhere.root.to_str().unwrap();
    repo.git(&["config", "core.worktree", path]);
    refuses(&|guard| guard);
}

#[test]
fn requests_work_where_git_itself_registered_the_work_tree() {
    let repo = Repo::open();
    repo.git(&["worktree", "add", "--quiet", "../linked"]);
    let separate = ["--separate-git-dir", "../separate.git", ".", "../clone"];
    repo.git(&[&["clone", "--quiet"], &separate[..]].concat());
    let source = repo.root.to_str().unwrap();
    let local = ["-C", "../clone", "-c", "protocol.file.allow=always"];
    repo.git(&[&local[..], &["submodule", "--quiet", "add", source, "sub"]].concat());
    for directory in ["../linked", "../clone", "../clone/sub"] {
        let written = repo.tells(&format!("-C {directory} write new --allow-empty"), 0, "");
        assert!(repo.path(directory).join("new").exists(), "{written:?}");
    }
    // A linked work tree that was moved by hand is registered elsewhere.
    fs::rename(repo.path("../linked"), repo.path("../moved")).unwrap();
    repo.tells("-C ../moved write other --allow-empty", 2, "");
}
