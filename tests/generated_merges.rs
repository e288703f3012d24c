//! Generated merges, made by the real git: guard does not judge what git merges on its own, it judges edits on top, and
//! the commit holds what was judged.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::common::Repo;
use crate::common::random::Random;

/// Clean merges of each of two repositories.
const MERGES: usize = 150;
/// The number of merges to try; many end in a conflict.
const TRIES: usize = 600;
/// One in this many merges gets an edit on top.
const EVIL: usize = 5;

fn one_of(random: &mut Random, percent: usize) -> bool {
    random.below(100) < percent
}

/// Lines that repeat, as in code, and lines that do not.
fn merge_line(random: &mut Random) -> String {
    match random.below(10) {
        0 => String::new(),
        1 | 2 => "}".to_owned(),
        3 => "    return result;".to_owned(),
        _ => format!("    step({});", random.below(1000)),
    }
}

type Files = BTreeMap<String, Vec<String>>;

fn base(random: &mut Random) -> Files {
    let lines = |random: &mut Random| {
        let count = 12 + random.below(20);
        (0..count).map(|_| merge_line(random)).collect()
    };
    let path = |number| format!("work/dir{}/f{number}", number % 2);
    (0..4).map(|number| (path(number), lines(random))).collect()
}

fn edit(random: &mut Random, lines: &mut Vec<String>) {
    for _ in 0..=random.below(2) {
        let at = random.below(lines.len());
        match random.below(4) {
            0 => lines[at] = merge_line(random),
            1 => drop(lines.remove(at)),
            2 => lines.insert(at, merge_line(random)),
            _ => lines.insert(at, lines[at].clone()),
        }
    }
}

/// One side of a merge: edits the first file, and the others at random. Returns whether it renamed the first.
fn side(random: &mut Random, base: &Files, name: &str, may_rename: bool) -> (Files, bool) {
    let mut files = base.clone();
    let paths: Vec<String> = base.keys().cloned().collect();
    for (at, path) in paths.iter().enumerate() {
        if at == 0 || one_of(random, 30) {
            edit(random, files.get_mut(path).unwrap());
        } else if one_of(random, 10) {
            files.remove(path);
        }
    }
    if one_of(random, 30) {
        let lines = (0..8).map(|_| merge_line(random)).collect();
        files.insert(format!("work/{name}-new"), lines);
    }
    let renames = may_rename && one_of(random, 60);
    if renames {
        let file = files.remove(&paths[0]).unwrap();
        files.insert(format!("work/{name}-moved"), file);
    }
    (files, renames)
}

/// A commit for `git fast-import`.
fn write_commit(stream: &mut String, branch: &str, from: &str, before: &Files, after: &Files) {
    let when = "1767225600 +0000";
    write!(
        stream,
        "commit refs/heads/{branch}\ncommitter A <a@b> {when}\ndata 1\nx\nfrom {from}\n"
    )
    .unwrap();
    for path in before.keys().filter(|path| !after.contains_key(*path)) {
        writeln!(stream, "D {path}").unwrap();
    }
    for (path, lines) in after
        .iter()
        .filter(|(path, lines)| before.get(*path) != Some(lines))
    {
        let content = lines.join("\n") + "\n";
        let length = content.len();
        write!(stream, "M 644 inline {path}\ndata {length}\n{content}\n").unwrap();
    }
    stream.push('\n');
}

/// How many clean merges there were, how many with a file that differs from every parent, and how many with a rename.
fn merges(seed: u64) -> [usize; 3] {
    let repo = Repo::new();
    repo.govern(&[("src/mine.rs", "Add", "x")]);
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut stream = String::new();
    let mut renamed = Vec::new();
    for number in 0..TRIES {
        let base = base(&mut random);
        let (ours, we) = side(&mut random, &base, "ours", true);
        let (theirs, they) = side(&mut random, &base, "theirs", !we);
        let from = format!("refs/heads/case{number}/base");
        let none = Files::new();
        for (side, from, before, after) in [
            ("base", "refs/heads/main^0", &none, &base),
            ("ours", &from, &base, &ours),
            ("theirs", &from, &base, &theirs),
        ] {
            let branch = format!("case{number}/{side}");
            write_commit(&mut stream, &branch, from, before, after);
        }
        renamed.push(we || they);
    }
    repo.git_with_input(&["fast-import", "--quiet"], stream.as_bytes());
    let mut seen = [0; 3];
    for (number, renamed) in renamed.into_iter().enumerate() {
        if seen[0] == MERGES {
            break;
        }
        let [ours, theirs] = ["ours", "theirs"].map(|side| format!("case{number}/{side}"));
        let merged = repo.try_git(&["merge-tree", "--write-tree", &ours, &theirs]);
        if merged.code == 1 {
            continue;
        }
        let tree = merged.exits(0).stdout.trim().to_owned();
        repo.git(&["checkout", "--quiet", "--force", "-B", "188-work", &ours]);
        repo.git(&["merge", "--quiet", "--no-commit", "--no-ff", &theirs]);
        let mut edited = BTreeSet::new();
        if seen[0] % EVIL == 0 {
            let paths = repo.git(&["ls-files", "work"]);
            let paths: Vec<&str> = paths.lines().collect();
            let path = paths[random.below(paths.len())];
            let content = repo.text(path);
            let mut lines: Vec<&str> = content.lines().collect();
            lines.insert(random.below(lines.len() + 1), "evil");
            repo.stage(path, lines.join("\n") + "\n");
            edited.insert(path.to_owned());
        }
        let what = format!("seed {seed}, case {number}");
        let report = repo.json(&["lint"]);
        assert_eq!(report["verdict"] == "accepted", edited.is_empty(), "{what}");
        let changes = report["changes"].as_array().unwrap().iter();
        let judged = changes.map(|change| change["path"].as_str().unwrap().to_owned());
        assert_eq!(judged.collect::<BTreeSet<_>>(), edited, "{what}");
        repo.commit("Merge");
        // The files that guard did not judge are exactly git's result.
        let differ = repo.git(&["diff-tree", "-r", "--name-only", &tree, "HEAD^{tree}"]);
        let differ: BTreeSet<String> = differ.lines().map(str::to_owned).collect();
        assert_eq!(differ, edited, "{what}");
        let combined = "diff-tree -r -c --name-only --no-commit-id HEAD";
        let combined: Vec<&str> = combined.split(' ').collect();
        let is_merged = !repo.git(&combined).is_empty();
        for (count, counts) in seen.iter_mut().zip([true, is_merged, renamed]) {
            *count += usize::from(counts);
        }
    }
    seen
}

#[test]
fn clean_merges_are_not_judged_and_edits_on_top_are() {
    // Many more in .ci/long.
    let pairs: &[[u64; 2]] = match std::env::var_os("GUARD_LONG") {
        None => &[[7, 11]],
        Some(_) => &[[7, 11], [2, 3], [5, 13], [17, 19]],
    };
    for seeds in pairs {
        let seen = std::thread::scope(|scope| {
            let runs = seeds.map(|seed| scope.spawn(move || merges(seed)));
            runs.map(|run| run.join().unwrap())
        });
        for [clean, merged, renamed] in seen {
            println!("{clean} clean merges, {merged} of contents, {renamed} renames");
            assert_eq!(clean, MERGES);
            assert!(merged >= MERGES / 2 && renamed >= MERGES / 10);
        }
    }
}
