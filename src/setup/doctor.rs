//! `guard doctor`: checks that the set-up works, and says how to repair it.

use super::calling_file::FILES;
use super::git_hooks::{self, OWN_HOOKS, Placed, Survey, TRAILERS};
use super::hook::HookState;
use super::{Check, Plan, Status, trial};
use crate::judge;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::scope::settings::FILE;
use write_guard_repo::disk;
use write_guard_repo::{Repository, show_file};

/// Runs all checks; `repo` is the repository, or why guard cannot open it. Writes only to a temporary directory, which
/// it removes.
pub fn examine(repo: Result<Repository>) -> Vec<Check> {
    let repo = match repo {
        Ok(repo) => repo,
        Err(error) => return vec![Check::of_error("repository", error)],
    };
    let mut checks = vec![Check::new("repository", Status::Ok, "readable")];
    checks.push(settings(&repo).unwrap_or_else(|error| Check::of_error("settings", error)));
    let root = repo.workdir().map(disk::absolute).unwrap_or_default();
    match git_hooks::survey(&repo) {
        Err(error) => checks.push(Check::of_error("hooks", error)),
        Ok(survey) => {
            checks.push(directory(&survey));
            let wanted = survey.hooks.iter().filter(|placed| placed.is_wanted());
            checks.extend(wanted.map(|placed| hook(placed, &survey)));
            checks.extend(trial::check(&survey, &root));
        }
    }
    checks.extend(
        FILES
            .iter()
            .filter_map(|file| file.check(&root, repo.prefix().is_none())),
    );
    checks
}

fn settings(repo: &Repository) -> Result<Check> {
    if let Some(settings) = judge::settings_of(repo, repo.head_commit()?)? {
        let message = format!("{FILE} in HEAD is in force");
        return settings.map(|_| Check::new("settings", Status::Ok, message));
    }
    let help = if repo.workdir()?.join(FILE).exists() {
        format!("commit it: git add {FILE} && git commit -m \"Set guard up\" -- {FILE}")
    } else {
        "write one: guard init".to_owned()
    };
    Err(Error::new(format!("HEAD has no {FILE}")).help(help))
}

fn directory(survey: &Survey) -> Check {
    let place = show_file(&survey.directory);
    if survey.inside {
        let message = format!("git looks for hooks in {place}");
        return Check::new("hooks-path", Status::Ok, message);
    }
    let message = format!("core.hooksPath points outside the repository: {place}");
    Check::new("hooks-path", Status::Warn, message).help(OWN_HOOKS)
}

fn hook(placed: &Placed, survey: &Survey) -> Check {
    // Who lets a tool run the hooks chose them there; only the first judges ordinary commits.
    let is_absent = placed.state == HookState::Missing || placed.managed.is_some();
    let first = &survey.hooks[0];
    if let Some(by) = &first.managed
        && is_absent
        && !placed.calls_guard()
        && first.calls_guard()
    {
        if placed.hook.name == TRAILERS {
            let message = "not installed, so CI sees neither approvals nor `guard use`, and a merge \
                           queue that squashes sees no design";
            let mut check = Check::new(TRAILERS, Status::Warn, message);
            let fix = survey.trailer_fix().unwrap_or_default();
            check.help.extend(fix.into_iter().map(Into::into));
            return check;
        }
        let tool = by.tool.name();
        let gap = placed.hook.gap;
        let message = format!("optional with {tool}; without it, {gap}");
        return Check::new(placed.part.name, Status::Ok, message);
    }
    let mut check = Check::new(placed.part.name, placed.status, &*placed.part.message);
    match &placed.part.install {
        Plan::ByHand(steps) => check.help.extend(steps.iter().cloned().map(Into::into)),
        Plan::Write(..) => {
            let command = survey.install_command(placed.hook.name);
            check.help.push(command.into());
        }
        Plan::Keep | Plan::Remove => {}
    }
    check
}
