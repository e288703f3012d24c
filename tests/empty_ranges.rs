//! An empty range is usually a mistake: guard says whether it is one.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::common::{self, GUARD, Output, Repo};
use serde_json::{Value, json};

const ZERO: &str = "0000000000000000000000000000000000000000";

/// `main`, equal to the remote's; `188-work` has a commit outside every design.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/a.rs", "fn a() {}\n");
    repo.commit("Begin");
    repo.govern(&[("src/a.rs", "Modify", "the core")]);
    repo.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    repo.git(&[
        "symbolic-ref",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
    ]);
    repo.stage("src/rogue.rs", "fn rogue() {}\n");
    repo.commit("Rogue");
    repo
}

fn range(repo: &Repo, range: &str) -> Output {
    repo.guard(&["lint", "--range", range])
}

#[test]
fn a_reversed_range_is_refused() {
    let repo = repo();
    for ends in [
        "HEAD..main",
        "188-work..origin/main",
        "HEAD...HEAD~1",
        "@..@~",
    ] {
        let (from, to) = ends.split_once("..").unwrap();
        let to = to.trim_start_matches('.');
        range(&repo, ends)
            .exits(2)
            .says(&format!("is empty: {to} has no commit that {from} lacks"));
    }
    range(&repo, "main..HEAD").exits(1).says("src/rogue.rs");
}

#[test]
fn a_range_between_two_names_of_one_revision_is_refused() {
    let repo = repo();
    let head = repo.git(&["rev-parse", "HEAD"]);
    for ends in [
        "HEAD..".to_owned(),
        "HEAD..HEAD".to_owned(),
        "HEAD...@".to_owned(),
        "main..main".to_owned(),
        "188-work..HEAD".to_owned(),
        "HEAD..refs/heads/188-work".to_owned(),
        "origin/HEAD..origin/main".to_owned(),
        format!("{head}..{head}"),
    ] {
        range(&repo, &ends).exits(2).says("--range main..HEAD");
    }
}

#[test]
fn a_branch_with_nothing_new_has_nothing_to_judge() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "--create", "199-fresh", "main"]);
    for ends in ["main..HEAD", "main..", "origin/main..199-fresh", "main..@"] {
        range(&repo, ends).exits(0).says("nothing to check");
    }
    repo.git(&["switch", "--quiet", "main"]);
    range(&repo, "origin/main..HEAD").exits(0);
}

fn ci(repo: &Repo, variables: &[(&str, &str)]) -> Output {
    let mut guard = repo.command(GUARD);
    guard.args(["lint", "--ci"]).envs(variables.iter().copied());
    common::run(&mut guard)
}

fn github(repo: &Repo, name: &str, event: &Value) -> Output {
    repo.write("../event.json", event.to_string());
    let path = repo.path("../event.json");
    ci(
        repo,
        &[
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_EVENT_NAME", name),
            ("GITHUB_EVENT_PATH", path.to_str().unwrap()),
        ],
    )
}

fn push(repo: &Repo, reference: &str, before: &str, after: &str, more: Value) -> Output {
    let mut event = json!({"ref": reference, "before": before, "after": after,
        "repository": {"default_branch": "main"}});
    event
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    github(repo, "push", &event)
}

#[test]
fn push_is_empty_only_if_the_event_says_it_is() {
    let repo = repo();
    let main = repo.git(&["rev-parse", "main"]);
    let older = repo.git(&["rev-parse", "main~"]);
    let work = "refs/heads/188-work";
    let new = json!({"commits": [{"id": main, "distinct": true}]});
    let known = json!({"commits": [{"id": main, "distinct": false}]});
    for after in [&main, &older] {
        push(&repo, work, ZERO, after, json!({"commits": []})).exits(0);
        push(&repo, work, &older, after, known.clone()).exits(0);
        push(&repo, "refs/tags/v1", ZERO, after, new.clone())
            .exits(0)
            .says("a tag was pushed");
        for more in [json!({}), new.clone(), json!({"commits": [{"id": main}]})] {
            push(&repo, work, &older, after, more.clone())
                .exits(2)
                .says("there are no commits to check");
        }
        push(&repo, work, ZERO, after, new.clone()).exits(2);
    }
    // Commits that a push removes from the target are judged as usual.
    push(&repo, "refs/heads/main", &main, &older, json!({})).says("checking");
    push(&repo, "refs/heads/main", &main, &main, new)
        .exits(2)
        .says("there are no commits to check");
}

#[test]
fn empty_range_is_refused_unless_the_system_confirms_it() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "--detach", "main"]);
    let main = repo.git(&["rev-parse", "main"]);
    for variables in [
        &[
            ("BITBUCKET_COMMIT", main.as_str()),
            ("BITBUCKET_PR_ID", "1"),
            ("BITBUCKET_PR_DESTINATION_BRANCH", "main"),
            ("BITBUCKET_BRANCH", "188-work"),
        ][..],
        &[
            ("JENKINS_URL", "https://ci"),
            ("GIT_BRANCH", "origin/188-work"),
        ],
    ] {
        ci(&repo, variables)
            .exits(2)
            .says("there are no commits to check")
            .says("is already part of origin/main");
    }
}

/// Refs that a push deletes, rewinds or leaves unchanged are not a mistake.
#[test]
fn push_without_new_commits_is_accepted() {
    let repo = repo();
    let main = repo.git(&["rev-parse", "main"]);
    let older = repo.git(&["rev-parse", "main~"]);
    let work = repo.git(&["rev-parse", "HEAD"]);
    for (old, new) in [
        (main.as_str(), ZERO),
        (ZERO, &main),
        (&main, &main),
        (&main, &older),
        (&work, &main),
    ] {
        let line = format!("refs/heads/x {new} refs/heads/188-work {old}\n");
        let mut guard = repo.command(GUARD);
        guard.args(["hook", "pre-push", "origin"]);
        common::run_with_input(&mut guard, line.as_bytes()).exits(0);
    }
}
