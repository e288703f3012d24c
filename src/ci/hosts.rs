//! CI systems that name everything in variables: one row for each, and GitLab, which has more kinds of builds.

use super::plan::{CiPlan, Point, Variables, commit, get, required, short, unknown_before};
use write_guard_policy::error::Result;

/// The variables of a CI system.
pub(super) struct Host {
    name: &'static str,
    /// Set in every job.
    sign: &'static str,
    /// What the system calls a request, the variable that tells a job of one, and its value there if that matters.
    request: (&'static str, &'static str, Option<&'static str>),
    /// The branch into which a request goes.
    target: &'static str,
    /// The target of a branch, the first that is set; without any, the remote's default branch.
    default: &'static [&'static str],
    /// The last commit of a request, and of a branch; without it, HEAD.
    head: [&'static str; 2],
    /// The branch of a request, and of another build.
    branch: [&'static str; 2],
    /// The merge of a request with its target that is built.
    merge: &'static str,
    /// How to get a deeper clone.
    deepen: &'static str,
}

const HOSTS: &[Host] = &[
    Host {
        name: "Bitbucket",
        sign: "BITBUCKET_COMMIT",
        request: ("pull request", "BITBUCKET_PR_ID", None),
        target: "BITBUCKET_PR_DESTINATION_BRANCH",
        default: &[],
        head: ["BITBUCKET_COMMIT"; 2],
        branch: ["BITBUCKET_BRANCH"; 2],
        merge: "",
        deepen: "set `clone: depth: full` for the step",
    },
    Host {
        name: "Azure",
        sign: "TF_BUILD",
        request: ("pull request", "BUILD_REASON", Some("PullRequest")),
        target: "SYSTEM_PULLREQUEST_TARGETBRANCH",
        default: &[],
        head: ["SYSTEM_PULLREQUEST_SOURCECOMMITID", "BUILD_SOURCEVERSION"],
        branch: ["SYSTEM_PULLREQUEST_SOURCEBRANCH", "BUILD_SOURCEBRANCH"],
        merge: "BUILD_SOURCEVERSION",
        deepen: "set `fetchDepth: 0` for the checkout step",
    },
    Host {
        name: "Buildkite",
        sign: "BUILDKITE",
        request: ("pull request", "BUILDKITE_PULL_REQUEST", None),
        target: "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
        default: &[
            "BUILDKITE_MERGE_QUEUE_BASE_BRANCH",
            "BUILDKITE_PIPELINE_DEFAULT_BRANCH",
        ],
        head: ["BUILDKITE_COMMIT"; 2],
        branch: ["BUILDKITE_BRANCH"; 2],
        merge: "",
        deepen: "remove `--depth` from the agent's git clone and fetch flags",
    },
    // Only multibranch jobs set the name of a branch. guard judges what is checked out: the change request itself, or its merge
    // with the target.
    Host {
        name: "Jenkins",
        sign: "JENKINS_URL",
        request: ("change request", "CHANGE_TARGET", None),
        target: "CHANGE_TARGET",
        default: &[],
        head: [""; 2],
        branch: ["CHANGE_BRANCH", "BRANCH_NAME"],
        merge: "",
        deepen: "disable the shallow clone in the job's advanced clone behaviours and fetch the \
                 target branch",
    },
];

/// The system that runs this job.
pub(super) fn of(variables: &Variables) -> Option<&'static Host> {
    HOSTS
        .iter()
        .find(|host| get(variables, host.sign).is_some())
}

/// The names of the systems in the table.
pub(super) fn names() -> Vec<&'static str> {
    HOSTS.iter().map(|host| host.name).collect()
}

impl Host {
    pub(super) fn plan(&self, variables: &Variables) -> Result<CiPlan> {
        let (request, sign, value) = self.request;
        // Buildkite says false where there is none.
        let sign = get(variables, sign).filter(|sign| *sign != "false");
        let is_request = sign.is_some_and(|sign| value.is_none_or(|value| sign == value));
        let row = usize::from(!is_request);
        let head = match self.head[row] {
            "" => None,
            name => match required(variables, name)? {
                // A build started manually.
                "HEAD" => None,
                id => commit(id)?,
            },
        };
        let branch = get(variables, self.branch[row]).map(short);
        // The ref of a pull request or a tag is no branch.
        let branch = branch.filter(|name| !name.starts_with("refs/"));
        let mut defaults = self.default.iter();
        let known = match defaults.find_map(|name| get(variables, name)) {
            _ if is_request => Point::Branch(short(required(variables, self.target)?)),
            Some(default) if branch.as_deref() == Some(default) => {
                return Err(unknown_before("a build of the target branch"));
            }
            Some(default) => Point::Branch(default.to_owned()),
            None => Point::Default,
        };
        let merge = get(variables, self.merge).filter(|_| is_request);
        let kind = if is_request { request } else { "branch" };
        Ok(CiPlan {
            what: format!("{} {kind}", self.name),
            merge: merge.map(str::to_owned),
            known: vec![known],
            head,
            branch,
            deepen: self.deepen,
            ..CiPlan::default()
        })
    }
}

/// The commit that a variable names, if it is set.
fn commit_in(variables: &Variables, name: &str) -> Result<Option<String>> {
    Ok(get(variables, name).map(commit).transpose()?.flatten())
}

/// GitLab CI: merge requests, merged results, branches and tags.
pub(super) fn of_gitlab(variables: &Variables) -> Result<CiPlan> {
    let head = commit(required(variables, "CI_COMMIT_SHA")?)?;
    let plan = CiPlan {
        head,
        deepen: "set the variable GIT_DEPTH to 0 for the job",
        ..CiPlan::default()
    };
    if get(variables, "CI_MERGE_REQUEST_IID").is_some() {
        // The first is set if the build is a merge with the target; otherwise GitLab's merge base counts.
        let before = match commit_in(variables, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA")? {
            None => commit_in(variables, "CI_MERGE_REQUEST_DIFF_BASE_SHA")?,
            target => target,
        };
        let target = required(variables, "CI_MERGE_REQUEST_TARGET_BRANCH_NAME")?;
        let known = before.map_or_else(|| Point::Branch(target.to_owned()), Point::Commit);
        return Ok(CiPlan {
            what: "GitLab merge request".to_owned(),
            known: vec![known],
            target: Some(Point::Branch(target.to_owned())),
            branch: get(variables, "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME").map(str::to_owned),
            ..plan
        });
    }
    let branch = get(variables, "CI_COMMIT_BRANCH").map(str::to_owned);
    let default = required(variables, "CI_DEFAULT_BRANCH")?;
    let before = commit_in(variables, "CI_COMMIT_BEFORE_SHA")?;
    let nothing_new = match branch {
        None if get(variables, "CI_COMMIT_TAG").is_some() => Some("a tag is built"),
        Some(_) if before.is_none() && get(variables, "CI_COMMIT_BEFORE_SHA").is_some() => {
            Some("the pipeline is the first of its branch")
        }
        _ => None,
    };
    let known = if branch.as_deref() == Some(default) {
        Point::Before(before.ok_or_else(|| unknown_before("GitLab branch"))?)
    } else {
        Point::Branch(default.to_owned())
    };
    Ok(CiPlan {
        what: "GitLab branch".to_owned(),
        known: vec![known],
        nothing_new,
        branch,
        ..plan
    })
}
