//! GitLab CI: merge requests, merged results, branches and tags.

use super::plan::{CiPlan, Point, Variables, commit, get, required, unknown_before};
use crate::error::Result;

const DEEPEN: &str = "set the variable GIT_DEPTH to 0 for the job";

pub(super) fn plan(variables: &Variables) -> Result<CiPlan> {
    let head = commit(required(variables, "CI_COMMIT_SHA")?)?;
    let plan = if get(variables, "CI_MERGE_REQUEST_IID").is_some() {
        // Set if the build is a merge with the target; otherwise GitLab's merge base counts.
        let id = |name: &str| Ok(get(variables, name).map(commit).transpose()?.flatten());
        let merged = id("CI_MERGE_REQUEST_TARGET_BRANCH_SHA")?;
        let before = match merged {
            None => id("CI_MERGE_REQUEST_DIFF_BASE_SHA")?,
            merged => merged,
        };
        let target = required(variables, "CI_MERGE_REQUEST_TARGET_BRANCH_NAME")?;
        let known = before.map_or_else(|| Point::Branch(target.to_owned()), Point::Commit);
        CiPlan {
            what: "GitLab merge request".to_owned(),
            known: vec![known],
            // More reliable after the target of the merge request has changed.
            known_if_here: Some(target.to_owned()),
            branch: get(variables, "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME").map(str::to_owned),
            ..CiPlan::default()
        }
    } else {
        let branch = get(variables, "CI_COMMIT_BRANCH").map(str::to_owned);
        let default = required(variables, "CI_DEFAULT_BRANCH")?;
        let known = if branch.as_deref() == Some(default) {
            let before = commit(required(variables, "CI_COMMIT_BEFORE_SHA")?)?;
            Point::Before(before.ok_or_else(|| unknown_before("GitLab branch"))?)
        } else {
            Point::Branch(default.to_owned())
        };
        let is_first = get(variables, "CI_COMMIT_BEFORE_SHA")
            .is_some_and(|before| matches!(commit(before), Ok(None)));
        let nothing_new = match branch {
            None if get(variables, "CI_COMMIT_TAG").is_some() => Some("a tag is built"),
            Some(_) if is_first => Some("the pipeline is the first of its branch"),
            _ => None,
        };
        CiPlan {
            what: "GitLab branch".to_owned(),
            known: vec![known],
            nothing_new,
            branch,
            ..CiPlan::default()
        }
    };
    Ok(CiPlan {
        head,
        deepen: DEEPEN,
        ..plan
    })
}
