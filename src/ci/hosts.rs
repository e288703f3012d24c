//! CI systems that name everything in variables: one row for each.

use super::plan::{CiPlan, Merge, Point, Variables, commit, get, required, short};
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
