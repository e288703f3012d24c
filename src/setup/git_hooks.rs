//! Looks at the hooks of a repository, and installs or removes them.

use std::path::{Path, PathBuf};

use super::hook::{HookState, OPT_IN, assess, classify};
use super::manager::{Managed, Manager};
use super::{Part, Plan, Status, Step};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::hooks::{HOOKS, Hook};
use write_guard_repo::disk;
use write_guard_repo::{Repository, real_path, show_file};

/// A hook and what is at its place.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Which hook.
    pub hook: Hook,
    /// What it is.
    pub state: HookState,
    /// The tool that runs it.
    pub(super) managed: Option<Managed>,
    /// What that means for the file that decides: under husky the one that a person writes.
    pub part: Part,
    /// Whether git calls guard by it.
    pub status: Status,
}

impl Placed {
    /// Whether it should call guard: an opt-in hook only where guard's part is there already.
    pub fn is_wanted(&self) -> bool {
        self.hook.name != OPT_IN || self.calls_guard() || self.state == HookState::Changed
    }

    /// Whether git calls guard, if the file is executable.
    pub(super) fn calls_guard(&self) -> bool {
        matches!(self.state, HookState::Ours | HookState::CallsGuard)
    }
}

/// All hooks of a repository.
#[derive(Debug, Clone)]
pub struct Survey {
    /// Where git looks for hooks.
    pub directory: PathBuf,
    /// Whether the directory belongs to this repository: to its work tree or its git directory.
    pub inside: bool,
    /// The hooks that guard installs.
    pub hooks: Vec<Placed>,
    /// Where hook managers have their settings.
    root: PathBuf,
}

/// The hook that writes trailers.
pub(super) const TRAILERS: &str = "prepare-commit-msg";

impl Survey {
    /// The command that gets a hook that is not there: of the manager whose settings call guard in it, else guard's own.
    pub(super) fn install_command(&self, hook: &'static str) -> &'static str {
        let by = Managed::not_set_up(hook, &self.root);
        by.map_or("guard install git", |by| by.tool.setup_command())
    }

    /// How to get a hook that writes the trailers; `None` where git calls guard for the message.
    pub fn trailer_fix(&self) -> Option<Vec<String>> {
        for placed in &self.hooks {
            if matches!(placed.hook.name, TRAILERS | "commit-msg")
                && placed.calls_guard()
                && placed.status == Status::Ok
            {
                return None;
            }
        }
        let placed = self.hooks.iter().find(|one| one.hook.name == TRAILERS)?;
        if let Plan::ByHand(steps) = &placed.part.install {
            return Some(steps.clone());
        }
        let first = &self.hooks[0];
        let managed = first.managed.as_ref().filter(|_| first.calls_guard());
        let by_manager = managed.map(|by| by.for_hook(TRAILERS).advice());
        Some(by_manager.unwrap_or_else(|| vec![format!("run: {}", self.install_command(TRAILERS))]))
    }
}

/// How to get hooks that serve this repository alone.
pub(super) const OWN_HOOKS: &str =
    "give this repository its own hooks: git config --local core.hooksPath .git/hooks";

/// Looks at every hook.
///
/// # Errors
/// `core.hooksPath` is not a path.
pub fn survey(repo: &Repository) -> Result<Survey> {
    let found = repo.hooks_directory()?;
    let directory = match found.parent() {
        // husky runs the files above its own directory with sh, whatever their mode and first line.
        Some(parent) if found.ends_with(".husky/_") => parent,
        _ => found.as_path(),
    };
    let is_husky = directory != found.as_path();
    // A repository without a work tree has no settings of a manager.
    let root = repo.workdir().unwrap_or_else(|_| repo.common_dir());
    Ok(Survey {
        inside: is_inside(repo, &found),
        hooks: HOOKS
            .iter()
            .map(|&hook| place(root, hook, directory.join(hook.name), is_husky))
            .collect(),
        directory: found,
        root: root.to_owned(),
    })
}

fn place(root: &Path, hook: Hook, path: PathBuf, is_husky: bool) -> Placed {
    let (mut state, tool, executable) = match super::look(&path) {
        Ok(None) => (HookState::Missing, None, false),
        Ok(Some((content, executable))) => {
            (classify(&hook, &content), Manager::of(&content), executable)
        }
        Err(why) => {
            let why = format!("does not call guard: {why}");
            (HookState::Foreign(why), None, true)
        }
    };
    let tool = match tool {
        _ if is_husky => Some(Manager::Husky),
        // It writes the commands of its settings into the hook.
        Some(Manager::SimpleGitHooks) => tool,
        _ => tool.filter(|_| matches!(state, HookState::Foreign(_))),
    };
    let managed = tool.map(|tool| Managed::find(tool, hook.name, root));
    if let Some(by) = &managed {
        let calls_guard = match by.tool {
            Manager::SimpleGitHooks => state == HookState::CallsGuard,
            _ => by.calls_guard(),
        };
        state = if calls_guard {
            HookState::CallsGuard
        } else {
            HookState::Foreign(format!(
                "belongs to {}, which does not call guard",
                by.tool.name()
            ))
        };
    }
    let (part, status) = assess(
        &hook,
        &state,
        managed.as_ref(),
        executable || is_husky,
        path,
    );
    Placed {
        hook,
        state,
        managed,
        part,
        status,
    }
}

/// Whether a directory, which need not exist but in a directory that does, is in the work tree or the git directory, links
/// resolved.
fn is_inside(repo: &Repository, directory: &Path) -> bool {
    let real = real_path(directory);
    let real = real.or_else(|_| real_path(disk::directory_of(directory)));
    let roots = [repo.workdir().ok(), Some(repo.common_dir())];
    let mut roots = roots.into_iter().flatten().map(disk::absolute);
    real.is_ok_and(|real| roots.any(|root| real.starts_with(root)))
}

/// Installs every hook that can be installed, of the opt-in ones those in `with`; with `dry_run` only says what
/// it would do.
///
/// # Errors
/// The hooks of this repository are shared with others, or a file cannot be read or written.
pub fn install(repo: &Repository, with: &[String], dry_run: bool) -> Result<Vec<Step>> {
    let survey = survey(repo)?;
    if !survey.inside {
        return Err(outside(&survey)
            .help(OWN_HOOKS)
            .help("or call guard from there: guard hook NAME \"$@\" || exit $?"));
    }
    let asked = survey
        .hooks
        .iter()
        .filter(|placed| placed.is_wanted() || with.iter().any(|name| name == placed.hook.name));
    asked
        .map(|placed| placed.part.carry_out(&placed.part.install, dry_run))
        .collect()
}

/// Removes what guard wrote, and nothing else.
///
/// # Errors
/// The hooks of this repository are shared with others, or a file cannot be read or written.
pub fn uninstall(repo: &Repository, dry_run: bool) -> Result<Vec<Step>> {
    let survey = survey(repo)?;
    let mut states = survey.hooks.iter().map(|placed| &placed.state);
    if !survey.inside && states.any(|state| *state == HookState::Ours) {
        return Err(outside(&survey)
            .help("if no other repository needs guard there, remove by hand its files"));
    }
    survey
        .hooks
        .iter()
        .filter(|placed| placed.state != HookState::Missing)
        .map(|placed| placed.part.carry_out(&placed.part.uninstall, dry_run))
        .collect()
}

fn outside(survey: &Survey) -> Error {
    Error::new(format!(
        "core.hooksPath is {}, outside this repository, so its hooks may serve other repositories \
         too",
        show_file(&survey.directory)
    ))
}
