//! `guard lint --worktree` reports what `guard lint` reports after `git add --all`, and changes nothing.

use std::fs;
use std::path::Path;

use crate::common::commits::{error_findings, repo, with_submodule};
use crate::common::system;
use crate::common::worktree::{cannot, changes, same_as_added, worktree};
use crate::common::{self, GUARD, Repo, findings, lines, run};

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
    assert!(
        errors.contains(&("out-of-scope", "src/stray.rs")),
        "{errors:?}"
    );
    assert!(errors.contains(&("destructive-change", "src/unlisted.rs")));
    let is_of_index = |(_, path): &(&str, &str)| *path == "src/both.rs";
    assert!(!errors.iter().any(is_of_index), "{errors:?}");
}

#[test]
fn an_intent_to_add_in_a_sha_256_repository_is_an_addition() {
    let repo = Repo::init(&["--object-format=sha256"]);
    common::commits::fill(&repo);
    // Another time, but the same content.
    repo.write("src/old.rs", "old\n");
    repo.write("src/new.rs", "new\n");
    repo.write("src/dropped.rs", "x\n");
    repo.git(&["add", "--intent-to-add", "."]);
    fs::remove_file(repo.path("src/dropped.rs")).unwrap();
    assert_eq!(changes(&same_as_added(&repo)), [("src/new.rs", "add")]);
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
    let added = ["linked", "vendor/lib", "vendor/plain/b"];
    assert_eq!(changes(&report), added.map(|path| (path, "add")));
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
        let new = ("src/new.rs", "add");
        assert_eq!(changes(&worktree(&repo)), [new], "{index}");
        // git would not add these, but guard reports them.
        repo.write("docs/far/b", "changed\n");
        repo.write("docs/far/c", "c\n");
        let far = [("docs/far/b", "modify"), ("docs/far/c", "add"), new];
        assert_eq!(changes(&worktree(&repo)), far, "{index}");
    }
}

#[test]
fn filters_and_line_endings_apply_and_hooks_do_not_run() {
    let repo = repo();
    let mark = |name: &str| repo.path("..").join(name);
    repo.stage("src/a.txt", "one\ntwo\n");
    repo.stage("src/b.up", "FILTERED\n");
    repo.stage(".gitattributes", "*.up filter=up\n*.txt text\n");
    repo.commit("More");
    let filter = format!(
        "sh -c 'touch {}; tr a-z A-Z'",
        system::in_shell(mark("filtered"))
    );
    repo.git(&["config", "filter.up.clean", &filter]);
    repo.git(&["config", "core.autocrlf", "true"]);
    let touch = |name: &str| format!("#!/bin/sh\ntouch {}\n", system::in_shell(mark(name)));
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

/// Without the setting, git reads the file in the user's directory; an empty one stands for none.
#[test]
fn files_that_the_user_always_ignores_are_those_of_the_setting() {
    for (setting, expected) in [
        (None, "src/b.tmp"),
        (Some(""), "src/a.log src/b.tmp"),
        (Some("~/ignored"), "src/a.log"),
    ] {
        let repo = repo();
        fs::create_dir_all(repo.home().join(".config/git")).unwrap();
        fs::write(repo.home().join(".config/git/ignore"), "*.log\n").unwrap();
        fs::write(repo.home().join("ignored"), "*.tmp\n").unwrap();
        if let Some(value) = setting {
            repo.git(&["config", "core.excludesFile", value]);
        }
        repo.write("src/a.log", "x\n");
        repo.write("src/b.tmp", "x\n");
        let report = same_as_added(&repo);
        let paths: Vec<&str> = changes(&report).iter().map(|(path, _)| *path).collect();
        assert_eq!(paths.join(" "), expected, "{setting:?}");
    }
}

/// The repository keeps no object of it, and guard leaves no directory behind.
#[test]
fn added_content_is_gone_afterwards() {
    let repo = repo();
    let temporary = repo.path("../temporary");
    fs::create_dir(&temporary).unwrap();
    repo.write("src/new.rs", "new\n");
    let lint = |place: &Path| {
        let mut guard = repo.command(GUARD);
        run(system::set_temporary(&mut guard, place).args(["lint", "--worktree"]))
    };
    lint(&temporary).exits(0);
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    let id = repo.git(&["hash-object", "src/new.rs"]);
    repo.try_git(&["cat-file", "-e", id.trim()]).exits(1);
    lint(Path::new("nowhere")).exits(2).says("TMPDIR");
}

#[test]
#[cfg_attr(
    not(unix),
    ignore = "needs a socket in a directory, which Windows lacks"
)]
fn what_git_cannot_add_is_an_error() {
    let repo = repo();
    // A socket is no file for git; in place of a tracked file, it is an error.
    let socket = |path: &str| system::socket(repo.path(path));
    socket("src/socket");
    repo.write("src/new.rs", "new\n");
    let report = repo.json(&["lint", "--worktree"]);
    assert_eq!(changes(&report), [("src/new.rs", "add")]);
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
    // What is staged and what is there are two candidates.
    for mark in ["--assume-unchanged", "--skip-worktree"] {
        let repo = self::repo();
        repo.stage("src/other.rs", "staged\n");
        repo.git(&["update-index", mark, "src/other.rs"]);
        cannot(&repo)
            .says("src/other.rs is staged and flagged assume-unchanged or skip-worktree")
            .says("git update-index --no-assume-unchanged --no-skip-worktree src/other.rs");
    }
}

#[test]
fn unfinished_merge_is_judged_as_its_future_commit_but_not_its_conflicts() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/theirs.rs", "theirs\n");
    repo.commit("Theirs");
    repo.git(&["branch", "--quiet", "theirs"]);
    repo.stage("src/old.rs", "theirs\n");
    repo.commit("Theirs as well");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["merge", "--quiet", "--no-ff", "--no-commit", "theirs"]);
    assert_eq!(changes(&same_as_added(&repo)), []);
    repo.write("src/stray.rs", "mine\n");
    assert_eq!(changes(&same_as_added(&repo)), [("src/stray.rs", "add")]);
    repo.git(&["reset", "--quiet", "--hard"]);
    repo.stage("src/old.rs", "ours\n");
    repo.commit("Ours");
    repo.try_git(&["merge", "--quiet", "main"]).exits(1);
    repo.write("src/old.rs", "resolved\n");
    cannot(&repo).says("unresolved conflicts in src/old.rs");
}
