//! The hooks of a repository: looked at, installed, taken away.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::{self, Found};
use super::hook::{HOOKS, Hook, Plan, State, is_called};
use super::manager::Manager;
use crate::error::{Error, Result};
use crate::git::{Repository, show_file};

/// A hook and what is at its place.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Which hook.
    pub hook: Hook,
    /// The file that decides: under husky the one that a person writes.
    pub path: PathBuf,
    /// What it is.
    pub state: State,
    /// Whether git would run it.
    pub executable: bool,
    /// Its bytes.
    pub content: Vec<u8>,
}

impl Placed {
    /// Whether it should call guard: an opt-in hook only where guard's part is there already.
    pub fn is_wanted(&self) -> bool {
        !self.hook.is_opt_in()
            || !matches!(
                self.state,
                State::Missing | State::Shell | State::Managed(_) | State::Foreign(_)
            )
    }
}

/// All hooks of a repository.
#[derive(Debug, Clone)]
pub struct Survey {
    /// Where git looks for hooks.
    pub directory: PathBuf,
    /// Whether `core.hooksPath` says so.
    pub configured: bool,
    /// Whether the directory belongs to this repository: to its work tree or its git directory.
    pub inside: bool,
    /// The hooks that guard installs.
    pub hooks: Vec<Placed>,
}

/// What was done, or would be done, with one hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Git's name of the hook.
    pub hook: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What guard does with it.
    pub action: Action,
    /// Why or how, in a few words.
    pub message: String,
    /// What a person has to do.
    pub help: Vec<String>,
}

/// What happens to a hook file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It stays.
    Keep,
    /// It is written.
    Write,
    /// It is removed.
    Remove,
    /// It stays although it is not as wanted.
    Refuse,
}

impl Action {
    /// The word used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Action::Keep => "keep",
            Action::Write => "write",
            Action::Remove => "remove",
            Action::Refuse => "refuse",
        }
    }
}

/// Looks at every hook.
///
/// # Errors
/// A hook file cannot be read, or `core.hooksPath` is no path.
pub fn survey(repo: &Repository) -> Result<Survey> {
    let found = repo.hooks_directory()?;
    let husky = found.path.ends_with(".husky/_");
    let hooks = HOOKS
        .iter()
        .map(|&hook| {
            let directory = match found.path.parent() {
                Some(parent) if husky => parent,
                _ => &found.path,
            };
            place(repo, hook, &directory.join(hook.name), husky)
        })
        .collect::<Result<_>>()?;
    Ok(Survey {
        inside: is_inside(repo, &found.path),
        directory: found.path,
        configured: found.configured,
        hooks,
    })
}

fn place(repo: &Repository, hook: Hook, path: &Path, husky: bool) -> Result<Placed> {
    let found = files::look(path)
        .map_err(|error| Error::new(format!("{} cannot be read: {error}", show_file(path))))?;
    let (state, executable, content) = match found {
        Found::Nothing => (State::Missing, false, Vec::new()),
        Found::Link => (
            State::Foreign("it is a symbolic link, and guard writes no file elsewhere"),
            true,
            Vec::new(),
        ),
        Found::Other => (State::Foreign("it is not a file"), false, Vec::new()),
        Found::File {
            content,
            executable,
        } => (hook.classify(&content), executable, content),
    };
    let state = match state {
        // husky runs its own files with sh, whatever their mode and first line.
        State::CallsGuard if husky => State::CallsGuard,
        _ if husky => State::Managed(Manager::Husky),
        State::Managed(manager) if manager_calls(repo, manager, &hook) => State::CallsGuard,
        state => state,
    };
    Ok(Placed {
        hook,
        path: path.to_owned(),
        state,
        executable: executable || husky,
        content,
    })
}

/// Whether the manager's own settings have it call guard.
fn manager_calls(repo: &Repository, manager: Manager, hook: &Hook) -> bool {
    let names: &[&str] = match manager {
        Manager::PreCommit => &[
            ".pre-commit-config.yaml",
            ".pre-commit-config.yml",
            "prek.toml",
        ],
        Manager::Lefthook => &["lefthook.yml", "lefthook.yaml", "lefthook.toml"],
        Manager::Husky => &[],
    };
    let Ok(root) = repo.workdir() else {
        return false;
    };
    names
        .iter()
        .filter_map(|name| fs::read(root.join(name)).ok())
        .any(|content| {
            is_called(manager.entry(hook.name), &content) || is_shipped_id(&content, hook)
        })
}

/// Whether settings of pre-commit use one of guard's shipped hooks that covers this one of git's.
fn is_shipped_id(content: &[u8], hook: &Hook) -> bool {
    let ids: &[&str] = match hook.name {
        "pre-commit" | "pre-merge-commit" | "pre-push" => &["guard", "guard-system"],
        "prepare-commit-msg" => &["guard-trailer", "guard-trailer-system"],
        "post-commit" => &["guard-landed", "guard-landed-system"],
        _ => &[],
    };
    String::from_utf8_lossy(content).lines().any(|line| {
        let line = line.trim_start().trim_start_matches("- ");
        let value = line.strip_prefix("id:").map(|rest| {
            let rest = rest.split('#').next().unwrap_or_default();
            rest.trim().trim_matches(['"', '\''])
        });
        value.is_some_and(|value| ids.contains(&value))
    })
}

/// Whether a directory, which need not exist, is in the work tree or the git directory, links resolved.
fn is_inside(repo: &Repository, directory: &Path) -> bool {
    let real = |path: &Path| {
        let existing = path.ancestors().find_map(|ancestor| {
            let real = ancestor.canonicalize().ok()?;
            Some((real, path.strip_prefix(ancestor).ok()?))
        });
        existing.map(|(real, rest)| real.join(rest))
    };
    // `..` behind a directory that does not exist could lead anywhere.
    let climbs = directory
        .components()
        .any(|part| part == std::path::Component::ParentDir);
    let Some(directory) = real(directory).filter(|path| !climbs || path.exists()) else {
        return false;
    };
    [repo.workdir().ok(), Some(repo.common_dir())]
        .into_iter()
        .flatten()
        .filter_map(real)
        .any(|root| directory.starts_with(root))
}

/// Installs every hook that can be installed, of the opt-in ones those in `with`; with `dry_run` only says what
/// it would do.
///
/// # Errors
/// The hooks of this repository are shared with others, or a file cannot be read or written.
pub fn install(repo: &Repository, with: &[String], dry_run: bool) -> Result<Vec<Step>> {
    let mut survey = survey(repo)?;
    survey
        .hooks
        .retain(|placed| placed.is_wanted() || with.iter().any(|name| name == placed.hook.name));
    if !survey.inside {
        return Err(Error::new(format!(
            "core.hooksPath is {}, outside this repository: hooks there may serve others too",
            show_file(&survey.directory)
        ))
        .help("give this repository its own: git config --local core.hooksPath .git/hooks")
        .help("or call guard from there: guard hook NAME \"$@\" || exit $?"));
    }
    carry_out(&survey, dry_run, |placed| {
        placed
            .hook
            .plan_install(&placed.state, placed.executable, &placed.content)
    })
}

/// Takes away what guard wrote, and nothing else.
///
/// # Errors
/// A file cannot be read or written.
pub fn uninstall(repo: &Repository, dry_run: bool) -> Result<Vec<Step>> {
    let survey = survey(repo)?;
    carry_out(&survey, dry_run, |placed| {
        placed.hook.plan_uninstall(&placed.state, &placed.content)
    })
}

fn carry_out(survey: &Survey, dry_run: bool, plan: impl Fn(&Placed) -> Plan) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    for placed in &survey.hooks {
        let (action, message, help) = match plan(placed) {
            Plan::Keep(why) => (Action::Keep, why.to_owned(), Vec::new()),
            Plan::Refuse(why, help) => (Action::Refuse, why, help),
            Plan::Write(content, what) => {
                if !dry_run {
                    files::replace_script(&placed.path, &content)
                        .map_err(|error| unwritable(&placed.path, &error))?;
                }
                (Action::Write, what.to_owned(), Vec::new())
            }
            Plan::Remove => {
                if !dry_run {
                    fs::remove_file(&placed.path)
                        .map_err(|error| unwritable(&placed.path, &error))?;
                }
                (Action::Remove, "removed".to_owned(), Vec::new())
            }
        };
        steps.push(Step {
            hook: placed.hook.name,
            path: placed.path.clone(),
            action,
            message,
            help,
        });
    }
    Ok(steps)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(format!("{} cannot be written: {error}", show_file(path)))
}
