//! The validation rules of requirement 004 and its acceptance cases on paths, through the binary.

use crate::common::system::symlink;
use std::fs;
use std::path::Path;

use crate::common::{Repo, assert_says, findings, table};
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

/// Checks requests, one per line and `ROOT` for the root, against the rule that refuses each and a part of the message, or
/// without a rule (`-`) the path that it resolves to.
#[track_caller]
fn check(repo: &Repo, cases: &str) {
    let cases = cases.replace("ROOT", repo.root.to_str().unwrap());
    let cases: Vec<[&str; 3]> = table(&cases).collect();
    let all = answers(repo, cases.iter().map(|case| case[0]));
    for (answer, [request, rule, expected]) in all.iter().zip(cases) {
        let is_allowed = rule == "-";
        assert_eq!(answer["allowed"], is_allowed, "{request}: {answer}");
        if is_allowed {
            assert_eq!(answer["path"], expected, "{request}");
        } else {
            assert_eq!(answer["rule"], rule, "{request}: {answer}");
            assert_says(answer["reason"].as_str().unwrap(), &[expected]);
        }
    }
}

fn answers<'a>(repo: &Repo, requests: impl Iterator<Item = &'a str>) -> Vec<Value> {
    let check = ["check", "--format", "json", "--"].into_iter();
    let output = repo.guard(&check.chain(requests).collect::<Vec<_>>());
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let answers = report["results"].as_array().unwrap().clone();
    let refused = answers.iter().any(|answer| answer["allowed"] == false);
    output.exits(i32::from(refused));
    answers
}

#[test]
fn rule_1_absolute_paths_must_be_below_the_root_jc_08_to_12_and_25_to_29() {
    // A path may begin with the same characters as the root.
    check(
        &open_repo(),
        "ROOT/src/main.ex | - | src/main.ex
         ROOT//src/./main.ex | - | src/main.ex
         ROOT/src/../target.txt | - | target.txt
         ROOT | unsafe-path | is the workspace itself
         /etc/passwd | outside-workspace | outside the workspace
         ROOT/../other_project | outside-workspace | leaves
         ROOT/.. | outside-workspace | leaves
         ROOT_backup/x | outside-workspace | outside the workspace
         ROOT-evil/x | outside-workspace | outside the workspace
         / | outside-workspace | outside the workspace",
    );
}

#[test]
fn rule_2_relative_paths_are_taken_from_the_directory_of_the_caller_jc_01_to_03_and_16_to_19() {
    let repo = open_repo();
    check(
        &repo,
        "src/main.ex | - | src/main.ex
         lib/nested/file.ex | - | lib/nested/file.ex
         ./src/main.ex | - | src/main.ex
         nonexistent/path.ex | - | nonexistent/path.ex
         src/file with spaces.ex | - | src/file with spaces.ex
         . | unsafe-path | is the workspace itself
         src | unsafe-path | is a directory
         src/ | unsafe-path | names a directory",
    );
    // In the root that is the root; in a subdirectory it is the caller's directory, as for git.
    for (asked, path) in [("main.ex", "src/main.ex"), ("../target.txt", "target.txt")] {
        let report = repo.json(&["-C", "src", "check", asked]);
        assert_eq!(report["results"][0]["path"], path, "{asked}");
    }
    for asked in ["../../outside", "~/x", "https://example.com/x", ""] {
        repo.guard(&["-C", "src", "check", asked]).exits(1);
    }
}

#[test]
fn rule_3_dots_are_resolved_and_must_stay_inside_jc_04_to_07_36_and_37() {
    // Out of the repository and back in: guard does not trust directories outside.
    check(
        &open_repo(),
        "src/../target.txt | - | target.txt
         src/../nested/./file.txt | - | nested/file.txt
         ../../../etc/passwd | outside-workspace | leaves
         ../../../../../../../../etc/passwd | outside-workspace | leaves
         src/../../etc/passwd | outside-workspace | leaves
         src//../../etc/passwd | outside-workspace | leaves
         src/./../../etc/passwd | outside-workspace | leaves
         ../work/src/main.ex | outside-workspace | leaves",
    );
}

#[test]
fn rule_4_links_are_followed_and_must_stay_inside_jc_13_to_15_and_51_to_54() {
    let repo = open_repo();
    fs::create_dir(repo.path("../outside")).unwrap();
    fs::write(repo.path("../outside/secret"), "x\n").unwrap();
    for (at, target) in [
        ("internal_link", "target.txt"),
        ("chain_link", "internal_link"),
        ("dir_link", "nested"),
        ("src/up", "../nested"),
        ("dangling", "new/file.txt"),
        ("external_link", "/etc/hosts"),
        ("external_dir", "../outside"),
        ("external_new", "../outside/new"),
        ("link2", "external_link"),
        ("link1", "link2"),
        ("a", "b"),
        ("b", "a"),
        ("self", "self"),
        ("git", ".git/hooks"),
    ] {
        link(&repo, at, target);
    }
    link(&repo, "absolute", repo.path("target.txt"));
    // `..` behind a link starts at its target: by name external_dir/../target.txt is target.txt, on disk it is outside.
    check(
        &repo,
        "internal_link | - | target.txt
         chain_link | - | target.txt
         dir_link/file.txt | - | nested/file.txt
         dir_link/new.txt | - | nested/new.txt
         src/up/new.txt | - | nested/new.txt
         dangling | - | new/file.txt
         src/up/../target.txt | - | target.txt
         external_link | outside-workspace | the link external_link to /etc/hosts is absolute
         external_dir/secret | outside-workspace | leaves
         external_dir/new | outside-workspace | leaves
         external_new | outside-workspace | leaves
         link1 | outside-workspace | is absolute
         a | unsafe-path | a passes through more than 40 links
         self | unsafe-path | the link self to self leads back to itself
         absolute | outside-workspace | is absolute
         git/pre-commit | unsafe-path | the link git to .git/hooks
         external_dir/../target.txt | outside-workspace | leaves",
    );
}

#[test]
fn rule_5_the_parent_of_a_new_path_must_be_a_directory_inside() {
    check(
        &open_repo(),
        "target.txt/new.txt | unsafe-path | is below a file
         not/there/yet.txt | - | not/there/yet.txt",
    );
}

#[test]
fn staged_link_chain_that_escapes_is_refused_at_every_link() {
    // Of the first two, only both together leave: src/up is the root, and its `..` is outside.
    for (links, expected) in [
        (
            [("src/up", ".."), ("l", "src/up/../x")],
            &[("outside-workspace", "l")][..],
        ),
        (
            [("a", "b"), ("b", "a")],
            &[("unsafe-path", "a"), ("unsafe-path", "b")],
        ),
    ] {
        let repo = open_repo();
        let entry = |(at, target): (&'static str, &str)| {
            (0o120000, repo.blob(target.as_bytes()), at.as_bytes())
        };
        repo.stage_raw(&links.map(entry));
        assert_eq!(findings(&repo.json(&["lint"])), expected);
    }
}

#[test]
fn each_violation_has_the_name_of_the_requirement_and_each_path_its_absolute_form() {
    let repo = open_repo();
    link(&repo, "out", "/etc");
    // A refusal for another reason is no violation of the boundary.
    let requests = [
        ("../../../etc/passwd", Value::from("path_escapes_boundary")),
        ("/etc/passwd", "path_outside_boundary".into()),
        ("out/passwd", "symlink_escapes_boundary".into()),
        ("a\u{200b}b", Value::Null),
        ("src/main.ex", Value::Null),
    ];
    let all = answers(&repo, requests.iter().map(|(request, _)| *request));
    let absolute = repo.path("src/main.ex").display().to_string();
    for (answer, (request, violation)) in all.iter().zip(requests) {
        assert_eq!(answer["violation"], violation, "{request}: {answer}");
        let is_allowed = answer["allowed"] == true;
        assert_eq!(is_allowed, answer["absolute_path"] == absolute, "{answer}");
    }
    assert_eq!(all[4]["allowed"], true);
}
