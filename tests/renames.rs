//! Rename rows: the old file may be deleted only if the new path keeps its content. A Delete row and an Add row are not
//! a rename.
#![allow(clippy::unwrap_used)]

use crate::common::commits::{commit, install, passes, refused, refused_by};
use crate::common::{self, DESIGN, Repo, lines};

/// HEAD holds these files; the design has these Rename rows, as `old` and `new`.
fn governed(files: &[(&str, &str)], rows: &[(&str, &str)]) -> Repo {
    let rows: Vec<_> = rows
        .iter()
        .map(|(old, new)| (format!("{old}` -> `{new}"), "Rename"))
        .collect();
    let rows: Vec<_> = rows
        .iter()
        .map(|(path, change)| (path.as_str(), *change))
        .collect();
    with_rows(files, &rows)
}

/// HEAD holds these files; the design has these rows, as path and type.
fn with_rows(files: &[(&str, &str)], rows: &[(&str, &str)]) -> Repo {
    let repo = Repo::new();
    for (path, content) in files {
        repo.stage(path, content);
    }
    repo.stage("README.md", "Read me\n");
    repo.commit("Begin");
    let rows: Vec<_> = rows
        .iter()
        .map(|(path, change)| (*path, *change, "x"))
        .collect();
    repo.govern(&rows);
    install(&repo);
    repo
}

fn remove(repo: &Repo, path: &str) {
    repo.git(&["rm", "--quiet", "-r", path]);
}

#[test]
fn rename_row_does_not_permit_plain_deletion() {
    for content in [lines(1..=300), lines(1..=5), "one".to_owned()] {
        let repo = governed(&[("src/a.rs", &content)], &[("src/a.rs", "src/b.rs")]);
        remove(&repo, "src/a.rs");
        repo.guard(&["lint"])
            .exits(1)
            .says("src/a.rs is deleted, but its new path src/b.rs is not part of the change")
            .says("git mv src/a.rs src/b.rs")
            .says("| `src/a.rs` | Delete |");
        refused(&repo, "action-not-granted", "src/a.rs");
    }
}

#[test]
fn rename_row_to_itself_does_not_permit_deletion() {
    let repo = governed(&[("a.rs", "a\n")], &[("a.rs", "./a.rs")]);
    remove(&repo, "a.rs");
    refused(&repo, "action-not-granted", "a.rs");
}

#[test]
fn unchanged_rename_target_does_not_permit_the_deletion() {
    // Not even if it is a copy of the old one.
    for there in [lines(1..=20), lines(101..=120)] {
        let files = [("a.rs", &*lines(1..=20)), ("b.rs", &*there)];
        let repo = governed(&files, &[("a.rs", "b.rs")]);
        remove(&repo, "a.rs");
        refused(&repo, "action-not-granted", "a.rs");
    }
}

#[test]
fn modified_rename_target_permits_the_deletion_if_it_keeps_enough() {
    let files = [("a.rs", &*lines(1..=20)), ("b.rs", &*lines(101..=120))];
    let repo = governed(&files, &[("a.rs", "b.rs")]);
    remove(&repo, "a.rs");
    repo.stage("b.rs", lines(101..=121));
    repo.guard(&["lint"])
        .exits(1)
        .says("a.rs is deleted, but its new path b.rs keeps 0 of its 20 lines");
    refused(&repo, "action-not-granted", "a.rs");
    repo.stage("b.rs", lines(101..=120) + &lines(1..=10));
    refused(&repo, "action-not-granted", "a.rs");
    repo.stage("b.rs", lines(101..=120) + &lines(1..=11));
    passes(&repo);
}

#[test]
fn two_rename_rows_with_one_target_need_both_contents() {
    let files = [("a.rs", &*lines(1..=20)), ("b.rs", &*lines(101..=120))];
    let rows = [("a.rs", "c.rs"), ("b.rs", "c.rs")];
    let repo = governed(&files, &rows);
    remove(&repo, "a.rs");
    remove(&repo, "b.rs");
    repo.stage("c.rs", lines(1..=20));
    refused(&repo, "action-not-granted", "b.rs");
    repo.stage("c.rs", lines(101..=120));
    refused(&repo, "action-not-granted", "a.rs");
    repo.stage("c.rs", lines(1..=20) + &lines(101..=120));
    passes(&repo);
}

#[test]
fn directory_rename_needs_every_file_at_its_new_path() {
    let files = [
        ("old/a.rs", &*lines(1..=20)),
        ("old/deep/b.rs", &*lines(101..=120)),
        ("older.rs", "x\n"),
    ];
    let repo = governed(&files, &[("old/", "new/")]);
    remove(&repo, "old");
    let gone = [
        ("action-not-granted", "old/a.rs"),
        ("action-not-granted", "old/deep/b.rs"),
    ];
    refused_by(&repo, &gone);
    // The contents must be at their own paths, not all in one file.
    repo.stage("new/a.rs", lines(1..=20) + &lines(101..=120));
    refused(&repo, "action-not-granted", "old/deep/b.rs");
    repo.stage("new/b.rs", lines(101..=120));
    refused(&repo, "action-not-granted", "old/deep/b.rs");
    remove_from_index(&repo, "new/b.rs");
    repo.stage("new/deep/b.rs", lines(101..=121));
    passes(&repo);
}

fn remove_from_index(repo: &Repo, path: &str) {
    repo.git(&["rm", "--quiet", "--force", "--cached", path]);
}

#[test]
fn rename_row_with_a_glob_grants_nothing() {
    let repo = with_rows(
        &[("old/a.rs", "a\n")],
        &[("old/*.rs` -> `new/*.rs", "Rename"), ("x.rs", "Add")],
    );
    remove(&repo, "old/a.rs");
    refused(&repo, "out-of-scope", "old/a.rs");
}

#[test]
fn renamed_small_file_must_keep_more_than_half() {
    let repo = governed(&[("a.rs", "1\n2\n3\n4\n")], &[("a.rs", "b.rs")]);
    repo.git(&["mv", "a.rs", "b.rs"]);
    repo.stage("b.rs", "1\n2\nx\ny\n");
    refused(&repo, "action-not-granted", "a.rs");
    repo.stage("b.rs", "1\n2\n3\ny\nand\nmore\nlines\nthan\nbefore\n");
    passes(&repo);
}

#[test]
fn large_file_losing_half_in_a_rename_is_reported_once() {
    let repo = governed(&[("a.rs", &lines(1..=200))], &[("a.rs", "b.rs")]);
    repo.git(&["mv", "a.rs", "b.rs"]);
    repo.stage("b.rs", lines(101..=200));
    refused(&repo, "destructive-change", "b.rs");
    // If no finding reports the loss at the new path, the old file may not be deleted.
    repo.git(&["switch", "--quiet", "--force", "main"]);
    repo.stage(
        "guard.toml",
        format!(
            "{}[rules]\ndestructive-change = \"warning\"\n",
            common::SETTINGS
        ),
    );
    repo.commit("Set the level");
    repo.git(&["branch", "--quiet", "--force", "188-work"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["mv", "a.rs", "b.rs"]);
    repo.stage("b.rs", lines(101..=200));
    refused(&repo, "action-not-granted", "a.rs");
}

#[test]
fn empty_file_can_be_renamed() {
    let repo = governed(&[("pkg/__init__.py", "")], &[("pkg/", "lib/")]);
    repo.git(&["mv", "pkg", "lib"]);
    passes(&repo);
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
fn rename_of_case_and_rename_with_an_edit_pass() {
    let repo = governed(
        &[("Readme.txt", &lines(1..=5)), ("a.rs", &lines(1..=5))],
        &[("Readme.txt", "README.txt"), ("a.rs", "b.rs")],
    );
    repo.git(&["mv", "Readme.txt", "README.txt"]);
    repo.git(&["mv", "a.rs", "b.rs"]);
    repo.stage("b.rs", lines(1..=6));
    passes(&repo);
}

#[test]
fn delete_row_in_addition_to_a_rename_row_permits_deletion() {
    let repo = with_rows(
        &[("a.rs", "a\n")],
        &[("a.rs` -> `b.rs", "Rename"), ("a.rs", "Delete")],
    );
    remove(&repo, "a.rs");
    passes(&repo);
}

#[test]
fn range_is_judged_by_its_net_change() {
    let repo = governed(&[("a.rs", &lines(1..=20))], &[("a.rs", "b.rs")]);
    let range = ["lint", "--range", "main..HEAD"];
    remove(&repo, "a.rs");
    repo.commit("Delete");
    repo.guard(&range).exits(1).says("git mv a.rs b.rs");
    repo.stage("b.rs", lines(1..=20));
    repo.commit("Add");
    repo.guard(&range).exits(0);
    // Each commit on its own is refused.
    repo.guard(&[&range[..], &["--each-commit"]].concat())
        .exits(1)
        .says("action-not-granted");
}

#[test]
fn exempt_path_does_not_permit_losing_a_large_file_by_rename() {
    let repo = Repo::new();
    repo.stage("gen/a.py", lines(1..=300));
    repo.commit("Begin");
    let settings = format!("{}[scope]\nalways = [\"gen/\"]\n", common::SETTINGS);
    repo.stage("guard.toml", settings);
    repo.design(DESIGN, &[("gen/a.py` -> `gen/b.py", "Rename", "x")]);
    repo.commit("Say what may change");
    repo.branch("188-work");
    install(&repo);
    remove(&repo, "gen/a.py");
    refused(&repo, "destructive-change", "gen/a.py");
    repo.stage("gen/b.py", lines(1..=300));
    passes(&repo);
}

#[test]
fn new_target_in_a_rename_row_committed_with_code_is_scope_amended() {
    let rows = [
        ("a.rs` -> `b.rs", "Rename"),
        ("c.rs", "Add"),
        ("x.rs", "Add"),
    ];
    let repo = with_rows(&[("a.rs", &lines(1..=20))], &rows);
    repo.design(
        DESIGN,
        &[("a.rs` -> `c.rs", "Rename", "x"), ("x.rs", "Add", "x")],
    );
    repo.git(&["mv", "a.rs", "c.rs"]);
    refused(&repo, "scope-amended", DESIGN);
}

#[test]
fn link_may_be_renamed_only_unchanged() {
    let repo = with_rows(
        &[("target", "x\n"), ("other", "x\n")],
        &[("a` -> `b", "Rename"), ("b", "Symlink")],
    );
    repo.git(&["switch", "--quiet", "main"]);
    std::os::unix::fs::symlink("target", repo.path("a")).unwrap();
    repo.git(&["add", "a"]);
    repo.commit("Link");
    repo.git(&["branch", "--quiet", "--force", "188-work"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    remove(&repo, "a");
    refused(&repo, "action-not-granted", "a");
    std::os::unix::fs::symlink("other", repo.path("b")).unwrap();
    repo.git(&["add", "b"]);
    refused(&repo, "action-not-granted", "a");
    std::fs::remove_file(repo.path("b")).unwrap();
    std::os::unix::fs::symlink("target", repo.path("b")).unwrap();
    repo.git(&["add", "b"]);
    passes(&repo);
}

#[test]
fn listed_test_may_be_renamed_but_not_deleted() {
    let repo = Repo::new();
    repo.stage("tests/a.rs", lines(1..=20));
    repo.commit("Begin");
    let settings = format!("{}[scope]\nprotect-tests = \"always\"\n", common::SETTINGS);
    repo.stage("guard.toml", settings);
    repo.design(DESIGN, &[("tests/a.rs` -> `tests/b.rs", "Rename", "x")]);
    repo.commit("Say what may change");
    repo.branch("188-work");
    install(&repo);
    remove(&repo, "tests/a.rs");
    commit(&repo, &[]).exits(1);
    repo.stage("tests/b.rs", lines(1..=20));
    passes(&repo);
}

#[test]
fn delete_row_and_add_row_are_not_a_rename() {
    let rows = [("a.rs", "Delete"), ("b.rs", "Add")];
    let repo = with_rows(&[("a.rs", &lines(1..=200))], &rows);
    remove(&repo, "a.rs");
    // The same lines in another order.
    let reversed: String = lines(1..=200)
        .lines()
        .rev()
        .map(|line| format!("{line}\n"))
        .collect();
    repo.stage("b.rs", reversed);
    let report = repo.json(&["lint"]);
    assert_eq!(report["verdict"], "accepted", "{report:#}");
    assert_eq!(report["changes"][1]["from"], serde_json::Value::Null);
    // Nor equal content.
    repo.stage("b.rs", lines(1..=200));
    assert_eq!(
        repo.json(&["lint"])["changes"][1]["from"],
        serde_json::Value::Null
    );
    passes(&repo);
}

#[test]
fn delete_row_alone_does_not_permit_a_lossy_rename() {
    // `always` grants the new file; no row names it.
    let repo = Repo::new();
    repo.stage("a.rs", lines(1..=200));
    repo.commit("Begin");
    let settings = format!("{}[scope]\nalways = [\"gen/\"]\n", common::SETTINGS);
    repo.stage("guard.toml", settings);
    repo.design(DESIGN, &[("a.rs", "Delete", "x")]);
    repo.commit("Say what may change");
    repo.branch("188-work");
    install(&repo);
    remove(&repo, "a.rs");
    repo.stage("gen/a.rs", lines(101..=200));
    refused(&repo, "destructive-change", "gen/a.rs");
}

#[test]
fn request_to_delete_the_old_file_is_refused_and_suggests_move() {
    let repo = governed(&[("a.rs", &lines(1..=20))], &[("a.rs", "b.rs")]);
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
        &[("a.rs", &lines(1..=20))],
        &[("a.rs` -> `b.rs", "Rename"), ("a.rs", "Modify")],
    );
    repo.write("a.rs", "gutted\n");
    repo.guard(&["move", "a.rs", "b.rs"])
        .exits(1)
        .says("keeps 0 of its 20 lines");
    assert!(repo.path("a.rs").exists());
}

#[test]
fn exempt_file_may_be_rewritten_in_a_rename() {
    let repo = governed(
        &[("a/Cargo.lock", &lines(1..=20))],
        &[("a/Cargo.lock", "Cargo.lock")],
    );
    remove(&repo, "a/Cargo.lock");
    refused(&repo, "action-not-granted", "a/Cargo.lock");
    repo.stage("Cargo.lock", lines(101..=120));
    passes(&repo);
}
