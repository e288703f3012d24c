//! `guard lint --worktree` reports what `guard lint` reports after `git add --all`, and changes nothing.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[allow(dead_code)]
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::common::commits::{error_findings, repo, with_submodule};
use crate::common::random::Random;
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
fn ignored_files_are_left_out() {
    let repo = repo();
    repo.stage("src/.gitignore", "*.o\n!keep.o\n/only-here\nbuild/\n");
    repo.stage("tracked/kept.log", "tracked\n");
    repo.commit("Ignore");
    repo.write("../home/.config/git/ignore", "global-*\n");
    repo.write(".git/info/exclude", "excluded\nsrc/dir/**/deep\n");
    repo.write(".gitignore", "*.log\n/target\n\\#odd\ntracked/\n*.tmp \n");
    for path in [
        "a.log",
        "target/debug/a.rs",
        "src/target",
        "src/a.o",
        "src/keep.o",
        "src/only-here",
        "src/below/only-here",
        "src/build/x",
        "src/build.rs",
        "src/dir/a/b/deep",
        "global-x",
        "excluded",
        "src/excluded/x",
        "#odd",
        "a.tmp",
        "tracked/new",
        "tracked/below/new",
    ] {
        repo.write(path, "x\n");
    }
    // Ignored, but tracked.
    repo.write("tracked/kept.log", "changed\n");
    let report = same_as_added(&repo);
    assert_eq!(
        changes(&report),
        [
            (".gitignore", "add"),
            ("src/below/only-here", "add"),
            ("src/build.rs", "add"),
            ("src/keep.o", "add"),
            ("src/target", "add"),
            ("tracked/kept.log", "modify"),
        ]
    );
    repo.git(&["config", "core.excludesFile", "../home/own"]);
    repo.write("../home/own", "*.own\n");
    repo.write("a.own", "x\n");
    repo.write("a.other", "x\n");
    let report = same_as_added(&repo);
    let added = changes(&report);
    assert!(added.contains(&("a.other", "add")), "{added:?}");
    assert!(added.contains(&("global-x", "add")), "{added:?}");
    assert!(!added.contains(&("a.own", "add")), "{added:?}");
}

#[test]
fn pattern_for_everything_may_be_negated() {
    let repo = repo();
    repo.write(".git/info/exclude", "*\n/\n");
    repo.write("stray.rs", "x\n");
    assert_eq!(changes(&same_as_added(&repo)), []);
    repo.write(".gitignore", "!*.rs\r\n!.gitignore\r\n");
    let report = same_as_added(&repo);
    assert_eq!(
        changes(&report),
        [(".gitignore", "add"), ("stray.rs", "add")]
    );
    // Files below an ignored directory cannot be included again.
    repo.write("dir/stray.rs", "x\n");
    assert_eq!(changes(&same_as_added(&repo)).len(), 2);
}

#[test]
fn gitignore_outside_a_sparse_checkout_still_counts() {
    let repo = repo();
    repo.stage("src/.gitignore", "*.o\n");
    repo.commit("Ignore");
    repo.git(&["update-index", "--skip-worktree", "src/.gitignore"]);
    fs::remove_file(repo.path("src/.gitignore")).unwrap();
    repo.write("src/a.o", "x\n");
    repo.write("src/b", "x\n");
    assert_eq!(changes(&same_as_added(&repo)), [("src/b", "add")]);
}

#[cfg(unix)]
#[test]
fn links_and_executable_files() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let repo = repo();
    symlink("other.rs", repo.path("src/new.rs")).unwrap();
    symlink("/nowhere/at/all", repo.path("src/dangling")).unwrap();
    symlink("..", repo.path("src/up")).unwrap();
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(repo.path("src/other.rs"), executable).unwrap();
    fs::remove_file(repo.path("src/old.rs")).unwrap();
    symlink("other.rs", repo.path("src/old.rs")).unwrap();
    let report = same_as_added(&repo);
    assert_eq!(
        changes(&report),
        [
            ("src/dangling", "add"),
            ("src/new.rs", "add"),
            ("src/old.rs", "type-change"),
            ("src/other.rs", "modify"),
            ("src/up", "add"),
        ]
    );
    let errors = error_findings(&report);
    for expected in [
        ("outside-workspace", "src/dangling"),
        ("action-not-granted", "src/new.rs"),
        ("destructive-change", "src/old.rs"),
        ("out-of-scope", "src/other.rs"),
    ] {
        assert!(errors.contains(&expected), "{errors:?}");
    }
}

#[cfg(unix)]
#[test]
fn modes_and_links_that_the_file_system_does_not_have() {
    use std::os::unix::fs::PermissionsExt;
    let repo = repo();
    repo.stage("tool", "tool\n");
    repo.git(&["update-index", "--chmod=+x", "tool"]);
    let target = repo.blob(b"old.rs");
    repo.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("120000,{target},src/link"),
    ]);
    repo.commit("More");
    repo.git(&["config", "core.fileMode", "false"]);
    repo.git(&["config", "core.symlinks", "false"]);
    repo.write("src/link", "other.rs");
    repo.write("src/new.rs", "new\n");
    for path in ["src/old.rs", "src/new.rs"] {
        fs::set_permissions(repo.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let report = same_as_added(&repo);
    assert_eq!(
        changes(&report),
        [("src/link", "modify"), ("src/new.rs", "add")]
    );
    assert_eq!(repo.git(&["ls-files", "-s", "src/link"])[..6], *"120000");
}

#[test]
fn files_and_directories_that_change_places() {
    let repo = repo();
    repo.stage("dir/a", "a\n");
    repo.stage("dir/b/c", "c\n");
    repo.stage("file", "file\n");
    repo.commit("More");
    fs::remove_dir_all(repo.path("dir")).unwrap();
    repo.write("dir", "now a file\n");
    fs::remove_file(repo.path("file")).unwrap();
    repo.write("file/below", "now a directory\n");
    let report = same_as_added(&repo);
    assert_eq!(
        changes(&report),
        [
            ("dir", "add"),
            ("dir/a", "delete"),
            ("dir/b/c", "delete"),
            ("file", "delete"),
            ("file/below", "add"),
        ]
    );
}

#[cfg(unix)]
#[test]
fn directories_behind_links_are_not_scanned() {
    let repo = repo();
    repo.stage("dir/a", "a\n");
    repo.commit("More");
    fs::rename(repo.path("dir"), repo.path("../dir")).unwrap();
    std::os::unix::fs::symlink("../dir", repo.path("dir")).unwrap();
    let report = same_as_added(&repo);
    assert_eq!(changes(&report), [("dir", "add"), ("dir/a", "delete")]);
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

#[cfg(unix)]
#[test]
fn names_of_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let repo = repo();
    for name in [
        &b"a\nb"[..],
        b"\xff\xfe",
        b" ",
        b"-rf",
        b":x",
        "\u{202e}x".as_bytes(),
    ] {
        repo.write(std::ffi::OsStr::from_bytes(name), "x\n");
    }
    let report = same_as_added(&repo);
    assert_eq!(changes(&report).len(), 6);
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
    cannot(&repo)
        .says("vendor/lib is a repository without commits")
        .says("commit in it");
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
fn ignored_nested_repository_is_left_out() {
    let repo = repo();
    repo.git(&["init", "--quiet", "vendor/lib"]);
    repo.write(".git/info/exclude", "vendor/\n");
    assert_eq!(changes(&same_as_added(&repo)), []);
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

/// Cases that git adds differently, and why guard's answer is the safe one.
const ANOTHER_WAY: [&str; 3] = [
    // git cannot convert a file; guard compares its bytes.
    "hostile/attributes-encoding",
    // git drops entries that are not in the work tree; guard judges the current entries.
    "hostile/path-git-dir",
    "hostile/path-git-dir-disguised",
];

/// For every repository of `fixtures/repos` that tests the next commit, guard reports the same as after
/// `git add --all`, or cannot judge.
#[test]
fn the_repositories_of_the_fixtures() {
    let mut cases = case::all().unwrap();
    cases.retain(|case| case.run == ["lint"] && !ANOTHER_WAY.contains(&case.name.as_str()));
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
    assert!(same > 200, "only {same} of {} could be judged", cases.len());
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
    assert!(!built.canary_ran(), "{name}");
    if answer.0 == 2 {
        return false;
    }
    let added = run(built.judging("git").args(["add", "--all"]));
    assert_eq!(added.code, 0, "{name}: {}", added.stderr);
    assert_eq!(answer, judge(&["lint"]), "{name}");
    true
}

const NAMES: [&str; 11] = [
    "a", "b", "A", "x.o", "y.log", "build", "lib", "[z]", "t ", "#c", "!n",
];

const PATTERNS: [&str; 32] = [
    "*.o",
    "!x.o",
    "build/",
    "/a",
    "a",
    "lib/*",
    "**/b",
    "a/**",
    "!a/",
    "*",
    "!*/",
    "[ab]",
    "\\#c",
    "\\!n",
    "t\\ ",
    "t ",
    "/lib/a",
    "*/a",
    "[[]z]",
    "a/b",
    "?",
    "[!a]",
    "/*",
    "!/lib",
    "#c",
    "[z-a]",
    "[[:alpha:]].log",
    "a\\",
    "/",
    "!",
    "**",
    "!lib/a",
];

/// Creates, changes and removes files at random paths; existing files in the way stay.
fn disturb(repo: &Repo, dice: &mut Random, times: usize) {
    for _ in 0..times {
        let mut path = repo.root.clone();
        for _ in 0..dice.below(4) {
            path.push(dice.of(&NAMES));
        }
        let _ = fs::create_dir_all(&path);
        match dice.below(8) {
            0 | 1 => {
                let list = format!("{}\n{}\r\n", dice.of(&PATTERNS), dice.of(&PATTERNS));
                let _ = fs::write(path.join(".gitignore"), list);
            }
            2 if path != repo.root => {
                let _ = fs::remove_dir_all(&path);
            }
            3 => {
                let _ = fs::remove_file(path.join(dice.of(&NAMES)));
            }
            _ => {
                let _ = fs::write(path.join(dice.of(&NAMES)), dice.of(&["x\n", "y\n", ""]));
            }
        }
    }
}

#[test]
fn generated_trees_agree_with_git_add() {
    let seeds = match std::env::var_os("GUARD_LONG") {
        Some(_) => 40,
        None => 12,
    };
    let mut seen = 0;
    for seed in 0..seeds {
        let mut dice = Random(seed + 1);
        let repo = Repo::nothing_in_memory().initialized(&[]);
        disturb(&repo, &mut dice, 20);
        repo.git(&["add", "--all"]);
        repo.govern(&[("a", "Modify", "x")]);
        disturb(&repo, &mut dice, 20);
        if dice.below(2) == 0 {
            repo.git(&["add", "--intent-to-add", "."]);
        }
        repo.write(".git/info/exclude", dice.of(&PATTERNS));
        println!("seed {seed}");
        seen += changes(&same_as_added(&repo)).len();
    }
    // If everything were ignored, nothing would be compared.
    assert!(seen as u64 > 5 * seeds, "{seen}");
}
