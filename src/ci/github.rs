//! GitHub Actions: the event payload has more reliable data than the variables.

use serde_json::Value;

use super::plan::{CiPlan, NAME_RANGE, Point, Variables, commit, get, short, unknown_before};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;

const DEEPEN: &str = "set `fetch-depth: 0` for actions/checkout";

pub(super) fn plan(variables: &Variables, event: &Value) -> Result<CiPlan> {
    let name = get(variables, "GITHUB_EVENT_NAME").unwrap_or("(no event)");
    let plan = match name {
        // The queue's branch is named after pull requests, not issues, so only trailers select a design.
        "merge_group" => CiPlan {
            known: vec![Point::Commit(required_id(event, "/merge_group/base_sha")?)],
            head: Some(required_id(event, "/merge_group/head_sha")?),
            ..CiPlan::default()
        },
        "push" => push(event)?,
        _ if event.get("pull_request").is_some() => pull_request(variables, name, event)?,
        _ => {
            let message = format!(
                "the GitHub event {} names no commits to check",
                escaped(name)
            );
            return Err(Error::new(message).help(
                "run on pull_request, merge_group or push, or name the commits: \
                 guard lint --range A..B",
            ));
        }
    };
    Ok(CiPlan {
        what: format!("GitHub {}", escaped(name)),
        deepen: DEEPEN,
        ..plan
    })
}

/// The base tip in the payload may be older than the branch, so the clone's version counts too.
fn pull_request(variables: &Variables, name: &str, event: &Value) -> Result<CiPlan> {
    let head = required_id(event, "/pull_request/head/sha")?;
    let mut known = vec![Point::Commit(required_id(event, "/pull_request/base/sha")?)];
    known.extend(text(event, "/pull_request/base/ref").map(|branch| Point::Branch(short(branch))));
    // For pull_request_target, GITHUB_SHA is the base; guard judges the head, not the checkout.
    let merge = get(variables, "GITHUB_SHA").filter(|_| name != "pull_request_target");
    Ok(CiPlan {
        merge: merge.map(str::to_owned),
        known,
        head: Some(head),
        branch: text(event, "/pull_request/head/ref").map(short),
        ..CiPlan::default()
    })
}

/// The default branch is checked from its previous state, any other from where it left the default branch.
fn push(event: &Value) -> Result<CiPlan> {
    let reference = required(event, "/ref")?;
    let head = required_id(event, "/after")?;
    let default = required(event, "/repository/default_branch")?;
    let branch = reference.strip_prefix("refs/heads/");
    let nothing_new = match event.get("commits").and_then(Value::as_array) {
        _ if reference.starts_with("refs/tags/") => Some("a tag was pushed"),
        Some(commits) if commits.iter().all(|commit| commit["distinct"] == false) => {
            Some("the push contains no new commits")
        }
        _ => None,
    };
    let known = if branch == Some(default) {
        let before = commit(required(event, "/before")?)?;
        Point::Before(before.ok_or_else(|| unknown_before("the first push of a branch"))?)
    } else {
        Point::Branch(default.to_owned())
    };
    Ok(CiPlan {
        known: vec![known],
        nothing_new,
        head: Some(head),
        branch: branch.map(str::to_owned),
        ..CiPlan::default()
    })
}

fn text<'a>(event: &'a Value, pointer: &str) -> Option<&'a str> {
    let text = event.pointer(pointer)?.as_str()?;
    (!text.is_empty()).then_some(text)
}

fn required<'a>(event: &'a Value, pointer: &str) -> Result<&'a str> {
    text(event, pointer).ok_or_else(|| {
        let name = pointer.trim_start_matches('/').replace('/', ".");
        Error::new(format!("the GitHub event has no {name}")).help(NAME_RANGE)
    })
}

fn required_id(event: &Value, pointer: &str) -> Result<String> {
    commit(required(event, pointer)?)?
        .ok_or_else(|| Error::new("the GitHub event lacks a commit id").help(NAME_RANGE))
}
