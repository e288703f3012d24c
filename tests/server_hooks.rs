//! Real pushes over a local path, judged on the server and before they are sent; and commits that only the
//! reference-transaction hook sees.

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

/// The branches of the server.
fn arrived(repo: &Repo) -> String {
    repo.git(&["ls-remote", "--refs", "origin"])
        .lines()
        .map(|line| {
            line.split('\t')
                .nth(1)
                .unwrap()
                .trim_start_matches("refs/")
                .to_owned()
        })
        .collect::<Vec<_>>()
        .join(" ")
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
    // One at a time: the good one arrives.
    let repo = guarded_server("update");
    branches(&repo);
    push(&repo, &["188-work", "188-second"])
        .exits(1)
        .says("src/rogue.rs");
    assert_eq!(arrived(&repo), "heads/188-work heads/main");
    // All or none.
    let repo = guarded_server("pre-receive");
    branches(&repo);
    push(&repo, &["188-work", "188-second"])
        .exits(1)
        .says("src/rogue.rs");
    assert_eq!(arrived(&repo), "heads/main");
    push(&repo, &["188-work"]).exits(0);
    assert_eq!(arrived(&repo), "heads/188-work heads/main");
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
        push(&repo, &["--force", "HEAD~1:main"])
            .exits(1)
            .says("main contains no issue number");
    }
}

#[test]
fn pre_push_judges_like_the_server() {
    let repo = with_server();
    repo.install_hook("pre-push");
    commit_file(&repo, "src/new.rs", "fn new() {}\n");
    push(&repo, &["188-work"]).exits(0);
    commit_file(&repo, "src/rogue.rs", "fn rogue() {}\n");
    push(&repo, &["188-work"])
        .exits(1)
        .says("out-of-scope")
        .says("src/rogue.rs");
    push(&repo, &["--delete", "188-work"]).exits(0);
    assert_eq!(arrived(&repo), "heads/main");
}

#[test]
fn push_without_a_known_target_is_refused_with_advice() {
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
}

/// Rows 32, 33 and 37: commits that no other hook sees.
#[test]
fn the_reference_transaction_hook_judges_commits_that_skipped_the_others() {
    let repo = with_server();
    repo.git(&["switch", "--quiet", "--create", "side"]);
    let rogue = commit_file(&repo, "src/rogue.rs", "fn rogue() {}\n");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["branch", "--quiet", "--delete", "--force", "side"]);
    repo.install_hook("reference-transaction");
    let before = repo.git(&["rev-parse", "188-work"]);
    let tree = repo.git(&["rev-parse", &format!("{rogue}^{{tree}}")]);
    let made = repo.git(&["commit-tree", &tree, "-p", "188-work", "-m", "By hand"]);
    for attempt in [
        &["cherry-pick", &rogue][..],
        &["update-ref", "refs/heads/188-work", &made],
        &["reset", "--hard", &rogue],
        &["merge", "--ff-only", &rogue],
        &["branch", "188-new", &rogue],
    ] {
        let output = repo.try_git(attempt);
        assert_ne!(output.code, 0, "{attempt:?}");
        output.says("src/rogue.rs");
        repo.try_git(&["cherry-pick", "--abort"]);
        assert_eq!(repo.git(&["rev-parse", "188-work"]), before, "{attempt:?}");
        repo.git(&["reset", "--quiet", "--hard"]);
    }
    repo.stage("src/rogue.rs", "fn rogue() {}\n");
    let skipped = repo.try_git(&["commit", "--no-verify", "-m", "Skip"]);
    assert_ne!(skipped.code, 0);
    assert_eq!(repo.git(&["rev-parse", "188-work"]), before);

    // Granted commits, amending them and moving a branch to known commits pass.
    repo.git(&["reset", "--quiet", "--hard"]);
    repo.stage("src/new.rs", "fn new() {}\n");
    repo.commit("Add new");
    repo.git(&[
        "commit",
        "--quiet",
        "--amend",
        "--no-verify",
        "-m",
        "Add new, again",
    ]);
    repo.git(&["switch", "--quiet", "--create", "188-second", "main"]);
    repo.git(&["merge", "--quiet", "188-work"]);
    repo.git(&["switch", "--quiet", "main"]);
    repo.git(&["branch", "--quiet", "--delete", "--force", "188-work"]);
}

#[test]
fn malformed_hook_input_is_refused() {
    let repo = with_server();
    let hook = |name: &str, input: &[u8]| {
        common::run_with_input(repo.command(GUARD).args(name.split(' ')), input)
    };
    hook("hook pre-receive", b"nonsense\n")
        .exits(2)
        .says("is not valid input for this hook");
    hook(
        "hook pre-push origin url",
        b"refs/heads/x zz refs/heads/x 00\n",
    )
    .exits(2);
    hook("hook reference-transaction prepared", b"x y\n").exits(2);
    hook("hook reference-transaction committed", b"").exits(0);
    hook("hook update refs/heads/x 00 zz", b"").exits(2);
    hook("hook pre-receive", b"").exits(0);
}
