//! Which range a CI system wants judged: pure over its variables and its event, one file a system.
//!
//! Nothing is guessed. A plan names commits and branches; whether they are here, and where they meet, is for git
//! to say.

mod azure;
mod bitbucket;
mod buildkite;
mod github;
mod gitlab;
mod jenkins;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::path::show;

/// The variables of a CI job.
pub type Variables = BTreeMap<String, String>;

/// What to judge, in the CI system's own terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The system and the kind of build, for people: `GitHub pull_request`.
    pub what: String,
    /// Nothing is to be judged, and why.
    pub nothing: Option<String>,
    /// The merge commit that the system made for the build: if HEAD is this one, its first parent is the target.
    pub merge: Option<Merge>,
    /// What was there before. All must be here, for the nearest to the head counts.
    pub known: Vec<Point>,
    /// A branch of the remote that counts among them if the clone happens to have it.
    pub known_if_here: Option<String>,
    /// The build may be one of the target branch itself, whose new commits the system does not tell.
    pub may_be_target: bool,
    /// Why the build brings no new commits, if the system says so. Without it, an empty range is an error.
    pub nothing_new: Option<&'static str>,
    /// The last commit; `None` for HEAD.
    pub head: Option<String>,
    /// The ref by which the head can be fetched, where it is no branch.
    pub head_ref: Option<String>,
    /// The branch that the work is on.
    pub branch: Option<String>,
    /// What to set in the system itself so that the clone is deep enough.
    pub deepen: &'static str,
}

/// A merge made by the system: target first, work second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The merge commit.
    pub commit: String,
    /// The last commit of the work, which must be its second parent.
    pub work: String,
}

/// A place in the history that is older than the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Point {
    /// A commit by its id.
    Commit(String),
    /// A branch of the remote by its short name.
    Branch(String),
    /// What the branch itself was: what a forced push throws away of it is lost.
    Before(String),
    /// The remote's default branch, or the `[lld] base` of its settings.
    Default,
}

/// Reads the plan from the environment of a job; `event` reads a file of JSON.
///
/// # Errors
/// No CI system is recognised, or what it says does not name a range.
pub fn plan(variables: &Variables, event: impl Fn(&str) -> Result<Value>) -> Result<Plan> {
    match System::of(variables) {
        Some(System::GitHub) => {
            let path = required(variables, "GITHUB_EVENT_PATH")?;
            github::plan(variables, &event(path)?)
        }
        Some(System::GitLab) => gitlab::plan(variables),
        Some(System::Bitbucket) => bitbucket::plan(variables),
        Some(System::Azure) => azure::plan(variables),
        Some(System::Buildkite) => buildkite::plan(variables),
        Some(System::Jenkins) => Ok(jenkins::plan(variables)),
        None => Err(Error::new("no CI system is recognised").help(
            "--ci knows GitHub, GitLab, Bitbucket, Azure, Buildkite and Jenkins; elsewhere name the range: --range A..B",
        )),
    }
}

/// Whether these are the variables of a job of a CI system that guard knows.
pub fn is_job(variables: &Variables) -> bool {
    System::of(variables).is_some()
}

/// A CI system that guard knows.
enum System {
    GitHub,
    GitLab,
    Bitbucket,
    Azure,
    Buildkite,
    Jenkins,
}

impl System {
    /// The system by the variables that it sets in every job.
    fn of(variables: &Variables) -> Option<System> {
        let on = |name: &str| {
            get(variables, name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
        };
        let set = |name: &str| get(variables, name).is_some();
        if on("GITHUB_ACTIONS") {
            Some(System::GitHub)
        } else if on("GITLAB_CI") {
            Some(System::GitLab)
        } else if set("BITBUCKET_COMMIT") {
            Some(System::Bitbucket)
        } else if on("TF_BUILD") {
            Some(System::Azure)
        } else if on("BUILDKITE") {
            Some(System::Buildkite)
        } else if set("JENKINS_URL") {
            Some(System::Jenkins)
        } else {
            None
        }
    }
}

/// A variable that is set to something.
fn get<'a>(variables: &'a Variables, name: &str) -> Option<&'a str> {
    variables
        .get(name)
        .map(|value| value.trim())
        .filter(|value| !value.is_empty())
}

fn owned(variables: &Variables, name: &str) -> Option<String> {
    get(variables, name).map(str::to_owned)
}

fn required<'a>(variables: &'a Variables, name: &str) -> Result<&'a str> {
    get(variables, name).ok_or_else(|| {
        Error::new(format!("the CI system does not set {name}"))
            .help("name the range yourself: guard lint --range A..B")
    })
}

/// A commit id; zeros, which stand for "there was none", are `None`.
fn commit(id: &str) -> Result<Option<String>> {
    let is_hex = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex {
        return Err(Error::new(format!(
            "the CI system names {}, which is no commit id",
            show(id)
        ))
        .help("name the range yourself: guard lint --range A..B"));
    }
    Ok((!id.bytes().all(|byte| byte == b'0')).then(|| id.to_owned()))
}

/// A branch without `refs/heads/`.
fn short(name: &str) -> String {
    name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()
}

/// The error for a build of the target branch itself, of which the system does not say what was there before.
pub fn unknown_before(what: &str) -> Error {
    Error::new(format!(
        "{what}: it is not said which commits are new on the branch that work is merged into"
    ))
    .help("name the range yourself: guard lint --range BEFORE..HEAD")
}

#[cfg(test)]
mod tests;
