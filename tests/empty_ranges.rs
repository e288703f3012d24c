//! An empty range is usually a mistake: guard says whether it is one.

use crate::common::{Output, Repo, table};
use serde_json::{Value, json};

const ZERO: &str = "0000000000000000000000000000000000000000";

/// `main`, equal to the remote's; `188-work` has a commit outside every design.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/a.rs", "fn a() {}\n");
    repo.commit("Begin");
    repo.govern(&[("src/a.rs", "Modify", "the core")]);
    repo.push_to_server();
    repo.stage("src/rogue.rs", "fn rogue() {}\n");
    repo.commit("Rogue");
    repo
}

#[test]
fn an_empty_range_is_refused_unless_a_branch_has_nothing_new() {
    let repo = repo();
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["branch", "199-fresh", "main"]);
    // In the wrong order, two names of one revision, and a branch with nothing new.
    let cases = format!(
        "HEAD..main | 2 | is empty: main has no commit that HEAD lacks
         188-work..origin/main | 2 | is empty: origin/main has no commit that 188-work lacks
         HEAD...HEAD~1 | 2 | is empty: HEAD~1 has no commit that HEAD lacks
         @..@~ | 2 | is empty: @~ has no commit that @ lacks
         main..HEAD | 1 | src/rogue.rs
         HEAD.. | 2 | --range main..HEAD
         HEAD..HEAD | 2 | --range main..HEAD
         HEAD...@ | 2 | --range main..HEAD
         main..main | 2 | --range main..HEAD
         188-work..HEAD | 2 | --range main..HEAD
         HEAD..refs/heads/188-work | 2 | --range main..HEAD
         origin/HEAD..origin/main | 2 | --range main..HEAD
         {head}..{head} | 2 | --range main..HEAD
         main..199-fresh | 0 | nothing to check
         origin/main..199-fresh | 0 | nothing to check",
    );
    for [ends, code, said] in table(&cases) {
        let output = repo.guard_with(&[("COLUMNS", "1000")], &["lint", "--range", ends]);
        output.exits(code.parse().unwrap()).says(said);
    }
    for (branch, ends) in [
        ("199-fresh", "main.."),
        ("199-fresh", "main..@"),
        ("main", "origin/main..HEAD"),
    ] {
        repo.git(&["switch", "--quiet", branch]);
        repo.guard(&["lint", "--range", ends]).exits(0);
    }
}

fn push(repo: &Repo, reference: &str, before: &str, after: &str, commits: Value) -> Output {
    let event = json!({"ref": reference, "before": before, "after": after, "commits": commits,
        "repository": {"default_branch": "main"}});
    repo.write("../event.json", event.to_string());
    let path = repo.path("../event.json");
    let variables = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_EVENT_NAME", "push"),
        ("GITHUB_EVENT_PATH", path.to_str().unwrap()),
    ];
    repo.guard_with(&variables, &["lint", "--ci"])
}

#[test]
fn push_is_empty_only_if_the_event_says_it_is() {
    let repo = repo();
    let [main, older] = ["main", "main~"].map(|name| repo.git(&["rev-parse", name]));
    let work = "refs/heads/188-work";
    let new = json!([{"id": main, "distinct": true}]);
    let known = json!([{"id": main, "distinct": false}]);
    let nothing = "there are no commits to check";
    for after in [&main, &older] {
        push(&repo, work, ZERO, after, json!([])).exits(0);
        push(&repo, work, &older, after, known.clone()).exits(0);
        let tag = push(&repo, "refs/tags/v1", ZERO, after, new.clone());
        tag.exits(0).says("a tag was pushed");
        for commits in [Value::Null, new.clone(), json!([{"id": main}])] {
            let unknown = push(&repo, work, &older, after, commits).exits(2);
            unknown.says(nothing);
        }
        push(&repo, work, ZERO, after, new.clone()).exits(2);
    }
    // Commits that a push removes from the target are judged as usual.
    let target = "refs/heads/main";
    push(&repo, target, &main, &older, Value::Null).says("checking");
    push(&repo, target, &main, &main, new)
        .exits(2)
        .says(nothing);
}

#[test]
fn empty_range_is_refused_unless_the_system_confirms_it() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "--detach", "main"]);
    let main = repo.git(&["rev-parse", "main"]);
    let bitbucket = [
        ("BITBUCKET_COMMIT", main.as_str()),
        ("BITBUCKET_PR_ID", "1"),
        ("BITBUCKET_PR_DESTINATION_BRANCH", "main"),
        ("BITBUCKET_BRANCH", "188-work"),
    ];
    let jenkins = [("JENKINS_URL", "x"), ("BRANCH_NAME", "188-work")];
    for variables in [&bitbucket[..], &jenkins] {
        let refused = repo.guard_with(variables, &["lint", "--ci"]).exits(2);
        refused
            .says("there are no commits to check")
            .says("is already part of origin/main")
            .says("if the branch is already merged or has no commits yet, skip the job")
            .says("otherwise the job fetched the wrong target");
    }
}

/// Refs that a push deletes, rewinds or leaves unchanged are not a mistake.
#[test]
fn push_without_new_commits_is_accepted() {
    let repo = repo();
    let [main, older, work] = ["main", "main~", "HEAD"].map(|name| repo.git(&["rev-parse", name]));
    for (old, new) in [
        (main.as_str(), ZERO),
        (ZERO, &main),
        (&main, &main),
        (&main, &older),
        (&work, &main),
    ] {
        let line = format!("refs/heads/x {new} refs/heads/188-work {old}\n");
        let told = repo.guard_reads(&["hook", "pre-push", "origin"], line);
        let told = told.exits(0).text();
        let is_deleted =
            told.contains("refs/heads/188-work is deleted or contains no code: not checked");
        assert_eq!(is_deleted, new == ZERO, "{told}");
    }
}
