//! `guard lint --ci` in clones as CI systems make them. Every depth and kind of checkout yields the exact set of
//! changes, or exit code 2 with a command that helps. It never yields a wrong set.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::system;
use crate::common::{self, DESIGN, GUARD, Output, Repo, SETTINGS};
use serde_json::{Value, json};

const ROWS: &[(&str, &str, &str)] = &[("src/a.rs", "Modify", ""), ("src/new.rs", "Add", "")];

/// What the branch changes, regardless of later commits on main.
const TRUTH: &[&str] = &["modify src/a.rs", "add src/new.rs"];

const ZERO: &str = "0000000000000000000000000000000000000000";

const UNKNOWN: &str = "the CI system does not say which commits are new";

/// The variables of a job.
type Variables = Vec<(&'static str, String)>;

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
    let head = commit_file(&repo, "src/new.rs", "fn new() {}\n");
    repo.git(&["switch", "--quiet", "main"]);
    let before = repo.git(&["rev-parse", "HEAD"]);
    let base = commit_file(&repo, "src/mainonly.rs", "fn only() {}\n");
    repo.git(&["switch", "--quiet", "--detach"]);
    repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", "188-work"]);
    let merge = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["update-ref", "refs/pull/7/merge", &merge]);
    repo.git(&["update-ref", "refs/pull/7/head", &head]);
    repo.git(&["switch", "--quiet", "main"]);
    Hub {
        repo,
        base,
        head,
        merge,
        before,
    }
}

fn commit_file(repo: &Repo, path: &str, text: &str) -> String {
    repo.stage(path, text);
    repo.commit(&format!("Change {path}"))
}

impl Hub {
    /// git with these words in a clone.
    fn git(&self, clone: &str, words: &str) {
        let all = ["-C", clone].into_iter().chain(words.split(' '));
        self.repo.git(&all.collect::<Vec<_>>());
    }

    /// A clone as actions/checkout makes it: one commit, to a depth; depth 0 brings every branch whole.
    fn checkout(&self, name: &str, commit: &str, depth: u32) -> String {
        let clone = format!("../{name}");
        let init = ["init", "-q", "-b", "x", "--template=", &clone];
        self.repo.git(&init);
        let git = |words: &str| self.git(&clone, words);
        let url = system::address(&self.repo.root);
        git(&format!("remote add origin {url}"));
        let wanted = format!("+{commit}:refs/remotes/ci/head");
        if depth == 0 {
            let branches = "+refs/heads/*:refs/remotes/origin/*";
            git(&format!("fetch --quiet origin {branches} {wanted}"));
            git("remote set-head origin main");
        } else {
            git(&format!("fetch --quiet --depth={depth} origin {wanted}"));
        }
        git(&format!("checkout --quiet --detach {commit}"));
        clone
    }

    fn run(&self, clone: &str, variables: &Variables) -> Output {
        let mut guard = self.repo.command(GUARD);
        guard.args(["-C", clone, "lint", "--ci", "--format", "json"]);
        common::run(guard.envs(variables.iter().cloned()))
    }

    /// Asserts the exact set, or exit code 2, after which the printed command must lead to the exact set. Returns
    /// whether the set was exact at first.
    #[track_caller]
    fn exact_or_refused(&self, clone: &str, variables: &Variables) -> bool {
        let first = self.run(clone, variables);
        if first.code == 2 {
            let command = first.stderr.split('`').nth(1);
            let command = command.unwrap_or_else(|| panic!("{first:?}"));
            assert!(command.starts_with("git fetch --no-tags"), "{first:?}");
            self.git(clone, command.strip_prefix("git ").unwrap());
            assert_eq!(changes(&self.run(clone, variables)), TRUTH, "{command}");
        } else {
            assert_eq!(changes(&first), TRUTH);
        }
        first.code != 2
    }

    /// Asserts for each scene (name, variables, commit that is checked out, depths) at which depth the set is exact at
    /// first.
    #[track_caller]
    fn matrix(&self, scenes: &[(&str, &Variables, &str, &str)]) {
        for (name, variables, checkout, depths) in scenes {
            for depth in depths.split(' ') {
                let exact_depth = depth.strip_prefix('=');
                let number = exact_depth.unwrap_or(depth).parse().unwrap();
                let clone = self.checkout(&format!("clone {name} {number}"), checkout, number);
                let is_exact = self.exact_or_refused(&clone, variables);
                assert_eq!(is_exact, exact_depth.is_some(), "{name}, depth {number}");
            }
        }
    }

    /// The variables of a GitHub job with this event.
    fn github(&self, name: &'static str, sha: &str, event: &Value) -> Variables {
        static FILES: AtomicUsize = AtomicUsize::new(0);
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        let file = self.repo.path(format!("../event-{number}.json"));
        std::fs::write(&file, event.to_string()).unwrap();
        vec![
            ("GITHUB_ACTIONS", "true".to_owned()),
            ("GITHUB_EVENT_NAME", name.to_owned()),
            ("GITHUB_EVENT_PATH", file.display().to_string()),
            ("GITHUB_SHA", sha.to_owned()),
        ]
    }

    /// A push event.
    fn push(&self, branch: &str, before: &str, after: &str) -> Variables {
        let event = json!({"ref": format!("refs/heads/{branch}"), "before": before, "after": after,
            "repository": {"default_branch": "main"}});
        self.github("push", after, &event)
    }

    fn pull_request(&self, base: &str) -> Value {
        json!({"pull_request": {
            "number": 7,
            "base": {"sha": base, "ref": "main"},
            "head": {"sha": self.head, "ref": "188-work"},
        }})
    }

    /// A job by its variables, one `NAME=value` per word; `@head`, `@merge` and the like are commits of the hub.
    fn job(&self, variables: &'static str) -> Variables {
        let pairs = variables.split_whitespace();
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap());
        let value = |value| match value {
            "@head" => &self.head,
            "@merge" => &self.merge,
            "@base" => &self.base,
            "@before" => &self.before,
            other => other,
        };
        let pairs = pairs.map(|(name, text)| (name, value(text).to_owned()));
        pairs.collect()
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

#[test]
fn the_depth_matrix_of_github() {
    let hub = hub();
    let request = hub.pull_request(&hub.base);
    // The base in the payload may be older than the main that the branch has merged.
    let stale = hub.pull_request(&hub.repo.git(&["rev-parse", "main~2"]));
    // The branch name of a merge queue contains no issue; the subject of its merge names the branch.
    let group = json!({"merge_group": {"base_sha": hub.base, "head_sha": hub.merge,
        "head_ref": "refs/heads/gh-readonly-queue/main/pr-7-x", "base_ref": "refs/heads/main"}});
    let target = hub.github("pull_request_target", &hub.base, &request);
    let [request, stale] =
        [request, stale].map(|event| hub.github("pull_request", &hub.merge, &event));
    let later = hub.push("188-work", &hub.before, &hub.head);
    let first = hub.push("188-work", ZERO, &hub.head);
    let group = hub.github("merge_group", &hub.merge, &group);
    // At the depths with an equals sign, the set is exact at first; 0 is a whole clone.
    hub.matrix(&[
        ("merge ref", &request, &hub.merge, "1 =2 =0"),
        ("head", &request, &hub.head, "1 2 =0"),
        ("merge ref, stale base", &stale, &hub.merge, "1 =2 =0"),
        ("head, stale base", &stale, &hub.head, "1 2 =0"),
        ("base", &target, &hub.base, "1 2 =0"),
        ("push", &later, &hub.head, "1 2 =0"),
        ("first push", &first, &hub.head, "1 2 =0"),
        ("merge group", &group, &hub.merge, "1 =2 =0"),
    ]);
}

/// GitLab names the commit at which the work began, and the target only by its name.
#[test]
fn request_older_than_the_settings_of_its_target_is_refused() {
    let repo = Repo::new();
    repo.stage("src/a.rs", "fn a() {}\n");
    let before = repo.commit("Before");
    repo.govern(ROWS);
    repo.push_to_server();
    repo.git(&["switch", "--quiet", "--create", "old", &before]);
    let head = commit_file(&repo, "src/rogue.rs", "fn rogue() {}\n");
    let variables = [
        ("GITLAB_CI", "true"),
        ("CI_COMMIT_SHA", &head),
        ("CI_MERGE_REQUEST_IID", "5"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", &before),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "old"),
    ];
    repo.guard_with(&variables, &["lint", "--ci"])
        .exits(2)
        .says("the merge base has no guard.toml, but the target branch");
}

#[test]
fn the_depth_matrix_of_gitlab() {
    let hub = hub();
    let request = "GITLAB_CI=true CI_MERGE_REQUEST_IID=7 CI_DEFAULT_BRANCH=main CI_COMMIT_SHA=@head \
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=188-work \
        CI_MERGE_REQUEST_DIFF_BASE_SHA=@before";
    let plain = hub.job(request);
    let mut merged = plain.clone();
    merged.extend(hub.job("CI_COMMIT_SHA=@merge CI_MERGE_REQUEST_TARGET_BRANCH_SHA=@base"));
    let branch = hub
        .job("GITLAB_CI=true CI_DEFAULT_BRANCH=main CI_COMMIT_BRANCH=188-work CI_COMMIT_SHA=@head");
    // GitLab fetches 20 commits unless a project says otherwise.
    hub.matrix(&[
        ("merge request", &plain, &hub.head, "1 =20 =0"),
        ("merged results", &merged, &hub.merge, "1 =20 =0"),
        ("branch", &branch, &hub.head, "1 20 =0"),
    ]);
}

/// The jobs of pull requests of the other systems.
const REQUESTS: [&str; 4] = [
    "BITBUCKET_COMMIT=@head BITBUCKET_PR_ID=7 BITBUCKET_PR_DESTINATION_BRANCH=main BITBUCKET_BRANCH=188-work",
    "TF_BUILD=True BUILD_REASON=PullRequest BUILD_SOURCEVERSION=@merge SYSTEM_PULLREQUEST_SOURCECOMMITID=@head \
     SYSTEM_PULLREQUEST_TARGETBRANCH=refs/heads/main SYSTEM_PULLREQUEST_SOURCEBRANCH=refs/heads/188-work",
    "BUILDKITE=true BUILDKITE_COMMIT=@head BUILDKITE_PULL_REQUEST=7 BUILDKITE_PULL_REQUEST_BASE_BRANCH=main \
     BUILDKITE_BRANCH=188-work",
    "JENKINS_URL=https://ci.example CHANGE_TARGET=main CHANGE_BRANCH=188-work",
];

/// Without `--ci`, too: other commands need the design of the branch, and a job checks out a commit.
#[test]
fn a_job_without_a_branch_has_the_design_of_the_branch_that_its_variables_name() {
    let hub = hub();
    let clone = hub.checkout("clone", &hub.head, 0);
    let show = |variables: &Variables| {
        let mut guard = hub.repo.command(GUARD);
        guard.args(["-C", &clone, "scope", "show"]);
        common::run(guard.envs(variables.iter().cloned()))
    };
    show(&Vec::new()).exits(2).says("no branch");
    for variables in REQUESTS {
        show(&hub.job(variables)).exits(0).says(DESIGN);
    }
}

#[test]
fn the_depth_matrix_of_the_others() {
    let hub = hub();
    let [bitbucket, azure, buildkite, jenkins] = REQUESTS.map(|variables| hub.job(variables));
    hub.matrix(&[
        ("bitbucket", &bitbucket, &hub.head, "1 2 =0"),
        ("azure", &azure, &hub.merge, "1 =2 =0"),
        ("buildkite", &buildkite, &hub.head, "1 2 =0"),
        ("jenkins, head", &jenkins, &hub.head, "1 2 =0"),
        ("jenkins, merged", &jenkins, &hub.merge, "1 2 =0"),
    ]);
}

#[test]
fn push_to_the_default_branch_is_judged_from_its_previous_commit() {
    let hub = hub();
    let clone = hub.checkout("clone", &hub.base, 2);
    let mut variables = hub.push("main", &hub.before, &hub.base);
    variables.push(("GUARD_LLD", DESIGN.to_owned()));
    let output = hub.run(&clone, &variables).exits(1);
    assert_eq!(changes(&output), ["add src/mainonly.rs"]);
    // A forced push that only removes commits.
    let forced = hub.push("main", &hub.base, &hub.before);
    let gitlab = hub.job(
        "GITLAB_CI=true CI_COMMIT_SHA=@before CI_COMMIT_BRANCH=main CI_DEFAULT_BRANCH=main CI_COMMIT_BEFORE_SHA=@base",
    );
    for mut variables in [forced, gitlab] {
        variables.push(("GUARD_LLD", DESIGN.to_owned()));
        let output = hub.run(&clone, &variables).exits(1);
        assert_eq!(changes(&output), ["delete src/mainonly.rs"]);
    }
    let unknown = hub.run(&clone, &hub.push("main", ZERO, &hub.base));
    unknown.exits(2).says(UNKNOWN);
}

#[test]
fn event_without_a_range_is_refused() {
    let hub = hub();
    let clone = hub.checkout("clone", &hub.merge, 0);
    let scheduled = hub.github("schedule", &hub.base, &json!({}));
    let lost = hub.job("GITHUB_ACTIONS=true GITHUB_EVENT_PATH=/nowhere/event.json");
    for (variables, says) in [
        (scheduled, "names no commits"),
        (Vec::new(), "guard does not recognise the CI system"),
        (lost, "cannot be read"),
    ] {
        hub.run(&clone, &variables).exits(2).says(says);
    }
}

/// A build of main does not say which commits are new: an empty range would be wrong.
#[test]
fn target_branch_build_without_previous_commit_is_refused() {
    let hub = hub();
    let clone = hub.checkout("clone", &hub.base, 0);
    for variables in [
        "BITBUCKET_COMMIT=@base BITBUCKET_BRANCH=main",
        "JENKINS_URL=x BRANCH_NAME=main",
        "BUILDKITE=true BUILDKITE_COMMIT=HEAD BUILDKITE_BRANCH=main",
    ] {
        let system = match &variables[..3] {
            "BIT" => "Bitbucket",
            "JEN" => "Jenkins",
            _ => "Buildkite",
        };
        let refused = hub.run(&clone, &hub.job(variables)).exits(2).says(UNKNOWN);
        refused.says(&format!("error: {system}"));
    }
    let nothing = hub.run(&clone, &hub.job("JENKINS_URL=x"));
    nothing.exits(2).says("there are no commits to check");
    let work = hub.job("JENKINS_URL=x BRANCH_NAME=188-work");
    hub.git(&clone, &format!("checkout --quiet {}", hub.head));
    assert_eq!(changes(&hub.run(&clone, &work)), TRUTH);
}

/// If the CI system leaves the target to the settings, the judged branch cannot choose it.
#[test]
fn a_branch_cannot_name_its_own_target() {
    let hub = hub();
    let repo = &hub.repo;
    repo.git(&["switch", "--quiet", "188-work"]);
    let branch = hub.job("JENKINS_URL=x BRANCH_NAME=188-work");
    let truth: Vec<&str> = [&["modify guard.toml"], TRUTH].concat();
    for own in ["188-work~0", "same", "188-work-g0123456"] {
        repo.stage("guard.toml", format!("{SETTINGS}base = \"{own}\"\n"));
        let head = repo.commit("Name a target");
        repo.git(&["update-ref", "refs/heads/same", &head]);
        let clone = hub.checkout(own, &head, 0);
        let output = hub.run(&clone, &branch).exits(1);
        assert_eq!(changes(&output), truth, "{own}");
        // Without the remote's default branch, only the branch itself would name it.
        hub.git(&clone, "remote set-head origin --delete");
        let refused = hub.run(&clone, &branch).exits(2);
        refused.says("the target branch is unknown");
    }
}
