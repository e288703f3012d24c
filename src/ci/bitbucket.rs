//! Bitbucket Pipelines: pull requests and branches.

use super::plan::{CiPlan, Point};
use super::variables::{Variables, commit, get, owned, required};
use crate::error::Result;

const DEEPEN: &str = "set `clone: depth: full` for the step";

pub(super) fn plan(variables: &Variables) -> Result<CiPlan> {
    let head = commit(required(variables, "BITBUCKET_COMMIT")?)?;
    let branch = owned(variables, "BITBUCKET_BRANCH");
    if get(variables, "BITBUCKET_PR_ID").is_none() {
        return Ok(CiPlan {
            what: "Bitbucket branch".to_owned(),
            known: vec![Point::Default],
            may_be_target: true,
            head,
            branch,
            deepen: DEEPEN,
            ..CiPlan::default()
        });
    }
    let target = required(variables, "BITBUCKET_PR_DESTINATION_BRANCH")?;
    Ok(CiPlan {
        what: "Bitbucket pull request".to_owned(),
        known: vec![Point::Branch(target.to_owned())],
        head,
        branch,
        deepen: DEEPEN,
        ..CiPlan::default()
    })
}
