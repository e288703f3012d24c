//! `guard lint --worktree` if changes are hidden, unreadable or concurrent.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::common::commits::repo;
use crate::common::worktree::{cannot, changes, worktree};
use crate::common::{Output, Repo, copy_guard, lines, run};

#[test]
fn unreadable_nested_repository_is_an_error() {
    let repo = repo();
    repo.git(&["init", "--quiet", "lib"]);
    repo.write("lib/file", "x\n");
    repo.write("lib/.git/HEAD", "nonsense\n");
    // git treats its files as files of the outer repository, which may not be intended.
    cannot(&repo)
        .says("the repository in lib cannot be read")
        .says("repair it, or add the directory to .gitignore");

    repo.write("lib/.git/HEAD", "ref: refs/heads/main\n");
    repo.git(&["-C", "lib", "commit", "--quiet", "--allow-empty", "-m", "x"]);
    assert_eq!(changes(&worktree(&repo)), [("lib", "add")]);
    // Only the reftable knows its HEAD.
    let config = "[core]\nrepositoryformatversion = 1\n[extensions]\nrefStorage = reftable\n";
    repo.write("lib/.git/config", config);
    cannot(&repo)
        .says("the repository in lib uses a ref format that guard cannot read")
        .says("git refs migrate --ref-format=files");
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

#[cfg(unix)]
#[test]
fn change_with_unchanged_size_and_time_is_seen() {
    let repo = repo();
    let file = fs::File::options();
    let touch = |path: &str| {
        let file = file.clone().write(true).open(repo.path(path)).unwrap();
        let time =
            std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
        file.set_modified(time).unwrap();
    };
    touch("src/other.rs");
    repo.git(&["update-index", "--refresh"]);
    repo.write("src/other.rs", "OTHER\n");
    touch("src/other.rs");
    // git can be configured to trust only the file's time.
    repo.git(&["config", "core.trustctime", "false"]);
    repo.git(&["config", "core.checkStat", "minimal"]);
    assert_eq!(repo.git(&["status", "--short", "--", "src/other.rs"]), "");
    assert_eq!(changes(&worktree(&repo)), [("src/other.rs", "modify")]);
}

#[test]
fn configured_programs_are_never_run() {
    let repo = repo();
    repo.stage("src/a.txt", "one\ntwo\n");
    repo.commit("More");
    let mark = repo.path("../ran");
    let program = format!("sh -c 'touch {}; cat'", mark.display());
    for key in [
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "core.fsmonitor",
        "diff.evil.command",
        "diff.evil.textconv",
        "diff.external",
    ] {
        repo.git(&["config", key, &program]);
    }
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.write(".gitattributes", "* filter=evil diff=evil text\n");
    repo.write("src/new.rs", "new\n");
    repo.write("src/a.txt", "one\r\ntwo\r\n");
    let _ = fs::remove_file(&mark);
    let report = worktree(&repo);
    assert!(!mark.exists());
    // Only in layout, as the help says.
    assert!(changes(&report).contains(&("src/a.txt", "modify")));
    repo.guard(&["lint", "--help"]).says("core.autocrlf");
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

#[cfg(unix)]
fn fifo(repo: &Repo, path: &str) {
    run(repo.command("mkfifo").arg(repo.path(path))).exits(0);
}

#[cfg(unix)]
#[test]
fn special_files_are_not_opened() {
    let repo = repo();
    fifo(&repo, "src/fifo");
    let socket = std::os::unix::net::UnixListener::bind(repo.path("src/socket"));
    drop(socket.unwrap());
    repo.write("src/new.rs", "new\n");
    let report = repo.json(&["lint", "--worktree"]);
    assert_eq!(changes(&report), [("src/new.rs", "add")]);

    // git cannot add what replaced the tracked file.
    fs::remove_file(repo.path("src/old.rs")).unwrap();
    fifo(&repo, "src/old.rs");
    repo.try_git(&["add", "--all"]).exits(128);
    repo.guard(&["lint", "--worktree"])
        .exits(2)
        .says("src/old.rs is tracked, but is now neither a file nor a link");
    fs::remove_file(repo.path("src/old.rs")).unwrap();

    fifo(&repo, "src/.gitignore");
    repo.guard(&["lint", "--worktree"])
        .exits(2)
        .says("src/.gitignore is neither a file nor a link");
    fs::remove_file(repo.path("src/.gitignore")).unwrap();

    fs::create_dir_all(repo.path("lib/.git")).unwrap();
    fifo(&repo, "lib/.git/HEAD");
    repo.guard(&["lint", "--worktree"]).exits(1);
}

#[cfg(unix)]
#[test]
fn linked_ignore_file_is_ignored() {
    let repo = repo();
    repo.write("../home/all", "*\n");
    std::os::unix::fs::symlink("../../home/all", repo.path("src/.gitignore")).unwrap();
    repo.write("src/stray.rs", "x\n");
    let report = worktree(&repo);
    assert_eq!(
        changes(&report),
        [("src/.gitignore", "add"), ("src/stray.rs", "add")]
    );
}

/// Runs guard as a user other than root, so that file modes apply.
#[cfg(unix)]
fn as_unprivileged_user(repo: &Repo) -> Output {
    use std::os::unix::process::CommandExt;
    // Other users may not enter the build directory.
    let reachable = repo.path("../guard");
    if !reachable.exists() {
        copy_guard(&reachable);
    }
    let mut guard = repo.command(reachable);
    guard.args(["lint", "--worktree"]);
    let own = fs::File::create(repo.path("../own")).unwrap();
    let user = std::os::unix::fs::MetadataExt::uid(&own.metadata().unwrap());
    fs::remove_file(repo.path("../own")).unwrap();
    if user == 0 {
        let owner = ["-R", "65534:65534", ".."];
        run(repo.command("chown").args(owner)).exits(0);
        guard.uid(65534).gid(65534);
    }
    run(&mut guard)
}

#[cfg(unix)]
#[test]
fn unreadable_files_are_reported() {
    use std::os::unix::fs::PermissionsExt;
    let forbid = |repo: &Repo, path: &str| {
        let none = fs::Permissions::from_mode(0o000);
        fs::set_permissions(repo.path(path), none).unwrap();
    };
    let repo = repo();
    repo.write("src/stray.rs", "x\n");
    as_unprivileged_user(&repo).exits(1).says("src/stray.rs");
    forbid(&repo, "src/stray.rs");
    as_unprivileged_user(&repo)
        .exits(2)
        .says("src/stray.rs cannot be read: Permission denied")
        .says("make it readable");
    fs::remove_file(repo.path("src/stray.rs")).unwrap();

    repo.write("locked/file", "x\n");
    forbid(&repo, "locked");
    as_unprivileged_user(&repo)
        .exits(2)
        .says("locked cannot be read");
    // guard does not read ignored files.
    repo.write(".git/info/exclude", "locked/\n");
    as_unprivileged_user(&repo).exits(0);

    repo.write("src/.gitignore", "x\n");
    repo.write("src/new.rs", "x\n");
    forbid(&repo, "src/.gitignore");
    as_unprivileged_user(&repo).exits(2).says("src/.gitignore");
}

#[test]
fn content_beyond_the_limit_is_refused_only_if_changed() {
    let repo = repo();
    let large = fs::File::create(repo.path("src/new.rs")).unwrap();
    large.set_len((256 << 20) + 1).unwrap();
    repo.guard(&["lint", "--worktree"])
        .exits(2)
        .says("exceed the limit of 256 MiB at src/new.rs")
        .says("add the files and judge the index");
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    large.set_modified(past).unwrap();
    repo.git(&["-c", "core.compression=1", "add", "--all"]);
    repo.commit("Large");
    // Its stat is unchanged, so guard does not read it.
    let report = repo.json(&["lint", "--worktree"]);
    assert_eq!(changes(&report), []);
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
