//! `guard doctor`: checks that the set-up works, and says how to repair it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use gix::bstr::{BStr, ByteSlice};

use super::FileOnDisk;
use super::agent_hooks::AGENTS;
use super::git_hooks::{self, OWN_HOOKS, Placed, Survey};
use super::hook::HookState;
use super::snippet::SNIPPETS;
use super::{Check, Plan, Status, trial};
use crate::error::{Error, Result};
use crate::git::{Repository, show_file};
use crate::judge::{self, Options};
use crate::path::escaped;
use crate::scope::settings::{FILE, Settings};
use crate::ssh_keygen::SshKeygen;

/// Runs all checks; `repo` is the repository, or why guard cannot open it. Writes only to a temporary directory, which
/// it removes.
pub fn examine(repo: Result<Repository>) -> Vec<Check> {
    let repo = match repo {
        Ok(repo) => repo,
        Err(error) => return vec![Check::of_error("repository", Status::Fail, error)],
    };
    let mut checks = vec![Check::new("repository", Status::Ok, "readable")];
    match settings(&repo) {
        Ok(settings) => {
            let message = format!("{FILE} in HEAD is in force");
            checks.push(Check::new("settings", Status::Ok, message));
            checks.push(design(&repo));
            let signers = signers(&repo, &settings);
            checks.push(
                signers.unwrap_or_else(|error| Check::of_error("signers", Status::Warn, error)),
            );
        }
        Err(error) => checks.push(Check::of_error("settings", Status::Fail, error)),
    }
    match git_hooks::survey(&repo) {
        Err(error) => checks.push(Check::of_error("hooks", Status::Fail, error)),
        Ok(survey) => {
            checks.push(directory(&survey));
            let wanted = survey.hooks.iter().filter(|placed| placed.is_wanted());
            checks.extend(wanted.clone().map(|placed| hook(placed, &survey)));
            let root = repo.workdir().ok();
            let root = root.and_then(|root| root.canonicalize().ok());
            let root = root.unwrap_or_default();
            let calls = wanted.filter_map(|placed| placed.call.as_ref());
            let programs: BTreeSet<&str> = calls.map(|(_, program)| program.as_str()).collect();
            checks.extend(programs.into_iter().map(|name| program(name, &root)));
            checks.extend(trial::check(&survey, &root));
        }
    }
    checks.extend(AGENTS.iter().filter_map(|hooks| hooks.check(&repo)));
    if let Ok(root) = repo.workdir() {
        checks.extend(SNIPPETS.iter().filter_map(|one| one.check(root)));
    }
    checks
}

fn settings(repo: &Repository) -> Result<Settings> {
    if let Some(settings) = judge::settings_of(repo, repo.head_commit()?)? {
        return settings;
    }
    let help = match repo.workdir()?.join(FILE).exists() {
        true => format!("commit it: git add {FILE} && git commit -m \"Set guard up\" -- {FILE}"),
        false => "write one: guard init".to_owned(),
    };
    Err(Error::new(format!("HEAD has no {FILE}")).help(help))
}

fn design(repo: &Repository) -> Check {
    let check = |status, message: &str| Check::new("design", status, message);
    match judge::load_for_request(repo, &Options::default(), true) {
        Ok(policy) if policy.designs.is_empty() => check(
            Status::Warn,
            "this branch has no design, and `missing = \"skip\"` leaves out the scope rules",
        )
        .help("write one (guard scope new), or choose one (guard use FILE)"),
        Ok(policy) => {
            let designs = policy.designs.iter().map(|governing| {
                let (by, count) = (&governing.chosen_by, governing.design.grants.len());
                let path = escaped(&governing.design.path);
                format!("{path} ({count} allowed, by {by})")
            });
            check(Status::Ok, &designs.collect::<Vec<_>>().join(", "))
        }
        // A branch without a design is not broken: guard refuses its commits until it has one.
        Err(error) if error.problems.is_empty() => Check::of_error("design", Status::Warn, error),
        Err(error) => {
            let faults = error.problems.clone();
            let check = Check::of_error("design", Status::Fail, error);
            check.helped(faults.into_iter().map(|finding| finding.message))
        }
    }
}

/// Checks the list of signers in HEAD.
fn signers(repo: &Repository, settings: &Settings) -> Result<Check> {
    let check = |status, message: String| Check::new("signers", status, message);
    let file = &settings.signers;
    let shown = escaped(file);
    let head = repo.tree_of(repo.head_commit()?)?;
    let Some(text) = head.read(BStr::new(file))? else {
        let message = format!("HEAD has no {shown}, so approvals count only in local hooks");
        return Ok(check(Status::Ok, message));
    };
    SshKeygen::find()?;
    let is_key = |line: &&[u8]| !line.trim().is_empty() && !line.starts_with(b"#");
    let keys = text.lines().filter(is_key).count();
    let message = format!("lines of {shown} that list signers: {keys}");
    Ok(check(Status::Ok, message))
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
    let check = |status, message: &str| Check::new(placed.part.name, status, message);
    // Who lets a tool run the hooks chose them there; only the first judges ordinary commits.
    let is_absent = matches!(placed.state, HookState::Missing | HookState::Managed(_));
    if let Some(tool) = survey.hooks[0].caller().filter(|_| is_absent) {
        let (tool, gap) = (tool.name(), placed.hook.gap);
        let message = format!("optional with {tool}; without it, {gap}");
        return check(Status::Ok, &message);
    }
    let check = check(placed.status, &placed.part.message);
    match &placed.part.install {
        Plan::ByHand(steps) => check.helped(steps.iter().cloned()),
        Plan::Write(..) => check.help("guard install git"),
        Plan::Keep | Plan::Remove => check,
    }
}

/// Checks which guard the hooks find under this name: on `PATH`, or below the root.
fn program(name: &str, root: &Path) -> Check {
    let check = |status, message: String| Check::new("program", status, message);
    let shown = escaped(name);
    let file = Path::new(name);
    let found = if name.contains('/') {
        runnable(&root.join(file))
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let file = file.with_extension(std::env::consts::EXE_EXTENSION);
        let mut places = std::env::split_paths(&path).map(|directory| directory.join(&file));
        places.find_map(|file| runnable(&file))
    };
    let Some(found) = found else {
        let (message, help) = match name.contains('/') {
            true => (
                format!("the hooks call {shown}, which cannot be run"),
                "install the packages of the repository: npm install",
            ),
            false => (
                format!("{shown} is not on PATH, where the hooks look for it"),
                "install it: cargo install --path . in a clone, or add its directory to PATH",
            ),
        };
        return check(Status::Fail, message).help(help);
    };
    let this = std::env::current_exe().and_then(|path| path.canonicalize());
    let this = this.unwrap_or_default();
    let shown = show_file(&found);
    if found == this {
        return check(Status::Ok, format!("the hooks find this guard, {shown}"));
    }
    // A package starts the program by a script.
    let version = Command::new(&found).arg("--version").output();
    let own = format!("guard {}", env!("CARGO_PKG_VERSION"));
    if version.is_ok_and(|output| output.stdout.trim() == own.as_bytes()) {
        return check(Status::Ok, format!("the hooks find {own}, {shown}"));
    }
    let this = show_file(&this);
    let message = format!("the hooks find {shown}, which is not this guard ({this})");
    check(Status::Warn, message).help("put the directory of the right one first in PATH, or install the same version in both places")
}

/// The file that runs, links resolved.
fn runnable(file: &Path) -> Option<PathBuf> {
    let real = file.canonicalize().ok()?;
    match super::look(&real).ok()? {
        FileOnDisk::File { executable, .. } => executable.then_some(real),
        _ => None,
    }
}
