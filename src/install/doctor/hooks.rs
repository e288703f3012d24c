//! Checks that git calls guard.

use std::fs;

use gix::bstr::ByteSlice;

use super::check::{Check, Status};
use crate::git::{Repository, show_file};
use crate::install::git_hooks::{Placed, Survey};
use crate::install::hook::{HOOKS, HookState};
use crate::path::escaped;

const PRE_COMMIT_CONFIG: &str = ".pre-commit-config.yaml";

pub(super) fn check(repo: &Repository, survey: &Survey) -> Vec<Check> {
    let mut checks = vec![directory(survey)];
    let wanted = survey.hooks.iter().filter(|placed| placed.is_wanted());
    checks.extend(wanted.map(hook));
    checks.push(switched_off(repo));
    checks.extend(pre_commit(repo, survey));
    checks
}

fn directory(survey: &Survey) -> Check {
    let place = show_file(&survey.directory);
    let name = "hooks-path";
    if survey.inside {
        let by = match survey.configured {
            true => " (core.hooksPath)",
            false => "",
        };
        return Check::ok(name, format!("git looks for hooks in {place}{by}"));
    }
    let message = format!("core.hooksPath points outside the repository: {place}");
    Check::warn(name, message)
        .help("give this repository its own hooks: git config --local core.hooksPath .git/hooks")
}

fn hook(placed: &Placed) -> Check {
    let name = placed.hook.name;
    let check = |status, message: &str| Check::new(name, status, message);
    // Without pre-commit, guard judges no ordinary commit. The other hooks close gaps.
    let absent = match name {
        "pre-commit" => Status::Fail,
        _ => Status::Warn,
    };
    let install = "guard install git";
    let file = placed.as_word();
    match &placed.state {
        HookState::Ours if !placed.executable => {
            check(Status::Fail, "is not executable, so git ignores it").help(install)
        }
        HookState::Chained
        | HookState::CallsGuard
        | HookState::ManagedCallsGuard(_)
        | HookState::Shell
            if !placed.executable =>
        {
            check(Status::Fail, "is not executable, so git ignores it")
                .help(placed.state.switch_on(&file))
        }
        HookState::Ours => check(Status::Ok, "is guard's own script"),
        HookState::Chained => check(Status::Ok, "calls guard first"),
        HookState::CallsGuard => check(Status::Ok, "calls guard"),
        HookState::ManagedCallsGuard(managed) => {
            let (tool, settings) = (managed.tool.name(), managed.settings_name());
            let message = format!("calls guard through {tool} ({settings})");
            check(Status::Ok, &message)
        }
        HookState::Missing => check(absent, missing(name)).help(install),
        HookState::OursChanged | HookState::ChainedChanged => check(
            Status::Fail,
            "guard's part was edited, or another version of guard wrote it",
        )
        .help(placed.state.take_guard_out(&file))
        .help("then: guard install git"),
        HookState::Shell => check(absent, "does not call guard").help(install),
        HookState::Managed(managed) => {
            let tool = managed.tool.name();
            let message = format!("belongs to {tool}, which does not call guard");
            let advice = managed.advice(name).into_iter();
            advice.fold(check(absent, &message), Check::help)
        }
        HookState::Foreign(why) => check(absent, &format!("does not call guard: {why}")).help(
            format!("make it run `guard hook {name}` with its arguments, and fail if guard fails"),
        ),
    }
}

fn missing(hook: &str) -> &'static str {
    match hook {
        "pre-commit" => "is missing, so guard does not judge commits",
        "pre-merge-commit" => "is missing, so guard judges a merge late or not at all",
        "prepare-commit-msg" => {
            "is missing, so guard does not judge commits by --no-verify, cherry-pick, revert and rebase"
        }
        "post-commit" => "is missing, so used approvals stay until they expire",
        "pre-push" => "is missing, so guard judges a push only on the server, if at all",
        _ => "is missing, so messages written in an editor do not name the design",
    }
}

/// git's configuration can disable a hook.
fn switched_off(repo: &Repository) -> Check {
    let off: Vec<String> = repo
        .disabled_hooks()
        .into_iter()
        .filter(|switch| {
            HOOKS.iter().any(|hook| switch.name == hook.name)
                || switch.name.contains_str("guard")
                || switch
                    .command
                    .iter()
                    .any(|command| command.contains_str("guard"))
        })
        .map(|switch| escaped(&switch.name).to_string())
        .collect();
    let name = "config-hooks";
    if off.is_empty() {
        let message = "git's configuration disables no hook that calls guard";
        return Check::ok(name, message);
    }
    let message = format!("git's configuration disables: {}", off.join(", "));
    let check = Check::fail(name, message);
    off.iter().fold(check, |check, name| {
        check.help(format!("git config --unset-all hook.{name}.enabled"))
    })
}

fn pre_commit(repo: &Repository, survey: &Survey) -> Option<Check> {
    let content = fs::read(repo.workdir().ok()?.join(PRE_COMMIT_CONFIG)).ok()?;
    let check = |status, message: &str| Some(Check::new("pre-commit-config", status, message));
    let names_guard = content
        .lines()
        .filter(|line| !line.trim_start().starts_with(b"#"))
        .any(|line| line.contains_str("guard"));
    let own = survey
        .hooks
        .first()
        .is_some_and(|placed| matches!(placed.state, HookState::Ours | HookState::Chained));
    match (names_guard, own) {
        (true, _) => check(Status::Ok, "names guard"),
        (false, true) => check(Status::Ok, "does not name guard, but git calls it directly"),
        (false, false) => check(Status::Warn, "does not name guard")
            .map(|check| check.help(format!("add the hook `guard` to {PRE_COMMIT_CONFIG}"))),
    }
}
