//! If the search text of a patch is not in the file, guard names the closest passage and the words that differ.

#![allow(clippy::unwrap_used)]

use crate::common::{Repo, lines};

const FILE: &str = "src/state.py";
const CODE: &str = "\
import os


def load(path, retries=3):
    for attempt in range(retries):
        if os.path.exists(path):
            return read(path)
    return None


def store(path, state):
    write(path, state.encode())
";

fn repo(content: &str) -> Repo {
    let repo = Repo::new();
    repo.stage(FILE, content);
    repo.commit("Begin");
    repo.govern(&[(FILE, "Modify", "the state")]);
    repo
}

/// What guard says about a text that is not in the file.
fn told(repo: &Repo, search: &str) -> String {
    let patch = ["patch", FILE, "--search", search, "--replace", "x"];
    let said = repo.guard(&patch).exits(1).text();
    let content = repo.read(FILE);
    assert!(said.contains("not in the file"), "{said}");
    assert_eq!(content, repo.read(FILE));
    // A terminal wraps long lines.
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_line_and_the_words_that_differ_are_named() {
    let repo = repo(CODE);
    let said = told(&repo, "def load(path, attempts=3):");
    assert!(
        said.contains("line 4 has `retries`, not `attempts`"),
        "{said}"
    );
    let said = told(&repo, "    write(path, state.encode(\"utf-8\"))");
    assert!(said.contains("line 12 lacks `\"utf-8\"`"), "{said}");
    let said = told(&repo, "def store(state):");
    assert!(said.contains("line 11 also has `path,`"), "{said}");
}

#[test]
fn each_difference_in_a_passage_has_its_line() {
    let repo = repo(CODE);
    let search = "    for attempt in range(retries):\n        if os.path.isfile(path):\n            return parse(path)\n";
    let said = told(&repo, search);
    assert!(
        said.contains(
            "line 6 has `os.path.exists`, not `os.path.isfile`; line 7 has `read`, not `parse`"
        ),
        "{said}"
    );
}

#[test]
fn json_contains_the_same_advice() {
    let repo = repo(CODE);
    let search = "def load(path, attempts=3):";
    let patch = [
        "patch",
        FILE,
        "--search",
        search,
        "--replace",
        "x",
        "--format",
        "json",
    ];
    let said = repo.guard(&patch).exits(1).stdout;
    let answer: serde_json::Value = serde_json::from_str(&said).unwrap();
    let help = answer["error"]["help"][0].as_str().unwrap();
    assert_eq!(
        help,
        "the closest passage differs: line 4 has `retries`, not `attempts`"
    );
}

#[test]
fn terminal_control_sequences_in_content_are_escaped() {
    let repo = repo("let value = \u{1b}[2J\u{202e}evil;\nlet other = 1;\n");
    let said = told(&repo, "let value = evil;");
    assert!(
        said.contains("line 1 has") && !said.contains(['\u{1b}', '\u{202e}']),
        "{said}"
    );
}

#[test]
fn no_passage_is_named_if_none_is_close() {
    let repo = repo(CODE);
    let said = told(&repo, "completely different words that are nowhere");
    assert!(said.contains("read the file again"), "{said}");
    assert!(!said.contains("closest"), "{said}");
}

#[test]
fn large_files_and_long_texts_are_not_searched_for_the_closest_passage() {
    let repo = repo(&format!("{CODE}{}", lines(1..=70_000)));
    let said = told(&repo, "def load(path, attempts=3):");
    assert!(said.contains("read the file again"), "{said}");
    let long = CODE.replace("os.path", "path").repeat(5);
    let repo = self::repo(CODE);
    let said = told(&repo, &long);
    assert!(said.contains("read the file again"), "{said}");
}
