//! Determines the range that a CI system wants judged, from its variables and event alone. GitHub has a file of its own, GitLab
//! a function, and the others are rows of a table.
//!
//! Nothing is guessed. A plan names commits and branches; git decides whether they exist and where they meet.

mod github;
mod hosts;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::path::escaped;

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

/// What to judge, in the CI system's terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CiPlan {
    /// The system and the kind of build, for messages: `GitHub pull_request`.
    pub what: String,
    /// Why there is nothing to check.
    pub nothing: Option<String>,
    /// The merge commit that the system made for the build. If HEAD is this commit, its first parent is the target.
    pub merge: Option<Merge>,
    /// What existed before. All must be in the clone, because the nearest to the head counts.
    pub known: Vec<Point>,
    /// Another branch of the remote that counts, if the clone has it.
    pub known_if_here: Option<String>,
    /// Whether this may be a build of the target branch itself, whose new commits the system does not report.
    pub may_be_target: bool,
    /// Why the build has no new commits, if the system says so. Otherwise an empty range is an error.
    pub nothing_new: Option<&'static str>,
    /// The last commit; `None` for HEAD.
    pub head: Option<String>,
    /// The ref from which to fetch the head, if it is not a branch.
    pub head_ref: Option<String>,
    /// The branch of the work.
    pub branch: Option<String>,
    /// How to configure the system for a deeper clone.
    pub deepen: &'static str,
}

/// A merge made by the system: target first, work second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The merge commit.
    pub commit: String,
    /// The last commit of the work, its second parent.
    pub work: String,
}

/// A point in the history that is older than the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Point {
    /// A commit by its id.
    Commit(String),
    /// A branch of the remote by its short name.
    Branch(String),
    /// The previous state of the branch: what a forced push removes is lost.
    Before(String),
    /// The remote's default branch, or the `[lld] base` of its settings.
    Default,
}

/// The variables of a CI job.
pub type Variables = BTreeMap<String, String>;

/// Help where the CI system does not say which commits are new.
const NAME_RANGE: &str = "name the commits yourself: guard lint --range A..B";

/// The error for a build of the target branch whose previous state the system does not report.
pub fn unknown_before(what: &str) -> Error {
    Error::new(format!(
        "{what}: the CI system does not say which commits are new on the target branch"
    ))
    .help("name the commits yourself: guard lint --range BEFORE..HEAD")
}

fn is_on(variables: &Variables, name: &str) -> bool {
    get(variables, name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

/// A variable that is set and not empty.
fn get<'a>(variables: &'a Variables, name: &str) -> Option<&'a str> {
    let value = variables.get(name)?.trim();
    (!value.is_empty()).then_some(value)
}

fn required<'a>(variables: &'a Variables, name: &str) -> Result<&'a str> {
    get(variables, name)
        .ok_or_else(|| Error::new(format!("the CI system does not set {name}")).help(NAME_RANGE))
}

/// A commit id; all zeros mean `None`.
fn commit(id: &str) -> Result<Option<String>> {
    let is_hex = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex {
        let id = escaped(id);
        let message = format!("the CI system names {id}, which is not a commit id");
        return Err(Error::new(message).help(NAME_RANGE));
    }
    Ok((!id.bytes().all(|byte| byte == b'0')).then(|| id.to_owned()))
}

/// A branch without `refs/heads/`.
fn short(name: &str) -> String {
    name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests;
