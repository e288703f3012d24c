//! CI systems that name everything in variables: one row for each, and GitLab, which has more kinds of builds.

use super::plan::{CiPlan, Merge, Point, Variables, commit, get, required, short, unknown_before};
use crate::error::Result;

/// The variables of a CI system.
pub(super) struct Host {
    name: &'static str,
    /// Set in every job.
    sign: &'static str,
    /// What the system calls a request, the variable that tells a job of one, and its value there if that matters.
    request: (&'static str, &'static str, Option<&'static str>),
    /// The branch into which a request goes.
    target: &'static str,
    /// The target of a branch; without it, the remote's default branch.
    default: &'static str,
    /// The last commit of a request, and of a branch; without it, HEAD.
    head: [&'static str; 2],
    /// The branch of a request, and the variables for another, of which the first that is set counts.
    branch: [&'static [&'static str]; 2],
    /// The merge of a request with its target that is built.
    merge: &'static str,
    /// How to get a deeper clone.
    deepen: &'static str,
}

const HOSTS: [Host; 4] = [
    Host {
        name: "Bitbucket",
        sign: "BITBUCKET_COMMIT",
        request: ("pull request", "BITBUCKET_PR_ID", None),
        target: "BITBUCKET_PR_DESTINATION_BRANCH",
        default: "",
        head: ["BITBUCKET_COMMIT"; 2],
        branch: [&["BITBUCKET_BRANCH"]; 2],
        merge: "",
        deepen: "set `clone: depth: full` for the step",
    },
    Host {
        name: "Azure",
        sign: "TF_BUILD",
        request: ("pull request", "BUILD_REASON", Some("PullRequest")),
        target: "SYSTEM_PULLREQUEST_TARGETBRANCH",
        default: "",
        head: ["SYSTEM_PULLREQUEST_SOURCECOMMITID", "BUILD_SOURCEVERSION"],
        branch: [
            &["SYSTEM_PULLREQUEST_SOURCEBRANCH"],
            &["BUILD_SOURCEBRANCH"],
        ],
        merge: "BUILD_SOURCEVERSION",
        deepen: "set `fetchDepth: 0` for the checkout step",
    },
    Host {
        name: "Buildkite",
        sign: "BUILDKITE",
        request: ("pull request", "BUILDKITE_PULL_REQUEST", None),
        target: "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
        default: "BUILDKITE_PIPELINE_DEFAULT_BRANCH",
        head: ["BUILDKITE_COMMIT"; 2],
        branch: [&["BUILDKITE_BRANCH"]; 2],
        merge: "",
        deepen: "remove `--depth` from the agent's git clone and fetch flags",
    },
    // Only multibranch jobs set the plain name. guard judges what is checked out: the change request itself, or its merge
    // with the target.
    Host {
        name: "Jenkins",
        sign: "JENKINS_URL",
        request: ("change request", "CHANGE_TARGET", None),
        target: "CHANGE_TARGET",
        default: "",
        head: [""; 2],
        branch: [&["CHANGE_BRANCH"], &["BRANCH_NAME", "GIT_BRANCH"]],
        merge: "",
        deepen: "disable the shallow clone in the job's advanced clone behaviours and fetch the target branch",
    },
];

/// The system that runs this job.
pub(super) fn of(variables: &Variables) -> Option<&'static Host> {
    HOSTS
        .iter()
        .find(|host| get(variables, host.sign).is_some())
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
        let known = match get(variables, self.default) {
            _ if is_request => Point::Branch(short(required(variables, self.target)?)),
            Some(default) => Point::Branch(default.to_owned()),
            None => Point::Default,
        };
        let merge = get(variables, self.merge).filter(|_| is_request);
        let branch = self.branch[row]
            .iter()
            .find_map(|name| get(variables, name));
        // The ref of a pull request or a tag.
        let branch = branch.map(short).filter(|name| !name.starts_with("refs/"));
        Ok(CiPlan {
            what: format!(
                "{} {}",
                self.name,
                if is_request { request } else { "branch" }
            ),
            merge: merge.zip(head.clone()).map(|(commit, work)| Merge {
                commit: commit.to_owned(),
                work,
            }),
            known: vec![known],
            may_be_target: !is_request,
            head,
            branch: branch.map(|name| match name.strip_prefix("origin/") {
                Some(name) if self.name == "Jenkins" => name.to_owned(),
                _ => name,
            }),
            deepen: self.deepen,
            ..CiPlan::default()
        })
    }
}

const GITLAB_DEEPEN: &str = "set the variable GIT_DEPTH to 0 for the job";

/// GitLab CI: merge requests, merged results, branches and tags.
pub(super) fn of_gitlab(variables: &Variables) -> Result<CiPlan> {
    let head = commit(required(variables, "CI_COMMIT_SHA")?)?;
    let plan = if get(variables, "CI_MERGE_REQUEST_IID").is_some() {
        // Set if the build is a merge with the target; otherwise GitLab's merge base counts.
        let id = |name: &str| Ok(get(variables, name).map(commit).transpose()?.flatten());
        let merged = id("CI_MERGE_REQUEST_TARGET_BRANCH_SHA")?;
        let before = match merged {
            None => id("CI_MERGE_REQUEST_DIFF_BASE_SHA")?,
            merged => merged,
        };
        let target = required(variables, "CI_MERGE_REQUEST_TARGET_BRANCH_NAME")?;
        let known = before.map_or_else(|| Point::Branch(target.to_owned()), Point::Commit);
        CiPlan {
            what: "GitLab merge request".to_owned(),
            known: vec![known],
            // More reliable after the target of the merge request has changed.
            known_if_here: Some(target.to_owned()),
            branch: get(variables, "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME").map(str::to_owned),
            ..CiPlan::default()
        }
    } else {
        let branch = get(variables, "CI_COMMIT_BRANCH").map(str::to_owned);
        let default = required(variables, "CI_DEFAULT_BRANCH")?;
        let known = if branch.as_deref() == Some(default) {
            let before = commit(required(variables, "CI_COMMIT_BEFORE_SHA")?)?;
            Point::Before(before.ok_or_else(|| unknown_before("GitLab branch"))?)
        } else {
            Point::Branch(default.to_owned())
        };
        let is_first = get(variables, "CI_COMMIT_BEFORE_SHA")
            .is_some_and(|before| matches!(commit(before), Ok(None)));
        let nothing_new = match branch {
            None if get(variables, "CI_COMMIT_TAG").is_some() => Some("a tag is built"),
            Some(_) if is_first => Some("the pipeline is the first of its branch"),
            _ => None,
        };
        CiPlan {
            what: "GitLab branch".to_owned(),
            known: vec![known],
            nothing_new,
            branch,
            ..CiPlan::default()
        }
    };
    Ok(CiPlan {
        head,
        deepen: GITLAB_DEEPEN,
        ..plan
    })
}
