//! Approvals signed by the real `ssh-keygen`, and what they are worth in a range, a push and CI.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "approvals_signed/once.rs"]
mod once;
#[path = "approvals_signed/signers.rs"]
mod signers;
#[path = "approvals_signed/steps.rs"]
mod steps;

use common::signing::*;
use common::{DESIGN, GUARD, Output, Repo, SETTINGS};
use serde_json::{Value, json};
use write_guard::approval::{Approval, Invalid, NAMESPACE, Signers, TRAILER};

/// A finding about [`FILE`].
fn finding(report: &Value) -> &Value {
    let all = report["findings"].as_array().unwrap();
    all.iter()
        .find(|finding| finding["rule"] == "destructive-change")
        .unwrap()
}

#[track_caller]
fn passes(repo: &Repo) {
    range(repo, &[]).exits(0);
    range(repo, &["--each-commit"]).exits(0);
}

/// The replacement is refused, and the report says why the approval does not help.
#[track_caller]
fn stays(repo: &Repo, options: &[&str], why: &str) -> Output {
    range(repo, options)
        .exits(1)
        .says("error[destructive-change]: src/state.py loses")
        .says(why)
}

#[test]
fn a_signed_approval_counts_in_a_range_and_says_so() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    let commit = land(&repo, &new(), &[&one]);
    passes(&repo);
    repo.guard(&["lint", "--commit", "188-work"]).exits(0);
    let report = repo.json(&["lint", "--range", "main..188-work"]);
    assert_eq!(report["changes"][0]["approved"], true);
    let finding = finding(&report);
    assert_eq!(finding["level"], "note");
    let message = finding["message"].as_str().unwrap();
    assert!(
        message.ends_with("approved by author@example.com: agreed"),
        "{message}"
    );
    assert_eq!(
        finding["details"]["approval"],
        json!({
            "id": one.id, "who": WHO, "when": one.when, "how": "terminal", "reason": "agreed",
            "expires": one.expires, "signed": true, "counts": true, "commit": commit,
        })
    );
    let sarif = repo.guard(&["lint", "--range", "main..188-work", "--format", "sarif"]);
    sarif
        .exits(0)
        .says("approved by author@example.com: agreed");
}

/// The hooks of a push, here and on the server, count what is signed and nothing else.
#[test]
fn a_push_counts_signed_approvals() {
    for hook in ["pre-push", "update", "pre-receive"] {
        let Some(repo) = listed() else { return };
        repo.push_to_server();
        if hook == "pre-push" {
            repo.install_hook(hook);
        } else {
            repo.install_server_hook(hook);
        }
        let one = approval(&repo, &old(), &new());
        land(&repo, &new(), &[&one]);
        let push = ["push", "--quiet", "origin", "188-work"];
        let mut git = repo.command("git");
        let refused = common::run(git.env("COLUMNS", "1000").args(push));
        assert_ne!(refused.code, 0, "{hook}");
        refused.says("unsigned: that does not count here");
        repo.git(&["reset", "--quiet", "--hard", "main"]);
        land(&repo, &new(), &[&signed(&repo, "person", one)]);
        repo.try_git(&push).exits(0);
    }
}

#[test]
fn ci_counts_signed_approvals() {
    for (is_signed, code) in [(true, 0), (false, 1)] {
        let Some(repo) = listed() else { return };
        let mut one = approval(&repo, &old(), &new());
        if is_signed {
            one = signed(&repo, "person", one);
        }
        land(&repo, &new(), &[&one]);
        land(&repo, &edited(&new(), 0), &[]);
        let [base, head] = ["main", "188-work"].map(|name| repo.git(&["rev-parse", name]));
        repo.git(&["switch", "--quiet", "--detach", "main"]);
        repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", "188-work"]);
        let event = json!({"pull_request": {
            "number": 7,
            "base": {"sha": base, "ref": "main"},
            "head": {"sha": head, "ref": "188-work"},
        }});
        repo.write("../event.json", event.to_string());
        let mut guard = repo.command(GUARD);
        guard
            .args(["lint", "--ci"])
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_EVENT_NAME", "pull_request")
            .env("GITHUB_EVENT_PATH", repo.path("../event.json"))
            .env("GITHUB_SHA", repo.git(&["rev-parse", "HEAD"]));
        common::run(&mut guard).exits(code);
    }
}

#[test]
fn the_design_names_the_file() {
    // The scene grants what the tests change, so that nothing but the loss is in question.
    let Some(repo) = listed() else { return };
    repo.stage(FILE, edited(&old(), 0));
    repo.commit("A small edit");
    range(&repo, &[]).exits(0);
    assert!(repo.path(DESIGN).exists());
}
