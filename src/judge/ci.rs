//! Turns what a CI system says into a range of this clone, or into the command that completes the clone.

use gix::ObjectId;

use super::range::base_setting;
use crate::ci::{self, CiPlan, Point};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::path::escaped;
use write_guard_repo::{PushSide, Range, Repository, TargetBranch};

/// The range that a CI system wants judged; its notes say why.
///
/// # Errors
/// A commit is missing, or the clone is too shallow to determine the merge base.
pub fn ci_range(repo: &Repository, plan: &CiPlan) -> Result<Range> {
    let found = match of_merge(repo, plan)? {
        Some(range) => Ok(range),
        None => from_known(repo, plan),
    };
    let mut range = found.map_err(|error| Error {
        message: format!("{}: {}", plan.what, error.message),
        ..error
    })?;
    let [base, head] = [range.base, range.head]
        .map(|id| id.map_or_else(String::new, |id| id.to_hex_with_len(12).to_string()));
    // Whether the target has settings matters even where another commit is the start of the range.
    let target = match &plan.target {
        Some(Point::Branch(name)) => tip_of_target(repo, name)?,
        Some(Point::Commit(hex)) => id(Some(hex)),
        _ => None,
    };
    range.known.extend(target);
    let why = format!("{}: checking {base}..{head}", plan.what);
    range.notes.insert(0, why);
    range.branch = plan.branch.as_deref().map(Into::into);
    Ok(range)
}

/// A merge commit that the system made is compared with its first parent, the target. That is exact in a clone of
/// depth two.
fn of_merge(repo: &Repository, plan: &CiPlan) -> Result<Option<Range>> {
    let Some(merge) = id(plan.merge.as_ref()) else {
        return Ok(None);
    };
    let Some(head) = repo.head_commit()? else {
        return Ok(None);
    };
    match repo.commit(head)?.parents[..] {
        [target, work]
            if head == merge && id(plan.head.as_ref()) == Some(work) && repo.has(target) =>
        {
            repo.range_since(Some(target), head).map(Some)
        }
        _ => Ok(None),
    }
}

fn id(hex: Option<&String>) -> Option<ObjectId> {
    ObjectId::from_hex(hex?.as_bytes()).ok()
}

/// The commit with this id, if the clone has it.
fn commit_here(repo: &Repository, hex: &String) -> Option<ObjectId> {
    id(Some(hex)).filter(|&id| repo.has(id))
}

fn from_known(repo: &Repository, plan: &CiPlan) -> Result<Range> {
    let incomplete = |error: Error| error.help(format!("or {}", plan.deepen));
    // What must be here, what a fetch must bring for it, and the commit.
    let mut points = Vec::new();
    let mut target = None;
    for point in &plan.known {
        let name = match point {
            Point::Commit(id) | Point::Before(id) => {
                points.push((id.clone(), id.clone(), commit_here(repo, id)));
                continue;
            }
            Point::Branch(name) => name.clone(),
            Point::Default => match default_branch(repo)? {
                Some(name) if Some(&name) == plan.branch.as_ref() => {
                    return Err(ci::unknown_before("a build of the target branch"));
                }
                name => name.ok_or_else(|| {
                    incomplete(Error::new("the target branch is unknown").help(Help::run(
                        "fetch the default branch and name it",
                        "git remote set-head origin main",
                    )))
                })?,
            },
        };
        let tracking = format!("refs/remotes/origin/{name}");
        let mapping = format!("+refs/heads/{name}:{tracking}");
        let tip = tip_of_target(repo, &name)?;
        points.push((format!("the branch {name}"), mapping, tip));
        target = Some(name);
    }
    let mut wanted: Vec<&str> = points.iter().map(|(_, fetch, _)| fetch.as_str()).collect();
    wanted.extend(plan.head.as_deref());
    let is_forced = matches!(plan.known[..], [Point::Before(_)]);
    let missing = |what: &str| {
        let error = Error::new(format!("{} is not in this clone", escaped(what)));
        let error = error.help(repo.fetch_command(&wanted));
        // No depth brings what a forced push has removed.
        if is_forced { error } else { incomplete(error) }
    };
    let head = match &plan.head {
        Some(id) => commit_here(repo, id).ok_or_else(|| missing(id))?,
        None => repo
            .head_commit()?
            .ok_or_else(|| Error::new("HEAD has no commit"))?,
    };
    let mut known = Vec::new();
    for (what, _, found) in &points {
        known.push(found.ok_or_else(|| missing(what))?);
    }
    let before = match plan.known[..] {
        [Point::Before(_)] => known.first().copied(),
        _ => None,
    };
    known.dedup();
    let range = repo.range_from(&known, head, &wanted).map_err(incomplete)?;
    let mut range = range.judged_from(before);
    if range.base == range.head {
        let why = plan.nothing_new.ok_or_else(|| empty(head, target))?;
        range.notes.push(format!("nothing to check: {why}"));
    }
    Ok(range)
}

/// The commit of a branch of the remote; a repository that has no remote has its branches itself.
fn tip_of_target(repo: &Repository, name: &str) -> Result<Option<ObjectId>> {
    let place = match repo.config("remote.origin.url") {
        Some(_) => "refs/remotes/origin",
        None => "refs/heads",
    };
    repo.commit_of_ref(&format!("{place}/{name}"))
}

/// The error for a build that should bring new commits but has none.
fn empty(head: ObjectId, target: Option<String>) -> Error {
    let head = head.to_hex_with_len(12);
    let known = target.map(|name| format!("origin/{}", escaped(&name)));
    let known = known.unwrap_or_else(|| "the previous commit of the event".to_owned());
    Error::new(format!(
        "there are no commits to check: commit {head} is already part of {known}"
    ))
    .help("if the branch is already merged or has no commits yet, skip the job")
    .help(
        "otherwise the job fetched the wrong target; name the commits yourself: guard lint \
         --range A..B",
    )
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
