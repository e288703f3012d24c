//! Determines the range that a CI system wants judged, from its variables and event alone. GitHub has a file of its own, GitLab
//! a function, and the others are rows of a table.
//!
//! Nothing is guessed. A plan names commits and branches; git decides whether they exist and where they meet.

mod github;
mod hosts;
mod plan;

use serde_json::{Value, json};

use crate::error::{Error, Result};
pub use plan::{CiPlan, Point, Variables, unknown_before};
use plan::{is_on, required};

/// Reads the plan from the environment of a job; `event` reads a JSON file.
///
/// # Errors
/// The CI system is unknown or does not name a range.
pub fn plan(variables: &Variables, event: impl Fn(&str) -> Result<Value>) -> Result<CiPlan> {
    if is_on(variables, "GITHUB_ACTIONS") {
        let path = required(variables, "GITHUB_EVENT_PATH")?;
        return github::plan(variables, &event(path)?);
    }
    if is_on(variables, "GITLAB_CI") {
        return hosts::of_gitlab(variables);
    }
    match hosts::of(variables) {
        Some(host) => host.plan(variables),
        None => Err(Error::new("guard does not recognise the CI system").help(
            "--ci supports GitHub, GitLab, Bitbucket, Azure, Buildkite and Jenkins; elsewhere name the commits: --range A..B",
        )),
    }
}

/// A request that might be opened: the ids of its commits, and the names of its branches.
#[derive(Debug)]
pub struct Pretended {
    /// The branch that the work goes into, and its last commit.
    pub target: (String, String),
    /// The branch of the work, if it has one, and its last commit.
    pub work: (Option<String>, String),
    /// Where the work left the target.
    pub merge_base: String,
    /// The merge of both.
    pub merge: Option<String>,
}

/// The plan of the job that `github` or `gitlab` would run for a request.
///
/// # Errors
/// As for [`plan`].
pub fn pretend(system: &str, request: Pretended) -> Result<CiPlan> {
    let on = || Some("true".to_owned());
    let ((target, base), (branch, head)) = (request.target, request.work);
    let event =
        json!({"pull_request": {"base": {"sha": base}, "head": {"sha": head, "ref": branch}}});
    let variables = [
        ("GITHUB_ACTIONS", on().filter(|_| system == "github")),
        ("GITHUB_EVENT_NAME", Some("pull_request".to_owned())),
        ("GITHUB_EVENT_PATH", Some("pretended".to_owned())),
        ("GITHUB_SHA", request.merge),
        ("GITLAB_CI", on().filter(|_| system == "gitlab")),
        ("CI_COMMIT_SHA", Some(head)),
        ("CI_MERGE_REQUEST_IID", Some("1".to_owned())),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", Some(request.merge_base)),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", Some(target)),
        ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", branch),
    ];
    let variables = variables.into_iter();
    let set = variables.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    plan(&set.collect(), |_| Ok(event.clone()))
}

/// Whether these variables belong to a job of a supported CI system.
pub fn is_job(variables: &Variables) -> bool {
    is_on(variables, "GITHUB_ACTIONS")
        || is_on(variables, "GITLAB_CI")
        || hosts::of(variables).is_some()
}

#[cfg(test)]
mod tests;
