//! The entries of the path corpus that need a disk, through the file verbs. Every verb refuses a path outside the
//! workspace; a path inside names the same file as for the system.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::common::corpus::{self, given, text};
use crate::common::corpus_layout;
use crate::common::files::{Answer, answer_of};
use crate::common::system;
use crate::common::{self, GUARD, Repo};
use serde_json::Value;

/// Entries that have their own tests: an unreadable directory, which `file_errors` tests as another user, and a workspace
/// that is itself a link, below.
const ELSEWHERE: [&str; 2] = ["h320", "h380"];

/// The file verbs at a path, which `%` stands for.
const VERBS: [&str; 6] = [
    "read %",
    "write %",
    "patch % --search x --replace patched",
    "delete %",
    "move % moved",
    "move plain %",
];

fn ask(repo: &Repo, verb: &str, path: &OsStr) -> Answer {
    let words = verb.split(' ').map(|word| match word {
        "%" => path,
        word => OsStr::new(word),
    });
    answer_of(repo.command(GUARD).args(words), b"written\n")
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
#[cfg_attr(not(unix), ignore = "needs names of any bytes, which Windows refuses")]
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
        let input = system::name(corpus_layout::moved(&corpus::input(entry), &repo)).unwrap();
        for verb in VERBS {
            let answer = ask(&repo, verb, &input);
            let is_protected = expected == "reject:protected-file";
            // Guard's own settings may be read; this one is not there.
            let is_missing = is_protected && verb == "read %";
            let kind = match (is_missing, is_protected) {
                (true, _) => "not-found",
                (_, true) => "refused",
                _ => "security",
            };
            let details = &answer.fails(kind).json["error"]["details"];
            if !is_protected {
                assert_eq!(details["reason"], reason(expected), "{id} {verb}");
            }
            assert_eq!(answer.code, 1, "{id} {verb}");
            assert_eq!(listing(&all), before, "{id} {verb}");
            if !is_missing {
                // Read without a process.
                let log = String::from_utf8(repo.read(".git/guard/log.jsonl")).unwrap();
                let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
                assert_eq!(last["event"], "refused", "{id} {verb}");
                let (operation, _) = verb.split_once(' ').unwrap();
                assert_eq!(last["operation"], operation, "{id}");
            }
        }
        judged += 1;
    }
    assert!(judged >= 18, "the corpus has lost entries: {judged}");
}

/// `details.reason` tells how a path leaves, not by which kind of link.
fn reason(expected: &str) -> &str {
    match expected.strip_prefix("reject:").unwrap() {
        "symlink-escape" | "symlink-absolute" => "symlink-escapes",
        other => other,
    }
}

#[test]
#[cfg_attr(not(unix), ignore = "needs names of any bytes, which Windows refuses")]
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
        let input = system::name(corpus_layout::moved(&corpus::input(entry), &repo)).unwrap();
        assert_one_file(&repo, Path::new(&input), id);
        judged += 1;
    }
    assert!(judged >= 12, "the corpus has lost entries: {judged}");
}

/// Every verb at this spelling means the file that the system opens under it.
#[track_caller]
fn assert_one_file(repo: &Repo, spelled: &Path, id: &str) {
    let on_disk = repo.path(spelled);
    let [read, write, patch, delete, away, _] = VERBS;
    let ask = |verb| ask(repo, verb, spelled.as_os_str());
    ask(write).works();
    assert_eq!(fs::read(&on_disk).unwrap(), b"written\n", "{id}");
    let answer = ask(read);
    assert_eq!(answer.works().json["content"], "written\n", "{id}");
    let real = system::real(&on_disk);
    assert_eq!(answer.json["path"], real.to_str().unwrap(), "{id}");
    fs::write(&on_disk, "one x\n").unwrap();
    ask(patch).works();
    assert_eq!(fs::read(&on_disk).unwrap(), b"one patched\n", "{id}");
    ask(away).works();
    assert_eq!(repo.read("moved"), b"one patched\n", "{id}");
    assert!(!on_disk.exists(), "{id}");
    ask(write).works();
    ask(delete).works();
    assert!(!on_disk.exists(), "{id}");
}

#[test]
fn h380_a_workspace_that_is_itself_a_link_is_one_workspace() {
    let repo = open();
    let alias = repo.root.with_file_name("alias");
    system::symlink(&repo.root, &alias).unwrap();
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
