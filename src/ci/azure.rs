//! Azure Pipelines: branches, and pull requests, which are built on a merge commit.

use super::plan::{CiPlan, Merge, Point};
use super::variables::{Variables, commit, get, required, short};
use crate::error::Result;

const DEEPEN: &str = "set `fetchDepth: 0` for the checkout step";

pub(super) fn plan(variables: &Variables) -> Result<CiPlan> {
    let built = required(variables, "BUILD_SOURCEVERSION")?;
    if get(variables, "BUILD_REASON") != Some("PullRequest") {
        let branch = get(variables, "BUILD_SOURCEBRANCH");
        return Ok(CiPlan {
            what: "Azure branch".to_owned(),
            known: vec![Point::Default],
            may_be_target: true,
            head: commit(built)?,
            branch: branch
                .filter(|name| name.starts_with("refs/heads/"))
                .map(short),
            deepen: DEEPEN,
            ..CiPlan::default()
        });
    }
    let work = commit(required(variables, "SYSTEM_PULLREQUEST_SOURCECOMMITID")?)?;
    let target = short(required(variables, "SYSTEM_PULLREQUEST_TARGETBRANCH")?);
    Ok(CiPlan {
        what: "Azure pull request".to_owned(),
        merge: work.clone().map(|work| Merge {
            commit: built.to_owned(),
            work,
        }),
        known: vec![Point::Branch(target)],
        head: work,
        branch: get(variables, "SYSTEM_PULLREQUEST_SOURCEBRANCH").map(short),
        deepen: DEEPEN,
        ..CiPlan::default()
    })
}
