//! `guard lint --ci` in clones as CI systems make them. Every depth and kind of checkout yields the exact set of
//! changes, or exit code 2 with a command that helps. It never yields a wrong set.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fmt::Write as _;

use crate::common::{self, DESIGN, GUARD, Output, Repo, SETTINGS};
use serde_json::{Value, json};

const ROWS: &[(&str, &str, &str)] = &[("src/a.rs", "Modify", ""), ("src/new.rs", "Add", "")];

/// What the branch changes, regardless of later commits on main.
const TRUTH: &[&str] = &["modify src/a.rs", "add src/new.rs"];

/// What every test needs to know about the hub.
struct Hub {
    repo: Repo,
    /// main's tip when the event happened.
    base: String,
    /// The last commit of `188-work`, which has merged an older main once.
    head: String,
    /// The merge of both, as hosts make it.
    merge: String,
    /// main before its last push.
    before: String,
    zero: String,
}

fn hub() -> Hub {
    let repo = Repo::new();
    // Deeper than every depth below.
    let history = (0..30).fold(String::new(), |mut history, n| {
        let text = format!("fn a{n}() {{}}\n");
        writeln!(history, "commit refs/heads/main\ncommitter A <a@b> {n} +0000\ndata 7\nEarlier\nM 644 inline src/a.rs").unwrap();
        writeln!(history, "data {}\n{text}", text.len()).unwrap();
        history
    });
    repo.git_with_input(&["fast-import", "--quiet"], history.as_bytes());
    repo.git(&["reset", "--quiet", "--hard"]);
    repo.govern(ROWS);
    commit_file(&repo, "src/a.rs", "fn changed() {}\n");
    repo.git(&["switch", "--quiet", "main"]);
    commit_file(&repo, "src/main1.rs", "fn main() {}\n");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["merge", "--quiet", "--no-edit", "main"]);
    commit_file(&repo, "src/new.rs", "fn new() {}\n");
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["switch", "--quiet", "main"]);
    let before = repo.git(&["rev-parse", "HEAD"]);
    let base = commit_file(&repo, "src/mainonly.rs", "fn only() {}\n");
    repo.git(&["switch", "--quiet", "--detach"]);
    repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", "188-work"]);
    let merge = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["update-ref", "refs/pull/7/merge", &merge]);
    repo.git(&["update-ref", "refs/pull/7/head", &head]);
    repo.git(&["switch", "--quiet", "main"]);
    let zero = "0".repeat(40);
    Hub {
        repo,
        base,
        head,
        merge,
        before,
        zero,
    }
}

fn commit_file(repo: &Repo, path: &str, text: &str) -> String {
    repo.stage(path, text);
    repo.commit(&format!("Change {path}"))
}

impl Hub {
    /// A clone as actions/checkout makes it: one commit, to a depth; depth 0 brings every branch whole.
    fn checkout(&self, name: &str, commit: &str, depth: u32) -> String {
        let clone = format!("../{name}");
        self.repo.git(&[
            "init",
            "--quiet",
            "--template=",
            "--initial-branch=x",
            &clone,
        ]);
        let url = format!("file://{}", self.repo.root.display());
        let git = |arguments: &[&str]| {
            let mut all = vec!["-C", clone.as_str()];
            all.extend(arguments);
            self.repo.git(&all)
        };
        git(&["remote", "add", "origin", &url]);
        let wanted = format!("+{commit}:refs/remotes/ci/head");
        let deep = format!("--depth={depth}");
        if depth == 0 {
            git(&[
                "fetch",
                "--quiet",
                "origin",
                "+refs/heads/*:refs/remotes/origin/*",
                &wanted,
            ]);
            git(&["remote", "set-head", "origin", "main"]);
        } else {
            git(&["fetch", "--quiet", "--no-tags", &deep, "origin", &wanted]);
        }
        git(&["checkout", "--quiet", "--detach", commit]);
        clone
    }

    fn run(&self, clone: &str, variables: &[(&str, &str)]) -> Output {
        let mut guard = self.repo.command(GUARD);
        guard.args(["-C", clone, "lint", "--ci", "--format", "json"]);
        guard.envs(variables.iter().copied());
        common::run(&mut guard)
    }

    /// Asserts the exact set, or exit code 2, after which the printed command must lead to the exact set. Returns
    /// whether the set was exact at first.
    #[track_caller]
    fn exact_or_refused(&self, clone: &str, variables: &[(&str, &str)], truth: &[&str]) -> bool {
        let first = self.run(clone, variables);
        if first.code == 2 {
            let command = first
                .stderr
                .split('`')
                .nth(1)
                .unwrap_or_else(|| panic!("{first:?}"));
            assert!(command.starts_with("git fetch --no-tags"), "{first:?}");
            let mut git = vec!["-C", clone];
            git.extend(command.split(' ').skip(1));
            self.repo.git(&git);
            let second = self.run(clone, variables);
            assert_eq!(changes(&second), truth, "after {command}");
        } else {
            assert_eq!(changes(&first), truth);
        }
        first.code != 2
    }
}

#[track_caller]
fn changes(output: &Output) -> Vec<String> {
    let report: Value =
        serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let changes = report["changes"].as_array().unwrap().iter();
    let text = |change: &Value, key: &str| change[key].as_str().unwrap().to_owned();
    changes
        .map(|change| format!("{} {}", text(change, "action"), text(change, "path")))
        .collect()
}

type Variables = [(&'static str, String)];

/// The variables of a GitHub job with this event.
fn github(
    hub: &Hub,
    file: &str,
    name: &'static str,
    sha: &str,
    event: &Value,
) -> Vec<(&'static str, String)> {
    let file = hub.repo.path(format!("../{file}.json"));
    std::fs::write(&file, event.to_string()).unwrap();
    vec![
        ("GITHUB_ACTIONS", "true".to_owned()),
        ("GITHUB_EVENT_NAME", name.to_owned()),
        ("GITHUB_EVENT_PATH", file.display().to_string()),
        ("GITHUB_SHA", sha.to_owned()),
    ]
}

fn borrowed<'a>(variables: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    variables
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect()
}

fn pull_request(hub: &Hub, base: &str) -> Value {
    json!({"pull_request": {
        "number": 7,
        "base": {"sha": base, "ref": "main"},
        "head": {"sha": hub.head, "ref": "188-work"},
    }})
}

/// Asserts for each scene (name, variables, commit that is checked out) at which depth the set is exact at first.
#[track_caller]
fn matrix(hub: &Hub, depths: &[u32], scenes: &[(&str, &Variables, &str)], expected: &str) {
    let mut table = String::new();
    for (at, (name, variables, checkout)) in scenes.iter().enumerate() {
        write!(table, "{name}:").unwrap();
        for depth in depths {
            let clone = hub.checkout(&format!("clone-{at}-{depth}"), checkout, *depth);
            let is_exact = hub.exact_or_refused(&clone, &borrowed(variables), TRUTH);
            table += if is_exact { " exact" } else { " exit-2" };
        }
        table += "\n";
    }
    assert_eq!(table, expected);
}

#[test]
fn the_depth_matrix_of_github() {
    let hub = hub();
    let request = pull_request(&hub, &hub.base);
    // The base in the payload may be older than the main that the branch has merged.
    let stale = pull_request(&hub, &hub.repo.git(&["rev-parse", "main~2"]));
    // The branch name of a merge queue contains no issue; the subject of its merge names the branch.
    let group = json!({"merge_group": {"base_sha": hub.base, "head_sha": hub.merge,
        "head_ref": "refs/heads/gh-readonly-queue/main/pr-7-x", "base_ref": "refs/heads/main"}});
    let push = |before: &str| {
        json!({"ref": "refs/heads/188-work", "before": before, "after": hub.head,
        "repository": {"default_branch": "main"}})
    };
    let [request, stale] = [("request", request), ("stale", stale)]
        .map(|(file, event)| github(&hub, file, "pull_request", &hub.merge, &event));
    let target = github(
        &hub,
        "target",
        "pull_request_target",
        &hub.base,
        &pull_request(&hub, &hub.base),
    );
    let later = github(&hub, "later", "push", &hub.head, &push(&hub.before));
    let first = github(&hub, "first", "push", &hub.head, &push(&hub.zero));
    let group = github(&hub, "group", "merge_group", &hub.merge, &group);
    matrix(
        &hub,
        &[1, 2, 0],
        &[
            ("merge ref", &request, &hub.merge),
            ("head", &request, &hub.head),
            ("merge ref, stale base", &stale, &hub.merge),
            ("head, stale base", &stale, &hub.head),
            ("base", &target, &hub.base),
            ("push", &later, &hub.head),
            ("first push", &first, &hub.head),
            ("merge group", &group, &hub.merge),
        ],
        "merge ref: exit-2 exact exact\n\
         head: exit-2 exit-2 exact\n\
         merge ref, stale base: exit-2 exact exact\n\
         head, stale base: exit-2 exit-2 exact\n\
         base: exit-2 exit-2 exact\n\
         push: exit-2 exit-2 exact\n\
         first push: exit-2 exit-2 exact\n\
         merge group: exit-2 exact exact\n",
    );
}

/// A job by its variables, one `NAME=value` per word; `@head`, `@merge` and the like are commits of the hub.
fn job(hub: &Hub, variables: &'static str) -> Vec<(&'static str, String)> {
    let pairs = variables
        .split_whitespace()
        .map(|pair| pair.split_once('=').unwrap());
    pairs
        .map(|(name, value)| {
            let value = match value {
                "@head" => &hub.head,
                "@merge" => &hub.merge,
                "@base" => &hub.base,
                "@before" => &hub.before,
                other => other,
            };
            (name, value.to_owned())
        })
        .collect()
}

#[test]
fn the_depth_matrix_of_gitlab() {
    let hub = hub();
    let request = "GITLAB_CI=true CI_MERGE_REQUEST_IID=7 CI_DEFAULT_BRANCH=main CI_COMMIT_SHA=@head \
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=188-work \
        CI_MERGE_REQUEST_DIFF_BASE_SHA=@before";
    let plain = job(&hub, request);
    let mut merged = plain.clone();
    merged.extend(job(
        &hub,
        "CI_COMMIT_SHA=@merge CI_MERGE_REQUEST_TARGET_BRANCH_SHA=@base",
    ));
    let branch = job(
        &hub,
        "GITLAB_CI=true CI_DEFAULT_BRANCH=main CI_COMMIT_BRANCH=188-work CI_COMMIT_SHA=@head",
    );
    // GitLab fetches 20 commits unless a project says otherwise.
    matrix(
        &hub,
        &[1, 20, 0],
        &[
            ("merge request", &plain, &hub.head),
            ("merged results", &merged, &hub.merge),
            ("branch", &branch, &hub.head),
        ],
        "merge request: exit-2 exact exact\n\
         merged results: exit-2 exact exact\n\
         branch: exit-2 exit-2 exact\n",
    );
}

#[test]
fn the_depth_matrix_of_the_others() {
    let hub = hub();
    let [bitbucket, azure, buildkite, jenkins] = [
        "BITBUCKET_COMMIT=@head BITBUCKET_PR_ID=7 BITBUCKET_PR_DESTINATION_BRANCH=main BITBUCKET_BRANCH=188-work",
        "TF_BUILD=True BUILD_REASON=PullRequest BUILD_SOURCEVERSION=@merge SYSTEM_PULLREQUEST_SOURCECOMMITID=@head \
         SYSTEM_PULLREQUEST_TARGETBRANCH=refs/heads/main SYSTEM_PULLREQUEST_SOURCEBRANCH=refs/heads/188-work",
        "BUILDKITE=true BUILDKITE_COMMIT=@head BUILDKITE_PULL_REQUEST=7 BUILDKITE_PULL_REQUEST_BASE_BRANCH=main \
         BUILDKITE_BRANCH=188-work",
        "JENKINS_URL=https://ci.example CHANGE_TARGET=main CHANGE_BRANCH=188-work",
    ]
    .map(|variables| job(&hub, variables));
    matrix(
        &hub,
        &[1, 2, 0],
        &[
            ("bitbucket", &bitbucket, &hub.head),
            ("azure", &azure, &hub.merge),
            ("buildkite", &buildkite, &hub.head),
            ("jenkins, head", &jenkins, &hub.head),
            ("jenkins, merged", &jenkins, &hub.merge),
        ],
        "bitbucket: exit-2 exit-2 exact\n\
         azure: exit-2 exact exact\n\
         buildkite: exit-2 exit-2 exact\n\
         jenkins, head: exit-2 exit-2 exact\n\
         jenkins, merged: exit-2 exit-2 exact\n",
    );
}

/// The merge ref and the tip of the base, fetched to depth 1, are enough: the first parent is there.
#[test]
fn a_merge_ref_and_the_tip_of_the_base_are_exact() {
    let hub = hub();
    let clone = hub.checkout("clone", &hub.merge, 1);
    hub.repo.git(&[
        "-C",
        &clone,
        "fetch",
        "--quiet",
        "--no-tags",
        "--depth=1",
        "origin",
        "main",
    ]);
    let variables = github(
        &hub,
        "event",
        "pull_request",
        &hub.merge,
        &pull_request(&hub, &hub.base),
    );
    assert!(hub.exact_or_refused(&clone, &borrowed(&variables), TRUTH));
}

#[test]
fn push_to_the_default_branch_is_judged_from_its_previous_commit() {
    let hub = hub();
    let clone = hub.checkout("clone", &hub.base, 2);
    let event = |before: &str| {
        json!({"ref": "refs/heads/main", "before": before, "after": hub.base,
        "repository": {"default_branch": "main"}})
    };
    let variables = github(&hub, "event-1", "push", &hub.base, &event(&hub.before));
    let mut variables = borrowed(&variables);
    variables.push(("GUARD_LLD", common::DESIGN));
    let output = hub.run(&clone, &variables).exits(1);
    assert_eq!(changes(&output), ["add src/mainonly.rs"]);
    // A forced push that only removes commits.
    let forced = json!({"ref": "refs/heads/main", "before": hub.base, "after": hub.before,
        "repository": {"default_branch": "main"}});
    let forced = github(&hub, "event-2", "push", &hub.before, &forced);
    let gitlab = [
        ("GITLAB_CI", "true"),
        ("CI_COMMIT_SHA", hub.before.as_str()),
        ("CI_COMMIT_BRANCH", "main"),
        ("CI_DEFAULT_BRANCH", "main"),
        ("CI_COMMIT_BEFORE_SHA", hub.base.as_str()),
    ];
    for mut variables in [borrowed(&forced), gitlab.to_vec()] {
        variables.push(("GUARD_LLD", common::DESIGN));
        let output = hub.run(&clone, &variables).exits(1);
        assert_eq!(changes(&output), ["delete src/mainonly.rs"]);
    }
    let first = github(&hub, "event-3", "push", &hub.base, &event(&hub.zero));
    hub.run(&clone, &borrowed(&first))
        .exits(2)
        .says("the CI system does not say which commits are new");
}

#[test]
fn event_without_a_range_is_refused_or_says_why() {
    let hub = hub();
    let clone = hub.checkout("clone", &hub.merge, 0);
    let scheduled = github(&hub, "event-4", "schedule", &hub.base, &json!({}));
    hub.run(&clone, &borrowed(&scheduled))
        .exits(2)
        .says("names no commits");
    let gone = json!({"ref": "refs/heads/188-work", "before": hub.head, "after": hub.zero,
        "repository": {"default_branch": "main"}});
    let gone = github(&hub, "event-5", "push", &hub.base, &gone);
    hub.run(&clone, &borrowed(&gone))
        .exits(0)
        .says("was deleted");
    hub.run(&clone, &[])
        .exits(2)
        .says("guard does not recognise the CI system");
    let lost = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_EVENT_PATH", "/nowhere/event.json"),
    ];
    hub.run(&clone, &lost).exits(2).says("cannot be read");
}

/// A build of main does not say which commits are new: an empty range would be wrong.
#[test]
fn target_branch_build_without_previous_commit_is_refused() {
    let hub = hub();
    let clone = hub.checkout("clone", &hub.base, 0);
    for variables in [
        &[
            ("BITBUCKET_COMMIT", hub.base.as_str()),
            ("BITBUCKET_BRANCH", "main"),
        ][..],
        &[("JENKINS_URL", "x"), ("BRANCH_NAME", "main")],
        &[("JENKINS_URL", "x")],
        &[
            ("BUILDKITE", "true"),
            ("BUILDKITE_COMMIT", "HEAD"),
            ("BUILDKITE_BRANCH", "main"),
        ],
    ] {
        hub.run(&clone, variables)
            .exits(2)
            .says("the CI system does not say which commits are new");
    }
    let work = [("JENKINS_URL", "x"), ("BRANCH_NAME", "188-work")];
    hub.repo
        .git(&["-C", &clone, "checkout", "--quiet", &hub.head]);
    assert_eq!(changes(&hub.run(&clone, &work)), TRUTH);
}

/// If the CI system leaves the target to the settings, the judged branch cannot choose it.
#[test]
fn a_branch_cannot_name_its_own_target() {
    let hub = hub();
    let repo = &hub.repo;
    repo.git(&["switch", "--quiet", "188-work"]);
    let branch = [("JENKINS_URL", "x"), ("BRANCH_NAME", "188-work")];
    let truth: Vec<&str> = [&["modify guard.toml"], TRUTH].concat();
    for (at, own) in ["188-work~0", "same", "188-work-g0123456"]
        .iter()
        .enumerate()
    {
        repo.stage("guard.toml", format!("{SETTINGS}base = \"{own}\"\n"));
        let head = repo.commit("Name a target");
        repo.git(&["update-ref", "refs/heads/same", &head]);
        let clone = hub.checkout(&format!("clone{at}"), &head, 0);
        let output = hub.run(&clone, &branch).exits(1);
        assert_eq!(changes(&output), truth, "{own}");
        // Without the remote's default branch, only the branch itself would name it.
        repo.git(&["-C", &clone, "remote", "set-head", "origin", "--delete"]);
        hub.run(&clone, &branch)
            .exits(2)
            .says("the target branch is unknown");
    }
}

/// The default branch's settings may name another, as docs/settings.md spells it or by its short name.
#[test]
fn the_target_of_the_settings_is_found_by_its_short_name_and_by_its_long_one() {
    let names = [
        "next",
        "origin/next",
        "refs/heads/next",
        "refs/remotes/origin/next",
    ];
    for name in names {
        let repo = Repo::new();
        repo.stage("src/a.rs", "fn a() {}\n");
        repo.stage("guard.toml", format!("{SETTINGS}base = \"{name}\"\n"));
        repo.design(DESIGN, ROWS);
        repo.commit("Say what may change");
        repo.branch("next");
        commit_file(&repo, "src/next.rs", "fn next() {}\n");
        repo.branch("188-work");
        let head = commit_file(&repo, "src/new.rs", "fn new() {}\n");
        let hub = Hub {
            repo,
            base: String::new(),
            head,
            merge: String::new(),
            before: String::new(),
            zero: String::new(),
        };
        let clone = hub.checkout("clone", &hub.head, 0);
        let branch = [("JENKINS_URL", "x"), ("BRANCH_NAME", "188-work")];
        let output = hub.run(&clone, &branch).exits(0);
        assert_eq!(changes(&output), ["add src/new.rs"], "{name}");
    }
}

#[test]
fn the_report_says_which_range_and_why() {
    let hub = hub();
    let clone = hub.checkout("clone", &hub.merge, 2);
    let variables = github(
        &hub,
        "event",
        "pull_request",
        &hub.merge,
        &pull_request(&hub, &hub.base),
    );
    let output = hub.run(&clone, &borrowed(&variables)).exits(0);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["source"]["base"], hub.base.as_str());
    assert_eq!(report["source"]["head"], hub.merge.as_str());
    assert_eq!(report["source"]["branch"], "188-work");
    let note = report["source"]["notes"][0].as_str().unwrap();
    assert_eq!(
        note,
        format!(
            "GitHub pull_request: checking {}..{}",
            &hub.base[..12],
            &hub.merge[..12]
        )
    );
}

/// An uncommitted design does not count in CI.
#[test]
fn uncommitted_design_is_refused_in_ci() {
    let hub = hub();
    let clone = hub.checkout("clone", &hub.merge, 2);
    hub.repo.write(
        "../clone/docs/lld/active/LLD-9.md",
        "### Files Changed\n\n| File | Type |\n|-|-|\n| `src/**` | Add |\n",
    );
    let variables = github(
        &hub,
        "event",
        "pull_request",
        &hub.merge,
        &pull_request(&hub, &hub.base),
    );
    let mut variables = borrowed(&variables);
    variables.push(("GUARD_LLD", "docs/lld/active/LLD-9.md"));
    hub.run(&clone, &variables)
        .exits(2)
        .says("LLD-9.md is not committed");
}
