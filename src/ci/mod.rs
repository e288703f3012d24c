//! Determines the range that a CI system wants judged, from its variables and event alone. One file per system.
//!
//! Nothing is guessed. A plan names commits and branches; git decides whether they exist and where they meet.

mod azure;
mod bitbucket;
mod buildkite;
mod github;
mod gitlab;
mod jenkins;
mod plan;
mod variables;

use serde_json::Value;

use crate::error::{Error, Result};

pub use plan::{CiPlan, Merge, Point};
pub use variables::{Variables, unknown_before};
use variables::{get, required};

/// Reads the plan from the environment of a job; `event` reads a JSON file.
///
/// # Errors
/// The CI system is unknown or does not name a range.
pub fn plan(variables: &Variables, event: impl Fn(&str) -> Result<Value>) -> Result<CiPlan> {
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
        None => Err(Error::new("guard does not recognise the CI system").help(
            "--ci supports GitHub, GitLab, Bitbucket, Azure, Buildkite and Jenkins; elsewhere name the range: --range A..B",
        )),
    }
}

/// Whether these variables belong to a job of a supported CI system.
pub fn is_job(variables: &Variables) -> bool {
    System::of(variables).is_some()
}

/// A supported CI system.
enum System {
    GitHub,
    GitLab,
    Bitbucket,
    Azure,
    Buildkite,
    Jenkins,
}

impl System {
    /// The system, by variables that it sets in every job.
    fn of(variables: &Variables) -> Option<System> {
        let on = |name: &str| {
            get(variables, name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
        };
        let set = |name: &str| get(variables, name).is_some();
        let signs = [
            (on("GITHUB_ACTIONS"), System::GitHub),
            (on("GITLAB_CI"), System::GitLab),
            (set("BITBUCKET_COMMIT"), System::Bitbucket),
            (on("TF_BUILD"), System::Azure),
            (on("BUILDKITE"), System::Buildkite),
            (set("JENKINS_URL"), System::Jenkins),
        ];
        let found = signs.into_iter().find(|(is_set, _)| *is_set)?;
        Some(found.1)
    }
}

#[cfg(test)]
mod tests;
