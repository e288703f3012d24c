//! Rename rows: the old file may be deleted only if the new path keeps its content. A Delete row and an Add row are not
//! a rename.

use crate::common::commits::{install, passes, refused};
use crate::common::{Repo, lines};

/// HEAD holds these files; the design has these rows, as path and type.
fn with_rows(settings: &str, files: &[(&str, &str)], rows: &[(&str, &str)]) -> Repo {
    let repo = Repo::new();
    for (path, content) in files {
        repo.stage(path, content);
    }
    repo.stage("README.md", "Read me\n");
    repo.commit("Begin");
    let rows = rows
        .iter()
        .map(|(path, change)| (path.replace(" -> ", "` -> `"), *change));
    let rows: Vec<_> = rows.collect();
    let rows: Vec<_> = rows
        .iter()
        .map(|(path, change)| (&**path, *change, "x"))
        .collect();
    repo.govern_with(settings, &rows);
    install(&repo);
    repo
}

/// The same with this Rename row.
fn governed(files: &[(&str, &str)], row: &str) -> Repo {
    with_rows("", files, &[(row, "Rename")])
}

fn remove(repo: &Repo, path: &str) {
    repo.git(&["rm", "--quiet", "-r", path]);
}

/// `1-20+30-40` is these lines, `-` nothing, and `1/2` two lines.
fn content(text: &str) -> String {
    let part = |part: &str| match part.split_once('-').map(|(a, b)| (a.parse(), b.parse())) {
        Some((Ok(first), Ok(last))) => lines(first..=last),
        Some(_) => String::new(),
        None => part.replace('/', "\n") + "\n",
    };
    text.split('+').map(part).collect()
}

/// Files with their contents; rows with their types; a line of `[scope]`; and what is done: `rm`, `mv`, `put` a content, and
/// whether the commit `passes` or is `refused` by this rule at this path.
const CASES: &str = r#"
# Plain deletion, of files of any size.
a.rs 1-300 | a.rs -> b.rs: Rename | | rm a.rs; refused action-not-granted a.rs
a.rs one   | a.rs -> b.rs: Rename | | rm a.rs; refused action-not-granted a.rs
a.rs a     | a.rs -> ./a.rs: Rename | | rm a.rs; refused action-not-granted a.rs
# The target is unchanged, even if it is a copy.
a.rs 1-20, b.rs 1-20 | a.rs -> b.rs: Rename | | rm a.rs; refused action-not-granted a.rs
# The modified target keeps enough.
a.rs 1-20, b.rs 101-120 | a.rs -> b.rs: Rename | | rm a.rs; put b.rs 101-121; refused action-not-granted a.rs
a.rs 1-20, b.rs 101-120 | a.rs -> b.rs: Rename | | rm a.rs; put b.rs 101-120+1-10; refused action-not-granted a.rs; put b.rs 101-120+1-11; passes
# Two rows with one target need both contents.
a.rs 1-20, b.rs 101-120 | a.rs -> c.rs: Rename, b.rs -> c.rs: Rename | | rm a.rs; rm b.rs; put c.rs 1-20; refused action-not-granted b.rs; put c.rs 101-120; refused action-not-granted a.rs; put c.rs 1-20+101-120; passes
# Each file of a directory needs its own new path.
old/a.rs 1-20, old/deep/b.rs 101-120, older.rs x | old/ -> new/: Rename | | rm old; put new/a.rs 1-20+101-120; refused action-not-granted old/deep/b.rs; put new/b.rs 101-120; refused action-not-granted old/deep/b.rs; forget new/b.rs; put new/deep/b.rs 101-121; passes
# A glob in a Rename row grants nothing.
old/a.rs a | old/*.rs -> new/*.rs: Rename, x.rs: Add | | rm old/a.rs; refused out-of-scope old/a.rs
# A small file must keep more than half.
a.rs 1/2/3/4 | a.rs -> b.rs: Rename | | mv a.rs b.rs; put b.rs 1/2/x/y; refused action-not-granted a.rs; put b.rs 1/2/3/y/and/more/lines/than/before; passes
# An empty file, another case, and an edit.
pkg/__init__.py - | pkg/ -> lib/: Rename | | mv pkg lib; passes
Readme.txt 1-5, a.rs 1-5 | Readme.txt -> README.txt: Rename, a.rs -> b.rs: Rename | | mv Readme.txt README.txt; mv a.rs b.rs; put b.rs 1-6; passes
# A Delete row as well.
a.rs a | a.rs -> b.rs: Rename, a.rs: Delete | | rm a.rs; passes
# An exempt path does not permit losing a large file.
gen/a.py 1-300 | gen/a.py -> gen/b.py: Rename | always = ["gen/"] | rm gen/a.py; refused destructive-change gen/a.py; put gen/b.py 1-300; passes
# Without a row that names the new file, a Delete row permits no loss.
a.rs 1-200 | a.rs: Delete | always = ["gen/"] | rm a.rs; put gen/a.rs 101-200; refused destructive-change gen/a.rs
# A listed test may be renamed, but not deleted.
tests/a.rs 1-20 | tests/a.rs -> tests/b.rs: Rename | protect-tests = "always" | rm tests/a.rs; refused * tests/a.rs; put tests/b.rs 1-20; passes
# A file that is exempt from the threshold may be rewritten.
a/Cargo.lock 1-20 | a/Cargo.lock -> Cargo.lock: Rename | | rm a/Cargo.lock; refused action-not-granted a/Cargo.lock; put Cargo.lock 101-120; passes
"#;

#[test]
fn rename_rows_permit_what_keeps_the_content() {
    for case in CASES.lines().filter(|line| line.contains('|')) {
        let [files, rows, scope, steps] = case.split('|').map(str::trim).collect::<Vec<_>>()[..]
        else {
            panic!("{case}");
        };
        let files = files.split(", ").map(|file| file.split_once(' ').unwrap());
        let files: Vec<_> = files
            .map(|(path, text)| (path, content(text.trim())))
            .collect();
        let files: Vec<_> = files.iter().map(|(path, text)| (*path, &**text)).collect();
        let rows = rows.split(", ").map(|row| row.split_once(": ").unwrap());
        let rows: Vec<_> = rows.collect();
        let repo = with_rows(&format!("[scope]\n{scope}\n"), &files, &rows);
        for step in steps.split("; ") {
            match step.split(' ').collect::<Vec<_>>()[..] {
                ["rm", path] => remove(&repo, path),
                ["forget", path] => drop(repo.git(&["rm", "-qf", "--cached", path])),
                ["mv", from, to] => drop(repo.git(&["mv", from, to])),
                ["put", path, text] => repo.stage(path, content(text)),
                ["refused", "*", _] => drop(repo.guard(&["lint"]).exits(1)),
                ["refused", rule, path] => refused(&repo, rule, path),
                ["passes"] => passes(&repo),
                _ => panic!("{step}"),
            }
        }
    }
}

#[test]
fn large_file_losing_half_in_a_rename_is_reported_once() {
    // If no finding reports the loss at the new path, the old file may not be deleted.
    let warning = "[rules]\ndestructive-change = \"warning\"";
    for (settings, rule, path) in [
        ("", "destructive-change", "b.rs"),
        (warning, "action-not-granted", "a.rs"),
    ] {
        let (file, row) = (("a.rs", &*lines(1..=200)), ("a.rs -> b.rs", "Rename"));
        let repo = with_rows(settings, &[file], &[row]);
        repo.git(&["mv", "a.rs", "b.rs"]);
        repo.stage("b.rs", lines(101..=200));
        refused(&repo, rule, path);
    }
}

#[test]
fn renamed_binary_file_must_stay_similar() {
    let binary = |from: u32, to: u32| {
        (from..to).fold(vec![0], |mut bytes, number| {
            bytes.extend(format!("\0chunk {number}\n").into_bytes());
            bytes
        })
    };
    let repo = Repo::new();
    repo.stage("a.bin", binary(0, 100));
    repo.commit("Begin");
    repo.govern(&[("a.bin` -> `b.bin", "Rename", "x")]);
    install(&repo);
    repo.git(&["mv", "a.bin", "b.bin"]);
    repo.guard(&["lint"]).exits(0);
    repo.stage("b.bin", binary(500, 600));
    refused(&repo, "action-not-granted", "a.bin");
    // The loss is reported once, at the new path.
    repo.stage("b.bin", "now a text\n");
    refused(&repo, "destructive-change", "b.bin");
    repo.stage("b.bin", binary(10, 110));
    passes(&repo);
}

#[test]
fn range_is_judged_by_its_net_change() {
    let repo = governed(&[("a.rs", &lines(1..=20))], "a.rs -> b.rs");
    let range = ["lint", "--range", "main..HEAD"];
    remove(&repo, "a.rs");
    repo.commit("Delete");
    repo.guard(&range)
        .exits(1)
        .says("bring it back, and move it to b.rs");
    repo.stage("b.rs", lines(1..=20));
    repo.commit("Add");
    repo.guard(&range).exits(0);
    // Each commit on its own is refused.
    repo.guard(&[&range[..], &["--each-commit"]].concat())
        .exits(1)
        .says("action-not-granted");
}

#[test]
fn link_may_be_renamed_only_unchanged() {
    let repo = Repo::new();
    let link = |target: &[u8], path: &[u8]| repo.stage_raw(&[(0o120000, repo.blob(target), path)]);
    link(b"target", b"a");
    repo.stage("target", "x\n");
    repo.govern(&[("a` -> `b", "Rename", "x"), ("b", "Symlink", "x")]);
    install(&repo);
    repo.git(&["rm", "--quiet", "--cached", "a"]);
    refused(&repo, "action-not-granted", "a");
    link(b"other", b"b");
    refused(&repo, "action-not-granted", "a");
    link(b"target", b"b");
    passes(&repo);
}

#[test]
fn request_to_delete_the_old_file_is_refused_and_suggests_move() {
    let repo = governed(&[("a.rs", &lines(1..=20))], "a.rs -> b.rs");
    repo.guard(&["delete", "a.rs"])
        .exits(1)
        .says("a.rs is deleted, but its new path b.rs is not part of the change")
        .says("guard move a.rs b.rs");
    assert!(repo.path("a.rs").exists());
    // An existing new file changes nothing: a request concerns one file.
    repo.write("b.rs", lines(1..=20));
    repo.guard(&["delete", "a.rs"]).exits(1);
    std::fs::remove_file(repo.path("b.rs")).unwrap();
    repo.guard(&["check", "a.rs"])
        .exits(1)
        .says("the design only lets it be renamed to b.rs");
    repo.guard(&["move", "a.rs", "c.rs"]).exits(1);
    assert!(repo.path("a.rs").exists());
    repo.guard(&["move", "a.rs", "b.rs"]).exits(0);
    assert!(!repo.path("a.rs").exists());
    repo.git(&["add", "--all"]);
    passes(&repo);
}

#[test]
fn request_to_move_a_file_that_lost_its_content_is_refused() {
    let repo = with_rows(
        "",
        &[("a.rs", &lines(1..=20))],
        &[("a.rs -> b.rs", "Rename"), ("a.rs", "Modify")],
    );
    repo.write("a.rs", "gutted\n");
    repo.tells("move a.rs b.rs", 1, "b.rs does not keep its content");
    assert!(repo.path("a.rs").exists());
}
