//! The entries of the path corpus that need a disk, through the file verbs. Every verb refuses a path outside the
//! workspace; a path inside names the same file as for the system.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::common::corpus::{self, given, text};
use crate::common::corpus_layout;
use crate::common::files::{Answer, answer_of};
use crate::common::{self, GUARD, Repo};
use serde_json::Value;

/// Entries that have their own tests.
const ELSEWHERE: [&str; 2] = [
    // An unreadable directory: `file_errors` tests it as another user.
    "h320", // The workspace itself is a link: below.
    "h380",
];

fn words(words: &[&'static str]) -> Vec<&'static OsStr> {
    words.iter().map(|word| OsStr::new(*word)).collect()
}

/// The file verbs at one path, with what each reads from standard input.
fn verbs(path: &OsStr) -> [(Vec<&OsStr>, &'static [u8]); 6] {
    let with = |before: &[&'static str], after: &[&'static str]| {
        [words(before), vec![path], words(after)].concat()
    };
    [
        (with(&["read"], &[]), b""),
        (with(&["write"], &[]), b"written\n"),
        (
            with(&["patch"], &["--search", "x", "--replace", "patched"]),
            b"",
        ),
        (with(&["delete"], &[]), b""),
        (with(&["move"], &["moved"]), b""),
        (with(&["move", "plain"], &[]), b""),
    ]
}

fn ask(repo: &Repo, (arguments, input): &(Vec<&OsStr>, &[u8])) -> Answer {
    answer_of(repo.command(GUARD).args(arguments), input)
}

/// Names, kinds and contents below a directory, the git directory left out.
fn listing(directory: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_dir() {
                if path.file_name() != Some(OsStr::new(".git")) {
                    lines.push(format!("{path:?}/"));
                    open.push(path);
                }
            } else if kind.is_file() {
                lines.push(format!("{path:?} {:?}", fs::read(&path).unwrap()));
            } else {
                lines.push(format!("{path:?} {kind:?} {:?}", fs::read_link(&path).ok()));
            }
        }
    }
    lines.sort();
    lines
}

/// The repository of an entry, its workspace with `plain` in it.
fn open() -> Repo {
    let repo = Repo::open_with("[workspace]\nsecrets = []\n");
    repo.write("plain", "x\n");
    repo
}

#[test]
fn paths_outside_the_workspace_are_refused_by_every_verb() {
    let entries = corpus::entries();
    let mut judged = 0;
    for entry in entries.iter().filter(|entry| !entry["needs"].is_null()) {
        let (id, expected) = (text(entry, "id"), text(entry, "expected"));
        if expected == "accept" || ELSEWHERE.contains(&id) {
            continue;
        }
        let repo = open();
        if !given(entry).all(|line| corpus_layout::build(&repo, line).is_some()) {
            common::skip(&format!("{id}: its files cannot be made here"));
            continue;
        }
        // Everything, including directories next to the workspace.
        let all = repo.root.parent().unwrap().to_owned();
        let before = listing(&all);
        let input = corpus_layout::moved(&corpus::input(entry), &repo);
        for verb in verbs(OsStr::from_bytes(&input)) {
            let is_read = verb.0[0] == "read";
            let answer = ask(&repo, &verb);
            if expected == "reject:protected-file" {
                // Guard's own settings may be read; this one is not there.
                let kind = if is_read { "not-found" } else { "refused" };
                answer.fails(kind);
            } else {
                answer.fails("security");
                assert_eq!(
                    answer.json["error"]["details"]["reason"],
                    reason(expected),
                    "{id} {verb:?}"
                );
            }
            assert_eq!(answer.code, 1, "{id} {verb:?}");
            assert_eq!(listing(&all), before, "{id} {verb:?}");
            if !(is_read && expected == "reject:protected-file") {
                let last = last_record(&repo);
                assert_eq!(last["event"], "refused", "{id} {verb:?}");
                assert_eq!(last["operation"], verb.0[0].to_str().unwrap(), "{id}");
            }
        }
        judged += 1;
    }
    assert!(judged >= 18, "the corpus has lost entries: {judged}");
}

/// The last line of the log, read without a process.
fn last_record(repo: &Repo) -> Value {
    let log = repo.read(".git/guard/log.jsonl");
    let line = log.trim_ascii().rsplit(|&byte| byte == b'\n').next();
    serde_json::from_slice(line.unwrap()).unwrap()
}

/// `details.reason` tells how a path leaves, not by which kind of link.
fn reason(expected: &str) -> &str {
    match expected.strip_prefix("reject:").unwrap() {
        "symlink-escape" | "symlink-absolute" => "symlink-escapes",
        other => other,
    }
}

#[test]
fn paths_inside_name_the_same_file_as_for_the_system() {
    let entries = corpus::entries();
    let mut judged = 0;
    for entry in entries.iter().filter(|entry| !entry["needs"].is_null()) {
        let id = text(entry, "id");
        if text(entry, "expected") != "accept" || ELSEWHERE.contains(&id) {
            continue;
        }
        let repo = open();
        assert!(given(entry).all(|line| corpus_layout::build(&repo, line).is_some()));
        let input = corpus_layout::moved(&corpus::input(entry), &repo);
        assert_one_file(&repo, Path::new(OsStr::from_bytes(&input)), id);
        judged += 1;
    }
    assert!(judged >= 12, "the corpus has lost entries: {judged}");
}

/// Every verb at this spelling means the file that the system opens under it.
#[track_caller]
fn assert_one_file(repo: &Repo, spelled: &Path, id: &str) {
    let on_disk = repo.path(spelled);
    let [read, write, patch, delete, away, _] = verbs(spelled.as_os_str());
    ask(repo, &write).works();
    assert_eq!(fs::read(&on_disk).unwrap(), b"written\n", "{id}");
    let answer = ask(repo, &read);
    assert_eq!(answer.works().json["content"], "written\n", "{id}");
    assert_eq!(
        Path::new(answer.json["path"].as_str().unwrap()),
        on_disk.canonicalize().unwrap(),
        "{id}"
    );
    fs::write(&on_disk, "one x\n").unwrap();
    ask(repo, &patch).works();
    assert_eq!(fs::read(&on_disk).unwrap(), b"one patched\n", "{id}");
    ask(repo, &away).works();
    assert_eq!(repo.read("moved"), b"one patched\n", "{id}");
    assert!(!on_disk.exists(), "{id}");
    ask(repo, &write).works();
    ask(repo, &delete).works();
    assert!(!on_disk.exists(), "{id}");
}

#[test]
fn h380_a_workspace_that_is_itself_a_link_is_one_workspace() {
    let repo = open();
    let alias = repo.root.with_file_name("alias");
    std::os::unix::fs::symlink(&repo.root, &alias).unwrap();
    for spelled in [repo.path("a.py"), alias.join("b.py"), "c.py".into()] {
        // The current directory is the link; the request uses either spelling.
        let mut guard = repo.command(GUARD);
        let answer = answer_of(guard.current_dir(&alias).arg("write").arg(&spelled), b"x\n");
        answer.works();
        let written = repo.path(spelled.file_name().unwrap());
        assert_eq!(answer.json["path"], written.to_str().unwrap());
        assert_eq!(fs::read(written).unwrap(), b"x\n");
    }
}
