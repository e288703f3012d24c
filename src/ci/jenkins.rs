//! Jenkins multibranch pipelines: change requests and branches. guard judges what is checked out: the change request
//! itself, or its merge with the target.

use super::plan::{CiPlan, Point};
use super::variables::{Variables, get, owned};

const DEEPEN: &str =
    "disable the shallow clone in the job's advanced clone behaviours and fetch the target branch";

pub(super) fn plan(variables: &Variables) -> CiPlan {
    let target = get(variables, "CHANGE_TARGET");
    let (what, branch) = match target {
        Some(_) => ("Jenkins change request", owned(variables, "CHANGE_BRANCH")),
        None => ("Jenkins branch", branch(variables)),
    };
    CiPlan {
        what: what.to_owned(),
        known: vec![target.map_or(Point::Default, |name| Point::Branch(name.to_owned()))],
        may_be_target: target.is_none(),
        branch,
        deepen: DEEPEN,
        ..CiPlan::default()
    }
}

/// Only multibranch jobs set the plain name.
fn branch(variables: &Variables) -> Option<String> {
    let name = get(variables, "BRANCH_NAME").or_else(|| get(variables, "GIT_BRANCH"))?;
    Some(name.strip_prefix("origin/").unwrap_or(name).to_owned())
}
