//! `guard lint --worktree` reports what `guard lint` reports after `git add --all`, and changes nothing.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::common::commits::{error_findings, repo, with_submodule};
#[cfg(unix)]
use crate::common::terminal::{End, driver, guard_at_terminal};
use crate::common::worktree::{cannot, changes, same_as_added, worktree};
use crate::common::{self, GUARD, Repo, findings, lines, run};
use crate::repositories::case::{self, Case, Outcome};

#[test]
fn every_kind_of_change_is_judged_as_if_it_were_added() {
    let repo = Repo::new();
    for path in ["edited", "staged", "both", "gone", "moved", "unlisted"] {
        repo.stage(format!("src/{path}.rs"), lines(1..=200) + path);
    }
    repo.commit("Begin");
    repo.govern(&[
        ("src/edited.rs", "Modify", "x"),
        ("src/staged.rs", "Modify", "x"),
        ("src/both.rs", "Modify", "x"),
        ("src/new/", "Add", "x"),
    ]);
    repo.write("src/edited.rs", lines(1..=201));
    repo.stage("src/staged.rs", lines(1..=202));
    repo.stage("src/both.rs", "staged\n");
    repo.write("src/both.rs", lines(1..=203));
    fs::remove_file(repo.path("src/gone.rs")).unwrap();
    fs::rename(repo.path("src/moved.rs"), repo.path("src/target.rs")).unwrap();
    repo.write("src/unlisted.rs", lines(900..=999));
    repo.write("src/new/deep/er/a.rs", "a\n");
    repo.write("src/stray.rs", "stray\n");
    fs::create_dir(repo.path("src/empty")).unwrap();
    let report = same_as_added(&repo);
    assert_eq!(
        changes(&report),
        [
            ("src/both.rs", "modify"),
            ("src/edited.rs", "modify"),
            ("src/gone.rs", "delete"),
            ("src/moved.rs", "delete"),
            ("src/new/deep/er/a.rs", "add"),
            ("src/staged.rs", "modify"),
            ("src/stray.rs", "add"),
            ("src/target.rs", "add"),
            ("src/unlisted.rs", "modify"),
        ]
    );
    let errors = error_findings(&report);
    for expected in [
        ("out-of-scope", "src/gone.rs"),
        ("destructive-change", "src/unlisted.rs"),
        ("out-of-scope", "src/stray.rs"),
    ] {
        assert!(errors.contains(&expected), "{errors:?}");
    }
    let of_staged_alone = |path: &str| errors.iter().any(|(_, other)| *other == path);
    assert!(!of_staged_alone("src/both.rs"), "{errors:?}");
}

#[test]
fn a_clean_work_tree_has_no_changes() {
    let repo = repo();
    // Another time, but the same content.
    repo.write("src/old.rs", "old\n");
    let report = same_as_added(&repo);
    assert_eq!(changes(&report), []);
    assert_eq!(report["verdict"], "accepted");
}

#[test]
fn the_first_commit() {
    let repo = Repo::new();
    repo.write("guard.toml", common::SETTINGS);
    repo.write("a.rs", "a\n");
    repo.guard(&["lint", "--worktree"]).exits(2);
    fs::remove_file(repo.path("a.rs")).unwrap();
    let report = same_as_added(&repo);
    assert_eq!(changes(&report), [("guard.toml", "add")]);
}

#[test]
fn a_sha_256_repository() {
    let repo = Repo::init(&["--object-format=sha256"]);
    common::commits::fill(&repo);
    repo.write("src/new.rs", "new\n");
    repo.write("src/other.rs", "another\n");
    let report = same_as_added(&repo);
    assert_eq!(
        error_findings(&report),
        [("out-of-scope", "src/other.rs")],
        "{report:#}"
    );
}

#[test]
fn an_intent_to_add_is_an_addition() {
    let repo = repo();
    repo.write("src/new.rs", "new\n");
    repo.write("src/dropped.rs", "x\n");
    repo.write("src/empty.rs", "");
    repo.git(&["add", "--intent-to-add", "."]);
    fs::remove_file(repo.path("src/dropped.rs")).unwrap();
    let report = same_as_added(&repo);
    assert_eq!(
        changes(&report),
        [("src/empty.rs", "add"), ("src/new.rs", "add")]
    );
}

#[test]
fn a_submodule_is_the_commit_that_it_is_at() {
    let inner = repo();
    let outer = with_submodule(&inner);
    outer.commit("Take the library in");
    outer.govern(&[("src/new.rs", "Add", "x")]);
    assert_eq!(changes(&same_as_added(&outer)), []);

    // Its changes do not belong to the outer repository.
    outer.write("lib/src/old.rs", "changed\n");
    outer.write("lib/untracked", "x\n");
    assert_eq!(changes(&same_as_added(&outer)), []);

    outer.git(&["-C", "lib", "commit", "--quiet", "-am", "Go on"]);
    let report = same_as_added(&outer);
    assert_eq!(changes(&report), [("lib", "modify")]);
    assert_eq!(error_findings(&report), [("submodule-changed", "lib")]);

    // Not checked out, which is not a change; then deleted.
    outer.git(&["reset", "--quiet"]);
    fs::remove_dir_all(outer.path("lib")).unwrap();
    fs::create_dir(outer.path("lib")).unwrap();
    assert_eq!(changes(&same_as_added(&outer)), []);
    fs::remove_dir(outer.path("lib")).unwrap();
    assert_eq!(changes(&same_as_added(&outer)), [("lib", "delete")]);
}

#[test]
fn nested_repository_is_one_entry() {
    let repo = repo();
    repo.git(&["init", "--quiet", "vendor/lib"]);
    repo.write("vendor/lib/a", "a\n");
    repo.git(&["-C", "vendor/lib", "add", "."]);
    repo.write("vendor/plain/.git/no-repository", "x\n");
    repo.write("vendor/plain/b", "b\n");
    cannot(&repo).says("'vendor/lib/' does not have a commit checked out");
    repo.try_git(&["add", "--all"]).exits(128);

    repo.git(&["-C", "vendor/lib", "commit", "--quiet", "-m", "Begin"]);
    repo.git(&["worktree", "add", "--quiet", "linked", "-b", "other"]);
    let report = same_as_added(&repo);
    assert_eq!(
        changes(&report),
        [
            ("linked", "add"),
            ("vendor/lib", "add"),
            ("vendor/plain/b", "add")
        ]
    );
    assert!(findings(&report).contains(&("submodule-changed", "vendor/lib")));
}

#[test]
fn a_sparse_checkout_leaves_files_out_but_hides_none() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let repo = repo();
        repo.stage("docs/far/away/a", "a\n");
        repo.stage("docs/far/b", "b\n");
        repo.commit("Add more");
        repo.git(&["sparse-checkout", "set", "--cone", index, "src"]);
        repo.write("src/new.rs", "new\n");
        assert!(!repo.path("docs/far").exists());
        assert_eq!(changes(&worktree(&repo)), [("src/new.rs", "add")]);
        // git would not add these, but guard reports them.
        repo.write("docs/far/b", "changed\n");
        repo.write("docs/far/c", "c\n");
        assert_eq!(
            changes(&worktree(&repo)),
            [
                ("docs/far/b", "modify"),
                ("docs/far/c", "add"),
                ("src/new.rs", "add")
            ],
            "{index}"
        );
    }
}

#[test]
fn unfinished_merge_is_judged_as_its_future_commit() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/theirs.rs", "theirs\n");
    repo.commit("Theirs");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["merge", "--quiet", "--no-ff", "--no-commit", "main"]);
    assert_eq!(changes(&same_as_added(&repo)), []);
    repo.write("src/stray.rs", "mine\n");
    assert_eq!(changes(&same_as_added(&repo)), [("src/stray.rs", "add")]);
}

#[test]
fn another_index_a_separate_git_directory_and_any_directory() {
    let repo = repo();
    repo.write("src/other.rs", "changed\n");
    repo.write("src/deep/a", "a\n");
    let first = repo.guard(&["lint", "--worktree", "--format", "json"]);
    let mut below = repo.command(GUARD);
    below.args(["lint", "--worktree", "--format", "json"]);
    let below = run(below.current_dir(repo.path("src/deep")));
    assert_eq!(below.stdout, first.stdout);

    repo.git(&["init", "--quiet", "--separate-git-dir=../git"]);
    assert_eq!(
        repo.guard(&["lint", "--worktree", "--format", "json"])
            .stdout,
        first.stdout
    );
    fs::remove_file(repo.path(".git")).unwrap();
    let mut named = repo.command(GUARD);
    named.args(["lint", "--worktree", "--format", "json"]);
    named.env("GIT_DIR", repo.path("../git"));
    named.env("GIT_INDEX_FILE", repo.path("../no-such-index"));
    let named = run(&mut named);
    // All files are untracked there and equal to HEAD.
    assert_eq!(named.stdout, first.stdout, "{}", named.stderr);
}

#[cfg(unix)]
#[test]
fn approval_counts_for_the_work_tree_content() {
    let repo = Repo::new();
    repo.stage("src/old.rs", lines(1..=200));
    repo.commit("Begin");
    repo.govern(&[("src/old.rs", "Modify", "x")]);
    repo.stage("src/old.rs", lines(500..=600));
    let Some(driver) = driver(&repo) else { return };
    let answers = [("Type `", "line\n"), ("Reason: ", "agreed\n")];
    guard_at_terminal(driver, &["approve", "--staged"], &answers, End::Wait).exits(0);
    repo.git(&["reset", "--quiet"]);
    let report = same_as_added(&repo);
    assert_eq!(error_findings(&report), []);
    assert_eq!(report["changes"][0]["approved"], true);

    repo.write("src/old.rs", lines(500..=601));
    let report = same_as_added(&repo);
    assert_eq!(
        error_findings(&report),
        [("destructive-change", "src/old.rs")]
    );
    assert_eq!(report["changes"][0]["approved"], false);
}

/// Cases where `git add --all` leaves out what guard judges.
const ANOTHER_WAY: [&str; 3] = [
    // The files of a forged sparse directory are not there.
    "hostile/index-sparse-directory-swapped",
    // git drops entries that are not in the work tree; guard judges the current entries.
    "hostile/path-git-dir",
    "hostile/path-git-dir-disguised",
];

/// For every repository of `fixtures/repos` with an unusual index, attributes or filters, guard reports the same as
/// after `git add --all`, or cannot judge.
#[test]
fn the_repositories_of_the_fixtures() {
    let mut cases = case::all().unwrap();
    let is_unusual = |name: &str| {
        ["index", "attributes", "filter"]
            .iter()
            .any(|part| name.contains(part))
    };
    cases.retain(|case| case.run == ["lint"] && is_unusual(&case.name));
    cases.retain(|case| !ANOTHER_WAY.contains(&case.name.as_str()));
    let (next, same) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    same.fetch_add(usize::from(is_same_as_added(case)), Ordering::Relaxed);
                }
            });
        }
    });
    let same = same.into_inner();
    assert!(same > 15, "only {same} of {} could be judged", cases.len());
}

/// Whether the case can be judged; asserts that the report equals the one on the added files.
fn is_same_as_added(case: &Case) -> bool {
    let name = &case.name;
    let built = match case::build(case).unwrap() {
        Outcome::Built(built) => built,
        Outcome::Skipped(reason) => {
            common::skip(&format!("{name}: {reason}"));
            return false;
        }
    };
    built.canary_ran();
    let judge = |arguments: &[&str]| {
        let mut guard = built.judging(GUARD);
        let output = run(guard.args(arguments).args(["--format", "json"]));
        let mut report: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
        if let Some(source) = report.get_mut("source") {
            source["kind"].take();
        }
        (output.code, report)
    };
    let before = built.repo.digest_tree();
    let answer = judge(&["lint", "--worktree"]);
    assert_eq!(built.repo.digest_tree(), before, "{name}");
    let ran = built.canary_ran();
    if answer.0 == 2 {
        return false;
    }
    let added = run(built.judging("git").args(["add", "--all"]));
    assert!(
        !ran || built.canary_ran(),
        "{name}: guard runs more than git"
    );
    assert_eq!(added.code, 0, "{name}: {}", added.stderr);
    assert_eq!(answer, judge(&["lint"]), "{name}");
    true
}

#[test]
fn filters_and_line_endings_apply_and_hooks_do_not_run() {
    let repo = repo();
    let mark = |name: &str| repo.path("..").join(name);
    repo.stage("src/a.txt", "one\ntwo\n");
    repo.stage("src/b.up", "FILTERED\n");
    repo.stage(".gitattributes", "*.up filter=up\n*.txt text\n");
    repo.commit("More");
    let filter = format!("sh -c 'touch {}; tr a-z A-Z'", mark("filtered").display());
    repo.git(&["config", "filter.up.clean", &filter]);
    repo.git(&["config", "core.autocrlf", "true"]);
    let touch = |name: &str| format!("#!/bin/sh\ntouch {}\n", mark(name).display());
    for hook in ["post-index-change", "pre-commit"] {
        repo.install_hook_script(hook, &touch("hook"));
    }
    let monitor = repo.path("../monitor");
    repo.write("../monitor", touch("monitored"));
    repo.git(&["config", "core.fsmonitor", monitor.to_str().unwrap()]);
    repo.write("src/a.txt", "one\r\ntwo\r\n");
    repo.write("src/b.up", "filtered\n");
    repo.write("src/new.up", "new\n");
    let report = worktree(&repo);
    assert_eq!(changes(&report), [("src/new.up", "add")]);
    assert!(mark("filtered").exists());
    assert!(!mark("hook").exists() && !mark("monitored").exists());
}

/// The repository keeps no object of it, and guard leaves no directory behind.
#[test]
fn added_content_is_gone_afterwards() {
    let repo = repo();
    let temporary = repo.path("../temporary");
    fs::create_dir(&temporary).unwrap();
    repo.write("src/new.rs", "new\n");
    let mut guard = repo.command(GUARD);
    guard.args(["lint", "--worktree"]).env("TMPDIR", &temporary);
    run(&mut guard).exits(0);
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    let id = repo.git(&["hash-object", "src/new.rs"]);
    repo.try_git(&["cat-file", "-e", id.trim()]).exits(1);
    guard.env("TMPDIR", repo.path("../nowhere"));
    run(&mut guard).exits(2).says("TMPDIR");
}

#[cfg(unix)]
#[test]
fn what_git_cannot_add_is_an_error() {
    let repo = repo();
    // A socket is no file for git; in place of a tracked file, it is an error.
    let socket = |path: &str| {
        drop(std::os::unix::net::UnixListener::bind(repo.path(path)).unwrap());
    };
    socket("src/socket");
    repo.write("src/new.rs", "new\n");
    assert_eq!(
        changes(&repo.json(&["lint", "--worktree"])),
        [("src/new.rs", "add")]
    );
    fs::remove_file(repo.path("src/old.rs")).unwrap();
    socket("src/old.rs");
    repo.git(&["config", "add.ignoreErrors", "true"]);
    repo.guard(&["lint", "--worktree"])
        .exits(2)
        .says("git cannot add the work tree: src/old.rs: can only add regular files");
}

#[test]
fn flags_of_the_index_hide_no_change() {
    let repo = repo();
    repo.git(&["update-index", "--assume-unchanged", "src/other.rs"]);
    repo.git(&["update-index", "--skip-worktree", "src/old.rs"]);
    assert_eq!(changes(&worktree(&repo)), []);
    repo.write("src/other.rs", "changed\n");
    repo.write("src/old.rs", "changed\n");
    assert_eq!(repo.git(&["status", "--short"]), "");
    assert_eq!(
        changes(&worktree(&repo)),
        [("src/old.rs", "modify"), ("src/other.rs", "modify")]
    );
    fs::remove_file(repo.path("src/other.rs")).unwrap();
    fs::remove_file(repo.path("src/old.rs")).unwrap();
    // Files flagged skip-worktree may be absent.
    assert_eq!(changes(&worktree(&repo)), [("src/other.rs", "delete")]);
}

#[test]
fn flagged_file_that_differs_from_the_index_is_an_error() {
    for mark in ["--assume-unchanged", "--skip-worktree"] {
        let repo = repo();
        repo.stage("src/other.rs", "staged\n");
        repo.git(&["update-index", mark, "src/other.rs"]);
        assert_eq!(changes(&worktree(&repo)), [("src/other.rs", "modify")]);
        repo.write("src/other.rs", "other\n");
        cannot(&repo)
            .says("src/other.rs is staged and flagged assume-unchanged or skip-worktree")
            .says("git update-index --no-assume-unchanged --no-skip-worktree src/other.rs");
    }
}

#[test]
fn conflicts_cannot_be_judged() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/old.rs", "theirs\n");
    repo.commit("Theirs");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.stage("src/old.rs", "ours\n");
    repo.commit("Ours");
    repo.try_git(&["merge", "--quiet", "main"]).exits(1);
    repo.write("src/old.rs", "resolved\n");
    cannot(&repo).says("unresolved conflicts in src/old.rs");
}

#[test]
fn a_bare_repository_has_no_work_tree() {
    let repo = Repo::init(&["--bare"]);
    repo.guard(&["lint", "--worktree"])
        .exits(2)
        .says("this is a bare repository");
}

#[test]
fn concurrent_changes_never_panic() {
    let repo = repo();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut round = 0;
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                round += 1;
                repo.write(format!("src/dir{}/file", round % 7), lines(1..=round % 500));
                repo.write("src/old.rs", lines(1..=round % 900));
                let _ = fs::remove_dir_all(repo.path(format!("src/dir{}", (round + 3) % 7)));
                let _ = fs::remove_file(repo.path("src/other.rs"));
                let _ = fs::write(repo.path("src/other.rs"), "x\n");
            }
        });
        for _ in 0..60 {
            let output = repo.guard(&["lint", "--worktree"]);
            assert!((0..=2).contains(&output.code), "{}", output.text());
            assert!(!output.text().contains("panicked"), "{}", output.text());
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn worktree_excludes_other_sources() {
    let repo = repo();
    for other in [
        &["--range", "main..HEAD"][..],
        &["--commit", "HEAD"],
        &["--push"],
        &["--ci"],
        &["--each-commit"],
    ] {
        let arguments = [&["lint", "--worktree"], other].concat();
        repo.guard(&arguments).exits(2).says("cannot be used with");
    }
}
