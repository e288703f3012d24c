//! Determines the range that a CI system wants judged, from its variables and event alone. GitHub has a file of its own, GitLab
//! a function, and the others are rows of a table.
//!
//! Nothing is guessed. A plan names commits and branches; git decides whether they exist and where they meet.

mod github;
mod hosts;
mod plan;

use serde_json::Value;

pub use plan::{CiPlan, Point, Variables, unknown_before};
use plan::{get, is_on, required};
use write_guard_policy::error::{Error, Result};

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
        None => {
            let names = [&["GitHub", "GitLab"], &*hosts::names()].concat();
            let (last, others) = names.split_last().unwrap_or((&"", &[]));
            let supported = format!("{} and {last}", others.join(", "));
            Err(
                Error::new("guard does not recognise the CI system").help(format!(
                    "--ci supports {supported}; elsewhere name the commits: --range A..B"
                )),
            )
        }
    }
}

/// Whether these variables belong to a job of a CI system, also of one that guard does not know.
pub fn is_job(variables: &Variables) -> bool {
    let any = get(variables, "CI").map(str::to_ascii_lowercase);
    any.is_some_and(|value| !matches!(value.as_str(), "false" | "0" | "no"))
        || is_on(variables, "GITHUB_ACTIONS")
        || is_on(variables, "GITLAB_CI")
        || hosts::of(variables).is_some()
}

#[cfg(test)]
mod tests;
