//! Turns what a CI system says into a range of this clone, or into the command that completes the clone.

use gix::ObjectId;

use super::range::base_setting;
use crate::ci::{self, CiPlan, Merge, Point};
use crate::error::{Error, Result};
use crate::git::{PushSide, Range, Repository, TargetBranch};
use crate::path::escaped;

/// The range that a CI system wants judged; its notes say why.
///
/// # Errors
/// A commit is missing, or the clone is too shallow to determine the merge base.
pub fn ci_range(repo: &Repository, plan: &CiPlan) -> Result<Range> {
    if let Some(why) = &plan.nothing {
        return Ok(Range::nothing(format!("{}: {why}", plan.what)));
    }
    let found = match of_merge(repo, plan)? {
        Some(range) => Ok(range),
        None => from_known(repo, plan),
    };
    let mut range = found.map_err(|error| Error {
        message: format!("{}: {}", plan.what, error.message),
        ..error
    })?;
    let short =
        |id: Option<ObjectId>| id.map_or_else(String::new, |id| id.to_hex_with_len(12).to_string());
    let why = format!(
        "{}: checking {}..{}",
        plan.what,
        short(range.base),
        short(range.head)
    );
    range.notes.insert(0, why);
    range.branch = plan.branch.as_deref().map(Into::into);
    Ok(range)
}

/// A merge commit that the system made is compared with its first parent, the target. That is exact in a clone of
/// depth two.
fn of_merge(repo: &Repository, plan: &CiPlan) -> Result<Option<Range>> {
    let Some(Merge { commit, work }) = &plan.merge else {
        return Ok(None);
    };
    let Some(head) = repo.head_commit()?.filter(|&head| is(head, commit)) else {
        return Ok(None);
    };
    let [target, merged] = repo.commit(head)?.parents[..] else {
        return Ok(None);
    };
    if !is(merged, work) || !repo.has(target) {
        return Ok(None);
    }
    repo.range_since(Some(target), head).map(Some)
}

fn is(id: ObjectId, hex: &str) -> bool {
    ObjectId::from_hex(hex.as_bytes()).is_ok_and(|other| other == id)
}

fn from_known(repo: &Repository, plan: &CiPlan) -> Result<Range> {
    let commit = |id: &str| {
        let known = ObjectId::from_hex(id.as_bytes()).ok();
        known.filter(|&id| repo.has(id))
    };
    let branch = |name: &str| repo.commit_of_ref(&remote_branch(name));
    let default = match plan.known.contains(&Point::Default) {
        true => default_branch(repo)?,
        false => None,
    };
    // What must be here, what a fetch must bring for it, and the commit.
    let mut points = Vec::new();
    let mut target = None;
    for point in &plan.known {
        let name = match point {
            Point::Commit(id) | Point::Before(id) => {
                points.push((id.clone(), id.clone(), commit(id)));
                continue;
            }
            Point::Branch(name) => Some(name),
            Point::Default => default.as_ref(),
        };
        if let Some(name) = name {
            let mapping = format!("+refs/heads/{name}:{}", remote_branch(name));
            points.push((format!("the branch {name}"), mapping, branch(name)?));
            target = Some(name.as_str());
        }
    }
    let mut wanted: Vec<&str> = points.iter().map(|(_, fetch, _)| fetch.as_str()).collect();
    wanted.extend(plan.head_ref.as_deref().or(plan.head.as_deref()));
    let incomplete = |error: Error| error.help(format!("or {}", plan.deepen));
    let missing = |what: &str| {
        let error = Error::new(format!("{} is not in this clone", escaped(what)));
        incomplete(error.help(repo.fetch_command(&wanted)))
    };
    let head = match &plan.head {
        Some(id) => commit(id).ok_or_else(|| missing(id))?,
        None => repo
            .head_commit()?
            .ok_or_else(|| Error::new("HEAD has no commit"))?,
    };
    let mut known = Vec::new();
    for (what, _, found) in &points {
        known.push(found.ok_or_else(|| missing(what))?);
    }
    if plan.known.contains(&Point::Default) && default.is_none() {
        return Err(no_default(plan));
    }
    let before = plan.known.iter().find_map(|point| match point {
        Point::Before(id) => commit(id),
        _ => None,
    });
    if let Some(name) = &plan.known_if_here {
        known.extend(branch(name)?);
    }
    known.dedup();
    if plan.may_be_target && plan.branch.is_some() && plan.branch.as_deref() == target {
        return Err(ci::unknown_before("a build of the target branch"));
    }
    let range = repo.range_from(&known, head, &wanted).map_err(incomplete)?;
    let mut range = range.judged_from(before);
    if range.base == range.head {
        if plan.may_be_target && plan.branch.is_none() {
            return Err(ci::unknown_before("a build without new commits"));
        }
        let why = plan.nothing_new.ok_or_else(|| empty(head, target))?;
        range.notes.push(format!("nothing to check: {why}"));
    }
    Ok(range)
}

/// The error for a build that should bring new commits but has none.
fn empty(head: ObjectId, target: Option<&str>) -> Error {
    let head = head.to_hex_with_len(12);
    let branch = target.map(|name| format!("origin/{}", escaped(name)));
    let known = branch
        .as_deref()
        .unwrap_or("the previous commit of the event");
    let end = branch.as_deref().unwrap_or("origin/HEAD");
    Error::new(format!(
        "there are no commits to check: commit {head} is already part of {known}"
    ))
    .help("if the branch is already merged or has no commits yet, there is nothing to check: skip the job")
    .help(format!(
        "otherwise the job fetched the wrong target: check `git log {head}..{end}`"
    ))
    .help("or name the commits yourself: guard lint --range A..B")
}

fn remote_branch(name: &str) -> String {
    format!("refs/remotes/origin/{name}")
}

/// The target branch, from the settings at the tip of the remote's default branch. HEAD's settings do not count: the
/// work must not choose what it is compared with.
fn default_branch(repo: &Repository) -> Result<Option<String>> {
    let Some(TargetBranch { name, tip }) = repo.target(None, PushSide::Local("origin"))? else {
        return Ok(None);
    };
    let base = base_setting(repo, tip)?;
    Ok(Some(base.unwrap_or_else(|| name.to_string())))
}

fn no_default(plan: &CiPlan) -> Error {
    Error::new("the target branch is unknown")
        .help("fetch the default branch and name it: git remote set-head origin main")
        .help(format!("or {}", plan.deepen))
}
