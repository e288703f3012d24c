//! Real pushes over a local path, judged on the server and before they are sent.

use crate::common::{self, DESIGN, GUARD, Output, Repo};

const ROWS: &[(&str, &str, &str)] = &[("src/new.rs", "Add", "path enforcement")];

/// A governed repository on `188-work` whose remote `origin` is a bare repository that has `main`.
fn with_server() -> Repo {
    let repo = Repo::new();
    repo.stage("src/a.rs", "fn a() {}\n");
    repo.govern(ROWS);
    repo.push_to_server();
    repo
}

/// The same with a hook of the server.
fn guarded_server(hook: &str) -> Repo {
    let repo = with_server();
    repo.install_server_hook(hook);
    repo
}

fn push(repo: &Repo, arguments: &[&str]) -> Output {
    let mut all = vec!["push", "origin"];
    all.extend(arguments);
    repo.try_git(&all)
}

fn commit_file(repo: &Repo, path: &str, text: &str) -> String {
    repo.stage(path, text);
    repo.commit(&format!("Change {path}"))
}

/// The branches and tags of the server.
fn arrived(repo: &Repo) -> String {
    let refs = repo.git(&["ls-remote", "--refs", "origin"]);
    let names = refs.lines().filter_map(|line| line.split_once("refs/"));
    names.map(|(_, name)| name).collect::<Vec<_>>().join(" ")
}

const SERVER_HOOKS: &[&str] = &["update", "pre-receive"];

#[test]
fn push_outside_its_design_is_refused_with_a_clear_message() {
    for hook in SERVER_HOOKS {
        let repo = guarded_server(hook);
        commit_file(&repo, "src/core/new.rs", "fn new() {}\n");
        push(&repo, &["188-work"])
            .exits(1)
            .says("remote: error[out-of-scope]: src/core/new.rs")
            .says("write src/new.rs");
        assert_eq!(arrived(&repo), "heads/main", "{hook}");
    }
}

/// Earlier pushes to a branch are judged again with later ones, so an earlier push cannot change the rules.
#[test]
fn an_earlier_push_cannot_change_the_rules_for_a_later_one() {
    for hook in SERVER_HOOKS {
        let repo = guarded_server(hook);
        repo.stage(
            "guard.toml",
            format!("{}[rules]\nout-of-scope = \"off\"\n", common::SETTINGS),
        );
        repo.commit("Look away");
        push(&repo, &["188-work"]).exits(0);
        commit_file(&repo, "src/rogue.rs", "fn rogue() {}\n");
        push(&repo, &["188-work"])
            .exits(1)
            .says("policy-changed")
            .says("out-of-scope");
    }
}

#[test]
fn each_ref_of_a_push_is_judged_by_its_own_range() {
    let branches = |repo: &Repo| {
        commit_file(repo, "src/new.rs", "fn new() {}\n");
        repo.git(&["switch", "--quiet", "--create", "188-second", "main"]);
        commit_file(repo, "src/rogue.rs", "fn rogue() {}\n");
    };
    // `update` judges one at a time, so the good one arrives; `pre-receive` takes all or none.
    for (hook, expected) in [
        ("update", "heads/188-work heads/main"),
        ("pre-receive", "heads/main"),
    ] {
        let repo = guarded_server(hook);
        branches(&repo);
        let both = push(&repo, &["188-work", "188-second"]);
        both.exits(1).says("src/rogue.rs");
        assert_eq!(arrived(&repo), expected);
        push(&repo, &["188-work"]).exits(0);
        assert_eq!(arrived(&repo), "heads/188-work heads/main");
    }
}

#[test]
fn deleted_branches_and_tags_of_judged_work_pass() {
    for hook in SERVER_HOOKS {
        let repo = guarded_server(hook);
        commit_file(&repo, "src/new.rs", "fn new() {}\n");
        push(&repo, &["188-work"]).exits(0);
        push(&repo, &["--delete", "188-work"]).exits(0);
        assert_eq!(arrived(&repo), "heads/main", "{hook}");
        repo.git(&["tag", "-a", "-m", "Release", "v1", "main"]);
        push(&repo, &["v1"]).exits(0);
        repo.git(&["tag", "v2", "188-work"]);
        push(&repo, &["v2"]).exits(1).says("refs/tags/v2");
    }
}

#[test]
fn push_to_main_is_judged_from_its_previous_commit() {
    for hook in SERVER_HOOKS {
        let repo = guarded_server(hook);
        repo.stage("src/new.rs", "fn new() {}\n");
        repo.commit(&format!("Add new\n\nGuard-Design: {DESIGN}"));
        push(&repo, &["HEAD:main"]).exits(0);
        commit_file(&repo, "src/rogue.rs", "fn rogue() {}\n");
        push(&repo, &["HEAD:main"])
            .exits(1)
            .says("main contains no issue number");
        // Removed history is reported as a loss.
        repo.git(&["reset", "--quiet", "--hard", "origin/main~1"]);
        repo.stage("src/other.rs", "fn other() {}\n");
        repo.commit(&format!("Other\n\nGuard-Design: {DESIGN}"));
        push(&repo, &["--force", "HEAD:main"])
            .exits(1)
            .says("src/other.rs is not in the design")
            .says("src/new.rs is deleted; the design only lets it be added");
    }
}

#[test]
fn pre_push_judges_like_the_server_and_needs_a_known_target() {
    let repo = with_server();
    repo.install_hook("pre-push");
    repo.git(&["remote", "set-head", "origin", "--delete"]);
    commit_file(&repo, "src/new.rs", "fn new() {}\n");
    push(&repo, &["188-work"])
        .exits(1)
        .says("guard does not know what origin already has")
        .says("git remote set-head origin --auto");
    repo.git(&["remote", "set-head", "origin", "--auto"]);
    push(&repo, &["188-work"]).exits(0);
    commit_file(&repo, "src/rogue.rs", "fn rogue() {}\n");
    push(&repo, &["188-work"]).exits(1).says("src/rogue.rs");
    push(&repo, &["--delete", "188-work"]).exits(0);
    assert_eq!(arrived(&repo), "heads/main");
}

/// A checkout with another remote, on main with a commit of others that neither remote has.
fn with_upstream() -> Repo {
    let repo = with_server();
    repo.install_hook("pre-push");
    repo.git(&["init", "--quiet", "--bare", "../upstream.git"]);
    repo.git(&["remote", "add", "upstream", "../upstream.git"]);
    repo.git(&["switch", "--quiet", "main"]);
    commit_file(&repo, "src/others.rs", "fn others() {}\n");
    repo
}

/// The copy of main in a fork stays behind: what it lacks is the work of others.
#[test]
fn pre_push_to_a_fork_judges_only_the_work() {
    let repo = with_upstream();
    repo.git(&["push", "--quiet", "--no-verify", "upstream", "main"]);
    repo.git(&["fetch", "--quiet", "upstream"]);
    // The fork's own main catches up.
    push(&repo, &["main"]).exits(0);
    repo.git(&[
        "push",
        "--quiet",
        "--no-verify",
        "--force",
        "origin",
        "main~:main",
    ]);
    repo.git(&["switch", "--quiet", "188-work"]);
    commit_file(&repo, "src/new.rs", "fn new() {}\n");
    repo.git(&["merge", "--quiet", "--no-edit", "upstream/main"]);
    push(&repo, &["188-work"]).exits(0);
    commit_file(&repo, "src/rogue.rs", "fn rogue() {}\n");
    let refused = push(&repo, &["188-work"]).exits(1);
    let told = refused.says("src/rogue.rs").text();
    assert!(!told.contains("others.rs"), "{told}");
    // Another remote that only has other commits changes nothing.
    repo.git(&["remote", "remove", "upstream"]);
    push(&repo, &["188-work"]).exits(1).says("src/others.rs");
}

/// The work does not begin there: its commits are no part of the target branch of the remote that is pushed to.
#[test]
fn pre_push_passes_over_another_remote_that_stays_behind_or_went_elsewhere() {
    for goes_elsewhere in [false, true] {
        let repo = with_upstream();
        repo.git(&["push", "--quiet", "--no-verify", "origin", "main"]);
        repo.git(&["switch", "--quiet", "--detach", "main~"]);
        if goes_elsewhere {
            commit_file(&repo, "src/elsewhere.rs", "fn elsewhere() {}\n");
        }
        repo.git(&[
            "push",
            "--quiet",
            "--no-verify",
            "upstream",
            "HEAD:refs/heads/main",
        ]);
        repo.git(&["fetch", "--quiet", "upstream"]);
        repo.git(&["switch", "--quiet", "188-work"]);
        repo.git(&["merge", "--quiet", "--no-edit", "main"]);
        commit_file(&repo, "src/new.rs", "fn new() {}\n");
        push(&repo, &["188-work"]).exits(0);
        if goes_elsewhere {
            repo.git(&["merge", "--quiet", "--no-edit", "upstream/main"]);
            let refused = push(&repo, &["188-work"]).exits(1);
            refused.says("src/elsewhere.rs");
        }
    }
}

#[test]
fn first_ref_of_a_server_is_judged_from_its_first_commit() {
    for hook in SERVER_HOOKS {
        let repo = Repo::new();
        repo.govern(ROWS);
        repo.add_server();
        repo.install_server_hook(hook);
        let judged = push(&repo, &["main"]).exits(0);
        judged.says("refs/heads/main is the first ref in this repository");
    }
}

/// Git lists those from which the quarantine borrows; a part of the list may be empty.
#[test]
fn pushed_objects_are_read_from_every_directory_that_git_names() {
    let repo = with_server();
    let old = repo.git(&["rev-parse", "main"]);
    let new = commit_file(&repo, "src/rogue.rs", "fn rogue() {}\n");
    let objects = repo.path(".git/objects");
    let quarantine = repo.path("../quarantine");
    std::fs::create_dir(&quarantine).unwrap();
    let line = format!("{} {new} refs/heads/188-work\n", "0".repeat(old.len()));
    let none = std::path::PathBuf::new();
    for (others, code) in [
        (&[&objects][..], 1),
        (&[&none, &objects, &none], 1),
        (&[], 2),
    ] {
        let others = std::env::join_paths(others).unwrap();
        let mut hook = repo.command(GUARD);
        hook.args(["-C", "../server", "hook", "pre-receive"])
            .env("GIT_QUARANTINE_PATH", &quarantine)
            .env("GIT_OBJECT_DIRECTORY", &quarantine)
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", &others);
        let judged = common::run_with_input(&mut hook, line.as_bytes()).exits(code);
        if code == 1 {
            judged.says("src/rogue.rs");
        }
    }
}

#[test]
fn malformed_hook_input_is_refused() {
    let repo = with_server();
    for (line, input, code) in [
        ("pre-receive", "nonsense\n", 2),
        ("pre-receive", "", 0),
        (
            "pre-push origin url",
            "refs/heads/x zz refs/heads/x 00\n",
            2,
        ),
        ("reference-transaction prepared", "x y\n", 2),
        // Only this state may still be refused.
        ("reference-transaction committed", "x y\n", 0),
        ("reference-transaction aborted", "x y\n", 0),
        ("update refs/heads/x 00 zz", "", 2),
    ] {
        let mut hook = repo.command(GUARD);
        hook.arg("hook").args(line.split(' '));
        common::run_with_input(&mut hook, input.as_bytes()).exits(code);
    }
}

/// Work that is older than the settings of its target may leave the clone with a note, but does not enter the server.
#[test]
fn push_of_a_branch_older_than_the_settings_is_refused_by_the_server_alone() {
    let repo = Repo::new();
    let before = commit_file(&repo, "src/a.rs", "fn a() {}\n");
    repo.govern(ROWS);
    repo.push_to_server();
    repo.git(&["switch", "--quiet", "--create", "old", &before]);
    commit_file(&repo, "src/rogue.rs", "fn rogue() {}\n");
    repo.install_hook("pre-push");
    push(&repo, &["old"])
        .exits(0)
        .says("this work began before guard.toml");
    push(&repo, &["--delete", "old"]).exits(0);
    for hook in SERVER_HOOKS {
        repo.install_server_hook(hook);
        push(&repo, &["old"])
            .exits(1)
            .says("the merge base has no guard.toml, but the target branch");
    }
}

#[test]
fn push_is_checked_from_the_branch_that_the_settings_name_however_they_spell_it() {
    for (base, target) in [
        ("", "main"),
        ("base = \"release\"\n", "release"),
        ("base = \"origin/release\"\n", "release"),
        ("base = \"refs/heads/release\"\n", "release"),
        ("base = \"refs/remotes/origin/release\"\n", "release"),
    ] {
        let repo = Repo::new();
        repo.govern_with(base, ROWS);
        repo.git(&["branch", "release", "main"]);
        repo.push_to_server();
        push(&repo, &["release"]).exits(0);
        repo.install_hook("pre-push");
        commit_file(&repo, "src/new.rs", "fn new() {}\n");
        push(&repo, &["188-work"])
            .exits(0)
            .says(&format!("its merge base with {target}"));
    }
}
