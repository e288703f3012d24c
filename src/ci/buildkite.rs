//! Buildkite: pull requests and branches.

use super::plan::{CiPlan, Point};
use super::variables::{Variables, commit, get, owned, required};
use crate::error::Result;

const DEEPEN: &str = "remove `--depth` from the agent's git clone and fetch flags";

pub(super) fn plan(variables: &Variables) -> Result<CiPlan> {
    // A build started manually may say HEAD.
    let head = match required(variables, "BUILDKITE_COMMIT")? {
        "HEAD" => None,
        id => commit(id)?,
    };
    let is_pull_request =
        get(variables, "BUILDKITE_PULL_REQUEST").is_some_and(|pull| pull != "false");
    let (what, target) = if is_pull_request {
        let target = required(variables, "BUILDKITE_PULL_REQUEST_BASE_BRANCH")?;
        ("Buildkite pull request", Point::Branch(target.to_owned()))
    } else {
        let target = owned(variables, "BUILDKITE_PIPELINE_DEFAULT_BRANCH");
        (
            "Buildkite branch",
            target.map_or(Point::Default, Point::Branch),
        )
    };
    Ok(CiPlan {
        what: what.to_owned(),
        known: vec![target],
        may_be_target: !is_pull_request,
        head,
        branch: owned(variables, "BUILDKITE_BRANCH"),
        deepen: DEEPEN,
        ..CiPlan::default()
    })
}
