//! Bitbucket Pipelines: pull requests and branches.

use super::plan::{Plan, Point};
use super::variables::{Variables, commit, get, owned, required};
use crate::error::Result;

const DEEPEN: &str = "set `clone: depth: full` for the step";

pub(super) fn plan(variables: &Variables) -> Result<Plan> {
    let head = commit(required(variables, "BITBUCKET_COMMIT")?)?;
    let branch = owned(variables, "BITBUCKET_BRANCH");
    if get(variables, "BITBUCKET_PR_ID").is_none() {
        return Ok(Plan {
            what: "Bitbucket branch".to_owned(),
            known: vec![Point::Default],
            may_be_target: true,
            head,
            branch,
            deepen: DEEPEN,
            ..Plan::default()
        });
    }
    let target = required(variables, "BITBUCKET_PR_DESTINATION_BRANCH")?;
    Ok(Plan {
        what: "Bitbucket pull request".to_owned(),
        known: vec![Point::Branch(target.to_owned())],
        head,
        branch,
        deepen: DEEPEN,
        ..Plan::default()
    })
}
