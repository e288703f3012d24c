//! What one allowed step credits must still be there after the next: no composition of allowed requests, or of commits, ends
//! with half of a large file's content nowhere.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Repo, findings, lines};

/// The merge base is known.
const BASE: &str = "base = \"main\"\n";
/// The large file, and where its lines may go.
const FROM: &str = "src/large.py";
const TO: [&str; 2] = ["src/one.py", "src/two.py"];

/// The contents of the files that exist.
type Contents = BTreeMap<&'static str, String>;

/// What a request does to a file.
#[derive(Clone, Copy)]
enum Request {
    Write(&'static str, usize, usize),
    Delete(&'static str),
    Move(&'static str, &'static str),
}

const REQUESTS: &[Request] = &[
    Request::Write(FROM, 1, 1),
    Request::Write(FROM, 1, 160),
    Request::Write(TO[0], 1, 300),
    Request::Write(TO[0], 100, 300),
    Request::Write(TO[0], 1, 1),
    Request::Write(TO[1], 1, 300),
    Request::Write(TO[1], 161, 300),
    Request::Delete(FROM),
    Request::Delete(TO[0]),
    Request::Delete(TO[1]),
    Request::Move(FROM, TO[0]),
    Request::Move(TO[0], TO[1]),
];

fn repo(rows: &[(&str, &str, &str)]) -> Repo {
    let repo = Repo::new();
    repo.stage(FROM, lines(1..=300));
    repo.govern_with(BASE, rows);
    repo
}

/// Puts the work tree into this state.
fn arrange(repo: &Repo, contents: &Contents) {
    for path in [FROM, TO[0], TO[1]] {
        match contents.get(path) {
            Some(text) => repo.write(path, text),
            None => drop(std::fs::remove_file(repo.path(path))),
        }
    }
}

/// Whether half of the 300 lines or more are in no file.
fn is_lost(contents: &Contents) -> bool {
    let all: BTreeSet<&str> = contents.values().flat_map(|text| text.lines()).collect();
    let old = lines(1..=300);
    old.lines().filter(|line| !all.contains(line)).count() >= 150
}

/// What the files hold after the request, if guard allows it.
fn after(repo: &Repo, contents: &Contents, request: Request) -> Option<Contents> {
    let mut contents = contents.clone();
    let allowed = match request {
        Request::Write(path, first, last) => {
            let text = lines(first..=last);
            let allowed = repo.guard_reads(&["write", path], &text).code == 0;
            contents.insert(path, text);
            allowed
        }
        Request::Delete(path) => {
            contents.remove(path)?;
            repo.guard(&["delete", path]).code == 0
        }
        Request::Move(from, to) => {
            let text = contents.remove(from)?;
            contents.insert(to, text);
            repo.guard(&["move", from, to]).code == 0
        }
    };
    allowed.then_some(contents)
}

/// Every state that up to three allowed requests reach keeps more than half of the lines somewhere.
#[test]
fn no_three_allowed_requests_lose_half_of_a_large_file() {
    for rows in [
        [(FROM, "Modify", ""), (TO[0], "Add", ""), (TO[1], "Add", "")],
        [
            ("src/large.py` -> `src/one.py", "Rename", ""),
            (TO[1], "Add", ""),
            ("src/x.py", "Add", ""),
        ],
    ] {
        let repo = repo(&rows);
        let mut open = vec![Contents::from([(FROM, lines(1..=300))])];
        let mut seen: BTreeSet<Contents> = open.iter().cloned().collect();
        for _ in 0..3 {
            let mut reached = Vec::new();
            for contents in &open {
                for &request in REQUESTS {
                    arrange(&repo, contents);
                    let Some(next) = after(&repo, contents, request) else {
                        continue;
                    };
                    assert!(!is_lost(&next), "{rows:?}: {:?}", sizes(&next));
                    if seen.insert(next.clone()) {
                        reached.push(next);
                    }
                }
            }
            open = reached;
        }
        assert!(seen.len() > 8, "{} states", seen.len());
    }
}

fn sizes(contents: &Contents) -> Vec<(&str, usize)> {
    let sizes = contents
        .iter()
        .map(|(path, text)| (*path, text.lines().count()));
    sizes.collect()
}

/// Whatever the commits between were, the range is refused if its end has lost half of the lines.
#[test]
fn a_range_that_ends_with_half_of_a_large_file_nowhere_is_refused() {
    let rows = [(FROM, "Modify", ""), (TO[0], "Add", ""), (TO[1], "Add", "")];
    let repo = repo(&rows);
    let ends: [&[(&'static str, usize, usize)]; 5] = [
        &[(FROM, 1, 1)],
        &[(FROM, 1, 1), (TO[0], 200, 300)],
        &[(FROM, 1, 100), (TO[0], 1, 140)],
        &[(FROM, 1, 1), (TO[0], 1, 60), (TO[1], 61, 120)],
        &[(FROM, 1, 140), (TO[1], 290, 299)],
    ];
    for end in ends {
        let start = repo.git(&["rev-parse", "HEAD"]);
        repo.stage(TO[0], lines(1..=300));
        repo.commit("Copy");
        repo.stage(FROM, lines(1..=1));
        repo.commit("Empty");
        let contents: Contents = end
            .iter()
            .map(|(path, a, b)| (*path, lines(*a..=*b)))
            .collect();
        assert!(is_lost(&contents));
        arrange(&repo, &contents);
        repo.git(&["add", "--all", "src"]);
        repo.commit("Shrink");
        let report = repo.json(&["lint", "--range", "main..HEAD"]);
        assert_eq!(findings(&report), [("destructive-change", FROM)], "{end:?}");
        repo.git(&["reset", "--quiet", "--hard", start.trim()]);
    }
}

/// As long as the branch has them, and the merge base is known.
#[test]
fn lines_that_an_earlier_commit_of_the_branch_has_copied_may_leave_their_file() {
    let rows = [(FROM, "Modify", ""), (TO[0], "Add", "")];
    for (is_granted, base, kept, code) in [
        (true, BASE, 300, 0),
        (true, BASE, 100, 1),
        (true, "", 300, 1),
        (false, BASE, 300, 1),
    ] {
        let repo = Repo::new();
        repo.stage(FROM, lines(1..=300));
        repo.govern_with(base, &rows[..1 + usize::from(is_granted)]);
        repo.stage(TO[0], lines(1..=kept));
        repo.commit("Copy");
        repo.stage(FROM, lines(1..=1));
        let report = repo.json(&["lint"]);
        let is_lost = findings(&report).contains(&("destructive-change", FROM));
        assert_eq!(i32::from(is_lost), code, "{base} {kept}: {report}");
    }
}

#[test]
fn refusal_names_the_file_whose_lines_would_be_lost() {
    let repo = repo(&[(FROM, "Modify", ""), (TO[0], "Add", "")]);
    repo.write(TO[0], lines(1..=300));
    repo.put(FROM, "x = 1\n", &[]).works();
    repo.guard(&["delete", TO[0]])
        .exits(1)
        .says("src/one.py has lines of src/large.py, which would lose 300 of 300 lines (100 %)");
    // It may go as soon as the lines are back.
    repo.put(FROM, lines(1..=300), &[]).works();
    repo.guard(&["delete", TO[0]]).exits(0);
}

#[test]
fn moved_lines_may_move_on_to_another_granted_file() {
    let repo = repo(&[(FROM, "Modify", ""), (TO[0], "Add", ""), (TO[1], "Add", "")]);
    repo.write(TO[0], lines(1..=300));
    repo.put(FROM, "x = 1\n", &[]).works();
    repo.guard(&["move", TO[0], TO[1]]).exits(0);
    repo.guard(&["delete", TO[1]]).exits(1);
}
