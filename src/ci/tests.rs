#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::*;

/// Commits by their names in the tables below.
const COMMITS: [(&str, char); 4] = [("BASE", '1'), ("HEAD", '2'), ("MERGE", '3'), ("ZERO", '0')];

/// A text with each name as an id, or the other way round.
fn ids(text: &str, to_names: bool) -> String {
    COMMITS.iter().fold(text.to_owned(), |text, (name, digit)| {
        let id = digit.to_string().repeat(40);
        if to_names {
            text.replace(&id, name)
        } else {
            text.replace(&format!("@{name}"), &id)
        }
    })
}

/// The plan of a job by its variables, one `NAME=value` per word; `@HEAD` and the like are commits.
fn plan_of(variables: &str, event: &str) -> Result<CiPlan> {
    let variables = ids(variables, false);
    let pairs = variables
        .split_whitespace()
        .map(|pair| pair.split_once('=').unwrap());
    let variables = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let event: Value = serde_json::from_str(&ids(event, false)).unwrap();
    plan(&variables.collect(), |_| Ok(event.clone()))
}

/// What counts of a plan, in one line; an error is `error`.
fn shown(plan: Result<CiPlan>) -> String {
    let Ok(plan) = plan else {
        return "error".to_owned();
    };
    let mut words: Vec<String> = plan
        .known
        .iter()
        .map(|point| match point {
            Point::Commit(id) => id.clone(),
            Point::Branch(name) => format!("origin/{name}"),
            Point::Before(id) => format!("before {id}"),
            Point::Default => "default".to_owned(),
        })
        .collect();
    words.push(format!("..{}", plan.head.as_deref().unwrap_or("checkout")));
    words.extend(plan.branch.map(|branch| format!("on {branch}")));
    words.extend(plan.merge.map(|merge| format!("merged {merge}")));
    words.extend(plan.nothing_new.map(|why| format!("({why})")));
    ids(&words.join(" "), true)
}

#[test]
fn events_of_github() {
    let request = json!({"pull_request": {
        "number": 7,
        "base": {"sha": "@BASE", "ref": "main"},
        "head": {"sha": "@HEAD", "ref": "188-work"},
    }});
    let group = json!({"merge_group": {"base_sha": "@BASE", "head_sha": "@HEAD", "base_ref": "refs/heads/main",
        "head_ref": "refs/heads/gh-readonly-queue/main/pr-12-abc"}});
    let push = |reference: &str, before: &str, after: &str| json!({"ref": reference, "before": before, "after": after, "repository": {"default_branch": "main"}});
    let main = "refs/heads/main";
    let work = "refs/heads/188-work";
    let with_commits = |are_new: &[bool]| {
        let mut event = push(work, "@BASE", "@HEAD");
        let commits = are_new.iter().map(|is_new| json!({"distinct": is_new}));
        event["commits"] = commits.collect();
        event
    };
    for (name, event, expected) in [
        (
            "pull_request",
            request.clone(),
            "BASE origin/main ..HEAD on 188-work merged MERGE",
        ),
        // Here GITHUB_SHA is the base branch, which the pull request did not write.
        (
            "pull_request_target",
            request,
            "BASE origin/main ..HEAD on 188-work",
        ),
        // Its branch is named after pull requests.
        ("merge_group", group, "BASE ..HEAD"),
        (
            "push",
            push(main, "@BASE", "@HEAD"),
            "before BASE ..HEAD on main",
        ),
        (
            "push",
            push(work, "@BASE", "@HEAD"),
            "origin/main ..HEAD on 188-work",
        ),
        (
            "push",
            push(work, "@ZERO", "@HEAD"),
            "origin/main ..HEAD on 188-work",
        ),
        (
            "push",
            push("refs/tags/v1", "@ZERO", "@HEAD"),
            "origin/main ..HEAD (a tag was pushed)",
        ),
        (
            "push",
            with_commits(&[false, false]),
            "origin/main ..HEAD on 188-work (the push contains no new commits)",
        ),
        (
            "push",
            with_commits(&[false, true]),
            "origin/main ..HEAD on 188-work",
        ),
        ("push", push(work, "@BASE", "@ZERO"), "error"),
        // Missing values are not guessed.
        ("push", push(main, "@ZERO", "@HEAD"), "error"),
        ("push", json!({"ref": main}), "error"),
        ("schedule", json!({}), "error"),
        (
            "pull_request",
            json!({"pull_request": {"head": {"sha": "@HEAD"}}}),
            "error",
        ),
        (
            "pull_request",
            json!({"pull_request": {"base": {"sha": "main"}, "head": {"sha": "@HEAD"}}}),
            "error",
        ),
        (
            "merge_group",
            json!({"merge_group": {"head_sha": "@HEAD"}}),
            "error",
        ),
        ("pull_request", json!("nonsense"), "error"),
    ] {
        let variables = format!(
            "GITHUB_ACTIONS=true GITHUB_EVENT_NAME={name} GITHUB_EVENT_PATH=event.json GITHUB_SHA=@MERGE"
        );
        let plan = plan_of(&variables, &event.to_string());
        assert_eq!(shown(plan), expected, "{name}: {event}");
    }
}

#[test]
fn variables_of_the_other_systems() {
    let gitlab = "GITLAB_CI=true CI_COMMIT_SHA=@HEAD CI_DEFAULT_BRANCH=main";
    let request = &format!(
        "{gitlab} CI_MERGE_REQUEST_IID=5 CI_MERGE_REQUEST_DIFF_BASE_SHA=@BASE CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main \
         CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=188-work"
    );
    let azure = "TF_BUILD=True BUILD_REASON=PullRequest BUILD_SOURCEVERSION=@MERGE \
        SYSTEM_PULLREQUEST_SOURCECOMMITID=@HEAD SYSTEM_PULLREQUEST_SOURCEBRANCH=refs/heads/188-work";
    let buildkite = "BUILDKITE=true BUILDKITE_BRANCH=188-work";
    let bitbucket = "BITBUCKET_COMMIT=@HEAD BITBUCKET_BRANCH=188-work";
    for (variables, more, expected) in [
        (request.as_str(), "", "BASE ..HEAD on 188-work"),
        (
            request,
            "CI_MERGE_REQUEST_TARGET_BRANCH_SHA=@MERGE",
            "MERGE ..HEAD on 188-work",
        ),
        (
            gitlab,
            "CI_COMMIT_BRANCH=188-work CI_COMMIT_BEFORE_SHA=@ZERO",
            "origin/main ..HEAD on 188-work (the pipeline is the first of its branch)",
        ),
        (
            gitlab,
            "CI_COMMIT_BRANCH=188-work CI_COMMIT_BEFORE_SHA=@BASE",
            "origin/main ..HEAD on 188-work",
        ),
        (
            gitlab,
            "CI_COMMIT_BRANCH=188-work",
            "origin/main ..HEAD on 188-work",
        ),
        (
            gitlab,
            "CI_COMMIT_TAG=v1",
            "origin/main ..HEAD (a tag is built)",
        ),
        (
            gitlab,
            "CI_COMMIT_BRANCH=main CI_COMMIT_BEFORE_SHA=@BASE",
            "before BASE ..HEAD on main",
        ),
        (
            gitlab,
            "CI_COMMIT_BRANCH=main CI_COMMIT_BEFORE_SHA=@ZERO",
            "error",
        ),
        ("GITLAB_CI=true CI_COMMIT_SHA=--upload-pack", "", "error"),
        (
            bitbucket,
            "BITBUCKET_PR_ID=1 BITBUCKET_PR_DESTINATION_BRANCH=main",
            "origin/main ..HEAD on 188-work",
        ),
        (bitbucket, "BITBUCKET_PR_ID=1", "error"),
        (bitbucket, "", "default ..HEAD on 188-work"),
        (
            azure,
            "SYSTEM_PULLREQUEST_TARGETBRANCH=refs/heads/main",
            "origin/main ..HEAD on 188-work merged MERGE",
        ),
        (azure, "", "error"),
        (
            "TF_BUILD=True BUILD_SOURCEVERSION=@HEAD",
            "BUILD_SOURCEBRANCH=refs/heads/188-work",
            "default ..HEAD on 188-work",
        ),
        (
            "TF_BUILD=True BUILD_SOURCEVERSION=@HEAD",
            "BUILD_SOURCEBRANCH=refs/tags/v1",
            "default ..HEAD",
        ),
        (
            buildkite,
            "BUILDKITE_COMMIT=@BASE BUILDKITE_PULL_REQUEST=3 BUILDKITE_PULL_REQUEST_BASE_BRANCH=main",
            "origin/main ..BASE on 188-work",
        ),
        (
            buildkite,
            "BUILDKITE_COMMIT=HEAD BUILDKITE_PULL_REQUEST=false",
            "default ..checkout on 188-work",
        ),
        (
            buildkite,
            "BUILDKITE_COMMIT=@BASE BUILDKITE_PIPELINE_DEFAULT_BRANCH=next",
            "origin/next ..BASE on 188-work",
        ),
        (
            buildkite,
            "BUILDKITE_COMMIT=@BASE BUILDKITE_PIPELINE_DEFAULT_BRANCH=188-work",
            "error",
        ),
        (
            buildkite,
            "BUILDKITE_COMMIT=@BASE BUILDKITE_MERGE_QUEUE_BASE_BRANCH=next BUILDKITE_PIPELINE_DEFAULT_BRANCH=main",
            "origin/next ..BASE on 188-work",
        ),
        (
            "JENKINS_URL=https://ci",
            "CHANGE_TARGET=main CHANGE_BRANCH=188-work",
            "origin/main ..checkout on 188-work",
        ),
        (
            "JENKINS_URL=https://ci",
            "BRANCH_NAME=188-work",
            "default ..checkout on 188-work",
        ),
        ("", "", "error"),
        ("GITHUB_ACTIONS=true", "", "error"),
    ] {
        let plan = plan_of(&format!("{variables} {more}"), "null");
        assert_eq!(shown(plan), expected, "{variables} {more}");
    }
}

#[test]
fn any_job_is_one_whatever_its_system() {
    for (name, value, expected) in [
        // CircleCI, Drone, Semaphore, Woodpecker and pre-commit.ci set no more than this that guard knows.
        ("CI", "true", true),
        ("CI", "woodpecker", true),
        ("CI", "1", true),
        ("CI", "false", false),
        ("CI", "", false),
        ("GITHUB_ACTIONS", "true", true),
        ("GITLAB_CI", "true", true),
        ("BUILDKITE", "true", true),
        ("TF_BUILD", "True", true),
        ("HOME", "/root", false),
    ] {
        let variables = [(name.to_owned(), value.to_owned())].into();
        assert_eq!(is_job(&variables), expected, "{name}={value}");
    }
}

#[test]
fn a_plan_says_what_job_it_is_for() {
    let gitlab = "GITLAB_CI=true CI_COMMIT_SHA=@HEAD CI_DEFAULT_BRANCH=main";
    for (variables, more, expected) in [
        (
            gitlab,
            "CI_MERGE_REQUEST_IID=5 CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main",
            "GitLab merge request",
        ),
        (gitlab, "CI_COMMIT_BRANCH=188-work", "GitLab branch"),
        (
            "JENKINS_URL=https://ci",
            "CHANGE_TARGET=main CHANGE_BRANCH=188-work",
            "Jenkins change request",
        ),
        (
            "JENKINS_URL=https://ci",
            "BRANCH_NAME=188-work",
            "Jenkins branch",
        ),
    ] {
        let plan = plan_of(&format!("{variables} {more}"), "null").unwrap();
        assert_eq!(plan.what, expected, "{variables} {more}");
    }
}

#[test]
fn an_unknown_system_is_told_the_supported_ones() {
    let error = plan_of("", "null").unwrap_err();
    let supported = "--ci supports GitHub, GitLab, Bitbucket, Azure, Buildkite and Jenkins";
    assert!(error.help[0].starts_with(supported), "{:?}", error.help);
}
