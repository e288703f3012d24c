//! The validation rules of requirement 004 and its acceptance cases on paths, through the binary.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::common::{self, Repo, findings};
use serde_json::Value;

/// A repository without a design, so that only the boundary decides.
fn open_repo() -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", "[lld]\nmissing = \"skip\"\n");
    repo.stage("src/main.ex", "x\n");
    repo.stage("target.txt", "x\n");
    repo.stage("nested/file.txt", "x\n");
    repo.commit("Begin");
    repo
}

fn link(repo: &Repo, at: &str, target: impl AsRef<Path>) {
    let at = repo.path(at);
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    symlink(target, at).unwrap();
}

/// Asserts the path that each request resolves to.
#[track_caller]
fn resolves(repo: &Repo, cases: &[(&str, &str)]) {
    for (answer, (request, path)) in answers(repo, cases.iter().map(|case| case.0))
        .iter()
        .zip(cases)
    {
        assert_eq!(answer["allowed"], true, "{request}: {answer}");
        assert_eq!(answer["path"], *path, "{request}");
    }
}

/// Asserts the rule and a part of the message of each refusal.
#[track_caller]
fn refuses(repo: &Repo, cases: &[(&str, &str, &str)]) {
    for (answer, (request, rule, reason)) in answers(repo, cases.iter().map(|case| case.0))
        .iter()
        .zip(cases)
    {
        assert_eq!(answer["allowed"], false, "{request}: {answer}");
        assert_eq!(answer["rule"], *rule, "{request}: {answer}");
        let said = answer["reason"].as_str().unwrap();
        assert!(said.contains(reason), "{request}: {said}");
    }
}

fn answers<'a>(repo: &Repo, requests: impl Iterator<Item = &'a str>) -> Vec<Value> {
    let output = common::run(
        repo.command(common::GUARD)
            .args(["check", "--format", "json", "--"])
            .args(requests),
    );
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let answers = report["results"].as_array().unwrap().clone();
    let refused = answers.iter().any(|answer| answer["allowed"] == false);
    assert_eq!(output.code, i32::from(refused));
    answers
}

const OUTSIDE: &str = "outside-workspace";
const UNSAFE: &str = "unsafe-path";

#[test]
fn rule_1_absolute_paths_must_be_below_the_root_jc_08_to_12_and_25_to_29() {
    let repo = open_repo();
    let root = repo.root.to_str().unwrap();
    let below = |rest: &str| format!("{root}{rest}");
    resolves(
        &repo,
        &[
            (&below("/src/main.ex"), "src/main.ex"),
            (&below("//src/./main.ex"), "src/main.ex"),
            (&below("/src/../target.txt"), "target.txt"),
        ],
    );
    let parent = repo.root.parent().unwrap().to_str().unwrap();
    refuses(
        &repo,
        &[
            (root, UNSAFE, "is the workspace itself"),
            ("/etc/passwd", OUTSIDE, "outside the workspace"),
            (&below("/../other_project"), OUTSIDE, "leaves"),
            (parent, OUTSIDE, "outside the workspace"),
            // The path only begins with the same characters as the root.
            (&below("_backup/x"), OUTSIDE, "outside the workspace"),
            (&below("-evil/x"), OUTSIDE, "outside the workspace"),
            ("/", OUTSIDE, "outside the workspace"),
        ],
    );
}

#[test]
fn rule_2_relative_paths_are_taken_from_the_directory_of_the_caller_jc_01_to_03_and_16_to_19() {
    let repo = open_repo();
    resolves(
        &repo,
        &[
            ("src/main.ex", "src/main.ex"),
            ("lib/nested/file.ex", "lib/nested/file.ex"),
            ("./src/main.ex", "src/main.ex"),
            ("nonexistent/path.ex", "nonexistent/path.ex"),
            ("src/file with spaces.ex", "src/file with spaces.ex"),
        ],
    );
    refuses(
        &repo,
        &[
            ("", UNSAFE, "is not a path"),
            (".", UNSAFE, "is the workspace itself"),
            ("src", UNSAFE, "is a directory"),
            ("src/", UNSAFE, "names a directory"),
        ],
    );
    // In the root that is the root; in a subdirectory it is the caller's directory, as for git.
    for (asked, path) in [("main.ex", "src/main.ex"), ("../target.txt", "target.txt")] {
        let report = repo.guard(&["-C", "src", "check", asked, "--format", "json"]);
        let path = format!("\"path\": \"{path}\"");
        assert!(report.exits(0).stdout.contains(&path), "{asked}");
    }
    for asked in ["../../outside", "~/x", "https://example.com/x", ""] {
        let report = repo.guard(&["-C", "src", "check", asked, "--format", "json"]);
        assert!(
            report.exits(1).stdout.contains("\"allowed\": false"),
            "{asked}"
        );
    }
}

#[test]
fn rule_3_dots_are_resolved_and_must_stay_inside_jc_04_to_07_36_and_37() {
    let repo = open_repo();
    resolves(
        &repo,
        &[
            ("src/../target.txt", "target.txt"),
            ("src/../nested/./file.txt", "nested/file.txt"),
        ],
    );
    let back = format!(
        "../{}/src/main.ex",
        repo.root.file_name().unwrap().to_str().unwrap()
    );
    refuses(
        &repo,
        &[
            ("../../../etc/passwd", OUTSIDE, "leaves"),
            ("../../../../../../../../etc/passwd", OUTSIDE, "leaves"),
            ("src/../../etc/passwd", OUTSIDE, "leaves"),
            ("src//../../etc/passwd", OUTSIDE, "leaves"),
            ("src/./../../etc/passwd", OUTSIDE, "leaves"),
            // Out of the repository and back in: guard does not trust directories outside.
            (&back, OUTSIDE, "leaves"),
        ],
    );
}

#[test]
fn rule_4_links_are_followed_and_must_stay_inside_jc_13_to_15_and_51_to_54() {
    let repo = open_repo();
    fs::create_dir(repo.path("../outside")).unwrap();
    fs::write(repo.path("../outside/secret"), "x\n").unwrap();
    link(&repo, "internal_link", "target.txt");
    link(&repo, "chain_link", "internal_link");
    link(&repo, "dir_link", "nested");
    link(&repo, "src/up", "../nested");
    link(&repo, "dangling", "new/file.txt");
    resolves(
        &repo,
        &[
            ("internal_link", "target.txt"),
            ("chain_link", "target.txt"),
            ("dir_link/file.txt", "nested/file.txt"),
            ("dir_link/new.txt", "nested/new.txt"),
            ("src/up/new.txt", "nested/new.txt"),
            ("dangling", "new/file.txt"),
            // The parent of the link's target, which is the root.
            ("src/up/../target.txt", "target.txt"),
        ],
    );

    link(&repo, "external_link", "/etc/hosts");
    link(&repo, "external_dir", "../outside");
    link(&repo, "external_new", "../outside/new");
    link(&repo, "link2", "external_link");
    link(&repo, "link1", "link2");
    link(&repo, "a", "b");
    link(&repo, "b", "a");
    link(&repo, "self", "self");
    link(&repo, "absolute", repo.path("target.txt"));
    link(&repo, "git", ".git/hooks");
    refuses(
        &repo,
        &[
            (
                "external_link",
                OUTSIDE,
                "the link external_link to /etc/hosts is absolute",
            ),
            ("external_dir/secret", OUTSIDE, "leaves"),
            ("external_dir/new", OUTSIDE, "leaves"),
            ("external_new", OUTSIDE, "leaves"),
            ("link1", OUTSIDE, "is absolute"),
            ("a", UNSAFE, "a passes through more than 40 links"),
            ("self", UNSAFE, "the link self to self leads back to itself"),
            ("absolute", OUTSIDE, "is absolute"),
            ("git/pre-commit", UNSAFE, "the link git to .git/hooks"),
            // By name this is target.txt; on disk it is outside the repository.
            ("external_dir/../target.txt", OUTSIDE, "leaves"),
        ],
    );
}

#[test]
fn dot_dot_behind_a_link_starts_at_its_target() {
    let repo = Repo::new();
    repo.stage("b/c/keep", "x\n");
    repo.govern(&[("t", "Add", "x")]);
    link(&repo, "a", "b/c");
    // The file system would write b/t, which no row names.
    refuses(
        &repo,
        &[("a/../t", "out-of-scope", "b/t is not in the design")],
    );
    resolves(&repo, &[("b/../t", "t")]);
}

#[test]
fn rule_5_the_parent_of_a_new_path_must_be_a_directory_inside() {
    let repo = open_repo();
    refuses(&repo, &[("target.txt/new.txt", UNSAFE, "is below a file")]);
    resolves(&repo, &[("not/there/yet.txt", "not/there/yet.txt")]);
}

/// Stages links as raw entries and judges them.
fn staged_links(links: &[(&str, &str)]) -> Value {
    let repo = open_repo();
    let entries: Vec<_> = links
        .iter()
        .map(|(at, target)| (0o120000, repo.blob(target.as_bytes()), at.as_bytes()))
        .collect();
    repo.stage_raw(&entries);
    repo.json(&["lint"])
}

#[test]
fn staged_link_chain_that_escapes_is_refused_at_every_link() {
    // Only both together leave: src/up is the root, and its `..` is outside.
    let report = staged_links(&[("src/up", ".."), ("l", "src/up/../x")]);
    assert_eq!(findings(&report), [(OUTSIDE, "l")], "{report:#}");
    let report = staged_links(&[("a", "b"), ("b", "a")]);
    assert_eq!(findings(&report), [(UNSAFE, "a"), (UNSAFE, "b")]);
}

#[test]
fn each_violation_has_the_name_of_the_requirement_and_each_path_its_absolute_form() {
    let repo = open_repo();
    link(&repo, "out", "/etc");
    let violations = [
        ("../../../etc/passwd", "path_escapes_boundary"),
        ("/etc/passwd", "path_outside_boundary"),
        ("out/passwd", "symlink_escapes_boundary"),
    ];
    let requests = violations.map(|(request, _)| request);
    let all = answers(
        &repo,
        requests.into_iter().chain(["src/main.ex", "a\u{200b}b"]),
    );
    for (answer, (request, violation)) in all.iter().zip(violations) {
        assert_eq!(answer["violation"], violation, "{request}: {answer}");
        assert_eq!(answer["absolute_path"], Value::Null, "{request}: {answer}");
    }
    let root = fs::canonicalize(&repo.root).unwrap();
    assert_eq!(
        all[3]["absolute_path"],
        root.join("src/main.ex").to_str().unwrap()
    );
    assert_eq!(all[3]["violation"], Value::Null);
    // Another refusal is no violation of the boundary.
    assert_eq!(all[4]["allowed"], false);
    assert_eq!(all[4]["violation"], Value::Null);
}
