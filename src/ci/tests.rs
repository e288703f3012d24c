#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::*;

const BASE: &str = "1111111111111111111111111111111111111111";
const HEAD: &str = "2222222222222222222222222222222222222222";
const MERGE: &str = "3333333333333333333333333333333333333333";
const ZERO: &str = "0000000000000000000000000000000000000000";

fn of(variables: &[(&str, &str)], event: Value) -> Result<CiPlan> {
    let variables = variables
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()));
    plan(&variables.collect(), |_| Ok(event.clone()))
}

fn github(name: &str, event: Value) -> Result<CiPlan> {
    of(
        &[
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_EVENT_NAME", name),
            ("GITHUB_EVENT_PATH", "event.json"),
            ("GITHUB_SHA", MERGE),
        ],
        event,
    )
}

fn pull_request() -> Value {
    json!({"pull_request": {
        "number": 7,
        "base": {"sha": BASE, "ref": "main"},
        "head": {"sha": HEAD, "ref": "188-work"},
    }})
}

fn commit(id: &str) -> Point {
    Point::Commit(id.to_owned())
}

fn branch(name: &str) -> Point {
    Point::Branch(name.to_owned())
}

#[test]
fn a_pull_request_on_github() {
    let plan = github("pull_request", pull_request()).unwrap();
    assert_eq!(
        plan.merge,
        Some(Merge {
            commit: MERGE.into(),
            work: HEAD.into()
        })
    );
    assert_eq!(plan.known, [commit(BASE), branch("main")]);
    assert_eq!(plan.head.as_deref(), Some(HEAD));
    assert_eq!(plan.branch.as_deref(), Some("188-work"));
}

/// Here GITHUB_SHA is the base branch, which the pull request did not write.
#[test]
fn pull_request_target_never_judges_the_checkout() {
    let plan = github("pull_request_target", pull_request()).unwrap();
    assert_eq!((plan.merge, plan.head.as_deref()), (None, Some(HEAD)));
    assert_eq!(plan.head_ref.as_deref(), Some("refs/pull/7/head"));
}

#[test]
fn a_merge_group_has_no_branch_of_its_own() {
    let event = json!({"merge_group": {"base_sha": BASE, "head_sha": HEAD, "base_ref": "refs/heads/main",
        "head_ref": "refs/heads/gh-readonly-queue/main/pr-12-abc"}});
    let plan = github("merge_group", event).unwrap();
    assert_eq!(plan.known, [commit(BASE)]);
    assert_eq!((plan.head.as_deref(), plan.branch), (Some(HEAD), None));
}

#[test]
fn pushes_on_github() {
    let event = |reference: &str, before: &str, after: &str| json!({"ref": reference, "before": before, "after": after, "repository": {"default_branch": "main"}});
    let main = github("push", event("refs/heads/main", BASE, HEAD)).unwrap();
    assert_eq!(main.known, [Point::Before(BASE.to_owned())]);
    for before in [BASE, ZERO] {
        let work = github("push", event("refs/heads/188-work", before, HEAD)).unwrap();
        assert_eq!(work.known, [branch("main")]);
        assert_eq!(work.branch.as_deref(), Some("188-work"));
    }
    let tag = github("push", event("refs/tags/v1", ZERO, HEAD)).unwrap();
    assert_eq!((tag.known, tag.branch), (vec![branch("main")], None));
    let gone = github("push", event("refs/heads/188-work", BASE, ZERO)).unwrap();
    assert!(gone.nothing.is_some());
    assert!(github("push", event("refs/heads/main", ZERO, HEAD)).is_err());
}

#[test]
fn missing_github_values_are_not_guessed() {
    for (name, event) in [
        ("schedule", json!({})),
        (
            "pull_request",
            json!({"pull_request": {"head": {"sha": HEAD}}}),
        ),
        (
            "pull_request",
            json!({"pull_request": {"base": {"sha": "main"}, "head": {"sha": HEAD}}}),
        ),
        ("push", json!({"ref": "refs/heads/main"})),
        ("merge_group", json!({"merge_group": {"head_sha": HEAD}})),
        ("pull_request", json!("nonsense")),
    ] {
        assert!(github(name, event.clone()).is_err(), "{name} {event}");
    }
}

#[test]
fn merge_requests_and_branches_on_gitlab() {
    let gitlab = |more: &[(&str, &str)]| {
        let mut all = vec![
            ("GITLAB_CI", "true"),
            ("CI_COMMIT_SHA", HEAD),
            ("CI_DEFAULT_BRANCH", "main"),
        ];
        all.extend(more);
        of(&all, Value::Null)
    };
    let request = [
        ("CI_MERGE_REQUEST_IID", "5"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", BASE),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "188-work"),
    ];
    let plan = gitlab(&request).unwrap();
    assert_eq!(
        (plan.known, plan.branch.as_deref()),
        (vec![commit(BASE)], Some("188-work"))
    );
    let merged = gitlab(
        &[
            &request[..],
            &[("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", MERGE)],
        ]
        .concat(),
    )
    .unwrap();
    assert_eq!(merged.known, [commit(MERGE)]);
    let work = gitlab(&[
        ("CI_COMMIT_BRANCH", "188-work"),
        ("CI_COMMIT_BEFORE_SHA", ZERO),
    ])
    .unwrap();
    assert_eq!(work.known, [branch("main")]);
    let main = gitlab(&[("CI_COMMIT_BRANCH", "main"), ("CI_COMMIT_BEFORE_SHA", BASE)]).unwrap();
    assert_eq!(main.known, [Point::Before(BASE.to_owned())]);
    assert!(gitlab(&[("CI_COMMIT_BRANCH", "main"), ("CI_COMMIT_BEFORE_SHA", ZERO)]).is_err());
}

#[test]
fn pull_requests_elsewhere() {
    let bitbucket = [
        ("BITBUCKET_COMMIT", HEAD),
        ("BITBUCKET_PR_ID", "1"),
        ("BITBUCKET_PR_DESTINATION_BRANCH", "main"),
        ("BITBUCKET_BRANCH", "188-work"),
    ];
    let azure = [
        ("TF_BUILD", "True"),
        ("BUILD_REASON", "PullRequest"),
        ("BUILD_SOURCEVERSION", MERGE),
        ("SYSTEM_PULLREQUEST_SOURCECOMMITID", HEAD),
        ("SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/main"),
        ("SYSTEM_PULLREQUEST_SOURCEBRANCH", "refs/heads/188-work"),
    ];
    let buildkite = [
        ("BUILDKITE", "true"),
        ("BUILDKITE_COMMIT", HEAD),
        ("BUILDKITE_PULL_REQUEST", "3"),
        ("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "main"),
        ("BUILDKITE_BRANCH", "188-work"),
    ];
    for (variables, head) in [
        (&bitbucket[..], Some(HEAD)),
        (&azure, Some(HEAD)),
        (&buildkite, Some(HEAD)),
    ] {
        let plan = of(variables, Value::Null).unwrap();
        assert_eq!(plan.known, [branch("main")], "{}", plan.what);
        assert_eq!(
            (plan.head.as_deref(), plan.branch.as_deref()),
            (head, Some("188-work"))
        );
        assert!(!plan.may_be_target && plan.nothing_new.is_none());
    }
    let jenkins = [
        ("JENKINS_URL", "https://ci"),
        ("CHANGE_TARGET", "main"),
        ("CHANGE_BRANCH", "188-work"),
    ];
    let plan = of(&jenkins, Value::Null).unwrap();
    assert_eq!(
        (plan.known, plan.head, plan.branch.as_deref()),
        (vec![branch("main")], None, Some("188-work"))
    );
}

#[test]
fn branches_elsewhere_are_judged_against_the_default_branch() {
    for variables in [
        &[("BITBUCKET_COMMIT", HEAD), ("BITBUCKET_BRANCH", "188-work")][..],
        &[
            ("TF_BUILD", "True"),
            ("BUILD_SOURCEVERSION", HEAD),
            ("BUILD_SOURCEBRANCH", "refs/heads/188-work"),
        ],
        &[
            ("BUILDKITE", "true"),
            ("BUILDKITE_COMMIT", "HEAD"),
            ("BUILDKITE_PULL_REQUEST", "false"),
            ("BUILDKITE_BRANCH", "188-work"),
        ],
        &[
            ("JENKINS_URL", "https://ci"),
            ("GIT_BRANCH", "origin/188-work"),
        ],
    ] {
        let plan = of(variables, Value::Null).unwrap();
        assert_eq!(
            (plan.known, plan.branch.as_deref()),
            (vec![Point::Default], Some("188-work"))
        );
        assert!(plan.may_be_target, "{}", plan.what);
    }
}

#[test]
fn no_system_and_no_commit_are_errors() {
    assert!(of(&[], Value::Null).is_err());
    assert!(of(&[("GITHUB_ACTIONS", "true")], Value::Null).is_err());
    assert!(
        of(
            &[("GITLAB_CI", "true"), ("CI_COMMIT_SHA", "--upload-pack=x")],
            Value::Null
        )
        .is_err()
    );
}
