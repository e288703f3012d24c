//! The definitions of requirement 003: a workspace to read from and an output directory to write to.
use crate::common::system::symlink;
use std::fs;

use crate::common::Repo;

/// `in/` may be read, `out/` may be written.
fn repo() -> Repo {
    let repo = Repo::open_with("[workspace]\nread = [\"in\"]\nwrite = [\"out\"]\n");
    repo.write("in/allowed_file.txt", "in\n");
    repo.write("out/initial_output.txt", "out\n");
    repo
}

#[test]
fn workspace_directory_is_read_aw_13_aw_19_aw_21() {
    let repo = repo();
    for path in ["in/allowed_file.txt", "./out/../in/allowed_file.txt"] {
        assert_eq!(repo.ask(&["read", path]).works().json["content"], "in\n");
    }
    let absolute = repo.path("in/allowed_file.txt");
    repo.ask(&["read", absolute.to_str().unwrap()]).works();
    repo.ask(&["read", "in/nonexistent_file.txt"])
        .fails("not-found");
}

#[test]
fn workspace_directory_is_not_written_aw_18() {
    let repo = repo();
    for path in ["in/allowed_file.txt", "in/new", "top", "out/../in/new"] {
        let answer = repo.put(path, "x\n", &[]);
        assert_eq!(answer.fails("security").rule(), "outside-roots");
    }
    let patch = [
        "patch",
        "in/allowed_file.txt",
        "--search",
        "in",
        "--replace",
        "x",
    ];
    repo.ask(&patch).fails("security");
    assert_eq!(repo.read("in/allowed_file.txt"), b"in\n");
    assert!(!repo.path("in/new").exists() && !repo.path("top").exists());
}

#[test]
fn output_directory_is_written_without_limits_inside_aw_15_aw_20() {
    let repo = repo();
    for path in ["out/new_output_file.txt", "out/subdir/nested_output.txt"] {
        repo.put(path, "content\n", &[]).works();
        assert_eq!(repo.read(path), b"content\n");
    }
    repo.put("out/initial_output.txt", "again\n", &[]).works();
    repo.ask(&["move", "out/initial_output.txt", "out/b"])
        .works();
    repo.ask(&["delete", "out/b"]).works();
}

#[test]
fn output_directory_is_not_read_aw_17() {
    let repo = repo();
    repo.ask(&["read", "out/initial_output.txt"])
        .fails("security");
}

#[test]
fn nothing_else_is_read_or_written_aw_14_aw_16() {
    let repo = repo();
    let outside = repo.home().join("file");
    fs::write(&outside, "secret\n").unwrap();
    let outside = outside.to_str().unwrap();
    for path in ["../home/file", "in/../../home/file", outside, "outer/x"] {
        repo.ask(&["read", path]).fails("security");
        repo.put(path, "x\n", &[]).fails("security");
    }
    assert_eq!(fs::read(outside).unwrap(), b"secret\n");
    assert!(!repo.path("outer").exists());
}

#[test]
fn links_are_judged_by_their_target() {
    let repo = repo();
    symlink("../in/allowed_file.txt", repo.path("out/link")).unwrap();
    symlink("../out", repo.path("in/dir")).unwrap();
    repo.put("out/link", "x\n", &[]).fails("security");
    repo.ask(&["read", "out/link"]).works();
    repo.put("in/dir/new", "x\n", &[]).works();
    assert!(repo.path("out/new").exists());
    assert_eq!(repo.read("in/allowed_file.txt"), b"in\n");
}

#[test]
fn guard_check_knows_the_roots() {
    let repo = repo();
    let report = repo.json(&["check", "in/new", "out/new"]);
    assert_eq!(report["results"][0]["rule"], "outside-roots");
    assert_eq!(report["results"][1]["allowed"], true);
}

/// The question is about the place: a directory may have any spelling, and a file need not be there yet.
#[test]
fn reading_is_answered_for_roots_directories_and_new_paths() {
    let repo = repo();
    let asked = |path: &str| {
        let report = repo.json(&["check", "--read", path]);
        let result = &report["results"][0];
        (
            result["allowed"] == true,
            result["path"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let root = repo.root.display().to_string();
    for (path, expected, allowed) in [
        ("in", "in", true),
        ("in/", "in", true),
        ("out/../in/.", "in", true),
        (&format!("{root}/in"), "in", true),
        ("in/new", "in/new", true),
        ("in/new/deep", "in/new/deep", true),
        ("out", "out", false),
        ("out/", "out", false),
        (".", ".", false),
        ("in/..", ".", false),
        (&root, ".", false),
        ("..", "", false),
        ("in/../..", "", false),
        (".git", "", false),
    ] {
        assert_eq!(asked(path), (allowed, expected.to_owned()), "{path}");
    }
    // By default, the whole workspace is a root.
    let repo = Repo::open_with("");
    repo.write("in/a", "a\n");
    for path in [".", "./", "in/..", "in", "new"] {
        let report = repo.json(&["check", "--read", path]);
        assert_eq!(report["results"][0]["allowed"], true, "{path}");
    }
    // A link at the end of `..` leads where it leads.
    symlink("../../home", repo.path("in/link")).unwrap();
    let report = repo.json(&["check", "--read", "in/link/.."]);
    assert_eq!(report["results"][0]["allowed"], false);
}

#[test]
fn refusal_by_the_roots_is_logged() {
    let repo = repo();
    for (arguments, operation) in [
        (&["read", "out/initial_output.txt"][..], "read"),
        (&["write", "in/x"], "write"),
        (&["delete", "in/allowed_file.txt"], "delete"),
        (&["move", "out/initial_output.txt", "in/x"], "move"),
    ] {
        repo.ask(arguments).fails("security");
        let last = repo.records().pop().unwrap();
        assert_eq!(last["event"], "refused");
        assert_eq!(last["operation"], operation);
        assert_eq!(last["rule"], "outside-roots");
    }
}
